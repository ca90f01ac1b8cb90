"""Helpers for right.py: cells with a mean and its spread."""

from __future__ import annotations

import pytest

from pi_gym.authoring import mean_cell, sample_figures
from pi_gym.predicates.cells import bare, cell_numbers

FOUND = [18.15, 18.4, 18.95, 18.02, 18.33]


@pytest.mark.parametrize("decimals", [1, 2, 3])
@pytest.mark.parametrize("spread", ["std", "sem"])
@pytest.mark.parametrize("latex", [False, True])
def test_a_cell_says_mean_and_spread_as_they_are_reckoned(decimals: int, spread: str, latex: bool) -> None:
    read = cell_numbers(bare(mean_cell(FOUND, decimals, spread, latex=latex)))
    figures = sample_figures(FOUND)
    assert read is not None
    for written, name in ((read.mean, "mean"), (read.std, spread)):
        right = figures[name]
        assert written is not None
        assert right is not None
        assert written.decimals == decimals
        assert abs(written.value - right) <= 0.5 * 10**-decimals + 1e-9


def test_a_range_has_both_ends_and_a_tie_is_rounded_up() -> None:
    assert mean_cell([1.2, 1.3], 1, "range") == "1.3 (1.2–1.3)"
    assert mean_cell([1.25], 1, None) == "1.3"
