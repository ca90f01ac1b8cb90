from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pi_gym.rollout.engines.dispatch import MAX_CHUNK, WorkQueue
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.plan import PlannedSession


def planned(variants: list[int]) -> list[Assignment]:
    return [Assignment((PlannedSession(n, "p", "t", variant, 0, n, n),)) for n, variant in enumerate(variants)]


@given(
    st.lists(st.integers(0, 4), max_size=60),
    st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=80),
)
def test_every_session_is_handed_out_exactly_once_whoever_asks_and_dies(variants, asks):
    queue, done = WorkQueue(planned(variants), 4), []
    for worker, dies in asks:
        chunk = queue.take(worker)
        assert len({assignment.first.variant for assignment in chunk}) <= 1
        assert len(chunk) <= MAX_CHUNK
        if dies:
            queue.give_back(chunk)
            queue.release(worker)
        else:
            done += chunk
    while chunk := queue.take(0):
        done += chunk
    assert len(queue) == 0
    assert sorted(assignment.first.index for assignment in done) == list(range(len(variants)))


def test_a_worker_keeps_its_variant_while_others_have_theirs():
    queue = WorkQueue(planned([0] * 40 + [1] * 40), 2)
    for _ in range(3):
        assert {assignment.first.variant for assignment in queue.take(0)} == {0}
        assert {assignment.first.variant for assignment in queue.take(1)} == {1}


def test_a_worker_without_a_variant_of_its_own_takes_from_the_end():
    queue = WorkQueue(planned([0] * 40), 2)
    assert queue.take(0)[0].first.index == 0
    assert queue.take(1)[-1].first.index == 39


def test_episodes_are_handed_out_one_at_a_time():
    pairs = [
        (PlannedSession(n, "p", "a", 0, 0, n, n), PlannedSession(n + 40, "p", "b", 0, 0, n, n, 1)) for n in range(40)
    ]
    queue = WorkQueue([Assignment(pair) for pair in pairs], 1)
    assert [len(queue.take(0)) for _ in range(40)] == [1] * 40
    assert len(queue) == 0
