"""Plates of 96 wells, as layouts and exports have them: "A1" to "H12", row by row."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from pi_gym.authoring.written_tables import csv_text

ROWS, COLUMNS = "ABCDEFGH", range(1, 13)
WELLS = tuple(f"{row}{column}" for row in ROWS for column in COLUMNS)


def plate_csv(wells: Mapping[str, Any], head: str = "value", *, grid: bool = False) -> str:
    r"""A plate as a CSV file: a line for each well that has something, or a grid of eight rows and twelve columns.

    Args:
        wells: by well what stands there.
        head: of the column of values, in a list.
        grid: as plate readers export it; wells without anything are empty cells.

    Raises:
        ValueError: there is no such well.

    >>> plate_csv({"A2": 0.31, "A1": 0.42}, "A450")
    'well,A450\nA1,0.42\nA2,0.31\n'
    """
    _require_wells(wells)
    if not grid:
        return csv_text(["well", head], [[well, wells[well]] for well in WELLS if well in wells])
    lines = [[row, *(wells.get(f"{row}{column}", "") for column in COLUMNS)] for row in ROWS]
    return csv_text(["", *map(str, COLUMNS)], lines)


def wells_of(layout: Mapping[str, Any], name: Any) -> list[str]:
    """The wells in which something is, row by row.

    >>> wells_of({"B1": "DMSO", "A1": "DMSO", "A2": "ESD-121"}, "DMSO")
    ['A1', 'B1']
    """
    return [well for well in WELLS if well in layout and layout[well] == name]


def _require_wells(names: Collection[str]) -> None:
    for well in names:
        if well not in WELLS:
            raise ValueError(f"a plate of 96 has the wells A1 to H12, no {well!r}")
