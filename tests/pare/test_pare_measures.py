"""The measures of a run of the phone family."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from support.plans import plan_over

import pi_gym
from pi_gym.errors import UnknownName
from pi_gym.pare.family import PARE
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import PlannedSession
from pi_gym.runs.run_table import common_tries, differing, reported_runs
from pi_gym.runs.summary import RunSummary, summarise

COUNTS = {"turns": 4, "steps": 4, "tool_calls": 0, "invalid_actions": 0}


def summed(*sessions: dict[str, Any], **options: Any) -> RunSummary:
    """The summary over sessions with these labels and scores, each in a world of its own."""
    planned = [PlannedSession(n, "p", "a", n, 0, 0, n) for n in range(len(sessions))]
    plan = plan_over(planned)
    none = dict.fromkeys(("proposals", "accepted", "rejected", "gathered", "reads", "writes"), 0)
    scores = {"success": 0.0, "score": 0.0, "return": 0.0}
    made = {
        plan.key(session): Score(
            True, "", {**COUNTS, **none, **scores, "wanted": 1.0, "proposed": float("proposals" in given), **given}
        )
        for session, given in zip(planned, sessions, strict=True)
    }
    return summarise(plan, PARE, made, **options)


def test_rates_are_of_all_sessions_together() -> None:
    found = summed(
        {"proposals": 4, "accepted": 1, "rejected": 2, "gathered": 1, "turns": 8},
        {"proposals": 1, "accepted": 1, "gathered": 1, "turns": 2},
        {},
    )
    assert found.mean("acceptance_rate") == pytest.approx(2 / 5)
    assert found.overall["acceptance_rate"].sessions == 2
    assert found.mean("proposal_rate") == pytest.approx(5 / 14)
    assert found.mean("gathered_rate") == pytest.approx(2 / 4)
    assert found.mean("proposed") == pytest.approx(2 / 3)


def test_without_a_proposal_there_is_no_acceptance_rate_and_no_nan() -> None:
    found = summed({}, {})
    assert (found.mean("acceptance_rate"), found.mean("gathered_rate"), found.mean("proposal_rate")) == (None, None, 0)
    assert "NaN" not in json.dumps(found.to_json(), allow_nan=False)
    nothing = summed()
    assert nothing.mean("proposal_rate") is None


def test_success_where_help_is_wanted_and_false_proposals_are_told_apart() -> None:
    found = summed(
        {"success": 1.0},
        {"success": 0.0},
        {"wanted": 0.0, "success": 1.0},
        {"wanted": 0.0, "proposals": 2},
        {"wanted": 0.0, "success": 1.0},
    )
    assert found.mean("success") == pytest.approx(3 / 5)
    assert (found.mean("success_wanted"), found.overall["success_wanted"].sessions) == (0.5, 2)
    assert (found.mean("false_proposals"), found.overall["false_proposals"].sessions) == (pytest.approx(1 / 3), 3)
    assert summed({"wanted": 0.0}).mean("success_wanted") is None


def test_a_run_tells_what_its_sessions_did_by_app_and_over_tries(tmp_path: Path) -> None:
    tasks = ["stranded-friend", "over-the-limit"]
    options: dict[str, Any] = {"tasks": tasks, "sessions": 12, "group_size": 3, "split": "train"}
    summary = pi_gym.collect("Pare-v0", "fixed-proposal", out=tmp_path / "run", **options)
    records = list(pi_gym.read_trajectories(tmp_path / "run"))
    written = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert json.loads(json.dumps(summary.to_json())) == written
    assert all(math.isfinite(value) for value in numbers(written))
    asked = sum(record.labels["proposals"] for record in records)
    assert written["overall"]["proposal_rate"]["mean"] == pytest.approx(asked / sum(record.turns for record in records))
    assert set(written["by"]["app"]) == {"Apartment", "Cab", "Messages"}
    assert written["by"]["app"]["Cab"] == written["tasks"]["stranded-friend"]
    assert set(written["tries"]["success@k"]) == {"1", "2", "3"}
    paper = pi_gym.collect("Pare-v0", "fixed-proposal", protocol="paper", **options)
    assert paper.tries is not None
    assert set(paper.tries.one_of) == {6}
    with pytest.raises(UnknownName, match="Known: mean, paper"):
        pi_gym.collect("Pare-v0", "silent", protocol="official")


def test_the_apps_of_a_scenario_are_those_that_its_goal_is_about() -> None:
    scenarios = installed_scenarios()
    for task in scenarios.task_ids:
        goal = scenarios.source(task).sheet.goal
        named = set(apps_in(goal))
        assert named
        assert named <= set(scenarios.card(task).tags["app"]), task


def test_runs_side_by_side_differ_in_what_was_asked(tmp_path: Path) -> None:
    for noise in ("none", "high"):
        env_kwargs = {"noise": noise, "tool_failure": "low"}
        pi_gym.collect("Pare-v0", "silent", sessions=4, group_size=2, out=tmp_path / noise, env_kwargs=env_kwargs)
    runs = reported_runs([tmp_path / "none", tmp_path / "high"])
    assert differing(runs) == ["noise"]
    assert [run.settings["noise"] for run in runs] == ["none", "high"]
    assert common_tries(runs) == ("success", "2")


def apps_in(spec: Any) -> Iterator[str]:
    """The apps that a predicate names."""
    if isinstance(spec, dict):
        if "app" in spec:
            yield spec["app"]
        for part in spec.values():
            yield from apps_in(part)
    elif isinstance(spec, list):
        for part in spec:
            yield from apps_in(part)


def numbers(tree: Any) -> Iterator[float]:
    """The numbers in a JSON object."""
    if isinstance(tree, dict | list):
        for part in tree.values() if isinstance(tree, dict) else tree:
            yield from numbers(part)
    elif isinstance(tree, int | float):
        yield tree
