# The two commands of the README, and what developers run. Everything lives in .venv; only Python >= 3.11 and make are needed.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
# Not called vllm: a folder of that name hides the package from those who stand beside it.
SERVED ?= .served
TRAIN ?= .train
PEERS ?= .peers
CONNECT ?= .connect
# Frameworks of others in which the sessions are played; what they require excludes one another.
FRAMEWORKS := mcp inspect openenv skyrl verifiers verl
SITE ?= build/site

.PHONY: demo docs docs-links test test-slow test-shell test-vllm test-ray test-connect test-dist test-docs test-train test-recipes train-mini train-grpo train-served dist check lint types validate validate-ci fuzz bench peers clean

$(VENV)/core: setup.cfg setup.py pyproject.toml
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "pi_gym needs Python 3.11 or newer; set PYTHON=python3.x")'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade pip setuptools
	$(BIN)/python -m pip install --quiet --editable .
	touch $@

$(VENV)/dev: $(VENV)/core
	$(BIN)/python -m pip install --quiet --editable '.[dev]'
	touch $@

# A spread of sessions of both people and of Pare that need no shell, two worlds each, with three baselines.
demo: $(VENV)/core
	$(BIN)/pi-gym demo --out runs/demo

# Bytecode is kept, whatever the surroundings say: else each run compiles all tests anew, and each process that a test
# starts the package.
test test-slow: export PYTHONDONTWRITEBYTECODE :=

# Threads for linear algebra, which nothing here does: to start them is a quarter of what importing the package takes.
test test-slow test-shell: export OPENBLAS_NUM_THREADS := 1

# Three workers for two cores: a quarter of the time a test waits, for servers, time limits and processes that end.
test: $(VENV)/dev
	$(BIN)/python -m pytest -n 3

$(VENV)/ray: $(VENV)/dev
	$(BIN)/python -m pip install --quiet --editable '.[ray]'
	touch $@

# The long tests too, whole programs and processes that are killed (not those that need a served model, a GPU or Ray).
test-slow: $(VENV)/dev
	$(BIN)/python -m pytest -n 3 -m 'not model and not gpu and not ray'

# The shell's tests under each version of Landlock that older kernels have.
test-shell: $(VENV)/dev
	$(BIN)/python -m pytest -n 2 -m slow tests/shell

# The roles played by a real model: vLLM for the CPU and a small model, in $(SERVED) (a gigabyte is loaded, 4 GB kept, once).
# Slow, and of the network; its last result is in docs/models.md.
test-vllm: $(VENV)/dev $(CONNECT)/inspect/ready
	$(PYTHON) scripts/prepare.py served $(SERVED)
	PI_GYM_SERVED=$(SERVED) $(BIN)/python -m pytest -m model --timeout 1800 tests/served/test_served_by_vllm.py
	PI_GYM_SERVED=$(SERVED) $(CONNECT)/inspect/env/bin/python -m pytest -m model --timeout 1800 tests/served/test_inspect_served.py

# Collecting and evaluating on Ray: clusters of one or two nodes on this machine, one for each of the files.
test-ray: $(VENV)/ray
	$(BIN)/python -m pytest -n 2 --dist loadfile -m ray tests/rollout tests/evaluation

# The adapters to agents and evaluations of others, each framework in an environment of its own in $(CONNECT) (300 MB, verl
# with torch 2 GB, once).
test-connect: $(FRAMEWORKS:%=$(CONNECT)/%/ready)
	for name in $(FRAMEWORKS); do $(CONNECT)/$$name/env/bin/python -m pytest --timeout 600 -n 2 -k $$name \
		tests/adapters/test_adapters_conformance.py tests/*/test_$${name}_*.py || exit 1; done

$(CONNECT)/%/ready: setup.cfg setup.py scripts/prepare.py
	rm -f $(CONNECT)/$*/installed
	$(PYTHON) scripts/prepare.py $* $(CONNECT)/$*
	touch $@

# What is released, in dist/: a source distribution, and the wheel that is built from it.
dist: $(VENV)/dev
	rm -rf dist
	$(BIN)/python -m build --outdir dist

# Both in fresh environments of each of these interpreters that is at hand.
PYTHONS ?= python3.11 python3.12 python3.13
test-dist: dist
	PI_GYM_DIST=dist PI_GYM_PYTHONS="$(PYTHONS)" $(BIN)/python -m pytest -n 2 -m slow --timeout 1800 \
		tests/test_distributions.py

# The trainers: TRL and torch for the CPU, and a small model, in $(TRAIN) (a gigabyte and a half is loaded, once).
$(TRAIN)/ready: setup.cfg setup.py scripts/prepare.py
	rm -f $(TRAIN)/installed
	$(PYTHON) scripts/prepare.py train $(TRAIN)
	touch $@

test-train: $(TRAIN)/ready
	PI_GYM_TRAIN=$(TRAIN) $(TRAIN)/env/bin/python -m pytest -n 2 -m slow --timeout 1800 tests/adapters tests/examples

