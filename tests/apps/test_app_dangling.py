"""Reading where referred rows are gone: no operation fails, and lists show what is left."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

import pytest
from support.apps import call_tool, done, refused
from support.every_app import app_in_world, forked

from pi_gym.apps import SIGNED_IN, app_names, load_app
from pi_gym.apps.columns import ACCOUNTS
from pi_gym.tools import ToolContext

REFERRED = sorted(
    {
        (app, column.refers.partition(".")[0])
        for app in app_names()
        for name, table in load_app(app).tables.items()
        if name != SIGNED_IN
        for column in table.columns.values()
        if column.refers
    }
)


def without(context: ToolContext, app: str, table: str) -> ToolContext:
    """The same world without the rows of a table; who is signed in stays."""
    fork = forked(context)
    database = fork.world.apps[app]
    signed_in = database.table(SIGNED_IN).get(1)
    assert signed_in is not None
    left = database.table(table)
    for key, _ in list(left.rows()):
        if table != ACCOUNTS or key != signed_in["account"]:
            left = left.delete(key)
    fork.world.put_app(app, database.put(table, left))
    return fork


def with_rows_of_nobody(context: ToolContext, app: str) -> ToolContext:
    """The same world with a copy of one row of each table that refers to rows that never were."""
    fork = forked(context)
    database = fork.world.apps[app]
    for name, spec in load_app(app).tables.items():
        # Whose a row is, and who is among its members, stays: else nobody would see it.
        kept = (spec.owner, "members", "member_emails")
        referring = [column for column, one in spec.columns.items() if one.refers and column not in kept]
        rows = list(database.table(name).rows())
        if referring and rows and name != SIGNED_IN:
            key, row = rows[-1]
            copy = {**row, **{column: nobody(row[column]) for column in referring}}
            database = database.put(name, database.table(name).insert(key + 1, copy))
    fork.world.put_app(app, database)
    return fork


def nobody(value: object) -> object:
    if isinstance(value, list):
        return [nobody(one) for one in value]
    return "nobody@nowhere.example" if isinstance(value, str) else 99_999


def worlds(app: str) -> Iterator[tuple[str, ToolContext]]:
    context = app_in_world("notes", app).context
    for one, table in REFERRED:
        if one == app:
            yield f"no {table}", without(context, app, table)
    yield "rows of nobody", with_rows_of_nobody(context, app)


@pytest.mark.parametrize("app", sorted({app for app, _ in REFERRED}))
def test_no_reading_fails_where_a_referred_row_is_gone(app: str) -> None:
    apps = app_in_world("notes", app)
    calls = [
        (operation.name, arguments)
        for operation in load_app(app).operations
        if operation.effect == "read"
        for arguments in apps.arguments(operation)[:6]
        if call_tool(apps.context, operation.name, **arguments).ok
    ]
    assert calls
    for what, context in worlds(app):
        for name, arguments in calls:
            result = call_tool(context, name, **arguments)
            # What was asked for may be gone itself; a list never fails because of something that it would show.
            missing = bool(arguments) and re.search(r"\bno |\bis in no |bought|work in", result.text)
            assert result.ok or missing, f"{what}: {name} {arguments}: {result.text}"
            assert not result.ok or json.loads(result.text) is not None


def test_a_product_that_is_gone_can_be_taken_out_of_the_cart_and_stops_no_order_then() -> None:
    context = forked(app_in_world("notes", "amazon").context)
    done(context, "amazon__clear_cart")
    done(context, "amazon__add_product_to_cart", product_id=3)
    gone = without(context, "amazon", "products")
    (item,) = done(gone, "amazon__show_cart")["cart_items"]
    assert (item["product_name"], item["inventory_quantity"]) == ("a product that is gone", 0)
    card = done(gone, "amazon__show_payment_cards")["payment_cards"][0]["payment_card_id"]
    address = done(gone, "amazon__show_addresses")["addresses"][0]["address_id"]
    said = refused(gone, "amazon__place_order", payment_card_id=card, address_id=address)
    assert "amazon__update_product_quantity_in_cart and quantity 0" in said
    done(gone, "amazon__update_product_quantity_in_cart", product_id=3, quantity=0)
    assert not done(gone, "amazon__show_cart")["cart_items"]


def test_a_song_that_is_gone_can_be_taken_out_of_queue_and_playlist() -> None:
    context = forked(app_in_world("notes", "spotify").context)
    playlist = done(context, "spotify__create_playlist", title="Rye")["playlist_id"]
    done(context, "spotify__add_song_to_playlist", playlist_id=playlist, song_id=1)
    done(context, "spotify__play_music", song_id=1)
    gone = without(context, "spotify", "songs")
    assert "a song that is gone" in str(done(gone, "spotify__show_current_song"))
    done(gone, "spotify__remove_song_from_queue", position=0)
    done(gone, "spotify__remove_song_from_playlist", playlist_id=playlist, song_id=1)
    assert done(gone, "spotify__show_playlist", playlist_id=playlist)["songs"] == []
