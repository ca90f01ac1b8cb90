"""The fuzz plays what it says, goes on where it was, and finds what is broken."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import fuzz_sessions
import pytest
import step_checks
from fuzz_sessions import play_session
from support.packs import PROTOCOL

from pi_gym.tools import ToolContext
from pi_gym.tools.files import list_dir, write_file

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]


def run(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(ROOT / "fuzz" / "run.py"), *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=100, check=False)


def lots(out: Path) -> list[dict[str, Any]]:
    return [
        json.loads(line) for line in (out / "lots.jsonl").read_text().splitlines(keepends=True) if line.endswith("\n")
    ]


@pytest.mark.parametrize(("part", "count"), [("actions", 10), ("sequences", 10)])
@pytest.mark.parametrize("pack", ["researcher", "mini"])
def test_a_share_of_the_fuzz_finds_nothing(part: str, count: int, pack: str) -> None:
    for number in range(count):
        assert play_session(part, number, 0, pack).problem == "", (part, number)


def test_a_session_follows_from_its_number(monkeypatch: pytest.MonkeyPatch) -> None:
    taken: list[str] = []
    drawn = fuzz_sessions.Remembering.action

    def action(self: Any) -> Any:
        found = drawn(self)
        taken.append(repr(found)[:500])
        return found

    monkeypatch.setattr(fuzz_sessions.Remembering, "action", action)
    for part in fuzz_sessions.PARTS:
        first = play_session(part, 3, 7, str(PROTOCOL))
        once, taken[:] = [*taken], []
        assert play_session(part, 3, 7, str(PROTOCOL)).actions == first.actions > 0
        assert taken == once
        taken.clear()


def broken(context: ToolContext, **_: object) -> str:
    raise RuntimeError("broken")


def half_done(context: ToolContext, **_: object) -> str:
    return "\ud800"


def sessions_with_problems(count: int = 30) -> list[str]:
    found = (play_session("actions", number, 0, str(PROTOCOL)) for number in range(count))
    return [one.problem for one in found if one.problem]


def test_a_tool_that_raises_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(list_dir, "function", broken)
    problems = sessions_with_problems()
    assert problems
    assert problems[0].startswith("engine fault in tool list_dir: RuntimeError: broken (")


def test_a_result_that_cannot_be_encoded_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(write_file, "function", half_done)
    assert "the observation is not in its space" in sessions_with_problems()


def test_a_step_that_takes_long_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(step_checks, "MOST_SECONDS", 0.0)
    assert "of CPU time, expected 0.0 at most" in sessions_with_problems(1)[0]


def test_the_program_goes_on_where_it_was_killed(tmp_path: Path) -> None:
    options = ("--env", PROTOCOL, "--jobs", 1, "--out", tmp_path, "--part", "actions")
    first = run(*options, "--actions", 100)
    assert first.returncode == 0, first.stderr
    assert "| actions | 20 |" in first.stdout
    before = (tmp_path / "lots.jsonl").read_bytes()
    (tmp_path / "lots.jsonl").write_bytes(before + b'{"part": "actions", "num')
    second = run(*options, "--actions", lots_actions(before) + 1)
    assert second.returncode == 0, second.stderr
    assert [lot["number"] for lot in lots(tmp_path)] == [0, 1]
    assert (tmp_path / "lots.jsonl").read_bytes().startswith(before)


def lots_actions(data: bytes) -> int:
    return sum(json.loads(line)["actions"] for line in data.splitlines())


def test_a_kill_leaves_no_process_behind(tmp_path: Path) -> None:
    command = [sys.executable, str(ROOT / "fuzz" / "run.py"), "--env", str(PROTOCOL), "--jobs", "1", "--out", tmp_path]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as fuzz:
        while not (tmp_path / "lots.jsonl").exists() or not lots(tmp_path):
            assert fuzz.poll() is None
            time.sleep(0.02)
        fuzz.kill()
        assert fuzz.stdout is not None
        fuzz.stdout.read()  # ends when nobody holds the pipe any more


def test_what_is_broken_leaves_a_file_with_the_command_that_plays_it_again(tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    found = {"part": "actions", "session": 7, "seed": 2, "env": None, "where": "p/t", "problem": "a", "action": "x"}
    lot = {"part": "actions", "number": 0, "seed": 2, "sessions": 20, "actions": 400, "broken": [found]}
    (tmp_path / "run" / "lots.jsonl").write_text(json.dumps(lot) + "\n")
    done = run("--env", PROTOCOL, "--out", tmp_path / "run", "--part", "actions", "--seed", 2, "--actions", 400)
    assert done.returncode == 1, "what an earlier run found counts until its folder is gone"
    alone = run("--env", PROTOCOL, "--session", "actions:7", "--seed", 2)
    assert (alone.returncode, alone.stdout) == (0, "nothing is broken\n")
    refused = run("--session", "nothing:7")
    assert (refused.returncode, refused.stderr) == (1, "expected a part out of actions, sequences, got 'nothing'\n")
