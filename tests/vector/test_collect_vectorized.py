"""The example runs as it is called."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.shell import need

pytestmark = pytest.mark.slow

SCRIPT = Path(__file__).parents[2] / "examples" / "collect_vectorized.py"


def run(*arguments: str) -> str:
    command = [sys.executable, "-W", "error", str(SCRIPT), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=100)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_collects_with_random_actions() -> None:
    need()
    printed = run("--sessions", "4", "--envs", "3").splitlines()
    assert len(printed) == 5
    assert printed[-1].startswith("4 sessions, 4 scored, mean return ")


def test_it_collects_with_a_served_policy_that_gets_the_whole_chat_and_the_tools() -> None:
    def answer(body: Mapping[str, Any]) -> Mapping[str, Any]:
        return {"content": "Which of these matters most to you?"}

    with ChatServer(answer) as server:
        printed = run("--env", "PiBench-Mini-v0", "--sessions", "2", "--envs", "2", "--policy", f"toy@{server.url}")
        asked = server.bodies
    assert "2 sessions, 2 scored" in printed
    assert all(body["tools"] and body["messages"][0]["role"] == "system" for body in asked)
    assert [body["messages"][-1]["role"] for body in asked] == ["user"] * len(asked)
    # Nobody is asked for a move that is not taken: each chat is longer than the same session's last one.
    chats = [tuple(str(message) for message in body["messages"]) for body in asked]
    assert len(set(chats)) == len(chats)
