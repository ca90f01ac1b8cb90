"""The asynchronous recipe: its arithmetic and commands without trl, its `--check` with it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.scripts import EXAMPLES, loaded

PAIR = "--env PiBench-Mini-v0 --gpus 2 --trainer-gpus 1 --policy-gpus 1 --lora-rank 32 --max-length 8192 "
PAIR += "--max-answer 1024 --session-tokens 2000 --inflight 32 --max-seqs 64"
ROLES = "--trainer-gpus 4 --policy-gpus 3 --role-gpus 1 --inflight 48 --user-url http://127.0.0.1:8001/v1 "
ROLES += "--user-model Qwen/Qwen3-8B --grader-url http://127.0.0.1:8001/v1 --grader-model Qwen/Qwen3-8B"
RECIPES = {"two GPUs": PAIR, "a node": "", "a node with roles": ROLES}


@pytest.fixture(scope="module")
def plan() -> ModuleType:
    return loaded("trl_async_plan")


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("trl_grpo_async")


def planned(plan: ModuleType, words: str) -> Any:
    return plan.Plan(plan.parse(words.split()), plan.Shape())


@pytest.mark.parametrize("words", RECIPES.values(), ids=RECIPES)
def test_recipes_fit(plan: ModuleType, words: str) -> None:
    assert planned(plan, words).problems() == []


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ("--gpus 1 --trainer-gpus 1 --policy-gpus 0", "on a single GPU use GRPOTrainer"),
        ("--gpus 1 --trainer-gpus 1 --policy-gpus 1", "on a single GPU use GRPOTrainer"),
        ("--gpus 4", "8 are given away"),
        ("--role-gpus 1 --policy-gpus 3 --inflight 48", "0 servers play user and grader"),
        ("--user-url http://127.0.0.1:8001/v1", "--user-url and --user-model: one of them"),
        ("--policy-url http://127.0.0.1:8000/v1", "without /v1"),
        ("--group 1", "at least 2"),
        ("--inflight 60", "no multiple of --group 8"),
        ("--max-seqs 8", "replicas work on 32 requests"),
        ("--inflight 128 --session-tokens 40000 --staleness 9", "hold about 853,333 tokens, its cache"),
        ("--max-length 20000", "a usual session has 19000 tokens"),
        ("--queue 1024", "most would be thrown away"),
        ("--gpus 5 --trainer-gpus 1 --staleness 9", "GiB on each, of 80"),
    ],
)
def test_what_does_not_fit_is_named(plan: ModuleType, words: str, match: str) -> None:
    assert any(match in text for text in planned(plan, words).problems())


def test_the_default_shape_is_four_billion_parameters(plan: ModuleType) -> None:
    shape = plan.Shape()
    assert shape.parameters == pytest.approx(4.02e9, rel=0.01)
    assert shape.cache_bytes == 147_456


def test_a_trainer_s_states_are_shared_and_adapters_have_few(plan: ModuleType) -> None:
    four, eight = (planned(plan, f"--gpus 16 --trainer-gpus {n}").trainer_gib for n in (4, 8))
    assert four - eight == pytest.approx(plan.Shape().parameters * 16 / 8 / 2**30)
    assert planned(plan, "--lora-rank 8").trainer_gib < four


def test_the_servers_share_no_gpu_with_each_other_or_the_trainer(plan: ModuleType) -> None:
    a = plan.parse((ROLES.replace("8001/v1 --grader-model", "8002/v1 --grader-model") + " --role-gpus 2").split())
    commands = [[plan.devices(0, a.trainer_gpus)], plan.policy_command(a), *plan.role_commands(a)]
    taken = [command[0].partition("=")[2].split(",") for command in commands]
    assert [len(one) for one in taken] == [4, 3, 1, 1]
    assert sorted(gpu for one in taken for gpu in one) == sorted(str(n) for n in range(9))
    assert [command[command.index("--role") + 1] for command in commands[2:]] == ["user", "grader"]


def test_a_shell_reads_the_command_of_the_policy_s_server_as_it_is_meant(plan: ModuleType) -> None:
    a = plan.parse(["--policy-url", "http://127.0.0.1:9123/"])
    words = shlex.split(plan.shown(plan.policy_command(a)))
    assert words == plan.policy_command(a)
    assert "VLLM_SERVER_DEV_MODE=1" in words[:2]
    assert json.loads(words[words.index("--weight-transfer-config") + 1]) == {"backend": "nccl"}
    assert words[words.index("--port") + 1] == "9123"
    assert words[words.index("--logprobs-mode") + 1] == "processed_logprobs"


def test_a_server_that_cannot_take_weights_is_refused_before_anything_starts(
    plan: ModuleType, script: ModuleType
) -> None:
    with pytest.raises(SystemExit, match="start it first"):
        script.require_server(plan.parse(["--policy-url", "http://127.0.0.1:9"]))
    with ChatServer(lambda _: {"content": ""}, model="other") as server:  # it answers every GET with its models
        a = plan.parse(["--policy-url", server.url.removesuffix("/v1")])
        with pytest.raises(SystemExit, match="takes weights"):
            script.require_server(a)


def test_a_server_that_is_given_adapters_under_names_of_their_own_is_refused(script: ModuleType) -> None:
    script.require_whole_weights(SimpleNamespace(_lora_sync=False))
    with pytest.raises(SystemExit, match="--enable-lora"):
        script.require_whole_weights(SimpleNamespace(_lora_sync=True))


def test_the_curve_keeps_what_trl_logged(script: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["trl_curve"], "draw", lambda content, path: None)  # it needs matplotlib
    log = [{"step": 1, "reward": 0.2, "pi_gym/proc": None, "loss": 3}, {"step": 2, "train_runtime": 1.0}]
    script.log_curve(script.Curve(tmp_path, {}), log)
    (kept,) = json.loads((tmp_path / "curve.json").read_text())["logged"]
    assert {name: kept[name] for name in ("stage", "step", "reward")} == {"stage": "grpo", "step": 1, "reward": 0.2}
    assert "proc" not in kept


def run_check(words: str) -> subprocess.CompletedProcess[str]:
    for name in ("trl", "datasets", "aiohttp"):
        pytest.importorskip(name, reason="needs trl, datasets and aiohttp: make test-train")
    command = [sys.executable, str(EXAMPLES / "trl_grpo_async.py"), "--check", *words.split()]
    settings = {**os.environ, "TRL_EXPERIMENTAL_SILENCE": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=settings, timeout=110)


@pytest.mark.slow
@pytest.mark.parametrize("words", RECIPES.values(), ids=RECIPES)
def test_check_accepts_the_recipes_and_prints_commands_that_are_understood(words: str) -> None:
    done = run_check(words)
    assert done.returncode == 0, done.stderr
    assert "was pickled, and plays it" in done.stdout
    launch = shlex.split(done.stdout.rstrip().rpartition("\n")[2])
    assert launch[1:3] == ["accelerate", "launch"]
    parser = import_module("accelerate.commands.launch").launch_command_parser()
    understood = parser.parse_args(launch[3:])
    assert understood.training_script.endswith("trl_grpo_async.py")
    assert understood.training_script_args == ["--train-only", *words.split()]
    assert understood.use_fsdp == (understood.num_processes > 1)


@pytest.mark.slow
def test_check_ends_with_2_and_says_what_does_not_fit() -> None:
    done = run_check("--queue 1024")
    assert done.returncode == 2
    assert done.stderr.strip().splitlines()[-1].startswith("does not fit: --staleness 4: 64 sessions are played")


@pytest.mark.slow
def test_check_says_that_a_model_writes_calls_in_a_way_that_trl_does_not_know(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="needs trl: make test-train")
    from support.byte_tokenizer import byte_tokenizer

    tokenizer = byte_tokenizer()
    tokenizer.chat_template = "{% for m in messages %}{{ m.content }}{% endfor %}"
    tokenizer.save_pretrained(tmp_path)
    shape = {"model_type": "qwen3", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 300}
    (tmp_path / "config.json").write_text(json.dumps(shape))
    done = run_check(f"{PAIR} --model {tmp_path}")
    assert done.returncode == 2
    assert "Unrecognized chat template" in done.stderr


@pytest.mark.slow
def test_check_of_a_model_at_hand_renders_the_first_session(tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="needs trl: make test-train")
    from support.byte_tokenizer import byte_tokenizer

    byte_tokenizer().save_pretrained(tmp_path)
    shape = {"model_type": "qwen3", "hidden_size": 64, "num_hidden_layers": 2, "vocab_size": 300}
    (tmp_path / "config.json").write_text(json.dumps(shape))
    done = run_check(f"{PAIR} --model {tmp_path}")
    assert done.returncode == 0, done.stderr
    assert "known to TRL; it keeps what was said as it was" in done.stdout
    assert "openings of 2," in done.stdout
    assert "sessions of the references of 3," in done.stdout
    done = run_check(f"{PAIR} --model {tmp_path} --max-length 3400 --max-answer 1400 --accumulate 64")
    assert done.returncode == 2
    assert "no room for an answer behind an opening of" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "told"),
    [
        ("qwen2_5", "known to TRL; it keeps what was said as it was"),
        ("qwen3", "known to TRL, which trains with one of its own; it keeps what was said as it was"),
        ("qwen3_instruct_2507", "known to TRL; it keeps what was said as it was"),
        ("gptoss", "rewrites earlier thoughts where the user answers"),
        ("qwen3_6", "rewrites earlier answers where the user answers"),
    ],
)
def test_check_tells_which_templates_rewrite_a_conversation(
    script: ModuleType, family: str, told: str, tmp_path: Path
) -> None:
    templates = pytest.importorskip("trl.chat_template_utils", reason="needs trl: make test-train")
    from support.byte_tokenizer import byte_tokenizer

    tokenizer = byte_tokenizer()
    tokenizer.chat_template = getattr(templates, f"{family}_chat_template")
    tokenizer.save_pretrained(tmp_path)
    assert told in script.local_tokenizer(str(tmp_path))[1]


@pytest.mark.slow
def test_trl_takes_the_configuration_of_one_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("trl", reason="needs trl: make test-train")
    from trl import GRPOConfig

    monkeypatch.chdir(tmp_path)
    page = (EXAMPLES.parent / "docs" / "training_gpu.md").read_text()
    body = page[page.index("config = GRPOConfig(") : page.index("rows = make_dataset(")]
    found: dict[str, Any] = {"GRPOConfig": lambda **given: GRPOConfig(**{**given, "bf16": False, "use_cpu": True})}
    exec(body, found)
    config = found["config"]
    assert config.vllm_mode == "colocate"
    assert config.generation_batch_size % config.num_generations == 0
    assert config.vllm_max_model_length >= config.max_completion_length + 1050  # the longest opening of Mini's


def test_the_page_s_commands_are_those_of_the_plan(plan: ModuleType) -> None:
    page = (EXAMPLES.parent / "docs" / "training_gpu.md").read_text().replace("\\\n", "")
    words = {tuple(shlex.split(line)) for line in page.splitlines() if line.startswith("CUDA_VISIBLE_DEVICES")}
    roles = plan.parse(ROLES.split())
    assert words == {tuple(plan.policy_command(plan.parse([]))), *map(tuple, plan.role_commands(roles))}
