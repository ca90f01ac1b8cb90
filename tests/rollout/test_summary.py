from __future__ import annotations

from statistics import stdev

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.plans import named, plan_over, score, summed

from pi_gym.catalogue import TaskCard
from pi_gym.runs.averages import WeightedValue
from pi_gym.runs.plan import Plan, plan_sessions
from pi_gym.runs.summary import _mean

TASKS = ["01-a", "02-b", "03-c"]
CARDS = {name: TaskCard(name, "style") for name in ("01-a", "03-c")}


def plan(sessions: int) -> Plan:
    planned = plan_sessions(named(TASKS), "test", sessions=sessions, seed=0)
    return plan_over(planned, cards=CARDS)


def scored(a_plan: Plan, procs: list[float | None]) -> dict:
    return {a_plan.key(s): score(proc) for s, proc in zip(a_plan.sessions, procs, strict=True)}


def test_means_by_task_and_group_with_the_spread_over_repeats():
    six = plan(6)
    summary = summed(six, scored(six, [1.0, 0.5, 0.0, 0.5, 0.5, 0.5]))
    assert summary.tasks["01-a"]["proc"].mean == 0.75
    assert summary.tasks["01-a"]["proc"].std == pytest.approx(stdev([1.0, 0.5]))
    assert list(summary.groups) == ["independent", "style"]
    assert summary.groups["style"]["proc"].mean == 0.5
    assert summary.groups["style"]["proc"].std == 0.0
    assert summary.mean("proc") == 0.5
    assert summary.overall["proc"].std == 0.0


def test_a_repeat_that_lacks_a_task_is_in_the_mean_and_not_in_the_spread():
    seven = plan(7)
    summary = summed(seven, scored(seven, [0.5] * 6 + [1.0]))
    assert summary.mean("proc") == pytest.approx(4 / 7)
    assert summary.overall["proc"].std == 0.0
    assert summary.tasks["01-a"]["proc"].std == pytest.approx(stdev([0.5, 0.5, 1.0]))


def test_unscored_and_missing_sessions_are_counted_and_in_no_mean():
    six = plan(6)
    scores = scored(six, [1.0] * 6)
    failed = score(error_kind="policy")
    scores[six.key(six.sessions[4])] = failed
    del scores[six.key(six.sessions[5])]
    summary = summed(six, scores)
    assert (summary.scored, summary.unscored, summary.missing) == (4, 1, 1)
    assert summary.error_kinds == {"policy": 1}
    assert summary.mean("proc") == 1.0
    assert summary.overall["turns"].sessions == 4


def test_means_are_given_with_and_without_sessions_in_which_something_broke():
    six = plan(6)
    scores = scored(six, [1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    for place in (3, 5):
        scores[six.key(six.sessions[place])] = score(0.0, fault=f"tool x: broke {place}")
    summary = summed(six, scores)
    assert (summary.faulty, summary.first_fault) == (2, "tool x: broke 3")
    assert (summary.mean("proc"), summary.overall["proc"].sessions) == (0.5, 6)
    assert (summary.overall_sound["proc"].mean, summary.overall_sound["proc"].sessions) == (0.75, 4)
    written = summary.to_json()
    assert (written["faulty"], written["overall_sound"]["proc"]["mean"]) == (2, 0.75)


def test_actions_that_fail_are_counted_and_the_first_error_is_the_plans_first():
    six = plan(6)
    scores = {key: score(1.0, invalid_actions=3) for key in scored(six, [1.0] * 6)}
    assert summed(six, scores).first_error == ""
    for index, error, place in ((4, "late", ""), (1, "RuntimeError: early", "mine.py line 3")):
        scores[six.key(six.sessions[index])] = score(
            error_kind="policy", turns=1, questions=0, steps=2, invalid_actions=1, error=error, place=place
        )
    summary = summed(six, dict(reversed(scores.items())))
    assert summary.first_error == "RuntimeError: early, in mine.py line 3"
    assert (summary.steps, summary.invalid_actions) == (4 * 4 + 2 * 2, 4 * 3 + 2 * 1)
    assert summary.to_json()["steps"] == 20
    assert summary.to_json()["invalid_actions"] == 14


def test_a_score_that_is_undefined_is_left_out():
    three = plan(3)
    summary = summed(three, scored(three, [None, 1.0, None]))
    assert summary.mean("proc") == 1.0
    assert summary.tasks["01-a"]["proc"].mean is None
    assert summary.to_json()["tasks"]["01-a"]["proc"] == {"mean": None, "std": None, "sessions": 0}


@given(st.lists(st.floats(0, 1), min_size=9, max_size=9), st.randoms(use_true_random=False))
def test_the_summary_does_not_depend_on_the_order_of_finishing(procs, random):
    nine = plan(9)
    items = list(scored(nine, procs).items())
    straight = summed(nine, dict(items)).to_json()
    random.shuffle(items)
    assert summed(nine, dict(items)).to_json() == straight


def test_a_weight_that_no_session_has_leaves_the_mean_undefined():
    assert _mean([WeightedValue(0, 1.0, 0.0), WeightedValue(1, 0.5, 0.0)]) is None
    assert _mean([WeightedValue(0, 1.0, 0.0), WeightedValue(1, 0.5, 2.0)]) == 0.5
