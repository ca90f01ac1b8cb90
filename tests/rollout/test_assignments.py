"""The rest of a run, cut into pieces that are played in order."""

from __future__ import annotations

import random

import pytest
from support.plans import named, plan_over

from pi_gym.runs.assignments import Assignment, assignments, episodes
from pi_gym.runs.lines import RunError
from pi_gym.runs.plan import Plan, plan_sessions

TASKS = ["01-list", "02-memo", "03-ping"]


def plan_of(history: str, sessions: int = 14, group_size: int = 2) -> Plan:
    planned = plan_sessions(named(TASKS), "train", sessions=sessions, seed=0, group_size=group_size)
    return plan_over(planned, split="train", history=history, group_size=group_size)


def test_sessions_that_stand_alone_are_handed_out_alone():
    plan = plan_of("none")
    done = {plan.key(session) for session in plan.sessions[3:9]}
    left = assignments(plan, done)
    assert [found.sessions for found in left] == [(s,) for s in (*plan.sessions[:3], *plan.sessions[9:])]
    assert all(found.played == () and found.rest() is None for found in left)


def test_episodes_are_handed_out_whole_and_go_on_where_they_ended():
    plan = plan_of("own")
    whole = assignments(plan, set())
    assert [[s.task_id for s in found.sessions] for found in whole] == [TASKS] * 4 + [TASKS[:1]] * 2
    assert [list(found.sessions) for found in whole] == episodes(plan)
    first, second, *_ = whole
    done = {plan.key(session) for session in (*first.sessions, *second.sessions[:2])}
    again = assignments(plan, done)
    assert again[0] == Assignment(second.sessions[2:], second.sessions[:2])
    assert again[1:] == whole[2:]


def test_however_far_each_episode_is_every_session_is_left_or_played_once():
    plan, chance = plan_of("own", sessions=22), random.Random(1)
    for _ in range(50):
        done = {plan.key(s) for found in episodes(plan) for s in found[: chance.randrange(len(found) + 1)]}
        left = assignments(plan, done)
        assert {plan.key(s) for found in left for s in found.sessions} == {plan.key(s) for s in plan.sessions} - done
        for found in left:
            assert all(plan.key(s) in done for s in found.played)
            assert [s.position for s in (*found.played, *found.sessions)] == list(
                range(len(found.played) + len(found.sessions))
            )


def test_the_rest_of_an_assignment_knows_what_was_played_and_is_given_its_records():
    (episode, *_) = assignments(plan_of("own"), set())
    rest = episode.rest()
    assert rest == Assignment(episode.sessions[1:], episode.sessions[:1])
    told = rest.with_records(lambda session: f"line of {session.task_id}")
    assert told.records == ("line of 01-list",)
    assert told.rest().records == ()
    assert told.rest().rest() is None


def test_a_run_that_lacks_the_middle_of_an_episode_is_refused():
    plan = plan_of("own")
    with pytest.raises(RunError, match=r"holds session 03-ping .* and not 02-memo, on which it rests"):
        assignments(plan, {plan.key(plan.sessions[0]), plan.key(plan.sessions[4])})
