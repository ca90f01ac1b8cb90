"""What tasks name of apps: the columns that `recover:` reads, the tables and columns of predicates."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.apps import SIGNED_IN, app_names, load_app
from pi_gym.errors import SpecError, unknown
from pi_gym.packs.task import AppColumn
from pi_gym.predicates.node import Context, Node
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


def check_atoms(spec: Any, field: str) -> None:
    """See to it that the atoms `app` and `app_changes` in a predicate name apps, tables and columns that exist.

    Args:
        spec: the predicate as YAML gave it; what is templated is left to the rendered one.
        field: where it stands, for errors.

    Raises:
        SpecError: the message names field and fault.
    """
    if isinstance(spec, list):
        for index, one in enumerate(spec):
            check_atoms(one, f"{field}[{index}]")
    if not isinstance(spec, Mapping):
        return
    if isinstance(spec.get("app"), str) and isinstance(spec.get("table"), str):
        columns = _columns(spec["app"], spec["table"], field)
        for part in ("where", "each"):
            given = spec.get(part) if columns is not None else None
            known = ["id", *(columns or ())]
            odd = [name for name in given if name not in known] if isinstance(given, Mapping) else []
            if odd:
                raise SpecError(f"{field}.{part}.{odd[0]}", unknown("column", odd[0], known, shown=40))
    only = spec["app_changes"].get("only") if isinstance(spec.get("app_changes"), Mapping) else None
    for app, tables in only.items() if isinstance(only, Mapping) else ():
        for table in tables if isinstance(tables, Mapping) else [None]:
            _columns(app, table, f"{field}.app_changes.only")
    for name, one in spec.items():
        if name in ("all", "any", "not", "of", "at_least"):
            check_atoms(one, f"{field}.{name}")


def _columns(app: str, table: str | None, field: str) -> Mapping[str, Any] | None:
    """The columns of an app's table; None where a name is templated, or of an app that declares no tables."""
    if "{{" in app or app == CRON:
        return None
    if app not in app_names():
        raise SpecError(f"{field}.app", unknown("app", app, app_names()))
    tables = load_app(app).tables
    if table is None or "{{" in table:
        return None
    if table not in tables:
        raise SpecError(f"{field}.table", unknown("table", table, tables))
    return tables[table].columns


def app_column(way: Mapping[str, Any], field: str) -> AppColumn:
    """The column that a rendered way names; SpecError as `check_column`."""
    check_column(way, field)
    conditions = _conditions(way["where"], f"{field}.where", lenient=False)
    return AppColumn(way["app"], way["table"], way["column"], conditions)


def _conditions(where: Mapping[str, Any], field: str, *, lenient: bool) -> tuple[tuple[str, ValueCondition], ...]:
    context = Context(None, lenient=lenient)
    return tuple((name, parse_value(Node(one, f"{field}.{name}", context))) for name, one in where.items())
