"""Tables as a task finds them: those of its own data, and those that a session wrote."""

from __future__ import annotations

import csv
from typing import Any


def keyed_rows(text: str) -> dict[str, dict[str, Any]]:
    r"""The rows of a CSV file in data/ by their first column; whole numbers are read as such.

    >>> keyed_rows("site,hours,day\nmurmur,320,friday\n")
    {'murmur': {'hours': 320, 'day': 'friday'}}
    """
    heads, *rows = csv.reader(text.splitlines())
    return {key: dict(zip(heads[1:], map(_value, cells), strict=True)) for key, *cells in rows}


def _value(cell: str) -> int | str:
    return int(cell) if cell.removeprefix("-").isdecimal() else cell


def markdown_rows(text: str | None) -> list[list[str]]:
    r"""The rows of a text's Markdown tables, their headers among them, as cells in small letters without emphasis.

    >>> markdown_rows("| **Toolkit** | Gap |\n| --- | --- |\n| fathom | +1.2 |")
    [['toolkit', 'gap'], ['fathom', '+1.2']]
    """
    lines = [line.strip() for line in (text or "").lower().splitlines() if line.strip().startswith("|")]
    rows = [[cell.strip(" *_`") for cell in line.removeprefix("|").removesuffix("|").split("|")] for line in lines]
    return [row for row in rows if any(cell.strip(" -:") for cell in row)]
