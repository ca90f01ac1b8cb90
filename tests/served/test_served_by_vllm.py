"""The roles played by a real model behind a real vLLM: `make test-vllm`.

The model is small and judges badly. What is tested is the path, never its quality.
"""

from __future__ import annotations

import json
import threading
import time
import urllib.request
from pathlib import Path

import gymnasium as gym
import pytest
from support.packs import TINY
from support.small_vllm import NAME, serving

from pi_gym import PiSession, load_pack, read_trajectories
from pi_gym.baselines.served.chat_agent import ChatAgent
from pi_gym.calibration.calibrating import calibrate
from pi_gym.calibration.calibration_page import calibration_page
from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.vllm_arguments import CONTEXT_TOKENS
from pi_gym.rollout import collect
from pi_gym.types import Ask, ModelRequest
from pi_gym.users.model import ModelUser

pytestmark = pytest.mark.model
ID = "pi_gym:PiBench-v0"
TESTS = Path(__file__).parents[1]
#: So small a model says the same again until it is cut off, unless it is held back. A penalty on *repetition* would not
#: do: vLLM counts the prompt's tokens too, the one that ends a message among them, and then no message ends.
HELD = {"frequency_penalty": 1.0}
VERDICT = {
    "type": "object",
    "properties": {"reason": {"type": "string", "maxLength": 200}, "decision": {"enum": ["YES", "NO"]}},
    "required": ["reason", "decision"],
    "additionalProperties": False,
}


@pytest.fixture(scope="module")
def server():
    with serving() as running:
        yield running


def counted(server, name):
    """One of the server's counters."""
    with urllib.request.urlopen(f"{server.url.removesuffix('/v1')}/metrics") as response:
        lines = response.read().decode().splitlines()
    return sum(float(line.rpartition(" ")[2]) for line in lines if line.startswith(f"{name}{{"))


def tokens_of(server, messages):
    """How many tokens the server makes of a prompt."""
    body = json.dumps({"model": NAME, "messages": list(messages)}).encode()
    asked = urllib.request.Request(
        f"{server.url.removesuffix('/v1')}/tokenize", body, {"content-type": "application/json"}
    )
    with urllib.request.urlopen(asked) as response:
        return json.load(response)["count"]


def roles(server, cache, **options):
    model = server.config(cache=cache, max_tokens=1024, timeout_s=600, extra_body=HELD, **options)
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


DENSE = {
    "figures": ",".join(f"{number * 0.6180339887 % 1:.4f}" for number in range(2000)),
    "empty lines": "\n" * 14_000,
    "rare signs": "".join(chr(0x1F300 + number % 255) for number in range(14_000)),
    "punctuation": "#?;%{]" * 2_300,
}


@pytest.mark.parametrize("kind", DENSE)
def test_no_text_of_an_agent_outgrows_the_context_that_serve_asks_for(server, kind):
    session = PiSession(load_pack(TINY).instantiate("01-list"), user=ModelUser())
    for number in range(8):
        arguments = json.dumps({"path": f"{number}.txt", "content": DENSE[kind]})
        call = {"id": "c", "type": "function", "function": {"name": "write_file", "arguments": arguments}}
        session.apply({"role": "assistant", "content": "", "tool_calls": [call]})
    session.apply("Done.")
    (ask,) = session.pending
    tokens = tokens_of(server, ask.request.messages)
    assert 4_000 < tokens < CONTEXT_TOKENS - server.config().max_tokens


def test_sixteen_sessions_run_at_one_time(server, tmp_path):
    kwargs = {"pack": str(TINY), "max_turns": 1, **roles(server, tmp_path)}
    summary = collect(ID, "silent", sessions=16, split="train", concurrency=16, env_kwargs=kwargs)
    assert summary.scored == 16, summary.first_error
    assert summary.models["user"].answers >= 16
    assert counted(server, "vllm:prefix_cache_hits_total") > 0


def test_a_person_of_pare_is_played_over_the_wire(server, tmp_path):
    kwargs = {"user": roles(server, tmp_path)["user"], "max_turns": 3, "keep_prompts": True}
    summary = collect("pi_gym:Pare-v0", "reference", sessions=2, env_kwargs=kwargs, out=tmp_path / "run")
    assert summary.scored == 2, summary.first_error
    for record in read_trajectories(tmp_path / "run"):
        moves = [event.data["value"]["move"] for event in record.events if event.kind == "answer"]
        assert len(moves) == 3
        assert all(move["action"] for move in moves)


@pytest.mark.parametrize("env_id", ["PiBench-v0", "Pare-v0"])
def test_a_served_model_is_calibrated_however_badly_it_judges(server, tmp_path, env_id, capsys):
    tiny = {"pack": str(TINY)} if env_id == "PiBench-v0" else {}
    models = roles(server, tmp_path)
    players = models if tiny else {"user": models["user"]}
    lists, task = (TESTS / "served/lists", "01-list") if tiny else (TESTS / "pare/blind", "gift-twice")
    found = calibrate(f"pi_gym:{env_id}", players, tasks=[task], trials=2, lists=lists, env_kwargs=tiny)
    with capsys.disabled():  # what `make test-vllm` is run for, too
        print(f"\n{calibration_page(found)}")
    assert len(found.scored) + len(found.unscored) == len(found.trials)
    assert all(one.error and not one.pairs for one in found.unscored)
    for kind, _ in found.kinds:
        figures = found.confusion(kind).to_json()
        assert 0 <= figures["agreement"] <= 1
        assert figures["judged"] == sum(pair.kind == kind for one in found.scored for pair in one.pairs)
    json.dumps(found.to_json(), allow_nan=False)


def test_a_served_agent_calls_tools(server, tmp_path):
    # Left to itself the model is too weak for a call.
    asked = {**HELD, "tool_choice": "required"}
    agent = ChatAgent(server.config(cache=None, max_tokens=512, timeout_s=600, extra_body=asked))
    kwargs = {"pack": str(TINY), "max_turns": 1, "max_steps": 3}
    summary = collect(ID, agent, sessions=1, out=tmp_path, env_kwargs=kwargs)
    assert summary.scored == 1, summary.first_error
    (played,) = read_trajectories(tmp_path)
    actions = [event.data for event in played.events if event.kind == "agent"]
    assert all(action["calls"] and not action["fault"] for action in actions)
    assert played.tool_calls >= 1


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
            running.kill()

    with serving() as running:
        broken = run(running, progress=kill)
    assert 0 < broken.scored < 6
    assert dict(broken.error_kinds) == {"model": 6 - broken.scored}
    time.sleep(1)
    with serving() as running:
        whole = run(running, resume=True)
    assert (whole.scored, whole.unscored) == (6, 0)
