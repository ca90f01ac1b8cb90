"""The footprint of a predicate: what it reads and allows, told by itself, so that no reader walks its grammar again."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

Part: TypeAlias = Literal["replies", "calls", "sent", "files", "apps", "statuses", "anything"]
#: Parts of the evidence that right words and calls alone do not change. What a task's own rule reads is not known.
STATE: frozenset[Part] = frozenset({"sent", "files", "apps", "anything"})


@dataclass(frozen=True, slots=True)
class NamedTable:
    """A table of an app that a predicate names. In an unrendered spec, a name may hold template syntax.

    Args:
        app: the app's name.
        table: the table's name; empty where only the app is named.
        columns: the columns that are named, each with its place in the task.
        app_field: where the app's name stands in the task, for errors.
        table_field: where the table's name stands.
    """

    app: str
    table: str
    columns: Mapping[str, str]
    app_field: str
    table_field: str


@dataclass(frozen=True, slots=True)
class AllowedRows:
    """Changes to an app's rows that a predicate allows.

    Args:
        app: the app's name.
        table: the table's name; None for all tables.
        kinds: ids of rows and kinds of change ("created", "updated", "deleted"); None for any change.
    """

    app: str
    table: str | None
    kinds: frozenset[int | str] | None

    def covers(self, app: str, table: str, change: int | str) -> bool:
        """Whether this kind of change to any row of the table is allowed, or any change to the row of this id."""
        return app == self.app and self.table in (None, table) and (self.kinds is None or change in self.kinds)


@dataclass(frozen=True, slots=True)
class Footprint:
    """The footprint of a predicate: what it reads, which tables it names, and which changes it allows.

    Args:
        reads: the parts of the evidence; "sent" are the files sent to the user, "anything" is what the rule of a task
            may look at.
        tables: the apps and tables that are named.
        allows: the changes to rows that it says may be.
    """

    reads: frozenset[Part] = frozenset()
    tables: tuple[NamedTable, ...] = ()
    allows: tuple[AllowedRows, ...] = ()

    @classmethod
    def of(cls, *reads: Part) -> Footprint:
        """The footprint of what reads these parts, names no tables and allows nothing."""
        return cls(frozenset(reads))

    @classmethod
    def union(cls, footprints: Iterable[Footprint]) -> Footprint:
        """All that several predicates read, name and allow."""
        parts = tuple(footprints)
        return cls(
            frozenset(part for one in parts for part in one.reads),
            tuple(table for one in parts for table in one.tables),
            tuple(rows for one in parts for rows in one.allows),
        )

    @property
    def reads_state(self) -> bool:
        """Whether it reads more than replies, calls and statuses."""
        return not self.reads.isdisjoint(STATE)
