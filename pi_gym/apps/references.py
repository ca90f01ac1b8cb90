"""References of rows to other rows of their app, by id or by another column, as `Column.refers` says."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from pi_gym.apps.declare import App
from pi_gym.state.tables import Row

Rows: TypeAlias = Mapping[str, Mapping[int, Row]]
"""Rows by table and id."""


class MissingReference(NamedTuple):
    """A reference to a row that is not there.

    Args:
        column: where it stands.
        value: what it names.
        refers: which row that would be, as `Column.refers` has it.
    """

    column: str
    value: Any
    refers: str


class References:
    """A search for references of an app's rows that lead nowhere.

    Args:
        app: the app.
        layers: the rows that there are; they may be in several mappings, such as seeds and rows of a task.
    """

    def __init__(self, app: App, *layers: Rows) -> None:
        self._app, self._layers = app, layers
        self._values: dict[str, frozenset[Any]] = {}

    def missing(self, table: str, row: Row) -> Iterator[MissingReference]:
        """The references of a row, or of some columns of it, that lead nowhere."""
        columns = self._app.tables[table].columns
        for name, value in row.items():
            for one in columns[name].names(value):
                if not self._leads(columns[name].refers, one):
                    yield MissingReference(name, one, columns[name].refers)

    def _leads(self, refers: str, value: Any) -> bool:
        table, _, column = refers.partition(".")
        if not column:
            return any(value in layer.get(table, {}) for layer in self._layers)
        if refers not in self._values:
            rows = (row for layer in self._layers for row in layer.get(table, {}).values())
            self._values[refers] = frozenset(row[column] for row in rows)
        return value in self._values[refers]
