"""Amounts of money: what is accepted, and sums that are exact to the cent."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.apps.money import MAX_AMOUNT, cents, split, total, units
from pi_gym.tools import ToolError

MOST = int(MAX_AMOUNT) * 100
whole_cents = st.integers(0, MOST)


@given(whole_cents)
def test_every_amount_with_two_decimals_is_read_as_it_is_written(whole: int) -> None:
    assert cents(float(f"{whole // 100}.{whole % 100:02d}")) == whole
    assert cents(units(whole)) == whole


@given(whole_cents, st.integers(1, 9))
def test_a_third_decimal_is_refused_however_large_the_amount(whole: int, digit: int) -> None:
    written = min(whole, MOST - 1)
    with pytest.raises(ToolError, match="more than two decimals"):
        cents(float(f"{written // 100}.{written % 100:02d}{digit}"))


@pytest.mark.parametrize("amount", [math.nan, math.inf, -math.inf, -0.01, MAX_AMOUNT + 0.01, 1e300])
def test_what_is_no_possible_amount_is_refused_with_the_range(amount: float) -> None:
    with pytest.raises(ToolError, match=r"^price must be between 0\.00 and 1000000\.00"):
        cents(amount, "price")


def test_the_least_amount_is_possible_and_less_is_not() -> None:
    assert cents(0.01, least=1) == 1
    with pytest.raises(ToolError, match=r"between 0\.01"):
        cents(0.0, least=1)


@given(st.integers(-MOST, MOST), st.integers(1, 60))
def test_parts_add_up_and_differ_by_a_cent_at_most_the_larger_ones_first(whole: int, parts: int) -> None:
    found = split(whole, parts)
    assert len(found) == parts
    assert sum(found) == whole
    assert max(found) - min(found) <= 1
    assert found == sorted(found, reverse=True)


@given(st.lists(st.integers(-100_000, 100_000), max_size=60))
def test_a_total_is_exact(amounts: list[int]) -> None:
    found = total([units(one) for one in amounts])
    assert round(Fraction(found) * 100) == sum(amounts)
    assert found == float(f"{found:.2f}")
