"""The example runs as it is called."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from rollout_cases import keys
from support.chat_server import ChatServer
from support.shell import need

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "examples" / "collect_async.py"
SMALL = ("--env", "PiBench-Mini-v0")  # read in a moment


def run(*arguments: str) -> list[str]:
    command = [sys.executable, "-W", "error", str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return [line for line in done.stdout.splitlines() if not line.startswith("after ")]


def test_it_collects_without_a_model() -> None:
    need()
    printed = run("--sessions", "4", "--at-once", "4")
    assert len(printed) == 5
    assert printed[-1].startswith("4 sessions scored, 0 unscored; Proc ")


def test_it_goes_on_where_it_ended(tmp_path: Path) -> None:
    out = str(tmp_path / "run")
    for _ in range(2):
        assert run(*SMALL, "--sessions", "3", "--out", out)[-1].startswith("3 sessions scored, 0 unscored; Proc ")
    assert len(keys(tmp_path / "run")) == 3


def test_it_collects_with_a_served_policy_that_gets_the_whole_chat_and_the_tools() -> None:
    def answer(body: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"content": "Which of these matters most to you?"}

    with ChatServer(answer) as server:
        printed = run(*SMALL, "--sessions", "2", "--at-once", "2", "--policy", f"toy@{server.url}")
        asked = server.bodies
    assert printed[-1].startswith("2 sessions scored")
    assert len(asked) > 2
    assert all(body["tools"] and body["messages"][0]["role"] == "system" for body in asked)
