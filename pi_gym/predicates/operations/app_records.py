"""The operation `app`: rows of an app's table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pi_gym.predicates.check import Check, PredicateOperation
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint, NamedTable
from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.row_states import row_state
from pi_gym.predicates.value_rules import MISSING, ValueCondition, parse_value
from pi_gym.predicates.wording import listed, plural, shown
from pi_gym.state.tables import Row

STATES = ("created", "updated", "deleted", "changed", "any")


def _column(key: int, row: Row, name: str) -> Any:
    if name in row:
        return row[name]
    return key if name == "id" else MISSING


@dataclass(frozen=True, slots=True)
class AppCheck:
    """The check that so many rows of a table are in a state and match.

    Args:
        app: the app's name.
        table: the table's name.
        state: which rows, against the start; "changed" is created or updated, "any" all that exist now.
        where: conditions by column that select rows.
        count: how many rows are selected.
        asked: all that as the author wrote it: what asks the same finds the same.
        field: where it stands in the task.
    """

    app: str
    table: str
    state: str
    where: tuple[tuple[str, ValueCondition], ...]
    count: Span
    asked: str
    field: str = ""

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        key = ("rows", self.asked)
        if key not in evidence.found:
            evidence.found[key] = self._test(evidence)
        found: Outcome = evidence.found[key]
        return found

    def footprint(self) -> Footprint:
        """See `Check`."""
        columns = {name: f"{self.field}.where.{name}" for name, _ in self.where}
        table = NamedTable(self.app, self.table, columns, f"{self.field}.app", f"{self.field}.table")
        return Footprint(frozenset({"apps"}), (table,))

    def _test(self, evidence: Evidence) -> Outcome:
        database = evidence.apps.get(self.app)
        if database is None:
            return Outcome(False, f"There is no app {shown(self.app)}; known: {listed(sorted(evidence.apps))}.")
        if self.table not in database.names:
            return Outcome(False, f"{self.app} has no table {shown(self.table)}; known: {listed(database.names)}.")
        near = ""
        rows: list[tuple[int, Row]] = []
        for key, row in self._rows(evidence):
            if all(condition.holds(_column(key, row, name)) for name, condition in self.where):
                rows.append((key, row))
            elif not near:
                near = f"; row {key}: {_fault(key, row, self.where)}"
        state = "" if self.state == "any" else f"{self.state} "
        if len(rows) not in self.count:
            found = plural(len(rows), f"{state}row")
            return Outcome(False, f"{self.app}.{self.table} has {found} as asked, expected {self.count}{near}.")
        return Outcome(True, f"{self.app}.{self.table} has {plural(len(rows), f'{state}row')} as asked.")

    def _rows(self, evidence: Evidence) -> Iterator[tuple[int, Row]]:
        if self.state == "any":
            yield from evidence.apps[self.app].table(self.table).rows()
            return
        for key, (before, after) in evidence.changed_rows(self.app, self.table).items():
            kind = row_state(before, after)
            row = before if after is None else after
            if row is not None and (kind == self.state or (self.state == "changed" and kind != "deleted")):
                yield key, row


def _fault(key: int, row: Row, conditions: tuple[tuple[str, ValueCondition], ...]) -> str:
    for name, condition in conditions:
        if fault := condition.fault(_column(key, row, name)):
            return f"{name!r} {fault}"
    return ""


def _parse(node: Node) -> Check:
    fields = node.fields(("app", "table", "where", "count", "state"), "option of 'app'")
    state = fields["state"].choice(STATES) if "state" in fields else node.context.file_state
    where = fields.get("where")
    return AppCheck(
        app=node.need(fields, "app").string("an app's name"),
        table=node.need(fields, "table").string("a table's name"),
        state=state,
        where=tuple((name, parse_value(one)) for name, one in where.named().items()) if where else (),
        count=fields["count"].span() if "count" in fields else Span(1),
        asked=repr((state, sorted((key, one.raw) for key, one in fields.items() if key != "state"))),
        field=node.field,
    )


OPERATIONS = (
    PredicateOperation(
        "app",
        _parse,
        "`app: NAME`",
        "rows of `table: T` are so",
        "`where: {column: VALUE}`, `count` (default at least 1),"
        " `state: created \\| updated \\| deleted \\| changed \\| any`",
    ),
)
