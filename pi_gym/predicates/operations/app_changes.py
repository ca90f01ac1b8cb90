"""The operation `app_changes`: the guard that says that no other row of an app was touched."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pi_gym.apps import SIGNED_IN
from pi_gym.predicates.check import Check, PredicateOperation
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import AllowedRows, Footprint, NamedTable
from pi_gym.predicates.node import Node
from pi_gym.predicates.row_states import row_state
from pi_gym.predicates.wording import listed

KINDS = ("created", "updated", "deleted")


@dataclass(frozen=True, slots=True)
class AppChanges:
    """The check that all rows that differ from the start are allowed to.

    Args:
        only: by app and table the ids and kinds of change that are allowed; None for any row or any table.
        field: where `only` stands in the task.
    """

    only: Mapping[str, Mapping[str, frozenset[int | str] | None] | None]
    field: str = ""

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        bad: list[str] = []
        for app in sorted(evidence.apps):
            tables = self.only.get(app, {})
            if tables is None or evidence.apps[app] is evidence.apps_start.get(app):
                continue
            for table in evidence.apps[app].names:
                # Who is signed in ends with the session: it is no effect on the app.
                allowed = None if table == SIGNED_IN else tables.get(table, frozenset())
                if allowed is None:
                    continue
                for key, (before, after) in evidence.changed_rows(app, table).items():
                    kind = row_state(before, after)
                    if key not in allowed and kind not in allowed:
                        bad.append(f"{app}.{table} {key} {kind}")
        if bad:
            return Outcome(False, f"Rows changed that should not have: {listed(bad)}.")
        return Outcome(True, "No other rows changed in the apps.")

    def footprint(self) -> Footprint:
        """See `Check`."""
        allows = tuple(self._allows())
        return Footprint(frozenset({"apps"}), tuple(self._named(rows) for rows in allows), allows)

    def _named(self, rows: AllowedRows) -> NamedTable:
        field = f"{self.field}.{rows.app}"
        return NamedTable(rows.app, rows.table or "", {}, field, f"{field}.{rows.table}")

    def _allows(self) -> Iterator[AllowedRows]:
        for app, tables in self.only.items():
            if tables is None:
                yield AllowedRows(app, None, None)
            else:
                yield from (AllowedRows(app, table, kinds) for table, kinds in tables.items())


def _allowed(node: Node) -> frozenset[int | str] | None:
    if node.raw == "any" or node.templated:
        return None
    found: set[int | str] = set()
    for one in node.one_or_more():
        raw = one.raw
        if one.templated or (isinstance(raw, int) and not isinstance(raw, bool)) or raw in KINDS:
            found.add(raw)
        else:
            raise one.wrong("a row's id, " + ", ".join(KINDS))
    return frozenset(found)


def _tables(node: Node) -> Mapping[str, frozenset[int | str] | None] | None:
    if node.raw == "any" or node.templated:
        return None
    return {name: _allowed(one) for name, one in node.named().items()}


def _parse(whole: Node) -> Check:
    node = whole.need(whole.fields(("app_changes",), "option of 'app_changes'"), "app_changes")
    fields = node.fields(("only", "none"))
    if node.says_none(fields, ("only",)):
        return AppChanges({})
    only = node.need(fields, "only")
    return AppChanges({app: _tables(one) for app, one in only.named().items()}, only.field)


OPERATIONS = (
    PredicateOperation(
        "app_changes",
        _parse,
        "`app_changes: {only: {app: {table: [id or kind]}}, none: true}`",
        "no other row was touched; `any` for a whole app or table",
    ),
)
