"""Declaring an app: what the decorator makes of a function, and what the desk lets it do."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest

from pi_gym.apps import App, Column, Desk, TableSpec
from pi_gym.state import World
from pi_gym.tools import Registry, ToolContext, ToolError
from pi_gym.types import ToolCall

SHOP = App(
    "shop",
    "Shop",
    "For tests.",
    {
        "things": TableSpec(
            {"name": Column(str, "its name"), "price": Column(float | None, "its price", None)}, "thing", "find_things"
        )
    },
    username="phone_number",
)


@SHOP.operation("write")
def add_thing(desk: Desk, name: str, fail: bool = False) -> Any:
    """Add a thing. And more words.

    Args:
        name: its name.
        fail: whether to fail after having added it.
    """
    key = desk.insert("things", name=name)
    if fail:
        raise ToolError("it failed")
    return {"thing_id": key, "by": desk.account["first_name"], "at": desk.now}


@SHOP.operation("read")
def show_thing(desk: Desk, thing_id: int) -> Any:
    """Show a thing.

    Args:
        thing_id: its id.
    """
    return desk.need("things", thing_id)


@SHOP.operation("read")
def sneak(desk: Desk) -> Any:
    """Change something although it is declared as reading."""
    desk.insert("things", name="x")
    return "done"


@SHOP.operation("write")
def greet(desk: Desk) -> Any:
    """Say hello."""
    return "Hällo"


TOOLS = Registry(SHOP.operations)


@pytest.fixture
def context() -> ToolContext:
    seeds = {
        "accounts": {1: {"first_name": "Bo", "last_name": "K", "email": "", "phone_number": "5550", "password": "p"}},
        "things": {1: {"name": "rake", "price": 9.5}},
    }
    context = ToolContext(World(apps={"shop": SHOP.database(seeds)}), ids=500_000, clock="2026-05-01T10:00:00")
    assert call(context, "login", username="55-50", password="p")
    return context


def call(context: ToolContext, operation: str, /, **arguments: Any) -> Any:
    result = TOOLS.run(ToolCall(f"shop__{operation}", arguments), context)
    return json.loads(result.text) if result.ok else result.text


def test_name_schema_and_declaration_come_from_the_function() -> None:
    assert [one.name for one in SHOP.operations] == [
        f"shop__{name}" for name in ("add_thing", "greet", "login", "show_thing", "sneak")
    ]
    schema = add_thing.schema()["function"]
    assert schema["description"] == "Add a thing. And more words."
    assert schema["parameters"]["required"] == ["name"]
    assert list(schema["parameters"]["properties"]) == ["name", "fail"]
    assert (show_thing.effect, show_thing.audience) == ("read", ("assistant",))
    assert pickle.loads(pickle.dumps(add_thing)) is add_thing


def test_every_app_has_a_login_and_says_what_its_own_needs() -> None:
    assert SHOP.login.description == "Sign in to Shop; it stays open for the rest of the session."
    assert "phone number" in SHOP.login.parameters[0].description
    assert SHOP.logout is None
    named = App("till", "Till", "For tests.", service="the till", login="It beeps.", logout="The drawer stays shut.")
    assert named.login.description == "Sign in to the till; it stays open for the rest of the session. It beeps."
    assert [one.name for one in named.operations] == ["till__login", "till__logout"]


def test_results_are_json_and_a_text_is_a_message(context: ToolContext) -> None:
    assert call(context, "add_thing", name="hoe") == {"thing_id": 500_001, "by": "Bo", "at": "2026-05-01T10:00:00"}
    assert call(context, "greet") == {"message": "Hällo"}
    assert "Hällo" in TOOLS.run(ToolCall("shop__greet", {}), context).text


def test_a_failed_write_leaves_nothing(context: ToolContext) -> None:
    before = context.world.state_hash()
    assert call(context, "add_thing", name="hoe", fail=True) == "Error: it failed."
    assert context.world.state_hash() == before


def test_a_read_that_writes_is_a_fault_of_the_app(context: ToolContext) -> None:
    with pytest.raises(RuntimeError, match="declared as read"):
        call(context, "sneak")


def test_a_missing_row_names_the_operation_that_finds_ids(context: ToolContext) -> None:
    assert call(context, "show_thing", thing_id=8) == (
        "Error: There is no thing with the id 8. shop__find_things finds ids."
    )


def test_columns_are_checked_when_rows_are_written(context: ToolContext) -> None:
    desk = Desk(SHOP, context, True)
    for wrong in ({"nmae": "x"}, {"name": 5}, {"name": "x", "price": "9"}, {}):
        with pytest.raises(ValueError, match="column"):
            desk.insert("things", **wrong)
    with pytest.raises(ValueError, match="price"):
        desk.update("things", 1, price=True)


def test_an_app_that_was_not_opened_says_so() -> None:
    with pytest.raises(LookupError, match="not in this world"):
        call(ToolContext(World()), "greet")


def test_one_name_is_declared_once() -> None:
    with pytest.raises(ValueError, match="two operations are named 'shop__greet'"):
        SHOP.operation("read")(greet.function)
