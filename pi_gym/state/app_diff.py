"""The changes of an app between two states, as text for people: a line a row, columns before and after."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from pi_gym.state.tables import Database, Row

MAX_VALUE_CHARS = 120


def app_diff(
    name: str, now: Database, start: Database, *, without: Iterable[str] = (), max_value_chars: int = MAX_VALUE_CHARS
) -> str:
    r"""The rows that differ, sorted by table and id; "" where none do.

    Args:
        name: the app's name, at the beginning of each line.
        now: the app as it is.
        start: the app as it was.
        without: tables to leave out.
        max_value_chars: where a value is cut.

    >>> from pi_gym.state.tables import Table
    >>> start = Database({"notes": Table({1: {"title": "Bus", "pinned": False}, 2: {"title": "Tea", "pinned": True}})})
    >>> table = start.table("notes").update(1, pinned=True).delete(2).insert(7, {"title": "Rye", "pinned": False})
    >>> print(app_diff("simple_note", start.put("notes", table), start), end="")
    ~ simple_note.notes 1: pinned: false -> true
    - simple_note.notes 2: title: "Tea", pinned: true
    + simple_note.notes 7: title: "Rye", pinned: false
    """
    left_out = set(without)
    return "".join(
        f"{line}\n"
        for table, rows in now.diff(start).items()
        if table not in left_out
        for key, (before, after) in rows.items()
        for line in _lines(f"{name}.{table} {key}", before, after, max_value_chars)
    )


def _lines(place: str, before: Row | None, after: Row | None, most: int) -> Iterator[str]:
    if before is None or after is None:
        row = before if after is None else after
        assert row is not None
        columns = ", ".join(f"{name}: {_shown(value, most)}" for name, value in row.items())
        yield f"{'-' if after is None else '+'} {place}: {columns}"
        return
    names = [column for column in after if before.get(column) != after[column]]
    changes = (f"{name}: {_shown(before.get(name), most)} -> {_shown(after[name], most)}" for name in names)
    yield f"~ {place}: " + ", ".join(changes)


def _shown(value: Any, most: int) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= most else f"{text[:most]}… ({len(text)} characters)"
