"""Rows by the value of a column, without looking at the others.

The shared rows of a table are indexed once per process and column, at the first look; rows that the session changed
are looked at one by one. So a look costs what it finds and what the session changed, whatever the size of the seed
world.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any, TypeAlias

from pi_gym.caches import BoundedCache
from pi_gym.state.tables import Row, Table

INDEX_CACHE = 512
_Index: TypeAlias = tuple[Mapping[int, Row], Mapping[Any, list[tuple[int, Row]]]]
_indexes: BoundedCache[tuple[int, str], _Index] = BoundedCache(INDEX_CACHE)


def having(table: Table, column: str, value: Any) -> list[tuple[int, Row]]:
    """The rows whose column is the value, or is a list that holds it, as (id, row), by id; a list of the caller's own.

    Args:
        table: the table.
        column: one whose values are texts, numbers, booleans or lists of these.
        value: what is looked for.
    """
    _, places = _indexes.get((id(table.base), column), lambda: _index(table.base, column))
    shared = places.get(value, [])
    changed = table.changed_rows()
    if not changed:
        return shared.copy()
    found = [pair for pair in shared if pair[0] not in changed]
    own = [(key, row) for key, row in changed.items() if row is not None and holds(row[column], value)]
    if own:
        found = sorted(found + own, key=itemgetter(0))
    return found


def _index(base: Mapping[int, Row], column: str) -> _Index:
    places: dict[Any, list[tuple[int, Row]]] = {}
    for key, row in base.items():
        value = row[column]
        for one in dict.fromkeys(value) if isinstance(value, list) else (value,):
            places.setdefault(one, []).append((key, row))
    # Holding the base keeps its identity from being given to others while the index is in the cache.
    return base, places


def holds(found: Any, value: Any) -> bool:
    """Whether a column's value is the one that is looked for, or a list that holds it."""
    return value in found if isinstance(found, list) else bool(found == value)
