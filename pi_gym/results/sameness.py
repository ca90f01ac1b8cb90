"""Whether what stands in a result is as good as what is right: numbers in any rounding, days in any style, texts."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

from pi_gym.predicates.cells import cell_numbers
from pi_gym.predicates.figures import Written, significant_digits, written_numbers
from pi_gym.predicates.text import fold
from pi_gym.results.days import one_day
from pi_gym.results.facets import AspectReading, Parts

_BESIDE = ("/", ";", "|", ", ")
# Halves are rounded either way, and floating point has its dust.
_DUST = 1e-6


def same_number(found: Written, right: Written) -> bool:
    """Whether two written numbers are one number, rounded each in its way.

    A whole number that is right is exact; a number that is right with decimals may be given with fewer, as long as two
    digits of it are left.

    >>> same_number(Written(27.45, 2), Written(27.4, 1)), same_number(Written(3, 0), Written(4, 0))
    (True, False)
    """
    gap = abs(found.value - right.value)
    if right.decimals <= 0 or found.decimals < 0:
        return gap <= max(_DUST, 1e-9 * abs(right.value))
    least = min(found.decimals, right.decimals)
    if least == 0 and abs(right.value) < 10:
        return gap <= _DUST
    return bool(gap <= 0.5 * 10.0**-least + 10.0 ** -(least + 3) + _DUST)


def same_figures(found: Any, right: Any, reading: Any = None) -> bool:
    """Whether the same numbers stand there in the same order, each as exact as it is right at least.

    >>> same_figures((Written(12.31, 2),), (Written(12.3, 1),)), same_figures((Written(12.0, 0),), (Written(12.3, 1),))
    (True, False)
    """
    return len(found) == len(right) and all(
        one.decimals >= other.decimals and same_number(one, other) for one, other in zip(found, right, strict=True)
    )


def leading_number(cell: str) -> Written | None:
    """The number that a bare cell is, whatever spread stands behind it; None where it is none.

    >>> leading_number("71.3 (70.1-72.6)"), leading_number("about run 7") is None, leading_number("71.3 / 68.2")
    (Written(value=71.3, decimals=1), True, None)
    """
    if cell[:1].isalpha():
        return None
    # Several numbers side by side are guesses, and none of them the cell's; a spread may have several.
    first = cell.replace("+/-", "±").partition("±")[0].partition("(")[0].partition("[")[0]
    if any(sign in first for sign in _BESIDE):
        return None
    read = cell_numbers(cell)
    if read is not None:
        return read.mean
    if any(char.isalpha() for char in cell) or not any(char.isdigit() for char in cell):
        return None
    numbers = written_numbers(cell)
    return numbers[0] if numbers and one_day(cell) is None else None


def same_within(found: str, right: str, reading: AspectReading) -> bool:
    """Whether two bare cells say the same, or are numbers of which one is as near to the other as it must be.

    >>> same_within("34.3", "34", AspectReading(relative=0.02)), same_within("35", "34", AspectReading(tolerance=0.5))
    (True, False)
    """
    if reading.is_loose:
        one, other = leading_number(found), leading_number(right)
        if one is not None and other is not None:
            return reading.takes(one.value, other.value)
    return same_cell(found, right)


def significances(texts: Iterable[tuple[Hashable, str]]) -> Parts:
    """By place the least and the most significant figures of the first number of a text, where it has one."""
    found = ((place, significant_digits(text)) for place, text in texts)
    return {place: digits for place, digits in found if digits is not None}


def same_significance(found: tuple[int, int], right: tuple[int, int], reading: AspectReading) -> bool:
    """Whether two numbers may have as many significant figures, as `significant_digits` gives them."""
    return found[0] <= right[1] and right[0] <= found[1]


def _leading_word(cell: str) -> str:
    return next((cell[:end] for end, char in enumerate(cell) if not char.isalpha()), cell)


def same_cell(found: str, right: str) -> bool:
    """Whether two bare cells say the same: numbers (what stands behind them apart), days, or texts.

    >>> same_cell("71.30 ± 0.4", "71.3"), same_cell("9 March 2026", "2026-03-09"), same_cell("run 7", "walk 7")
    (True, True, False)
    """
    one, other = fold(found), fold(right)
    if one == other:
        return True
    wanted, given = leading_number(right), leading_number(found)
    if wanted is not None and given is not None:
        # "run 7" is not "walk 7"; a currency or a unit in front may be left out.
        words = {word for word in (_leading_word(one), _leading_word(other)) if word}
        return len(words) < 2 and same_number(given, wanted)
    day = one_day(right)
    return day is not None and one_day(found) == day


def same_value(found: Any, right: Any) -> bool:
    """Whether two values of fields or columns are one: truth values, numbers, texts, lists of these.

    >>> same_value("12", 12), same_value(["b", "a"], ["a", "b"]), same_value(True, 1)
    (True, False, False)
    """
    if isinstance(found, bool) or isinstance(right, bool) or found is None or right is None:
        return found is right
    if isinstance(found, int | float) and isinstance(right, int | float):
        return abs(found - right) <= max(_DUST, 1e-9 * abs(right))
    if isinstance(found, list | tuple) and isinstance(right, list | tuple):
        return len(found) == len(right) and all(map(same_value, found, right))
    if isinstance(found, list | tuple | dict) or isinstance(right, list | tuple | dict):
        return bool(found == right)
    return same_cell(str(found), str(right))
