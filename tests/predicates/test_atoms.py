from __future__ import annotations

from typing import Any

import pytest

from pi_gym.errors import SpecError
from pi_gym.predicates import Evidence, compile_predicate
from pi_gym.state import Database, Table

from .helpers import check


def apps() -> Evidence:
    base = {1: {"title": "Standup", "start": 540}, 2: {"title": "Review", "start": 600}}
    start = Database({"events": Table(base), "tags": Table()})
    table = Table(base).insert(100_001, {"title": "Group meeting", "start": 900, "who": ["ann", "bob"]})
    table = table.update(2, start=660).delete(1)
    now = start.put("events", table)
    return Evidence(apps={"calendar": now}, apps_start={"calendar": start})


@pytest.mark.parametrize(
    ("rest", "holds"),
    [
        ({"where": {"title": "Review", "start": 660}}, True),
        ({"where": {"title": "Standup"}}, False),
        ({"where": {"title": "Standup"}, "state": "deleted"}, True),
        ({"where": {"title": {"contains": "meeting"}}, "state": "created", "count": 1}, True),
        ({"where": {"title": {"contains": "meeting"}}, "state": "updated"}, False),
        ({"state": "changed", "count": 2}, True),
        ({"state": "changed", "where": {"start": {"min": 660, "max": 900}}, "count": 2}, True),
        ({"state": "changed", "where": {"start": {"min": 700}}, "count": 2}, False),
        ({"where": {"title": {"starts_with": "group"}}, "count": 1}, True),
        ({"where": {"title": {"one_of": ["Review", "Retro"]}}, "count": 1}, True),
        ({"where": {"who": {"length": 2}}, "count": 1}, True),
        ({"where": {"end": 5}}, False),
        ({"where": {"id": 2}, "count": 1}, True),
        ({"where": {"who": ["ann", "bob"]}}, True),
        ({"where": {"who": {"has": "ann"}}, "count": {"max": 0}}, False),
    ],
)
def test_rows_are_selected_by_state_and_columns(rest: Any, holds: bool) -> None:
    outcome = check({"app": "calendar", "table": "events", **rest}, apps())
    assert outcome.holds is holds, outcome.why


def test_rows_default_to_changed_ones_for_intents_and_unknown_names_are_told() -> None:
    spec = {"app": "calendar", "table": "events", "where": {"title": "Review"}}
    untouched = Evidence(apps=apps().apps_start, apps_start=apps().apps_start)
    assert check(spec, untouched)
    assert not check(spec, untouched, file_state="changed")
    assert "calendar" in check({"app": "mail", "table": "x"}, apps()).why
    assert "events" in check({"app": "calendar", "table": "x"}, apps()).why


@pytest.mark.parametrize(
    ("only", "holds"),
    [
        ({"calendar": "any"}, True),
        ({"calendar": {"events": "any"}}, True),
        ({"calendar": {"events": ["created", 1, 2]}}, True),
        ({"calendar": {"events": ["created", "updated"]}}, False),
        ({"calendar": {"tags": "any"}}, False),
        ({"mail": "any"}, False),
    ],
)
def test_other_app_changes_are_noticed(only: Any, holds: bool) -> None:
    assert check({"app_changes": {"only": only}}, apps()).holds is holds
    assert not check({"app_changes": {"none": True}}, apps())


def test_resolved_reads_the_status() -> None:
    found = Evidence(statuses={"a": "open", "b": "inferred"})
    assert not check({"resolved": "a"}, found)
    assert check({"resolved": "b"}, found)
    assert "known" in check({"resolved": "c"}, found).why


def test_a_function_decides_and_its_error_is_not_a_verdict() -> None:
    def broken(found: Evidence) -> bool:
        raise ZeroDivisionError

    functions = {"said": lambda found: "x" in found.reply, "broken": broken}
    assert check({"function": "said"}, Evidence(replies=("x",)), functions=functions)
    assert not check({"function": "said"}, Evidence(), functions=functions)
    with pytest.raises(ZeroDivisionError):
        check({"function": "broken"}, Evidence(), functions=functions)
    with pytest.raises(SpecError, match="'said'"):
        compile_predicate({"function": "sayd"}, "c", functions)


def test_replies_since_counts_the_tables_of_apps_too() -> None:
    found = Evidence(replies=("c",), earlier=("a", "b"), change_spans={"x": (1, 1), ("gmail", "drafts"): (1, 2)})
    assert found.replies_since(["x"]) == ("b", "c")
    assert found.replies_since([("gmail", "drafts"), "x"]) == ("c",)
    assert found.replies_since(["y"]) == ("a", "b", "c")
