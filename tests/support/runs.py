"""Run folders made of records, without a rollout."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from pi_gym.packs import Task
from pi_gym.session import Trajectory

from .play import FINISHING, ask, call, opened, play

OUTPUT = {"step": 1, "text": "<think>So.</think>Hm.", "token_ids": [5, 6, 7], "logprobs": [-0.5, -1 / 3, 0.0]}


def record(*actions: object, task: Task | None = None, **fields: Any) -> Trajectory:
    """The record of a session in which these actions were taken; it ends by itself or is cut short."""
    session = opened(task)
    play(session, *actions)
    if not session.ended:
        session.truncate("operator")
    return replace(session.trajectory(agent="test"), **fields)


def records() -> list[Trajectory]:
    """Sessions of several kinds: finished, with thoughts and calls, with rejected actions, with failed calls."""
    talk = "<think>Let me see.</think>" + call("list_dir", recursive=True) + ask("Anything?", "yes", "no")
    return [
        record(*FINISHING, sample=0),
        record(talk, "<tool_call>{", call("read_file", path="nope", limit=1.5), *FINISHING, sample=1),
        record("Hm.", "Hm.", "Hm.", sample=2, group_id="g1", policy_outputs=(OUTPUT, {"step": 3, "text": ""})),
    ]


def failed() -> Trajectory:
    """An attempt without a score, cut off in the middle."""
    session = opened()
    play(session, call("list_dir"))
    session.fail("no idea", "policy")
    return session.trajectory(agent="test", sample=9)


def unopened() -> Trajectory:
    """An attempt that never opened."""
    return replace(failed(), opening=(), events=(), tools=(), tools_hash="", config={}, labels={}, sample=10)


def write_run(folder: Path, scored: Iterable[Trajectory], unscored: Iterable[Trajectory] = ()) -> Path:
    """A folder with these records."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "run.json").write_text(json.dumps({"family": "pibench"}) + "\n")
    for name, found in (("trajectories.jsonl", scored), ("unscored.jsonl", unscored)):
        (folder / name).write_bytes(b"".join(one.to_line().encode() + b"\n" for one in found))
    return folder
