"""Amounts of a laboratory and a pharmacy: figures, buffers, batches, what was released, how long something keeps."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta

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


def buffer_masses(total: float, litres: float, ph: float, pka: float, base: float, acid: float) -> tuple[float, float]:
    """The masses of the two salts of a buffer, in grams: of the base, and of the acid.

    Args:
        total: of both together, in mol/L.
        litres: the volume.
        ph: that is wanted.
        pka: of the acid, at working conditions.
        base: molar mass of its salt on the bottle, water of crystallisation included, in g/mol.
        acid: that of the acid's salt.

    Source: Henderson and Hasselbalch, pH = pKa + log10(base / acid); Aulton and Taylor, Aulton's Pharmaceutics.

    >>> [round(grams, 3) for grams in buffer_masses(0.05, 1.0, 7.4, 7.2, 177.99, 137.99)]
    [5.457, 2.669]
    """
    ratio = 10 ** (ph - pka)
    share = ratio / (1 + ratio)
    return total * litres * share * base, total * litres * (1 - share) * acid


def batch_masses(formula: Mapping[str, float], grams: float, overage: float = 0.0) -> dict[str, float]:
    """The mass of each ingredient of a batch, in grams to 0.01.

    Args:
        formula: by ingredient its share, in per cent of mass; together 100.
        grams: what is to be filled.
        overage: what is made beside, in per cent of that.

    Raises:
        ValueError: the shares do not add up to 100.

    >>> batch_masses({"urea": 5, "water": 95}, 400, 3)
    {'urea': 20.6, 'water': 391.4}
    """
    if abs(sum(formula.values()) - 100) > 1e-6:
        raise ValueError(f"the shares of a formula add up to 100 %, got {sum(formula.values()):g} %")
    whole = grams * (1 + overage / 100)
    return {name: round(whole * share / 100 + 1e-9, 2) for name, share in formula.items()}


def released(concentrations: Sequence[float], volume: float, sample: float, area: float) -> list[float]:
    """The amounts released per area into a receptor by each time, what was taken out with the samples included.

    Args:
        concentrations: in the receptor at each time, in amount per mL.
        volume: of the receptor, in mL.
        sample: taken out each time and replaced, in mL.
        area: in cm2.

    Returns:
        Amounts per cm2, in the unit of amount of the concentrations.

    Source: Aulton and Taylor, Aulton's Pharmaceutics (diffusion cells); the release rate is the slope of these over the
    root of time (Higuchi).

    >>> [round(amount, 3) for amount in released([1.0, 2.0], 12.0, 0.5, 1.77)]
    [6.78, 13.842]
    """
    return [(one * volume + sum(concentrations[:place]) * sample) / area for place, one in enumerate(concentrations)]


def use_until(made: date | str, days: int, expiries: Iterable[date | str] = ()) -> date:
    """The last day on which something may be used: so many days after it was made, and no ingredient's expiry before.

    Source: the classes of beyond-use dates of USP <795>; their days are the house's own.

    >>> str(use_until("2026-06-08", 28, ["2026-12-31", "2026-06-30"]))
    '2026-06-30'
    """
    every = [date.fromisoformat(one) if isinstance(one, str) else one for one in (made, *expiries)]
    return min(every[0] + timedelta(days=days), *every[1:]) if every[1:] else every[0] + timedelta(days=days)
