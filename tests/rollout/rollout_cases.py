"""Runs over the tiny fixture pack, and what they wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from support.packs import TINY

from pi_gym.rollout import RunSummary, collect
from pi_gym.session.trajectory import SessionKey

ENV_ID = "PiBench-v0"


def run(agent: Any = "reference", **arguments: Any) -> RunSummary:
    return collect(ENV_ID, agent, **{"env_kwargs": {"pack": str(TINY)}, **arguments})


def lines(folder: Path, name: str = "trajectories.jsonl") -> list[dict[str, Any]]:
    text = (folder / name).read_text(encoding="utf-8")
    assert text == "" or text.endswith("\n"), "the last line is torn"
    return [json.loads(line) for line in text.splitlines()]


def content(folder: Path) -> list[str]:
    """The scored sessions as they are written, in an order that does not depend on who finished first."""
    return sorted((folder / "trajectories.jsonl").read_text(encoding="utf-8").splitlines())


def keys(folder: Path, name: str = "trajectories.jsonl") -> list[SessionKey]:
    return [SessionKey.of(line) for line in lines(folder, name)]
