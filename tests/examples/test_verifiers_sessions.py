"""The example of verifiers' rollouts plays sessions with a served model."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.chat_server import ChatServer
from support.outsiders import calling, need, saying, scripted

EXAMPLE = Path(__file__).parents[2] / "examples" / "verifiers_sessions.py"
PLAY = scripted([calling("read_file", path="notes.txt"), saying("What should the last line be?")])


def test_a_served_model_plays_groups() -> None:
    need("verifiers", "verifiers")

    def answer(body: Mapping[str, Any]) -> Mapping[str, Any]:
        said = PLAY(sum(one["role"] == "assistant" for one in body["messages"]))
        assert said is not None
        return said

    with ChatServer(answer) as server:
        command = [sys.executable, EXAMPLE, "--model", "toy", "--url", server.url, "--task", "01-sign", "--group", 2]
        done = subprocess.run(
            [*map(str, command), "--variant", "1", "--variant", "2"], capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr
    expected = [f"mini/01-sign/{variant} 0.167 5 turns, 1 branch" for variant in (1, 1, 2, 2)]
    assert done.stdout.splitlines() == expected
