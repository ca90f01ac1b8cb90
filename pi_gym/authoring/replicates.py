"""Replicates of one measurement, and the ways to make one value of them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Sequence
from itertools import pairwise


def _nearest(values: Sequence[float]) -> float:
    ordered = sorted(values)
    if len(ordered) < 2:
        return ordered[0]
    low, high = min(pairwise(ordered), key=lambda pair: pair[1] - pair[0])
    return (low + high) / 2


def _trimmed(values: Sequence[float]) -> float:
    ordered = sorted(values)
    return statistics.fmean(ordered[1:-1] or ordered)


WAYS: dict[str, Callable[[Sequence[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "nearest": _nearest,
    "trimmed": _trimmed,
}


def combine_replicates(values: Sequence[float], how: str) -> float:
    """The value of replicates, in their unit.

    Args:
        values: one at least.
        how: "mean" of all; "median"; "nearest", the mean of the two that lie nearest to each other (of pairs as near,
            the lower one); "trimmed", the mean without the least and the greatest, where there are three or more.

    Raises:
        ValueError: no values, or another way.

    >>> [combine_replicates([21.0, 21.2, 22.4], how) for how in ("median", "nearest", "trimmed")]
    [21.2, 21.1, 21.2]
    """
    if not values or how not in WAYS:
        raise ValueError(f"expected values and one of {', '.join(WAYS)}; got {len(values)} values and {how!r}")
    return WAYS[how](values)
