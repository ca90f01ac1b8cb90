"""Figures of clinical trials: what follows from a hazard ratio, under proportional hazards."""

from __future__ import annotations

import math
from collections.abc import Iterable


def survival(control: float, hazard_ratio: float) -> float:
    """The share that is alive under treatment where `control` is among the others, both from 0 to 1.

    Source: Altman and Andersen, BMJ 1999: S = S_control ** HR.

    >>> round(survival(0.67, 0.68), 3)
    0.762
    """
    return float(control**hazard_ratio)


def number_needed(control: float, treated: float) -> int:
    """The number needed to treat at one time, rounded up.

    Args:
        control: the share that is alive then without the treatment, from 0 to 1.
        treated: that with it.

    Raises:
        ValueError: the treated are no better off.

    Source: Altman and Andersen, BMJ 1999: 1 / (S_treated - S_control).

    >>> number_needed(0.67, 0.762)
    11
    """
    if treated <= control:
        raise ValueError(f"a number needed to treat wants more alive under treatment, got {treated} against {control}")
    return math.ceil(1 / (treated - control) - 1e-9)


def interval(hazard_ratio: float, half_width: float) -> tuple[float, float]:
    """The confidence interval of a hazard ratio.

    Args:
        hazard_ratio: its middle, on the log scale.
        half_width: of the natural logarithm (1.96 standard errors for 95 %).

    >>> [round(end, 2) for end in interval(0.68, 0.12)]
    [0.6, 0.77]
    """
    return hazard_ratio * math.exp(-half_width), hazard_ratio * math.exp(half_width)


def median_survival(control: float, hazard_ratio: float) -> float:
    """The median under treatment, in the unit of that of the others, where the hazard is constant.

    >>> round(median_survival(40.0, 0.68), 1)
    58.8
    """
    return control / hazard_ratio


def survival_table(
    times: Iterable[float], alive: float, at: float, hazard_ratio: float, sizes: tuple[int, int]
) -> list[tuple[float, float, float, int, int]]:
    """Rows of two survival curves with constant hazards, nobody lost to follow-up.

    Args:
        times: of the rows.
        alive: the share of the control arm that is alive at a time, from 0 to 1.
        at: that time, in the unit of the others.
        hazard_ratio: of the treated.
        sizes: of the control arm and of the treated one.

    Returns:
        Time, shares that are alive (control, treated) to 3 decimals, and numbers at risk (control, treated).

    >>> survival_table([0, 24], 0.67, 24, 0.68, (400, 410))
    [(0, 1.0, 1.0, 400, 410), (24, 0.67, 0.762, 268, 312)]
    """
    rows = []
    for time in times:
        control = alive ** (time / at)
        treated = survival(control, hazard_ratio)
        counts = (round(sizes[0] * control), round(sizes[1] * treated))
        rows.append((time, round(control, 3), round(treated, 3), *counts))
    return rows
