"""A session that is played an action a call, by processes that may be killed."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from time import monotonic, sleep
from typing import Any

import pytest
from support.commands import pi_gym_command
from support.packs import TINY, tiny

import pi_gym

PLAY = [sys.executable, "-m", "pi_gym", "play"]
SLOW = '<tool_call>{"name": "exec", "arguments": {"command": "sleep 30"}}</tool_call>'
HIDDEN = ("proc", "comp", "return", "reward", "intents", "checklist", "completed", "inferred", "provided")


def call(*arguments: object, text: str = "", status: int = 0) -> str:
    return pi_gym_command("play", *arguments, text=text, status=status)


def started(*arguments: object, text: str = "") -> str:
    """The same by a command as a shell starts it."""
    done = subprocess.run(
        [*PLAY, *map(str, arguments)], input=text.encode(), stdout=subprocess.PIPE, timeout=100, check=True
    )
    return done.stdout.decode()


@pytest.fixture
def begun(tmp_path: Path) -> tuple[Path, Path]:
    state, out = tmp_path / "state", tmp_path / "run"
    told = call("PiBench-v0", "--pack", TINY, "--task", "01-list", "--state", state, "--out", out, "--agent", "plain")
    assert "=== tools ===" in told
    return state, out


def test_a_session_is_played_by_a_process_an_action_and_its_outcome_is_a_run(begun: tuple[Path, Path]) -> None:
    state, out = begun
    told: dict[str, Any] = {}
    for number, action in enumerate(tiny().instantiate("01-list", 0).reference, start=1):
        told = json.loads(call("--state", state, "--json", "--action", "-", text=json.dumps(action)))
        assert told["steps"] == number
        assert not set(told) & set(HIDDEN)
    assert told["over"]
    kept = "".join(path.read_text() for path in state.iterdir())
    assert not [word for word in HIDDEN if f'"{word}"' in kept]
    (record,) = pi_gym.read_trajectories(out)
    assert (record.agent, record.scores["return"]) == ("plain", 1.0)
    assert json.loads((out / "summary.json").read_text())["scored"] == 1
    # The outcome that a kill kept from being written is written by whoever looks.
    (out / "trajectories.jsonl").write_bytes(b"")
    assert "=== session over" in call("--state", state)
    assert list(pi_gym.read_trajectories(out)) == [record]
    assert "over" in call("--state", state, "--action", "-", text="More.", status=1)


def test_hostile_actions_are_refused_or_taken_and_nothing_breaks(begun: tuple[Path, Path], tmp_path: Path) -> None:
    state, _ = begun
    (tmp_path / "bytes").write_bytes(b"\xff\xfe")
    assert "UTF-8" in call("--state", state, "--action", tmp_path / "bytes", status=2)
    assert "empty" in call("--state", state, "--action", "-", text="\n", status=2)
    assert "expected" in call("--state", state, "--json", "--action", "-", text="[1]", status=2)
    assert "settled" in call("--state", state, "--seed", 3, status=2)
    for number, text in enumerate(('"\\ud800\\u0000"', '"<tool_call>{"'), start=1):
        assert json.loads(call("--state", state, "--json", "--action", "-", text=text))["steps"] == number
    assert json.loads(call("--state", state, "--json"))["steps"] == 2


@pytest.mark.slow
def test_a_kill_in_the_middle_of_an_action_leaves_the_session_as_it_was(tmp_path: Path) -> None:
    state, out = tmp_path / "state", tmp_path / "run"
    started("PiBench-Researcher-v0", "--task", "04-toolkit-choice", "--state", state, "--out", out)
    process = subprocess.Popen([*PLAY, "--state", str(state), "--action", "-"], stdin=subprocess.PIPE)
    assert process.stdin
    process.stdin.write(SLOW.encode())
    process.stdin.close()
    begin = monotonic()
    while (state / "session.lock").read_text().strip() != str(process.pid):
        assert monotonic() - begin < 60
        sleep(0.01)
    sleep(1)
    assert f"pid {process.pid}" in call("--state", state, "--action", "-", text="Hello.", status=1)
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert json.loads(started("--state", state, "--json"))["steps"] == 0
    quick = SLOW.replace("sleep 30", "date +%N")
    first = json.loads(started("--state", state, "--json", "--action", "-", text=json.dumps(quick)))
    assert json.loads(call("--state", state, "--json")) == first


def test_the_whole_conversation_is_printed_for_who_takes_over(begun: tuple[Path, Path]) -> None:
    state, _ = begun
    opening = json.loads(call("--state", state, "--json"))
    look = '<tool_call>{"name": "list_dir", "arguments": {}}</tool_call>'
    last = json.loads(call("--state", state, "--json", "--action", "-", text=json.dumps(look)))
    whole = json.loads(call("--state", state, "--json", "--whole"))
    assert whole["new_messages"] == opening["new_messages"] + last["new_messages"]
    assert whole["tools"] == opening["tools"]
    assert "tools" not in last
    told = call("--state", state, "--whole")
    assert opening["new_messages"][1]["content"] in told
    assert '{"name": "list_dir"' in told.partition("=== tools ===")[0]
