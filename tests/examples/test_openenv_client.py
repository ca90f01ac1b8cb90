"""The example of a client plays sessions with a chat model."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from support.chat_server import ChatServer
from support.outsiders import calling, need

import pi_gym

EXAMPLE = Path(__file__).parents[2] / "examples" / "openenv_client.py"
MOVES = [calling("read_file", path="notes.txt"), {"role": "assistant", "content": "What should the last line be?"}]


def test_a_chat_model_plays_sessions_side_by_side(tmp_path: Path) -> None:
    need("openenv", "openenv")
    from support.openenv_server import serving

    def answer(body: Mapping[str, Any]) -> Mapping[str, Any]:
        said = sum(one["role"] == "assistant" for one in body["messages"])
        return MOVES[said] if said < len(MOVES) else {"role": "assistant", "content": "Done."}

    with serving("PiBench-Mini-v0", {}, tmp_path) as url, ChatServer(answer) as model:
        command = [sys.executable, EXAMPLE, "--model", f"toy@{model.url}", "--server", url, "--sessions", "6"]
        done = subprocess.run([*map(str, command)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    told = re.findall(r"(\S+), variant (\d+): ([\d.]+)$", done.stdout, re.M)
    kept = [(one.task_id, str(one.variant), f"{one.return_:.3f}") for one in pi_gym.read_trajectories(tmp_path)]
    assert len(told) == 6
    assert sorted(told) == sorted(kept)
    assert any(float(score) > 0 for _, _, score in told)
