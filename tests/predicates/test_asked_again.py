"""Conditions on one moment: each finds what it finds alone, though much is judged once for all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from pi_gym.predicates import Evidence
from pi_gym.state.tables import Database, Table

from .helpers import check, evidence


def files() -> Evidence:
    return evidence({"a.md": "yes\n", "b.md": "no\n", "gone.md": None}, {"gone.md": "yes\n", "b.md": "yes\n"})


def apps() -> Evidence:
    start = Database({"events": Table({1: {"title": "Standup", "start": 1}})})
    now = start.put("events", start.table("events").insert(2, {"title": "Review", "start": 2}).update(1, start=3))
    return Evidence(apps={"calendar": now}, apps_start={"calendar": start})


FILES: list[Any] = [
    {"file": path, "text": {word: said}, **rest}
    for path in ("a.md", "b.md", "gone.md", "*.md")
    for word in ("contains", "equals")
    for said in ("yes", "no")
    for rest in ({}, {"state": "deleted"}, {"state": "modified"}, {"which": "some"})
]
ROWS: list[Any] = [
    {"app": "calendar", "table": table, **rest}
    for table in ("events", "none")
    for rest in (
        {},
        {"count": 2},
        {"state": "created"},
        {"state": "updated", "where": {"start": 3}},
        {"where": {"start": 3}},
        {"where": {"start": True}},
        {"where": {"title": "Review"}, "state": "created", "count": 1},
    )
]


@pytest.mark.parametrize(("specs", "make"), [(FILES, files), (ROWS, apps)], ids=["files", "rows"])
def test_each_condition_finds_what_it_finds_alone(specs: list[Any], make: Callable[[], Evidence]) -> None:
    shared = make()
    for state in ("any", "changed", "any"):
        for spec in specs:
            assert check(spec, shared, file_state=state) == check(spec, make(), file_state=state), spec
    assert len({check(spec, shared).holds for spec in specs}) == 2


def test_changed_rows_are_those_that_differ_from_the_start_each_as_it_was_and_is() -> None:
    moment = apps()
    changed = moment.changed_rows("calendar", "events")
    assert [*changed] == [1, 2]
    assert [before and before["start"] for before, _ in changed.values()] == [1, None]
    assert [after and after["start"] for _, after in changed.values()] == [3, 2]
    assert moment.at_same_moment(statuses={}).changed_rows("calendar", "events") is changed
    assert not Evidence(apps=moment.apps, apps_start=moment.apps).changed_rows("calendar", "events")
    with pytest.raises(KeyError):
        moment.changed_rows("calendar", "none")
