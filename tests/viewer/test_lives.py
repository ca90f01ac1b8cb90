"""The lives that families tell of their sessions, and what a replay adds."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_gym.environments import family_named
from pi_gym.rollout import collect
from pi_gym.session import Trajectory
from pi_gym.session.trajectory import read_trajectories
from pi_gym.viewer.replayed import Replays
from pi_gym.viewer.viewed_runs import ViewedRuns


def played(env_id: str, agent: str, out: Path, sessions: int) -> tuple[Trajectory, ...]:
    collect(env_id, agent, split="test", sessions=sessions, out=out)
    found = (*read_trajectories(out),)
    assert len(found) == sessions
    return found


def test_intents_end_as_their_labels_say_and_what_settled_them_is_a_moment(tmp_path: Path) -> None:
    family = family_named("pibench")
    for record in played("PiBench-Researcher-v0", "asking", tmp_path / "run", 3):
        lives = {life.id: life for life in family.lives(record) if life.kind == "intent"}
        assert [*lives] == [one["id"] for one in record.labels["intents"]]
        for one in record.labels["intents"]:
            states = [moment.state for moment in lives[one["id"]].moments]
            assert one["status"] == "open" or one["status"] in states
            assert lives[one["id"]].tone != "good" or one["status"] in ("completed", "inferred")
        lacking = [one for one in record.labels["intents"] if one["status"] not in ("completed", "inferred")]
        lacking += [one for one in record.labels["checklist"] if one["verdict"] != "passed"]
        assert len(family.shortcomings(record.labels)) == len(lacking)


def test_proposals_end_as_they_were_answered(tmp_path: Path) -> None:
    family = family_named("pare")
    for agent in ("reference", "propose-again"):
        for record in played("Pare-v0", agent, tmp_path / agent, 4):
            goal, *proposals = family.lives(record)
            assert goal.value == ("success" if record.scores["success"] else "no success")
            values = [life.value for life in proposals]
            assert len(values) == record.labels["proposals"]
            for name in ("accepted", "rejected", "replaced"):
                assert values.count(name) == record.labels[name]


@pytest.mark.parametrize("env_id", ["PiBench-Researcher-v0", "Pare-v0"])
def test_a_session_is_played_again_for_diffs_rows_and_rewards(tmp_path: Path, env_id: str) -> None:
    (record,) = played(env_id, "reference", tmp_path / "run", 1)
    runs = ViewedRuns([tmp_path], cached=False)
    runs.index()
    (found,) = runs.sessions
    dossier = Replays(runs).dossier(found)
    assert "problem" not in dossier
    assert dossier["final"]
    total = sum(value for parts in dossier["rewards"].values() for value in parts.values())
    assert total == pytest.approx(record.return_)
    assert any(name.startswith(f"{record.pack}/") for name in Replays(runs).tags())
