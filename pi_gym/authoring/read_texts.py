"""Tables and fields as a task reads them: those of its own data, and those that a session wrote."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from pi_gym.errors import PackError
from pi_gym.schema.yaml_files import parse_yaml


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


def yaml_fields(text: str | None) -> dict[str, str]:
    r"""The scalars of a YAML text, as texts, by the names that lead to them; nothing where it is not YAML.

    >>> yaml_fields("enter: kamo\nchallenges:\n  kamo: {days: 12}\n")
    {'enter': 'kamo', 'challenges.kamo.days': '12'}
    """
    return dict(_fields_of(text or ""))


@lru_cache(maxsize=64)
def _fields_of(text: str) -> Mapping[str, str]:
    """The fields of a text, read once: several rules look at one file, and at each end of a turn."""
    try:
        data = parse_yaml(text, "")
    except PackError:
        return {}
    return dict(_scalars(data, "")) if isinstance(data, dict) else {}


def _scalars(data: Any, place: str) -> Iterator[tuple[str, str]]:
    if not isinstance(data, dict):
        yield place, str(data)
        return
    for name, value in data.items():
        yield from _scalars(value, f"{place}.{name}" if place else str(name))
