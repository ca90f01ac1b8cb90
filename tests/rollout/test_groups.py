from __future__ import annotations

from statistics import fmean, stdev

import pytest
from support.plans import named, plan_over, score, summed

from pi_gym.runs.group_spread import group_spread
from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import Plan, plan_sessions

TASKS = ["01-a", "02-b"]


def plan_of(history: str, sessions: int, group_size: int = 2) -> Plan:
    planned = plan_sessions(named(TASKS), "test", sessions=sessions, seed=0, group_size=group_size)
    return plan_over(planned, history=history, group_size=group_size)


def made(return_: float | None) -> Score:
    return score(error_kind="model") if return_ is None else score(return_, return_, return_)


def scores(plan: Plan, returns: list[float | None]) -> dict:
    return {plan.key(session): made(value) for session, value in zip(plan.sessions, returns, strict=True)}


def test_a_run_without_groups_has_no_spread():
    plan = plan_of("none", 4, group_size=1)
    assert group_spread(plan, scores(plan, [1.0] * 4)) is None
    assert "sampling" not in summed(plan, scores(plan, [1.0] * 4)).to_json()


def test_the_spread_is_within_each_group():
    plan = plan_of("none", 6)
    found = group_spread(plan, scores(plan, [1.0, 0.5, 0.25, 0.25, 0.0, 1.0]))
    assert (found.size, found.whole, found.partial, found.alike) == (2, 3, 0, 1)
    assert found.std == pytest.approx(fmean([stdev([1.0, 0.5]), 0.0, stdev([0.0, 1.0])]))
    assert (found.best, found.worst) == (pytest.approx(2.25 / 3), pytest.approx(0.75 / 3))


def test_a_group_with_an_unscored_or_missing_member_is_in_no_mean():
    plan = plan_of("none", 6)
    some = scores(plan, [1.0, None, 0.25, 0.75, 0.0, 1.0])
    del some[plan.key(plan.sessions[5])]
    found = group_spread(plan, some)
    assert (found.whole, found.partial) == (1, 2)
    assert (found.best, found.worst) == (0.75, 0.25)
    assert found.std == pytest.approx(stdev([0.25, 0.75]))
    nothing = group_spread(plan, {})
    assert (nothing.whole, nothing.partial, nothing.std, nothing.best, nothing.worst) == (0, 3, None, None, None)


def test_under_own_history_whole_episodes_are_compared():
    plan = plan_of("own", 8)
    # Two groups of two episodes of two sessions: first a of both members, then b of both.
    found = group_spread(plan, scores(plan, [1.0, 0.0, 0.5, 0.0, 1.0, 1.0, 1.0, None]))
    assert (found.whole, found.partial) == (1, 1)
    assert (found.best, found.worst) == (0.75, 0.0)


def test_the_summary_has_the_spread_and_the_repeats_are_the_members_rounds():
    plan = plan_of("none", 4)
    summary = summed(plan, scores(plan, [1.0, 0.0, 0.5, 0.0]))
    assert summary.overall["return"].std == pytest.approx(stdev([0.75, 0.0]))
    assert summary.to_json()["sampling"] == summary.sampling.to_json()
    assert summary.sampling.whole == 2


def test_episodes_that_stopped_are_counted_and_what_they_lack_is_missing_and_no_zero():
    plan = plan_of("own", 6, group_size=1)
    some = scores(plan, [1.0, 1.0, 1.0, None, 1.0, 1.0])
    del some[plan.key(plan.sessions[4])], some[plan.key(plan.sessions[5])]
    summary = summed(plan, some)
    assert (summary.scored, summary.unscored, summary.missing, summary.mean("proc")) == (3, 1, 2, 1.0)
    assert summary.to_json()["episodes"] == {"planned": 3, "whole": 1, "stopped": 1}
    assert "episodes" not in summed(plan_of("none", 2), {}).to_json()
