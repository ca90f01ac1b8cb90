"""Cells with a mean and its spread."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from pi_gym.numbers import fixed


def mean_cell(found: Sequence[float], decimals: int, spread: str | None, *, latex: bool = False) -> str:
    """A table's cell with the mean and what it varies by.

    Args:
        found: the values; of a single one the cell has no spread.
        decimals: of all figures in the cell.
        spread: "std" (of a sample), "sem" (that over the root of n), "range" (least to most), or None
            for the mean alone.
        latex: whether it is written for LaTeX.

    >>> mean_cell([18.1, 18.4, 18.9], 1, "std"), mean_cell([18.1, 18.4, 18.9], 1, "range")
    ('18.5 ± 0.4', '18.5 (18.1–18.9)')
    """
    mean = fixed(_clean(statistics.fmean(found)), decimals)
    if spread is None or len(found) == 1:
        return mean
    if spread == "range":
        return f"{mean} ({fixed(min(found), decimals)}{'--' if latex else '–'}{fixed(max(found), decimals)})"
    sign = r"$\pm$" if latex else "±"
    return f"{mean} {sign} {fixed(_deviation(found, spread), decimals)}"


def sample_figures(found: Sequence[float]) -> dict[str, float | None]:
    """Mean, deviation (std), error of the mean (sem), min and max of values, as a tool prints them.

    >>> sample_figures([18.1, 18.4, 18.9])
    {'mean': 18.46667, 'std': 0.40415, 'sem': 0.23333, 'min': 18.1, 'max': 18.9}
    """
    deviation = _stdev(found) if len(found) > 1 else None
    error = None if deviation is None else round(deviation / len(found) ** 0.5, 5)
    spread = {"std": None if deviation is None else round(deviation, 5), "sem": error}
    return {"mean": round(statistics.fmean(found), 5), **spread, "min": min(found), "max": max(found)}


def _deviation(found: Sequence[float], spread: str) -> float:
    deviation = _stdev(found)
    return _clean(deviation / len(found) ** 0.5 if spread == "sem" else deviation)


def _stdev(found: Sequence[float]) -> float:
    # The one of `statistics` is exact, and takes ten times as long: it is most of the time of a world of tables.
    mean = statistics.fmean(found)
    return math.sqrt(math.fsum((value - mean) ** 2 for value in found) / (len(found) - 1))


def _clean(value: float) -> float:
    """A computed value without the dust of floating point, so that a tie is seen as one."""
    return round(value, 9)
