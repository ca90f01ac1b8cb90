"""Shares and means with intervals: drawn anew over sessions, which are independent where their parts are not."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

DRAWS = 2000
#: The normal quantile of a 95 % interval.
Z = 1.959963984540054


@dataclass(frozen=True, slots=True)
class Interval:
    """A share or a mean with its 95 % interval.

    Args:
        value: the figure; None where there is nothing to take it of.
        low, high: the bounds; None where fewer than two sessions say how far they differ.
        of: the number of parts that it is of.
    """

    value: float | None
    low: float | None
    high: float | None
    of: int

    def to_json(self) -> dict[str, Any]:
        """The interval as a JSON object."""
        return {"value": self.value, "low": self.low, "high": self.high, "of": self.of}


def share(pairs: Iterable[tuple[float, int]]) -> Interval:
    """The share of a sum in another, with an interval by a seeded bootstrap.

    Args:
        pairs: of each session the part and the whole.

    >>> share([(1, 4), (0, 4)]).value
    0.125
    """
    table = np.array([pair for pair in pairs if pair[1]], dtype=float).reshape(-1, 2)
    if not len(table):
        return Interval(None, None, None, 0)
    part, whole = table.sum(axis=0)
    if len(table) == 1:
        return Interval(float(part / whole), None, None, int(whole))
    drawn = table[np.random.default_rng(0).integers(0, len(table), (DRAWS, len(table)))].sum(axis=1)
    low, high = np.percentile(drawn[:, 0] / drawn[:, 1], (2.5, 97.5))
    return Interval(float(part / whole), float(low), float(high), int(whole))


def mean(values: Iterable[float]) -> Interval:
    """The mean of one value a session, with an interval likewise."""
    return share([(value, 1) for value in values])


def wilson_share(pairs: Iterable[tuple[float, int]]) -> Interval:
    """The share of a sum in another, with Wilson's interval for as many parts as independent ones would tell as much.

    It has a width where all parts are alike, too, of which a bootstrap makes none. Where the shares of sessions differ
    more than chance makes them, parts count for less.

    Args:
        pairs: of each session the part and the whole.

    >>> found = wilson_share([(10, 10), (10, 10)])
    >>> found.value, round(found.low, 3), found.high
    (1.0, 0.839, 1.0)
    """
    table = np.array([pair for pair in pairs if pair[1]], dtype=float).reshape(-1, 2)
    sessions = len(table)
    if not sessions:
        return Interval(None, None, None, 0)
    part, whole = table.sum(axis=0)
    value = float(part / whole)
    if sessions == 1:
        return Interval(value, None, None, int(whole))
    alone = value * (1 - value) / whole
    apart = float(((table[:, 0] - value * table[:, 1]) ** 2).sum()) * sessions / (sessions - 1) / whole**2
    count = float(whole) * min(1.0, alone / apart) if apart > 0 else float(whole)
    middle = (value + Z**2 / (2 * count)) / (1 + Z**2 / count)
    half = Z / (1 + Z**2 / count) * (value * (1 - value) / count + Z**2 / (4 * count**2)) ** 0.5
    low = 0.0 if value == 0 else max(0.0, float(middle - half))
    high = 1.0 if value == 1 else min(1.0, float(middle + half))
    return Interval(value, low, high, int(whole))