# The recipes for GPUs, as far as they go without one: TRL and vLLM in one process, and every command of docs/training_gpu.md.
test-recipes: $(TRAIN)/ready
	$(PYTHON) scripts/prepare.py served $(SERVED)
	PI_GYM_TRAIN=$(TRAIN) PI_GYM_SERVED=$(SERVED) $(TRAIN)/env/bin/python -m pytest -m 'slow or model or not slow' \
		--timeout 1800 tests/examples/test_training_gpu_page.py tests/examples/test_trl_dry_run.py \
		tests/examples/test_trl_grpo_async.py tests/adapters/test_trl_asynchronous.py \
		tests/adapters/test_trl_asynchronous_training.py

$(VENV)/docs: $(VENV)/dev
	$(BIN)/python -m pip install --quiet --editable '.[docs]'
	touch $@

# The site of the documentation, in a folder of $(SITE) for each version; VERSION names another one than the package's.
docs: $(VENV)/docs
	$(BIN)/python docs/site/build_site.py --out $(SITE) $(VERSION:%=--version %)

# Whether links to other sites work; of the network.
docs-links: $(VENV)/docs
	$(BIN)/python docs/site/build_site.py --out $(SITE) --check-links

# The site, looked at page by page and in a browser.
test-docs: docs
	PI_GYM_SITE=$(SITE) $(BIN)/python -m pytest -m slow tests/documentation

# A small instruct model: an hour and a half on a core that knows bf16. The same command goes on after a kill. MINI_ARGS
# changes it.
train-mini: $(TRAIN)/ready
	HF_HUB_OFFLINE=1 $(TRAIN)/env/bin/python examples/trl_sft.py --model $(TRAIN)/model --out runs/train-mini --resume \
	  --bf16 --freeze-embeddings --demonstrations 576 --epochs 1 --rate 1e-4 --starts 24 --wave 48 --validation 48 \
	  --holdout 48 $(MINI_ARGS)

# Policy gradients that learn, with a model that is made and warmed up on the spot, three seeds at a time: half an
# hour on two cores. The same command goes on after a kill. GRPO_ARGS changes the runs.
GRPO := runs/train-grpo
train-grpo: export HF_HUB_OFFLINE := 1
train-grpo: $(TRAIN)/ready
	test -d $(GRPO)/untrained || $(TRAIN)/env/bin/python examples/tiny_model.py --out $(GRPO)/untrained
	$(TRAIN)/env/bin/python examples/trl_sft.py --model $(GRPO)/untrained --out $(GRPO)/warm --resume --noise 0.3 \
	  --exchange 0.7 --demonstrations 6400 --epochs 5 --batch 32 --micro 32 --rate 2e-3 --freeze-embeddings --rounds 0 \
	  --validation 0 --holdout 0
	printf '%s\n' 0 1 2 | xargs -P 3 -I{} $(TRAIN)/env/bin/python examples/trl_grpo.py --model $(GRPO)/warm/imitation \
	  --out $(GRPO)/seed-{} --seed {} --resume --threads 1 --bf16 --play conversation --steps 64 --starts 8 --group 8 \
	  --micro 64 --rate 1.5e-4 --freeze-embeddings --room 320 --new-tokens 60 --wave 96 --validation 96 --holdout 96 \
	  --judge-temperature 1 $(GRPO_ARGS)
	$(TRAIN)/env/bin/python examples/draw_runs.py $(GRPO)/seed-* --out $(GRPO)

# Ten steps of GRPO in which a served model plays user and grader, and where their time goes.
train-served: $(TRAIN)/ready $(VENV)/dev
	$(PYTHON) scripts/prepare.py served $(SERVED)
	PI_GYM_SERVED=$(SERVED) PI_GYM_TRAIN=$(TRAIN) $(BIN)/python -m pytest -s -m model --timeout 3600 \
	  tests/served/test_training_with_served_roles.py

check: lint types

lint: $(VENV)/dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/python -m pytest -q tests/test_layering.py

# mypy does not follow setup.cfg's package_dir, so it gets a folder in which the packages lie as they are installed.
types: $(VENV)/dev
	rm -rf build/types && mkdir -p build/types/pi_gym
	for entry in pi_gym/* envs wrappers baselines; do ln -s "../../../$$entry" build/types/pi_gym/; done
	cd build/types && ../../$(BIN)/mypy --config-file ../../pyproject.toml -p pi_gym

# The proof that the tasks are good, over 20 variants of each: 0 to 14, and five of the validation split.
validate: $(VENV)/core
	$(BIN)/pi-gym validate --jobs 2

# The same over three variants of each task, other ones for every commit.
validate-ci: $(VENV)/core
	$(BIN)/pi-gym validate --jobs 2 --variants 3 --first $$(( $$(git rev-list --count HEAD) * 3 % 30000 ))

# A million hostile actions over all environments, in half an hour and more on two cores; the same command goes on after a
# kill. FUZZ_ARGS changes it (--actions, --seed, --part, --env, --jobs).
fuzz: $(VENV)/core
	$(BIN)/python fuzz/run.py --out runs/fuzz $(FUZZ_ARGS)

bench: $(VENV)/core
	$(BIN)/python bench/run.py

# Beside τ²-bench's gym and Meta's ARE, which are installed in $(PEERS) (1.7 GB, once).
peers: $(VENV)/core
	$(BIN)/python bench/peers.py --cache $(PEERS)

clean:
	rm -rf $(VENV) $(SERVED) $(TRAIN) $(PEERS) $(CONNECT) build dist *.egg-info .mypy_cache .pytest_cache .ruff_cache .hypothesis
