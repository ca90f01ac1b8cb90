"""The asynchronous recipe: its arguments and its server without trl, its check with it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace

import pytest
from support.chat_server import ChatServer
from support.recipes_page import COMMANDS, VARIABLES
from support.scripts import EXAMPLES, loaded

PAIR = "--env PiBench-Mini-v0 --lora-rank 32 --max-length 8192 --max-answer 1024 --inflight 32"
ROLES = shlex.join(VARIABLES["ROLES"])
#: The page's table of templates, by TRL's names.
KEEP = ["qwen2_5", "qwen3_instruct_2507", "qwen3_vl", "qwen3_8", "llama3_1", "llama3_2", "lfm2_v2", "gemma4_v2"]
DROP = ["gptoss", "glm4moe", "gemma4", "gemma4_v3", "gemma4_v4", "gemma4_v5", "lfm2_2_5"]
REWRITE = ["qwen3_5_think", "qwen3_5_nothink", "qwen3_6", "nemotron_3_nano", "nemotron_3_super", "deepseek_r1_distill"]
RECIPES = {"two GPUs": PAIR, "a node": "", "a node with roles": ROLES}


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("trl_grpo_async")


def test_the_pages_server_can_take_weights_and_agrees_with_the_script(script: ModuleType) -> None:
    (server,) = (one for one in COMMANDS if one.words[0] == "vllm")
    words = server.words
    asked = script.parse(["before"])
    assert server.variables["VLLM_SERVER_DEV_MODE"] == "1"
    assert json.loads(words[words.index("--weight-transfer-config") + 1]) == {"backend": "nccl"}
    assert words[words.index("--logprobs-mode") + 1] == "processed_logprobs"
    assert words[words.index("serve") + 1] == asked.model
    assert f"http://127.0.0.1:{words[words.index('--port') + 1]}" == asked.policy_url
    assert int(words[words.index("--max-model-len") + 1]) == asked.max_length
    replicas, each = (int(words[words.index(name) + 1]) for name in ("--data-parallel-size", "--max-num-seqs"))
    assert asked.inflight <= replicas * each


@pytest.mark.parametrize(
    ("words", "match"),
    [
        ("--user-url http://127.0.0.1:8001/v1", "--user-url and --user-model: one of them"),
        ("--policy-url http://127.0.0.1:8000/v1", "without /v1"),
        ("--group 1", "at least 2, got 1"),
        ("--inflight 60", "--inflight 60: a multiple of --group"),
    ],
)
def test_what_does_not_fit_is_named(
    script: ModuleType, words: str, match: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        script.parse(["train", *words.split()])
    assert match in capsys.readouterr().err


def test_a_server_that_cannot_take_weights_is_refused_before_anything_starts(script: ModuleType) -> None:
    with pytest.raises(SystemExit, match="has the command that starts it"):
        script.require_server(script.parse(["before", "--policy-url", "http://127.0.0.1:9"]))
    with ChatServer(lambda _: {"content": ""}, model="other") as server:  # it answers every GET with its models
        asked = script.parse(["before", "--policy-url", server.url.removesuffix("/v1")])
        with pytest.raises(SystemExit, match="takes weights"):
            script.require_server(asked)


def test_a_server_that_is_given_adapters_under_names_of_their_own_is_refused(script: ModuleType) -> None:
    script.require_whole_weights(SimpleNamespace(_lora_sync=False))
    with pytest.raises(SystemExit, match="--enable-lora"):
        script.require_whole_weights(SimpleNamespace(_lora_sync=True))


def test_the_curve_keeps_what_trl_logged(script: ModuleType, tmp_path: Path) -> None:
    log = [{"step": 1, "reward": 0.2, "pi_gym/proc": None, "loss": 3}, {"step": 2, "train_runtime": 1.0}]
    script.log_curve(script.Curve(tmp_path, {}), log)
    (kept,) = json.loads((tmp_path / "curve.json").read_text())["logged"]
    assert {name: kept[name] for name in ("stage", "step", "reward")} == {"stage": "grpo", "step": 1, "reward": 0.2}
    assert "proc" not in kept


def run_check(words: str) -> subprocess.CompletedProcess[str]:
    for name in ("trl", "datasets", "aiohttp"):
        pytest.importorskip(name, reason="needs trl, datasets and aiohttp: make test-train")
    command = [sys.executable, str(EXAMPLES / "trl_grpo_async.py"), "check", *words.split()]
    settings = {**os.environ, "TRL_EXPERIMENTAL_SILENCE": "1", "HF_HUB_OFFLINE": "1"}
    return subprocess.run(command, capture_output=True, text=True, env=settings, timeout=110)


@pytest.mark.slow
@pytest.mark.parametrize("words", RECIPES.values(), ids=RECIPES)
def test_check_accepts_the_recipes(words: str) -> None:
    done = run_check(words)
    assert done.returncode == 0, done.stderr
    assert "was pickled, and plays it" in done.stdout


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
    assert done.returncode == 1
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
    done = run_check(f"{PAIR} --model {tmp_path} --max-length 3400 --max-answer 1400")
    assert done.returncode == 1
    assert "no room for an answer behind an opening of" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("family", "told"),
    [
        *((family, "known to TRL; it keeps what was said as it was") for family in KEEP),
        ("qwen3", "known to TRL, which trains with one of its own; it keeps what was said as it was"),
        *((family, "rewrites earlier thoughts where the user answers") for family in DROP),
        *((family, "rewrites earlier answers where the user answers") for family in REWRITE),
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
