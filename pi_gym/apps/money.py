"""Amounts of money: agents write and tables hold units with two decimals; sums are made in whole cents."""

from __future__ import annotations

import math
from collections.abc import Sequence

from pi_gym.tools.declare import ToolError

MAX_AMOUNT = 1_000_000.0


def cents(amount: float, name: str = "amount", *, least: int = 0) -> int:
    """An amount in cents.

    Args:
        amount: what the agent wrote, in units.
        name: the parameter, for the message.
        least: the smallest amount possible, in cents.

    Raises:
        ToolError: it is no number, has more than two decimals, or is out of range.
    """
    if not math.isfinite(amount) or not least / 100 <= amount <= MAX_AMOUNT:
        raise ToolError(f"{name} must be between {least / 100:.2f} and {MAX_AMOUNT:.2f}, not {amount}.")
    whole = round(amount * 100)
    # Floats up to the limit are exact to 1e-8 of a cent; what is further away was written so.
    if abs(amount * 100 - whole) > 1e-6:
        raise ToolError(f"{name} has more than two decimals: {amount}. Round it to the cent.")
    return whole


def units(whole: int) -> float:
    """Cents as an amount with two decimals.

    >>> units(1999), units(-5)
    (19.99, -0.05)
    """
    return round(whole / 100, 2)


def split(whole: int, parts: int) -> list[int]:
    """Cents in equal parts; what is left over goes cent by cent to the first ones.

    >>> split(1000, 3)
    [334, 333, 333]
    """
    each, left = divmod(whole, parts)
    return [each + (number < left) for number in range(parts)]


def total(amounts: Sequence[float]) -> float:
    """The sum of amounts, exact to the cent.

    >>> total([0.1, 0.2])
    0.3
    """
    return units(sum(round(amount * 100) for amount in amounts))
