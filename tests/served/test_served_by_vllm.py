"""The roles played by a real model behind a real vLLM: `make test-vllm`.

The model is small and judges badly. What is tested is the path, never its quality.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import gymnasium as gym
import pytest
from support.packs import TINY

from pi_gym.models.answering import ModelAnswerer
from pi_gym.models.serving import ServedModel
from pi_gym.rollout import collect
from pi_gym.types import Ask, ModelRequest

pytestmark = pytest.mark.model
FOLDER = os.environ.get("PI_GYM_SERVED", "")
ID, NAME, PORT = "pi_gym:PiBench-v0", "small", int(os.environ.get("PI_GYM_SERVED_PORT", "8765"))
VERDICT = {
    "type": "object",
    "properties": {"reason": {"type": "string", "maxLength": 200}, "decision": {"enum": ["YES", "NO"]}},
    "required": ["reason", "decision"],
    "additionalProperties": False,
}


def serving() -> ServedModel:
    if not (Path(FOLDER) / "installed").exists():
        pytest.skip("needs vLLM and a model in the folder PI_GYM_SERVED: make test-vllm")
    place = Path(FOLDER).absolute()
    variables = {
        "HF_HUB_OFFLINE": "1",
        "TRANSFORMERS_OFFLINE": "1",
        "VLLM_NO_USAGE_STATS": "1",
        "DO_NOT_TRACK": "1",
        "VLLM_CPU_KVCACHE_SPACE": "2",
        "VLLM_CPU_NUM_OF_RESERVED_CPU": "0",
    }
    library = place / "env" / "lib" / "libiomp5.so"
    if library.exists():
        variables["LD_PRELOAD"] = str(library)
    # Compiled, this model gives other words on a CPU; and half precision is slow there.
    extra = ["--dtype", "float32", "--enforce-eager", "--max-num-seqs", "16", "--max-model-len", "8192"]
    return ServedModel(
        str(place / "model"),
        port=PORT,
        extra=[*extra, "--served-model-name", NAME],
        vllm=str(place / "env" / "bin" / "vllm"),
        environment=variables,
        ready_s=600,
    )


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


def roles(server, cache, **options):
    # So small a model goes on listing the same until it is cut off, unless it is held back.
    held = {"repetition_penalty": 1.3}
    model = server.config(cache=cache, max_tokens=1024, timeout_s=600, extra_body=held, **options)
    return {"user": model, "grader": model}


def test_verdicts_are_json_of_their_schema(server):
    answerer = ModelAnswerer({"grader": server.config(cache=None, max_tokens=512, timeout_s=600)})
    asks = []
    for number in range(4):
        said = f"Is {number} an even number? Give a short reason, then decide."
        request = ModelRequest(({"role": "user", "content": said},), VERDICT, "verdict")
        asks.append(Ask(f"a{number}", "model", "grader", "grade", request))
    answers = answerer(asks)
    answerer.close()
    assert [answer.error for answer in answers] == [""] * 4
    assert all(answer.value["decision"] in ("YES", "NO") for answer in answers)


def test_a_session_runs_to_its_end_and_a_second_one_asks_nothing(server, tmp_path):
    def play():
        env = gym.make(ID, disable_env_checker=True, pack=str(TINY), max_turns=3, **roles(server, tmp_path))
        env.reset(seed=0, options={"task": "01-list", "variant": 0})
        ended = False
        while not ended:
            _, _, terminated, truncated, info = env.step("I am on it. Which colour would you like?")
            ended = terminated or truncated
        usage = env.unwrapped.model_usage()
        line = env.unwrapped.session.trajectory().to_line()
        env.close()
        return info, usage, line

    info, usage, line = play()
    assert info["scored"], info["error"]
    assert usage["user"].requests > 0
    again, usage_again, line_again = play()
    assert again["scored"]
    assert line_again == line
    assert sum(used.requests for used in usage_again.values()) == 0
    assert sum(used.cache_hits for used in usage_again.values()) > 0


def test_sixteen_sessions_run_at_one_time(server, tmp_path):
    kwargs = {"pack": str(TINY), "max_turns": 1, **roles(server, tmp_path)}
    summary = collect(ID, "silent", sessions=16, split="train", concurrency=16, env_kwargs=kwargs)
    assert summary.scored == 16, summary.first_error
    assert summary.models["user"].answers >= 16


def test_a_server_killed_in_the_middle_leaves_sessions_unscored_and_a_resume_finishes_them(server, tmp_path):
    server.stop()  # the port is needed
    out, left = tmp_path / "run", threading.Event()

    def run(running, **options):
        models = roles(running, tmp_path / "cache", retries=1, backoff_s=0.1)
        kwargs = {"pack": str(TINY), "max_turns": 1, **models}
        return collect(ID, "silent", sessions=6, concurrency=2, out=out, env_kwargs=kwargs, **options)

    def kill(progress):
        if progress.done >= 1 and not left.is_set():
            left.set()
            os.killpg(running.pid, signal.SIGKILL)

    with serving() as running:
        broken = run(running, progress=kill)
    assert 0 < broken.scored < 6
    assert dict(broken.error_kinds) == {"model": 6 - broken.scored}
    time.sleep(1)
    with serving() as running:
        whole = run(running, resume=True)
    assert (whole.scored, whole.unscored) == (6, 0)
