"""Copy-on-write tables for the apps.

A table is a read-only base that every session of the process shares, and a persistent map of what this session
changed. Reading and searching copy nothing; `fork` costs O(1); `state_hash` and `diff` cost the number of changes.
Rows are mappings of JSON values and are never changed in place: `update` makes a new one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

from rpds import HashTrieMap

Row: TypeAlias = Mapping[str, Any]
_UNCHANGED: Row = {}
"""Stands for a row that was not changed; no row of a table is this object."""


class Table:
    """Rows by integer id.

    Args:
        base: the shared rows; must not change afterwards, and must be ordered by id.
    """

    __slots__ = ("_base", "_changed", "_changes")

    def __init__(
        self, base: Mapping[int, Row] | None = None, changes: HashTrieMap[int, Row | None] | None = None
    ) -> None:
        self._base: Mapping[int, Row] = base if base is not None else {}
        self._changes: HashTrieMap[int, Row | None] = changes if changes is not None else HashTrieMap()
        self._changed: Mapping[int, Row | None] | None = None

    def get(self, key: int) -> Row | None:
        """The row with this id, or None."""
        found = self._changes.get(key, _UNCHANGED)
        return self._base.get(key) if found is _UNCHANGED else found

    def rows(self) -> Iterator[tuple[int, Row]]:
        """All rows as (id, row): those of the base in its order, then new ones by id."""
        changed = self.changed_rows()
        if not changed:
            yield from self._base.items()
            return
        for key, row in self._base.items():
            current = changed.get(key, row)
            if current is not None:
                yield key, current
        for key, added in changed.items():
            if added is not None and key not in self._base:
                yield key, added

    def where(self, test: Callable[[Row], bool] | None = None, **equal: Any) -> Iterator[tuple[int, Row]]:
        """Rows whose named columns equal the given values and that pass the test, in the order of `rows`."""
        for key, row in self.rows():
            if all(row.get(column) == value for column, value in equal.items()) and (test is None or test(row)):
                yield key, row

    def insert(self, key: int, row: Row) -> Table:
        """This table with a new row; KeyError where the id is taken."""
        if self.get(key) is not None:
            raise KeyError(f"row {key} exists already")
        return self._with(key, dict(row))

    def update(self, key: int, **values: Any) -> Table:
        """This table with some columns of a row set; KeyError where the row does not exist."""
        old = self.get(key)
        if old is None:
            raise KeyError(f"row {key} does not exist")
        return self._with(key, {**old, **values})

    def delete(self, key: int) -> Table:
        """This table without a row; KeyError where the row does not exist."""
        if self.get(key) is None:
            raise KeyError(f"row {key} does not exist")
        return self._with(key, None)

    def _with(self, key: int, row: Row | None) -> Table:
        return Table(self._base, self._changes.insert(key, row))

    @property
    def base(self) -> Mapping[int, Row]:
        """The rows that sessions share: read them, never change them."""
        return self._base

    def free_key(self, first: int) -> int:
        """An id from `first` on that no row of this table has or had.

        Rows that a session adds get such ids one after the other, so a doubling search finds the next in a few steps.
        """
        if not self._has_had(first):
            return first
        low, step = first, 1
        while self._has_had(low + step):
            low, step = low + step, 2 * step
        high = low + step
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self._has_had(middle) else (low, middle)
        return high

    def _has_had(self, key: int) -> bool:
        return key in self._changes or key in self._base

    @property
    def touched(self) -> list[int]:
        """Ids that were inserted, updated or deleted, sorted."""
        return list(self.changed_rows())

    def diff(self, earlier: Table) -> dict[int, tuple[Row | None, Row | None]]:
        """Row before and after, for every id that differs from an earlier state of this table."""
        if self is earlier:
            return {}
        now, then = self.changed_rows(), earlier.changed_rows()
        # Rows are never changed in place, so what both share is looked at no further.
        keys = [key for key, row in now.items() if then.get(key) is not row or row is None]
        keys += [key for key in then if key not in now]
        pairs = {key: (earlier.get(key), self.get(key)) for key in sorted(keys)}
        return {key: pair for key, pair in pairs.items() if pair[0] != pair[1]}

    def __len__(self) -> int:
        new = sum(1 for k, row in self._changes.items() if row is not None and k not in self._base)
        gone = sum(1 for k, row in self._changes.items() if row is None and k in self._base)
        return len(self._base) + new - gone

    def changed_rows(self) -> Mapping[int, Row | None]:
        """The rows that differ from the base, None for deleted ones, in the order of their ids; listed once."""
        if self._changed is None:
            self._changed = {key: self._changes[key] for key in sorted(self._changes)}
        return self._changed

    def shares_base(self, other: Table) -> bool:
        """Whether both tables are changes over the very same base."""
        return self._base is other._base

    def with_rows(self, rows: Mapping[int, Row | None]) -> Table:
        """This table with what `changed_rows` of a table over the same base recorded."""
        return Table(self._base, self._changes.update(rows))

    def __reduce__(self) -> tuple[Any, ...]:
        return Table, (self._base, self._changes)


class Database:
    """The tables of one app, by name. Immutable: `put` gives a new one that shares the rest."""

    __slots__ = ("_names", "_tables")

    def __init__(self, tables: Mapping[str, Table] | None = None) -> None:
        self._tables: Mapping[str, Table] = dict(tables or {})
        self._names: tuple[str, ...] = tuple(sorted(self._tables))

    def table(self, name: str) -> Table:
        """One table; KeyError names the known ones."""
        found = self._tables.get(name)
        if found is None:
            raise KeyError(f"no table {name!r}; known: {', '.join(self.names)}")
        return found

    def put(self, name: str, table: Table) -> Database:
        """This database with one table set."""
        copy = Database.__new__(Database)
        copy._tables = {**self._tables, name: table}
        copy._names = self._names if name in self._tables else tuple(sorted((*self._names, name)))
        return copy

    @property
    def names(self) -> tuple[str, ...]:
        """The tables' names, sorted."""
        return self._names

    def state_hash(self) -> str:
        """SHA-256 over the changed rows; equal states over one base have equal hashes."""
        digest = hashlib.sha256()
        for name in self.names:
            table = self._tables[name]
            for key, row in table.changed_rows().items():
                if row != table._base.get(key):
                    digest.update(json.dumps([name, key, row], sort_keys=True, ensure_ascii=True).encode())
        return digest.hexdigest()

    def diff(self, earlier: Database) -> dict[str, dict[int, tuple[Row | None, Row | None]]]:
        """Differing rows by table, against an earlier state of this database."""
        result = {}
        for name in self.names:
            table, before = self._tables[name], earlier._tables.get(name)
            if table is not before and (rows := table.diff(before if before is not None else Table())):
                result[name] = rows
        return result

    def delta(self, origin: Database) -> dict[str, Table | Mapping[int, Row | None]]:
        """The content for a pickle: changed rows of tables that the origin has too, the others whole."""
        delta: dict[str, Table | Mapping[int, Row | None]] = {}
        for name in self.names:
            table, old = self._tables[name], origin._tables.get(name)
            delta[name] = table.changed_rows() if old is not None and table.shares_base(old) else table
        return delta

    def with_delta(self, delta: Mapping[str, Table | Mapping[int, Row | None]]) -> Database:
        """Redo what `delta` recorded, on the origin that it was taken against."""
        database = self
        for name, value in delta.items():
            table = value if isinstance(value, Table) else self.table(name).with_rows(value)
            database = database.put(name, table)
        return database

    def __reduce__(self) -> tuple[Any, ...]:
        return Database, ({name: self._tables[name] for name in self.names},)
