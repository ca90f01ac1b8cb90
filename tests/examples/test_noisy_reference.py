"""References with mistakes: what they leave out, and that they never know what they were not told."""

from __future__ import annotations

import json
from pathlib import Path
from types import ModuleType

import pytest
from support.scripts import loaded

import pi_gym

MINI = "PiBench-Mini-v0"


@pytest.fixture(scope="module")
def script() -> ModuleType:
    return loaded("shared.noisy_reference")


def played(script: ModuleType, noise: float, out: Path, sessions: int = 24) -> list[pi_gym.Trajectory]:
    pi_gym.collect(MINI, script.NoisyReference(noise), split="train", sessions=sessions, out=out)
    return list(pi_gym.read_trajectories(out))


def test_without_noise_it_is_the_reference(script: ModuleType, tmp_path: Path) -> None:
    pi_gym.collect(MINI, "reference", split="train", sessions=6, out=tmp_path / "plain")
    plain = [one.actions for one in pi_gym.read_trajectories(tmp_path / "plain")]
    assert [one.actions for one in played(script, 0.0, tmp_path / "noisy", 6)] == plain


def test_the_more_noise_the_less_is_earned(script: ModuleType, tmp_path: Path) -> None:
    means = []
    for noise in (0.0, 0.3, 0.6):
        records = played(script, noise, tmp_path / str(noise))
        means.append(sum(one.return_ or 0.0 for one in records) / len(records))
    assert means[0] > means[1] + 0.1 > means[2] + 0.2


def test_what_nobody_told_is_not_written(script: ModuleType, tmp_path: Path) -> None:
    written = 0
    for record in played(script, 0.5, tmp_path):
        shown = ""
        for event in record.events:
            if event.kind == "call" and "content" in event.data["arguments"]:
                lines = event.data["arguments"]["content"].splitlines()[1:]
                assert all(line in shown for line in lines)
                written += len(lines)
            told = event.data.get("result") if event.kind == "call" else event.data if event.kind != "agent" else ""
            shown += json.dumps(told, ensure_ascii=False)
    assert written > 10
