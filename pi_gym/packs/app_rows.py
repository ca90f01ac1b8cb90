"""The rows that a task adds to its apps or changes in them: `apps:` in task.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pi_gym.apps import SIGNED_IN, TableSpec, app_names, load_app
from pi_gym.apps.references import References
from pi_gym.errors import SpecError, unknown
from pi_gym.packs.app_seeds import AppSeeds
from pi_gym.state.tables import Row

SEED_IDS = 100_000
"""Ids of seeds and tasks lie below this one; sessions count theirs from here on."""


def id_base(place: int) -> int:
    """The id behind which a session counts those of the records that it makes.

    Args:
        place: the session's place in its episode, from 0. What other sessions did makes no difference.
    """
    return (place + 1) * SEED_IDS


@dataclass(frozen=True, slots=True)
class StagedRow:
    """One row that a task brings.

    Args:
        given: the columns that the task sets.
        whole: the whole row, for where there is none with this id when the session opens.
    """

    given: Row
    whole: Row


StagedApps: TypeAlias = Mapping[str, Mapping[str, Mapping[int, StagedRow]]]


def check_row_tables(raw: Mapping[str, Mapping[str, Any]]) -> None:
    """See to it that the apps and tables exist; SpecError names the field."""
    for name, tables in raw.items():
        if name not in app_names():
            raise SpecError(f"apps.{name}", unknown("app", name, app_names()))
        known = set(load_app(name).tables) - {SIGNED_IN}
        for table in tables:
            if table not in known:
                raise SpecError(f"apps.{name}.{table}", unknown("table", table, known))


def staged_rows(seeds: AppSeeds, raw: Mapping[str, Mapping[str, Any]]) -> StagedApps:
    """The rows of a task, checked and completed.

    Args:
        seeds: the pack's seed worlds; a row with the id of a seed row changes that one.
        raw: rows by app and table: a list of mappings, each with an `id` and columns.

    Raises:
        SpecError: the message names field and fault; that a row refers to one which is not there is a fault too.
    """
    check_row_tables(raw)
    staged: dict[str, dict[str, dict[int, StagedRow]]] = {}
    for name, tables in raw.items():
        for table, rows in tables.items():
            field = f"apps.{name}.{table}"
            if not isinstance(rows, list):
                raise SpecError(field, f"expected a list of rows, got {type(rows).__name__}")
            found = staged.setdefault(name, {}).setdefault(table, {})
            for index, row in enumerate(rows):
                key, one = _staged(row, load_app(name).tables[table], seeds.rows(name)[table], f"{field}[{index}]")
                if key in found:
                    raise SpecError(f"{field}[{index}].id", f"{key} stands twice")
                found[key] = one
    _check_references(seeds, staged)
    return staged


def _check_references(seeds: AppSeeds, staged: StagedApps) -> None:
    """See to it that rows refer to seed rows or to rows of the same task; SpecError names the field."""
    for name, tables in staged.items():
        whole = {table: {key: one.whole for key, one in rows.items()} for table, rows in tables.items()}
        references = References(load_app(name), whole, seeds.rows(name))
        for table, rows in tables.items():
            for index, one in enumerate(rows.values()):
                for column, value, refers in references.missing(table, one.given):
                    reason = f"there is no {value!r} in {refers}, neither in the seeds nor among this task's rows"
                    raise SpecError(f"apps.{name}.{table}[{index}].{column}", reason)


def _staged(row: Any, spec: TableSpec, seeds: Mapping[int, Row], field: str) -> tuple[int, StagedRow]:
    if not isinstance(row, Mapping):
        raise SpecError(field, f"expected a mapping with an id and columns, got {type(row).__name__}")
    key, given = row.get("id"), {name: value for name, value in row.items() if name != "id"}
    if not isinstance(key, int) or isinstance(key, bool) or not 0 < key < SEED_IDS:
        raise SpecError(f"{field}.id", f"expected an integer from 1 to {SEED_IDS - 1}, got {key!r}")
    try:
        if key in seeds:
            spec.check(given)
            return key, StagedRow(given, {**seeds[key], **given})
        whole = spec.complete(given)
    except ValueError as error:
        raise SpecError(field, str(error)) from error
    return key, StagedRow(whole, whole)
