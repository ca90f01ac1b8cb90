"""The successes of several tries: the estimates, and the paper's way."""

from __future__ import annotations

from itertools import combinations
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.runs.averages import Scored
from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import PlannedSession
from pi_gym.runs.tries import tries_at_tasks, tries_at_worlds


def tried(*worlds: tuple[str, int, list[bool | None]]) -> Scored:
    """Sessions of some tasks in some worlds, with their successes."""
    return [
        (PlannedSession(0, "p", task, variant, 0, sample, sample), Score(True, "", {"success": value}))
        for task, variant, results in worlds
        for sample, value in enumerate(results)
    ]


@given(st.lists(st.booleans(), min_size=2, max_size=6))
def test_the_estimates_are_the_means_over_all_draws_of_k(results: list[bool]) -> None:
    found = tries_at_worlds(tried(("a", 0, results)), "success")
    assert found is not None
    for k in found.one_of:
        draws = list(combinations(results, k))
        assert found.one_of[k] == pytest.approx(fmean(map(any, draws)))
        assert found.all_of[k] == pytest.approx(fmean(map(all, draws)))
    assert set(found.one_of) == {k for k in (1, 2, 4, len(results)) if k <= len(results)}


def test_tries_are_those_at_one_world_and_worlds_with_fewer_are_in_the_smaller_k() -> None:
    found = tries_at_worlds(tried(("a", 0, [True, False]), ("a", 1, [False, False, None]), ("b", 0, [True])), "success")
    assert found is not None
    assert found.to_json() == {
        "of": "success",
        "starts": 3,
        "success@k": {"1": 0.5, "2": 0.5},
        "success^k": {"1": 0.5, "2": 0.0},
    }


def test_the_paper_counts_tasks_of_which_any_run_succeeded() -> None:
    scored = tried(("a", 0, [True]), ("a", 1, [False]), ("a", 2, [False]), ("b", 0, [True]), ("b", 1, [True]))
    found = tries_at_tasks(scored, "success")
    assert found is not None
    assert (found.starts, dict(found.one_of), dict(found.all_of)) == (2, {3: 1.0}, {3: 0.5})
    assert tries_at_worlds(scored, "success") is None


def test_where_nothing_was_tried_twice_there_is_nothing_to_say() -> None:
    for way in (tries_at_worlds, tries_at_tasks):
        assert way(tried(("a", 0, [True]), ("b", 0, [False])), "success") is None
        assert way([], "success") is None
