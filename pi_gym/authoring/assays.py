"""Results of assays: what is left of a signal, as it is written in one of three forms and read from a table."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pi_gym.authoring.leavings import new_csv_rows
from pi_gym.authoring.measures import significant
from pi_gym.numbers import fixed

#: The heads of a column by its form: per cent of the vehicle that are left, or lost, or the ratio to it.
LEFT_HEADS = {"left": "left %", "lost": "lost %", "ratio": "ratio"}


def left_cells(left: float, forms: Sequence[str], digits: int | None = None, unit: str = "") -> list[str]:
    """The cells of a table that say what is left, one for each form.

    Args:
        left: in per cent of the vehicle.
        forms: of `LEFT_HEADS`.
        digits: how many significant figures; without it two decimals.
        unit: what follows each figure.

    >>> left_cells(23.4, ["left", "lost", "ratio"], 2)
    ['23', '77', '0.23']
    """
    values = {"left": left, "lost": 100 - left, "ratio": left / 100}
    return [written_figure(values[form], digits) + unit for form in forms]


def written_figure(value: float, digits: int | None = None) -> str:
    """A figure with so many significant ones, or without a number of them with two decimals.

    >>> written_figure(34.26, 3), written_figure(34.26)
    ('34.3', '34.26')
    """
    return significant(value, digits) if digits else fixed(value, 2)


def left_of_row(head: Sequence[str], row: Sequence[str]) -> float | None:
    """The per cent left that the third column says in the form of its head; None without a number there.

    Args:
        head: the table's cells above it, in small letters.
        row: its cells, in small letters.

    >>> left_of_row(["gene", "dish", "lost %"], ["klk3", "a", "77 %"])
    23.0
    """
    try:
        found = float(row[2].strip(" %"))
        form = next((name for name in LEFT_HEADS if head[2].startswith(name)), "left")
    except (ValueError, IndexError):
        return None
    return {"left": found, "lost": 100 - found, "ratio": 100 * found}[form]


def reckoned(evidence: Any, folder: str, about: Mapping[str, float], least: int = 4, columns: int = 4) -> bool:
    """Whether the one new table of a folder has so many results of the right size, in the form that its head says.

    Args:
        evidence: what the check was given.
        folder: where the table lies, with a slash at its end.
        about: per cent left by the first two cells of a row, "klk3 / a", in small letters.
        least: so many are between half and twice of that.
        columns: what has fewer is no row of it.
    """
    head, *rows = new_csv_rows(evidence, folder)
    near = 0
    for row in rows if len(head) >= columns else []:
        left = left_of_row(head, row) if len(row) >= columns else None
        near += left is not None and 0.5 < left / about.get(" / ".join(row[:2]), math.inf) < 2
    return near >= least
