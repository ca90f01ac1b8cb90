"""Tables of two judgements: agreement, Cohen's kappa and their intervals, held against other ways to reckon them."""

from __future__ import annotations

import json
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.runs.confusion import Confusion
from pi_gym.runs.intervals import wilson_share

NAMES = ("passed", "failed", "open")
SESSIONS = st.lists(st.lists(st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)), max_size=6), max_size=6)


def kappa_by_hand(pairs):
    """By its textbook form: each pair of one's answers with each of the other's is what chance would give."""
    agreed = sum(a == b for a, b in pairs) / len(pairs)
    chance = sum(a == b for (a, _), (_, b) in product(pairs, pairs)) / len(pairs) ** 2
    return (agreed - chance) / (1 - chance)


@given(SESSIONS)
def test_kappa_is_that_of_the_textbook_and_never_nan(sessions):
    found = Confusion.of(sessions)
    pairs = [pair for session in sessions for pair in session]
    kappa = found.kappa
    assert found.judged == len(pairs)
    if len({name for pair in pairs for name in pair}) < 2:
        assert (kappa.value, kappa.low, kappa.high) == (None, None, None)
        assert kappa.why
    else:
        assert kappa.value == pytest.approx(kappa_by_hand(pairs))
        assert not kappa.why
        assert (kappa.low is None) == (sum(map(bool, sessions)) < 2)
        assert kappa.low is None or kappa.low <= kappa.high
    json.dumps(found.to_json(), allow_nan=False)


def test_one_class_alone_has_no_kappa_and_says_which():
    assert Confusion.of([[("passed", "passed")] * 9]).kappa.why == "both always say 'passed'"
    assert Confusion.of([]).kappa.why == "nothing was judged by both"
    assert Confusion.of([[("a", "b"), ("b", "a")]]).kappa.value == -1.0


@given(st.lists(st.integers(0, 5), min_size=2, max_size=20))
def test_a_share_lies_within_its_interval(parts):
    found = wilson_share([(part, 5) for part in parts])
    assert found.value == pytest.approx(sum(parts) / (5 * len(parts)))
    assert 0 <= found.low <= found.value + 1e-12
    assert found.value - 1e-12 <= found.high <= 1
    assert found.low < found.high


def test_sessions_that_differ_more_than_chance_tell_less():
    alike, apart = [(3, 6)] * 10, [(6, 6), (0, 6)] * 5
    narrow, wide = (wilson_share(pairs) for pairs in (alike, apart))
    assert narrow.high - narrow.low < wide.high - wide.low
