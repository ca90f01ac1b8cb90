"""Amounts of a laboratory: figures as they are written, the logarithms of concentrations, steps of a scale."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pi_gym.numbers import fixed


def significant(number: float, figures: int) -> str:
    """A number with so many significant figures, as a text without powers of ten.

    >>> [significant(one, 2) for one in (34.26, 0.0996, 9.96, 123.4, 0)]
    ['34', '0.10', '10', '120', '0']
    """
    if not number:
        return "0"
    rounded = round(number, figures - 1 - math.floor(math.log10(abs(number))))
    return fixed(rounded, max(figures - 1 - math.floor(math.log10(abs(rounded))), 0))


def negative_log(nanomolar: float) -> float:
    """The negative decadic logarithm of a concentration in nmol/L, taken in mol/L: pDC50 of a DC50, pIC50 of an IC50.

    >>> negative_log(100)
    7.0
    """
    return 9 - math.log10(nanomolar)


#: The heads of a column of potencies by its unit; None where it is not known.
POTENCY_HEADS = {"nM": "DC50 nM", "pDC50": "pDC50", "uM": "DC50 uM", None: "DC50"}


def written_potency(nanomolar: float, unit: str | None = None) -> str:
    """A potency of so many nmol/L as it is written in a unit of `POTENCY_HEADS`.

    >>> [written_potency(34.26, unit) for unit in ("nM", "pDC50", "uM")]
    ['34.3', '7.47', '0.0343']
    """
    if unit == "pDC50":
        return fixed(negative_log(nanomolar), 2)
    return significant(nanomolar / 1000, 3) if unit == "uM" else fixed(nanomolar, 1)


def next_step(number: float, steps: Sequence[float] = (1, 2, 5)) -> float:
    """The least of the steps 1, 2, 5, 10, 20, 50, … that is not below a number above 0.

    >>> [next_step(one) for one in (0.3, 5, 61)]
    [0.5, 5.0, 100.0]
    """
    decade = math.floor(math.log10(number))
    return next(
        found
        for power in (decade - 1, decade, decade + 1)
        for step in steps
        if (found := float(f"{step}e{power}")) >= number * (1 - 1e-9)
    )
