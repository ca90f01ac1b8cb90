"""The example of a host of the Model Context Protocol plays a session."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.chat_server import ChatServer
from support.outsiders import calling, need

import pi_gym

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "mcp_agent.py"
#: What the gallery of the documentation's site shows.
KEPT = ROOT / "docs" / "site" / "kept" / "mcp_agent.txt"
MOVES = [
    calling("open_session"),
    calling("read_file", path="notes.txt"),
    calling("reply_to_user", content="What should the last line be?"),
    {"content": "I am done."},
]


def test_a_chat_model_plays_by_tools(tmp_path: Path) -> None:
    need("mcp", "mcp")

    def answer(body: Mapping[str, Any]) -> Mapping[str, Any]:
        return MOVES[sum(one["role"] == "assistant" for one in body["messages"])]

    with ChatServer(answer) as server:
        command = [sys.executable, EXAMPLE, "--model", f"toy@{server.url}", "--task", "01-sign", "--out", tmp_path]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    command_line, _, printed = KEPT.read_text(encoding="utf-8").partition("\n")
    assert command_line == "$ python examples/mcp_agent.py --model toy@URL --task 01-sign --out runs/mcp"
    assert printed == done.stdout.replace(str(tmp_path), "runs/mcp")
    (record,) = pi_gym.read_trajectories(tmp_path)
    assert (record.agent, record.end_reason) == ("toy", "left open")
    assert record.return_ > 0
