"""Curves of a laboratory: lines through points, standard curves, half points, and how far two signals lie apart."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from itertools import pairwise

Points = Sequence[tuple[float, float]]


def line_fit(points: Points) -> tuple[float, float]:
    """Slope and intercept of the line of least squares through points (x, y).

    Raises:
        ValueError: fewer than two points, or all at one x.

    >>> line_fit([(0, 1), (1, 3), (2, 5)])
    (2.0, 1.0)
    """
    if len({x for x, _ in points}) < 2:
        raise ValueError(f"a line needs points at two x at least, got {points!r}")
    middle_x, middle_y = (statistics.fmean(values) for values in zip(*points, strict=True))
    across = sum((x - middle_x) ** 2 for x, _ in points)
    slope = sum((x - middle_x) * (y - middle_y) for x, y in points) / across
    return slope, middle_y - slope * middle_x


def standard_curve(points: Points) -> tuple[float, float]:
    """Slope of a qPCR standard curve, in cycles per decade, and the factor per cycle (2 is doubling).

    Args:
        points: log10 of the quantity, and the cycle at which it is seen (Ct).

    Raises:
        ValueError: as of `line_fit`, or the cycles do not fall with the quantity.

    Source: Bustin et al., MIQE guidelines, Clin Chem 2009: efficiency = 10 ** (-1 / slope) - 1.

    >>> slope, factor = standard_curve([(0, 18.0), (-1, 21.3219), (-2, 24.6439)])
    >>> round(slope, 3), round(factor, 3)
    (-3.322, 2.0)
    """
    slope, _ = line_fit(points)
    if slope >= 0:
        raise ValueError(f"a standard curve falls, got a slope of {slope:.3f} cycles per decade")
    return slope, 10 ** (-1 / slope)


def crossing(points: Points, level: float, *, log: bool = True) -> float | None:
    """The x at which points, taken in the order of x, first reach a level of y; None where they never do.

    Between two neighbours that enclose the level it is linear, over log10 of x where `log` (concentrations).

    Raises:
        ValueError: an x is not above 0 where `log`.

    >>> round(crossing([(1, 90), (10, 70), (100, 30)], 50), 3), crossing([(1, 90), (10, 70)], 50)
    (31.623, None)
    """
    ordered = sorted(points)
    for (x, y), (next_x, next_y) in pairwise(ordered):
        if y == level:
            return x
        if (y - level) * (next_y - level) < 0:
            share = (level - y) / (next_y - y)
            return 10 ** (math.log10(x) * (1 - share) + math.log10(next_x) * share) if log else x + share * (next_x - x)
    return ordered[-1][0] if ordered and ordered[-1][1] == level else None


def until_lowest(points: Points) -> list[tuple[float, float]]:
    """The points up to the one with the lowest y, in the order of x: without the hook of a degrader's curve.

    Source: Bekes, Langley and Crews, Nat Rev Drug Discov 2022: binary complexes outnumber the ternary one.

    >>> until_lowest([(1, 90), (10, 40), (100, 20), (1000, 55)])
    [(1, 90), (10, 40), (100, 20)]
    """
    ordered = sorted(points)
    lowest = min(range(len(ordered)), key=lambda place: ordered[place][1], default=-1)
    return ordered[: lowest + 1]


def half_point(points: Points, top: float = 100.0, bottom: float = 0.0) -> float | None:
    """The dose at which a response is half way between top and bottom, in the unit of the doses; None: nowhere.

    With the defaults the dose at 50 per cent of the vehicle (absolute IC50); with the lowest point as `bottom` that of
    the half-maximal effect (DC50, of points `until_lowest`). As `crossing`, over log10 of the dose.

    >>> points = [(1, 95), (10, 80), (100, 20)]
    >>> round(half_point(points), 1), round(half_point(points, bottom=20), 1)
    (31.6, 21.5)
    """
    return crossing(points, (top + bottom) / 2)


def z_prime(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Z' of a plate, without a unit: 1 is best, below 0.5 the two controls lie too near to each other.

    Raises:
        ValueError: fewer than two values of one control, or both have one mean.

    Source: Zhang, Chung and Oldenburg, J Biomol Screen 1999: 1 - 3 (sd + sd) / |mean - mean|, with sample deviations.

    >>> round(z_prime([100, 102, 98], [10, 11, 9]), 3)
    0.9
    """
    apart = abs(statistics.fmean(positive) - statistics.fmean(negative))
    if not apart or min(len(positive), len(negative)) < 2:
        raise ValueError("Z' needs two values of each control at least, and two means")
    return 1 - 3 * (statistics.stdev(positive) + statistics.stdev(negative)) / apart
