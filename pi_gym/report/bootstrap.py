"""Intervals of 95 %, by drawing the worlds anew.

The sessions of one world hang together, and several samples of it more so: what is drawn is the world, with all its
sessions. Bounds are percentiles of the draws, moved outward for few worlds as Hesterberg's expanded percentile interval
has them ("What Teachers Should Know About the Bootstrap", 2015): plain percentiles of 20 worlds are too narrow.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

DRAWS = 10_000
SEED = 0
LEVEL = 0.95
#: Cells of one block of draws: 32 MB of counts.
_BLOCK = 4_000_000


def ratio_interval(sums: np.ndarray[Any, Any]) -> tuple[float, float] | None:
    """The interval of a ratio of sums.

    Args:
        sums: a row a world, its part and its whole; of a mean, the sum of the values and their number.

    Returns:
        None with fewer than two worlds.
    """
    return _interval(sums, lambda drawn: _divided(drawn[:, 0], drawn[:, 1]))


def difference_interval(sums: np.ndarray[Any, Any]) -> tuple[float, float] | None:
    """The interval of the difference of two ratios over the same worlds.

    Args:
        sums: a row a world: part and whole of the first, part and whole of the second.

    Returns:
        None with fewer than two worlds.
    """
    return _interval(sums, lambda drawn: _divided(drawn[:, 0], drawn[:, 1]) - _divided(drawn[:, 2], drawn[:, 3]))


def _interval(
    sums: np.ndarray[Any, Any], statistic: Callable[[np.ndarray[Any, Any]], np.ndarray[Any, Any]]
) -> tuple[float, float] | None:
    worlds = len(sums)
    if worlds < 2:
        return None
    # Worlds with the same sums are drawn as one: how often one of them comes is all that counts.
    alike, counts = np.unique(sums, axis=0, return_counts=True)
    random = np.random.default_rng(SEED)
    size = max(1, _BLOCK // len(alike))
    found = []
    for begin in range(0, DRAWS, size):
        times = random.multinomial(worlds, counts / worlds, size=min(size, DRAWS - begin))
        found.append(statistic(times @ alike))
    values = np.concatenate(found)
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    outside = tail(worlds)
    low, high = np.quantile(values, (outside, 1 - outside))
    return float(low), float(high)


def tail(worlds: int) -> float:
    """The share of draws that is left out on each side: 2.5 % with many worlds, less with few."""
    degrees = worlds - 1
    z = NormalDist().inv_cdf((1 + LEVEL) / 2)
    # The quantile of Student's t: exact for 1 and 2, else by its expansion (Abramowitz and Stegun 26.7.5).
    exact = {1: 12.7062, 2: 4.3027}
    t = exact.get(degrees) or (
        z
        + (z**3 + z) / (4 * degrees)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * degrees**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * degrees**3)
    )
    return NormalDist().cdf(-sqrt(worlds / degrees) * t)


def _divided(part: np.ndarray[Any, Any], whole: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    with np.errstate(divide="ignore", invalid="ignore"):
        divided: np.ndarray[Any, Any] = part / whole
    return divided
