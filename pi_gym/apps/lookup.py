"""Rows by the value of a column, without looking at the others.

The shared rows of a table are indexed once per process and column, at the first look; the rows that a session changed,
once per state of the table. So a look costs what it finds, whatever the size of the seed world.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter
from typing import Any, TypeAlias

from pi_gym.caches import BoundedCache
from pi_gym.state.tables import Row, Table

INDEX_CACHE = 512
LOOKUP_CACHE = 1_024
_Pairs: TypeAlias = list[tuple[int, Row]]
_Index: TypeAlias = tuple[Mapping[int, Row], Mapping[Any, _Pairs]]
_NONE: _Pairs = []
_NOWHERE: dict[Any, _Pairs] = {}


def having(table: Table, column: str, value: Any) -> list[tuple[int, Row]]:
    """The rows whose column is the value, or is a list that holds it, as (id, row), by id; a list of the caller's own.

    Args:
        table: the table.
        column: one whose values are texts, numbers, booleans or lists of these.
        value: what is looked for.
    """
    return _lookups.get((id(table), column), lambda: _Lookup(table, column)).having(value).copy()


class _Lookup:
    """The rows of one table by the value of a column."""

    __slots__ = ("_found", "_gone", "_own", "_shared", "_table")

    def __init__(self, table: Table, column: str) -> None:
        # Holding the table keeps its identity from being given to others while this is in the cache.
        self._table, changed, base = table, table.changed_rows(), table.base
        self._shared = _indexes.get((id(base), column), lambda: (base, _places(base.items(), column)))[1]
        self._own = self._gone = self._found = _NOWHERE
        if changed:
            self._own = _places([(key, row) for key, row in changed.items() if row is not None], column)
            self._gone = _places([(key, base[key]) for key in changed if key in base], column)
            self._found = {}

    def having(self, value: Any) -> _Pairs:
        """The rows of a value; not to be changed."""
        if value not in self._own and value not in self._gone:
            return self._shared.get(value, _NONE)
        if value not in self._found:
            changed, found = self._table.changed_rows(), self._shared.get(value, _NONE)
            if value in self._gone:
                found = [pair for pair in found if pair[0] not in changed]
            self._found[value] = sorted(found + self._own.get(value, _NONE), key=itemgetter(0))
        return self._found[value]


# Holding the base keeps its identity from being given to others while its index is in the cache.
_indexes: BoundedCache[tuple[int, str], _Index] = BoundedCache(INDEX_CACHE)
_lookups: BoundedCache[tuple[int, str], _Lookup] = BoundedCache(LOOKUP_CACHE)


def _places(rows: Iterable[tuple[int, Row]], column: str) -> dict[Any, _Pairs]:
    """Rows by each value of a column."""
    places: dict[Any, _Pairs] = {}
    for key, row in rows:
        value = row[column]
        for one in dict.fromkeys(value) if isinstance(value, list) else (value,):
            places.setdefault(one, []).append((key, row))
    return places


def holds(found: Any, value: Any) -> bool:
    """Whether a column's value is the one that is looked for, or a list that holds it."""
    return value in found if isinstance(found, list) else bool(found == value)
