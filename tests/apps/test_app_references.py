"""References of rows lead to rows: in the seed worlds, and among the rows that tasks bring."""

from __future__ import annotations

from functools import cache
from typing import Any, get_args

import pytest
from support.apps import NOTES, notes_pack

from pi_gym.apps import app_names, load_app
from pi_gym.apps.references import References
from pi_gym.errors import SpecError
from pi_gym.installed import installed_packs
from pi_gym.packs import load_pack
from pi_gym.packs.app_rows import staged_rows
from pi_gym.packs.app_seeds import AppSeeds
from pi_gym.state.tables import Row

REFERRING = [name for name in app_names() if len(load_app(name).tables) > 2]
"""The apps with tables of their own."""


@cache
def _seeds(pack: str) -> AppSeeds:
    return (notes_pack() if pack == "notes" else load_pack(pack)).app_seeds


@pytest.mark.parametrize("name", app_names())
def test_columns_refer_to_tables_and_columns_that_exist(name: str) -> None:
    tables = load_app(name).tables
    for table in tables.values():
        for column in table.columns.values():
            if column.refers:
                target, _, other = column.refers.partition(".")
                assert target in tables
                assert not other or other in tables[target].columns


@pytest.mark.parametrize("name", REFERRING)
def test_columns_that_are_named_after_a_record_refer_to_it(name: str) -> None:
    tables = load_app(name).tables
    for label, table in tables.items():
        for column, spec in table.columns.items():
            kinds = {spec.type, *get_args(spec.type)}
            if int in kinds and (column.removesuffix("_id") + "s" in tables or column in tables):
                assert spec.refers, f"{label}.{column}"


@pytest.mark.parametrize("pack", ["notes", *installed_packs()])
@pytest.mark.parametrize("name", app_names())
def test_every_reference_of_a_seed_world_leads_to_a_row(name: str, pack: str) -> None:
    rows = _seeds(pack).rows(name)
    references = References(load_app(name), rows)
    missing = [
        (table, key, *one) for table, found in rows.items() for key, row in found.items()
        for one in references.missing(table, row)
    ]  # fmt: skip
    assert not missing


class Unread(AppSeeds):
    """Seeds that must not be read."""

    def rows(self, name: str) -> dict[str, dict[int, Row]]:
        raise AssertionError(f"the seeds of {name} were read")


def test_a_task_that_brings_no_rows_reads_no_seeds() -> None:
    assert staged_rows(Unread(NOTES, "notes"), {}) == {}


def staged(**tables: Any) -> None:
    staged_rows(_seeds("notes"), {"todoist": tables})


def test_a_row_of_a_task_may_refer_to_seeds_and_to_rows_beside_it() -> None:
    project = {"id": 900, "name": "Bread"}
    task = {"id": 901, "project": 900, "title": "Knead"}
    staged(projects=[project], tasks=[task], sub_tasks=[{"id": 902, "task": 901, "title": "Weigh"}])
    staged(tasks=[{**task, "project": min(_seeds("notes").rows("todoist")["projects"])}])


@pytest.mark.parametrize(
    ("columns", "field", "named"),
    [
        ({"project": 99_999}, "project", "projects"),
        ({"section": 99_998}, "section", "sections"),
        ({"assignee": 99_997}, "assignee", "accounts"),
        ({"project": 0}, "project", "projects"),
    ],
)
def test_a_row_that_refers_to_nothing_is_an_error_with_its_field(
    columns: dict[str, int], field: str, named: str
) -> None:
    project = min(_seeds("notes").rows("todoist")["projects"])
    with pytest.raises(SpecError) as caught:
        staged(tasks=[{"id": 901, "project": project, "title": "Knead", **columns}])
    assert caught.value.field == f"apps.todoist.tasks[0].{field}"
    assert f"there is no {columns[field]} in {named}" in caught.value.reason


def test_a_seed_row_is_checked_in_what_a_task_changes_and_lists_are_by_their_entries() -> None:
    seeds = _seeds("notes")
    project = min(seeds.rows("todoist")["projects"])
    with pytest.raises(SpecError, match="there is no 99996 in accounts"):
        staged(projects=[{"id": project, "members": [1, 99_996]}])
    given = {"name": "Trip", "creator_email": "ida@notes.example", "member_emails": ["nobody@notes.example"]}
    with pytest.raises(SpecError, match=r"there is no 'nobody@notes.example' in accounts\.email"):
        staged_rows(seeds, {"splitwise": {"groups": [{"id": 900, **given}]}})
