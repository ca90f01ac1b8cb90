"""The columns and tables of apps that tasks name: those that `recover:` reads, those of predicates."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pi_gym.apps import SIGNED_IN, app_names, load_app
from pi_gym.errors import SpecError, unknown
from pi_gym.packs.task import AppColumn
from pi_gym.predicates.footprint import NamedTable
from pi_gym.predicates.node import Node, ParseContext
from pi_gym.predicates.value_rules import ValueCondition, parse_value
from pi_gym.tools.jobs import CRON


def check_column(way: Mapping[str, Any], field: str) -> None:
    """See to it that app, table and columns exist, and that the conditions can be read.

    Args:
        way: the way as YAML gave it; templates need not be rendered.
        field: where it stands, for errors.

    Raises:
        SpecError: the message names field and fault.
    """
    app, table = way["app"], way["table"]
    if app not in app_names():
        raise SpecError(f"{field}.app", unknown("app", app, app_names()))
    tables = {name: spec for name, spec in load_app(app).tables.items() if name != SIGNED_IN}
    if table not in tables:
        raise SpecError(f"{field}.table", unknown("table", table, tables))
    columns = tables[table].columns
    if way["column"] not in columns:
        raise SpecError(f"{field}.column", unknown("column", way["column"], columns, shown=40))
    for name in way["where"]:
        if name != "id" and name not in columns:
            raise SpecError(f"{field}.where.{name}", unknown("column", name, ["id", *columns], shown=40))
    _conditions(way["where"], f"{field}.where", lenient=True)


def check_tables(named: Iterable[NamedTable]) -> None:
    """See to it that the apps, tables and columns that a predicate names exist; templated names are left alone.

    Raises:
        SpecError: the message names field and fault.
    """
    for one in named:
        columns = _columns(one)
        if columns is None:
            continue
        known = ["id", *columns]
        for column, field in one.columns.items():
            if column not in known and not _templated(column):
                raise SpecError(field, unknown("column", column, known, shown=40))


def _columns(named: NamedTable) -> Mapping[str, Any] | None:
    """The columns of a table; None where a name is missing or templated, or the app declares no tables."""
    if _templated(named.app) or named.app == CRON:
        return None
    if named.app not in app_names():
        raise SpecError(named.app_field, unknown("app", named.app, app_names()))
    tables = load_app(named.app).tables
    if not named.table or _templated(named.table):
        return None
    if named.table not in tables:
        raise SpecError(named.table_field, unknown("table", named.table, tables))
    return tables[named.table].columns


def _templated(name: str) -> bool:
    return "{{" in name or "{%" in name


def app_column(way: Mapping[str, Any], field: str) -> AppColumn:
    """The column that a rendered way names; SpecError as `check_column`."""
    check_column(way, field)
    conditions = _conditions(way["where"], f"{field}.where", lenient=False)
    return AppColumn(way["app"], way["table"], way["column"], conditions)


def _conditions(where: Mapping[str, Any], field: str, *, lenient: bool) -> tuple[tuple[str, ValueCondition], ...]:
    context = ParseContext(None, lenient=lenient)
    return tuple((name, parse_value(Node(one, f"{field}.{name}", context))) for name, one in where.items())
