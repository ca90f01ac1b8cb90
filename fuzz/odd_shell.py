"""A shell that runs nothing: results of commands as a sandbox may give them, and some that no sandbox gives."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

from hostile_texts import HOSTILE

from pi_gym.tools.shell_result import ENDINGS, ShellResult
from pi_gym.types import Answer, Ask, ToolRequest

_PATHS = ["out.txt", "a/b.csv", "memory/MEMORY.md", "memory/HISTORY.md", "Makefile", "data/x.json", "ü/é.txt"]
_CONTENTS = [b"", b"x\n", b"\xff\xfe\x00", "ü\n".encode() * 1_000, b"| a | b |\n" * 50]


def answer_commands(asks: Sequence[Ask]) -> list[Answer]:
    """An answer for each ask of the shell; the same command gives the same one."""
    return [Answer(_result(random.Random(repr((ask.id, _command(ask)))))) for ask in asks]


def _command(ask: Ask) -> Any:
    assert isinstance(ask.request, ToolRequest)
    return ask.request.payload.get("command")


def _result(draw: random.Random) -> Any:
    kind = draw.random()
    if kind < 0.1:
        return {"unavailable": "no sandbox works here"}
    if kind < 0.2:
        return draw.choice([None, {}, [], "done", {"exit": "x"}, {**ShellResult().to_json(), "files": 1}])
    return ShellResult(
        exit=draw.choice([0, 0, 0, 1, 2, 126, 137]),
        output=draw.choice(["", "ok\n", draw.choice(HOSTILE), "x" * 10_000]),
        cut=draw.choice([0, 0, 20_000]),
        ended=draw.choice(["", "", "", *ENDINGS]),
        files={draw.choice(_PATHS): draw.choice(_CONTENTS) for _ in range(draw.randint(0, 3))},
        folders=("new",) if draw.random() < 0.2 else (),
        deleted=tuple(draw.sample(_PATHS, draw.choice((0, 0, 1)))),
        refused=(("link", "it is a link"),) if draw.random() < 0.1 else (),
    ).to_json()
