"""The footprints of predicates: what they read, name and allow."""

from __future__ import annotations

from typing import Any

import pytest

from pi_gym.predicates import check_shape, compile_predicate
from pi_gym.predicates.compile import operations
from pi_gym.predicates.footprint import Footprint

READS: list[tuple[Any, set[str]]] = [
    ({"reply": "x"}, {"replies"}),
    ({"file": "a.md"}, {"files"}),
    ({"app": "gmail", "table": "emails"}, {"apps"}),
    ({"app_changes": {"none": True}}, {"apps"}),
    ({"resolved": "colour"}, {"statuses"}),
    ({"function": "rule"}, {"anything"}),
    ([{"reply": "x"}, {"file": "a.md"}], {"replies", "files"}),
]


def footprint(spec: Any) -> Footprint:
    return compile_predicate(spec, "check", {"rule": lambda found: True}).footprint()


@pytest.mark.parametrize(("spec", "reads"), READS)
def test_a_predicate_says_what_it_reads(spec: Any, reads: set[str]) -> None:
    assert footprint(spec).reads == reads
    assert footprint(spec).reads_state is not reads.isdisjoint({"sent", "files", "apps", "anything"})
    assert check_shape(spec, "check").reads == reads


def test_every_operation_is_among_those_examples() -> None:
    assert set(operations()) <= {word for spec, _ in READS for word in repr(spec).split("'")[1::2]}


def test_the_tables_that_are_named_come_with_their_places() -> None:
    spec = [
        {"app": "gmail", "table": "emails", "where": {"subject": "x", "body": {"contains": "y"}}},
        {"app_changes": {"only": {"gmail": {"drafts": ["created", 7]}, "phone": "any"}}},
    ]
    mail, drafts, phone = footprint(spec).tables
    assert (mail.app, mail.table, mail.app_field, mail.table_field) == (
        "gmail",
        "emails",
        "check[0].app",
        "check[0].table",
    )
    assert mail.columns == {"subject": "check[0].where.subject", "body": "check[0].where.body"}
    place = "check[1].app_changes.only.gmail"
    assert (drafts.table, drafts.app_field, drafts.table_field) == ("drafts", place, f"{place}.drafts")
    assert (phone.app, phone.table) == ("phone", "")


def test_what_is_allowed_is_a_kind_of_change_to_a_table_and_never_what_is_denied() -> None:
    spec = {"app_changes": {"only": {"gmail": {"drafts": ["created"], "emails": "any"}, "phone": "any"}}}

    def allowed(app: str, table: str, kind: str) -> bool:
        return any(rows.covers(app, table, kind) for rows in footprint([{"reply": "x"}, spec]).allows)

    assert allowed("gmail", "drafts", "created")
    assert not allowed("gmail", "drafts", "deleted")
    assert allowed("gmail", "emails", "deleted")
    assert not allowed("gmail", "thread_states", "updated")
    assert allowed("phone", "alarms", "updated")
    assert not allowed("todoist", "tasks", "created")
    assert footprint({"app_changes": {"none": True}}).allows == ()


def test_a_spec_that_is_not_rendered_says_what_is_plain_in_it() -> None:
    shape = check_shape(["{{ more }}", {"app": "gmail", "table": "{{ table }}", "where": "{{ where }}"}], "check")
    (named,) = shape.tables
    assert (named.app, named.table, named.columns) == ("gmail", "{{ table }}", {})
