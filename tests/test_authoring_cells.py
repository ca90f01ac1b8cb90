"""Helpers for right.py: cells with a mean and its spread, and the patterns that check them."""

from __future__ import annotations

import pytest
import re2

from pi_gym.authoring import mean_cell, mean_pattern, spread_pattern

FOUND = [18.15, 18.4, 18.95, 18.02, 18.33]


@pytest.mark.parametrize("decimals", [1, 2, 3])
@pytest.mark.parametrize("spread", ["std", "sem", "range"])
@pytest.mark.parametrize("latex", [False, True])
def test_a_cell_passes_its_own_patterns(decimals: int, spread: str, latex: bool) -> None:
    cell = mean_cell(FOUND, decimals, spread, latex=latex)
    assert re2.search(mean_pattern(FOUND, decimals), cell)
    assert re2.search(spread_pattern(FOUND, spread), cell)


@pytest.mark.parametrize("cell", ["18.4 ± 0.36", "18.37 ± 0.4", "18.3 ± 0.4", "18", ""])
def test_another_precision_or_mean_is_refused(cell: str) -> None:
    assert not re2.search(mean_pattern(FOUND, 1), cell)


@pytest.mark.parametrize("cell", ["18.4 ± 0.2", "18.4 (18.0–19.0)", "18.4", "18.4 ± 0.4 (n=5)"])
def test_another_spread_or_a_further_figure_is_refused(cell: str) -> None:
    assert not re2.search(spread_pattern(FOUND, "std"), cell)


def test_a_tie_may_be_rounded_either_way() -> None:
    found = [1.0, 1.1, 1.2, 1.1, 1.1, 1.1, 1.1, 1.1, 1.1, 1.15]
    assert mean_cell([1.2, 1.3], 1, "range") == "1.3 (1.2–1.3)"
    assert re2.search(mean_pattern([1.2, 1.3], 1), "1.2 (1.2–1.3)")
    assert not re2.search(mean_pattern(found, 1), "1.2")
