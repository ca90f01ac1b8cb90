from __future__ import annotations

import pickle

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.state.log import CHUNK, Log


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2 * CHUNK)), max_size=8))
def test_nested_forks_read_like_lists(steps: list[tuple[int, int]]) -> None:
    logs: list[tuple[Log[int], list[int]]] = [(Log(), [])]
    for which, count in steps:
        log, items = logs[which % len(logs)]
        logs.append((log.fork(), list(items)))
        for item in range(count):
            log.append(item)
            items.append(item)
    for log, items in logs:
        assert list(log) == items
        assert len(log) == len(items)
        for position in (0, 1, len(items) // 2, CHUNK, len(items), len(items) + 3 * CHUNK):
            assert list(log.since(position)) == items[position:]


def test_forks_share_their_past() -> None:
    log = Log(list(range(10 * CHUNK + 5)))
    fork = log.fork()
    assert fork._chunks is log._chunks
    fork.append(1)
    assert len(log) == 10 * CHUNK + 5


def test_appending_while_reading_neither_loses_nor_repeats() -> None:
    log = Log(list(range(CHUNK - 1)))
    seen = []
    for item in log.since(0):
        seen.append(item)
        if len(seen) == 1:
            log.append(-1)
    assert seen == list(range(CHUNK - 1))


def test_log_survives_a_pickle() -> None:
    log = Log(list(range(300)))
    assert list(pickle.loads(pickle.dumps(log))) == list(range(300))
