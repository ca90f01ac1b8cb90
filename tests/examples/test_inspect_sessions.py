"""The example of an evaluation of Inspect's plays sessions with a served model."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.outsiders import calling, need, saying, scripted

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "inspect_sessions.py"
#: What the gallery of the documentation's site shows.
KEPT = ROOT / "docs" / "site" / "kept" / "inspect_sessions.txt"
PLAY = scripted([calling("read_file", path="notes.txt"), saying("What should the last line be?")])


def test_a_served_model_is_evaluated(tmp_path: Path) -> None:
    need("inspect_ai", "inspect")
    pytest.importorskip("openai")

    def answer(body: Mapping[str, Any]) -> Mapping[str, Any]:
        said = PLAY(sum(one["role"] == "assistant" for one in body["messages"]))
        assert said is not None
        return {**said, "finish_reason": "tool_calls" if said.get("tool_calls") else "stop"}

    with ChatServer(answer) as server:
        command = [sys.executable, EXAMPLE, "--model", "openai-api/local/toy", "--task", "01-sign", "--variant", 1]
        done = subprocess.run(
            [*map(str, command), "--logs", str(tmp_path)],
            capture_output=True,
            text=True,
            check=False,
            env={**os.environ, "LOCAL_BASE_URL": server.url, "LOCAL_API_KEY": "none"},
        )
        shown = server.bodies[1]["messages"]
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("01-sign/1 1 {")
    command_line, _, printed = KEPT.read_text(encoding="utf-8").partition("\n")
    assert command_line.startswith(
        "$ python examples/inspect_sessions.py --model openai-api/local/toy --task 01-sign --v"
    )
    assert printed == done.stdout
    # The server was sent the model's own message and id again.
    assert [one["role"] for one in shown][:4] == ["system", "user", "assistant", "tool"]
    assert shown[3]["tool_call_id"] == "own-read_file"
