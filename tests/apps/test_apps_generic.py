"""The rules for every operation of every app, over the small fixture pack and the Researcher's whole seed world.

Arguments come from what the apps themselves show (`support.every_app`), so a new app is tested as soon as it has seeds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import pytest
from support.apps import call_tool, done, refused
from support.every_app import ABSENT_ID, PACKS, AllApps, all_apps, app_in_world, app_of, forked

from pi_gym.apps import SIGNED_IN, app_names, load_app
from pi_gym.tools import Operation, ToolContext

OPERATIONS = [operation for app in app_names() for operation in load_app(app).operations]
# What a visitor may look at: the catalogues that the services show to everybody, the time, one's way in.
WITHOUT_SIGNING_IN = re.compile(
    r"\w+__(login|signup|show_profile|get_current_date_and_time)|"
    r"amazon__(search_(products|product_types|sellers)|show_(product|product_feature_choices|product_questions|"
    r"product_question_answers|product_reviews|seller))"
)
MAX_PAGES = 12
AS_IT_IS: dict[str, dict[str, Any]] = {"simple_note__search_notes": {"dont_reorder_pinned": True}}
"""Arguments with which a list is in the order of `sort_by` alone."""

RANKS = {"low": 1, "medium": 2, "high": 3}
"""Values of a column that is sorted by what they mean."""


def every(test: Callable[[Operation], bool]) -> Any:
    """Parametrise by the operations that a test is about."""
    found = [one for one in OPERATIONS if test(one)]
    return pytest.mark.parametrize("operation", found, ids=[one.name for one in found])


def has(*names: str) -> Callable[[Operation], bool]:
    return lambda operation: {one.name for one in operation.parameters}.issuperset(names)


def in_world(pack: str, operation: Operation) -> AllApps:
    return app_in_world(pack, app_of(operation))


def test_every_app_has_a_seed_world_over_which_these_tests_run() -> None:
    assert list(all_apps("notes").accounts) == list(app_names())


@every(lambda one: not WITHOUT_SIGNING_IN.fullmatch(one.name))
def test_who_is_not_signed_in_is_told_how_to_sign_in(operation: Operation) -> None:
    apps = in_world("notes", operation)
    app = app_of(operation)
    (arguments, *_) = apps.arguments(operation)
    advice = f"Error: Sign in first: {app}__login(username, password); the accounts stand in the system message."
    context = forked(apps.closed)
    assert refused(context, operation.name, **arguments) == advice
    done(context, f"{app}__login", **apps.accounts[app])
    assert call_tool(forked(context), operation.name, **arguments).text != advice
    if f"{app}__logout" in {one.name for one in OPERATIONS}:
        done(context, f"{app}__logout")
        assert refused(context, operation.name, **arguments) == advice


@every(lambda one: bool(WITHOUT_SIGNING_IN.fullmatch(one.name)) and one.effect == "read")
def test_a_visitor_may_look_at_what_is_public(operation: Operation) -> None:
    apps = in_world("notes", operation)
    results = [call_tool(apps.closed, operation.name, **arguments) for arguments in apps.arguments(operation)]
    assert any(result.ok for result in results), results


@pytest.mark.parametrize("app", app_names())
def test_a_wrong_password_opens_nothing_and_leaves_who_is_signed_in(app: str) -> None:
    apps = app_in_world("notes", app)
    wrong = {**apps.accounts[app], "password": apps.accounts[app]["password"] + "x"}
    assert "Wrong password" in refused(forked(apps.closed), f"{app}__login", **wrong)
    assert "has no account" in refused(forked(apps.closed), f"{app}__login", **{**wrong, "username": "nobody"})
    context = forked(apps.context)
    refused(context, f"{app}__login", **wrong)
    assert context.world.apps[app].table(SIGNED_IN).get(1) is not None


@every(lambda one: any(given.name.endswith("_id") for given in one.parameters))
def test_an_id_that_does_not_exist_is_answered_with_what_to_do(operation: Operation) -> None:
    apps = in_world("notes", operation)
    app, names = app_of(operation), {one.name for one in OPERATIONS}
    context, arguments = apps.possible(operation)
    for one in operation.parameters:
        if not one.name.endswith("_id"):
            continue
        result = call_tool(forked(context), operation.name, **{**arguments, one.name: ABSENT_ID})
        if result.ok and operation.effect == "read":
            # An optional id that filters a list may find nothing.
            found = json.loads(result.text)
            assert found.get("total") == 0, result.text
            assert found["message"]
            continue
        assert not result.ok, f"{one.name}: {result.text}"
        advised = set(re.findall(r"[a-z_]+__[a-z_]+", result.text))
        assert advised <= names, f"{result.text}: no such operation"
        # The operation that finds ids, or those that there are.
        ways = {name.partition("__")[2] for name in names if name.startswith(app + "__")} | {one.name}
        assert advised or ways & set(re.findall(r"[a-z]+_[a-z_]+", result.text)), f"no way out: {result.text}"


@every(has("page_index", "page_limit"))
@pytest.mark.parametrize("pack", PACKS)
def test_pages_hold_every_row_once_in_json_of_bounded_size(operation: Operation, pack: str) -> None:
    apps = in_world(pack, operation)
    for arguments in apps.arguments(operation)[:2]:
        context = apps.context
        texts: list[str] = []
        rows: list[str] = []
        total, last = 0, 0
        for index in range(MAX_PAGES):
            result = call_tool(context, operation.name, **arguments, page_index=index, page_limit=20)
            assert result.ok, result.text
            texts.append(result.text)
            page = json.loads(result.text)
            (listed,) = [value for value in page.values() if isinstance(value, list)]
            assert page["page_index"] == index
            total, last = page["total"], index
            rows += [json.dumps(row) for row in listed]
            if f"page_index {index + 1}." not in page.get("message", ""):
                break
        assert len(set(rows)) == len(rows) == min(total, 20 * MAX_PAGES)
        if total:
            behind = done(context, operation.name, **arguments, page_index=total, page_limit=20)
            assert f"the last one has page_index {(total - 1) // 20}" in behind["message"]
            assert behind["total"] == total
        else:
            assert json.loads(texts[last])["message"]


@every(has("page_index", "page_limit"))
@pytest.mark.parametrize(("index", "limit"), [(-1, 5), (0, 0), (0, 21), (0, -1)])
def test_numbers_of_pages_out_of_range_are_refused(operation: Operation, index: int, limit: int) -> None:
    apps = in_world("notes", operation)
    (arguments, *_) = apps.arguments(operation)
    text = refused(forked(apps.context), operation.name, **arguments, page_index=index, page_limit=limit)
    assert ("page_index counts pages from 0" if index < 0 else "page_limit must be between 1 and 20") in text


@every(has("sort_by"))
@pytest.mark.parametrize("pack", PACKS)
def test_lists_are_sorted_by_what_is_documented_and_by_nothing_else(operation: Operation, pack: str) -> None:
    apps = in_world(pack, operation)
    (arguments, *_) = apps.arguments(operation)
    arguments |= AS_IT_IS.get(operation.name, {}) | ({"page_limit": 20} if has("page_limit")(operation) else {})
    text = refused(forked(apps.context), operation.name, **arguments, sort_by="+password")
    listed = re.search(r"one of: ([a-z_, ]+)\.", text)
    assert listed, text
    (described,) = [one.description for one in operation.parameters if one.name == "sort_by"]
    for column in listed[1].split(", "):
        assert re.search(rf"\b{column}\b", described), f"{column} is not documented: {described}"
        for sign in "+-":
            page = done(apps.context, operation.name, **arguments, sort_by=sign + column)
            (rows,) = [value for value in page.values() if isinstance(value, list)]
            values = [row[column] for row in rows if row.get(column)]  # rows without a value come last
            ranks = [RANKS.get(value, value) for value in values] if column == "priority" else values
            assert ranks == sorted(ranks, reverse=sign == "-"), f"{sign}{column}"


@every(lambda one: one.effect == "read")
@pytest.mark.parametrize("pack", PACKS)
def test_reading_changes_nothing_and_shows_no_password(operation: Operation, pack: str) -> None:
    apps = in_world(pack, operation)
    context = forked(apps.context)
    before = context.world.state_hash()
    passwords = [account["password"] for account in apps.accounts.values()] if pack == "researcher" else []
    results = [call_tool(context, operation.name, **arguments) for arguments in apps.arguments(operation)[:4]]
    assert any(result.ok for result in results), results
    for result in results:
        assert not result.ok or json.loads(result.text) is not None, "a result that is cut is no JSON"
        assert not any(password in result.text for password in passwords)
        assert '"password"' not in result.text
    assert context.world.state_hash() == before


@every(lambda one: one.effect == "write" and not one.name.startswith("file_system__"))
def test_a_write_changes_its_own_app_and_nothing_else(operation: Operation) -> None:
    apps = in_world("notes", operation)
    app = app_of(operation)
    if operation.name.endswith("__login"):
        start, arguments = apps.closed, apps.accounts[app]
    else:
        start, arguments = apps.possible(operation)
    context = forked(start)
    done(context, operation.name, **arguments)
    assert context.world.state_hash() != start.world.state_hash()
    assert {name for name in context.world.apps if context.world.apps[name].diff(start.world.apps[name])} == {app}
    assert not context.workspace.changes(start.workspace.mark())


@every(lambda one: one.effect == "write")
def test_a_write_that_is_refused_changes_nothing(operation: Operation) -> None:
    apps = in_world("notes", operation)
    context = forked(apps.context)
    before = context.world.state_hash()
    for arguments in apps.arguments(operation):
        if not call_tool(context, operation.name, **arguments).ok:
            assert context.world.state_hash() == before
        before = context.world.state_hash()


def is_time(name: str) -> bool:
    return name.endswith(("_at", "_date", "_datetime")) or name in ("time", "birthday")


@every(lambda one: any(is_time(given.name) for given in one.parameters))
@pytest.mark.parametrize("rubbish", ["soon", "2026-02-30", "25:61", "2026-03-09T14:05:00Z", "x" * 3_000])
def test_what_is_no_time_is_refused_with_the_parameter(operation: Operation, rubbish: str) -> None:
    apps = in_world("notes", operation)
    (arguments, *_) = apps.arguments(operation)
    for one in operation.parameters:
        if is_time(one.name):
            text = refused(forked(apps.context), operation.name, **{**arguments, one.name: rubbish})
            assert one.name in text
            assert len(text) < 1_000


@pytest.mark.parametrize("app", app_names())
def test_rows_of_another_account_are_not_there(app: str) -> None:
    apps = app_in_world("notes", app)
    context = with_foreign_rows(apps, app)
    for operation in load_app(app).operations:
        if operation.effect == "read":
            plain = [{}, *apps.arguments(operation)[:3]]
            for arguments in plain + ids_of(operation, plain[-1]) + queries(operation, plain[-1]):
                assert MARK not in call_tool(context, operation.name, **arguments).text, (operation.name, arguments)


MARK = "qzforeign"


def with_foreign_rows(apps: AllApps, app: str) -> ToolContext:
    """A world in which another account has a copy of one row of each table that has owners, marked in its texts."""
    context = forked(apps.context)
    database, tables = context.world.apps[app], load_app(app).tables
    signed = database.table(SIGNED_IN).get(1)
    assert signed is not None
    other = max(key for key, _ in database.table("accounts").rows()) + 1
    for name, spec in tables.items():
        rows = [row for _, row in database.table(name).rows()]
        if spec.owner and rows:
            texts = {column: f"{MARK} {value}" for column, value in rows[0].items() if isinstance(value, str)}
            ids = {column: ABSENT_ID for column in rows[0] if column.endswith("_id")}
            row = {**rows[0], **texts, **ids, spec.owner: other}
            database = database.put(name, database.table(name).insert(ABSENT_ID, row))
    context.world.put_app(app, database)
    return context


def ids_of(operation: Operation, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    named = [one.name for one in operation.parameters if one.name.endswith("_id")]
    return [{**arguments, name: ABSENT_ID} for name in named]


def queries(operation: Operation, arguments: dict[str, Any]) -> list[dict[str, Any]]:
    return [{**arguments, "query": MARK}] if has("query")(operation) else []
