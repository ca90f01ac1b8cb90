"""Handing out assignments to workers, and taking them back from one that ended."""

from __future__ import annotations

import pytest

from pi_gym.rollout.engines.dispatch import MAX_MACHINES, Dispatch, Hand
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.plan import PlannedSession


def assignment(index, count=1, variant=0):
    sessions = tuple(PlannedSession(index + n, "p", f"t{index + n}", variant, 0, 0, 0) for n in range(count))
    return Assignment(sessions)


def dispatch(count=6, *, low=3, begun=3, most=3, max_deaths=2):
    todo = [assignment(n) for n in range(count)]
    return Dispatch(todo, 2, lambda session: "", low=low, begun=begun, most=most, max_deaths=max_deaths)


def held(hand):
    return [one.first.index for one in hand.assigned]


def drained(found, first=100):
    """What is given to fresh workers, one after the other, each of which plays all that it has."""
    given = []
    while found:
        hand = Hand(first + len(given))
        found.more(hand)
        given.append(held(hand))
    return given


def test_nobody_has_more_than_may_be_handed_out():
    found, hand = dispatch(20), Hand(0)
    assert len(found.more(hand)) == 3
    assert found.more(hand) == []
    hand.assigned.popleft()
    assert len(found.more(hand)) == 1
    assert held(hand) == [1, 2, 3]


def test_what_a_dead_worker_may_have_begun_is_played_alone_and_the_rest_with_others():
    found, hand = dispatch(begun=2), Hand(0)
    found.more(hand)
    assert found.take_back(hand) is None
    assert held(hand) == []
    given = drained(found)
    assert given[:2] == [[0], [1]]
    assert sorted(index for one in given for index in one) == list(range(6))


def test_a_worker_that_has_something_to_play_is_given_no_suspect_and_goes_on():
    found, dead, other = dispatch(), Hand(0), Hand(1)
    found.more(dead)
    found.more(other)
    left = held(other)
    found.take_back(dead)
    other.assigned.popleft()
    assert found.more(other) == []  # all that is left are suspects
    other.assigned.clear()
    assert [one.first.index for one in found.more(other)] == [0]
    assert other.alone
    assert 0 not in left


@pytest.mark.parametrize("max_deaths", [1, 2, 3])
def test_what_died_alone_too_often_is_given_up(max_deaths):
    found = dispatch(1, max_deaths=max_deaths)
    for death in range(1, max_deaths + 1):
        hand = Hand(death)
        (given,) = found.more(hand)
        assert found.take_back(hand) == (given if death == max_deaths else None)
    assert not found


def test_a_lost_machine_is_held_against_no_session_until_it_happens_again_and_again():
    found = dispatch()
    for number in range(MAX_MACHINES - 1):
        hand = Hand(number)
        found.more(hand)
        assert found.rescue(hand) is None
    hand = Hand(9)
    found.more(hand)
    assert (held(hand), hand.alone) == ([0, 1, 2], False)
    assert found.rescue(hand) is None  # from here they are suspects
    for number in (10, 11):
        hand = Hand(number)
        found.more(hand)
        assert held(hand) == [0]
        given_up = found.rescue(hand)
    assert given_up is not None
    assert given_up.first.index == 0


def test_a_suspect_whose_machine_is_lost_stays_one():
    found, dead, alone = dispatch(), Hand(0), Hand(1)
    found.more(dead)
    found.take_back(dead)
    found.more(alone)
    found.rescue(alone)
    assert drained(found)[:3] == [[0], [1], [2]]


def test_a_worker_keeps_the_pack_and_variant_that_it_has_begun():
    todo = [Assignment((PlannedSession(n, "ab"[n % 2], f"t{n}", 0, 0, 0, 0),)) for n in range(8)]
    found = Dispatch(todo, 2, lambda session: "", low=1, begun=1, most=1, max_deaths=2)
    hands = [Hand(0), Hand(1)]
    for hand in hands * 2:
        hand.assigned.clear()
        found.more(hand)
        assert {one.first.pack for one in hand.assigned} == {"ab"[hand.number]}
