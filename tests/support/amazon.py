"""The fixture shop of the Amazon tests: Ida signed in, short words for calls."""

from __future__ import annotations

from typing import Any

from pi_gym.state import World
from pi_gym.tools import ToolContext

from .apps import app_context, done

IDA = {"username": "ida@notes.example", "password": "oven"}
PER = {"username": "per@notes.example", "password": "flour"}
STONE_OVEN, TIN_OVEN, SMALL_SOCKS, SOLD_OUT_SOCKS, RED_SOCKS, DOUGH_BOWL, SALAD_BOWL = range(1, 8)
CARD, EXPIRED_CARD, SMALL_CARD, CARD_OF_PER = range(1, 5)
ADDRESS, ADDRESS_OF_PER = 1, 2


def shop(clock: str = "2026-01-05T09:00:00", who: dict[str, str] | None = IDA) -> ToolContext:
    """A context over the fixture shop; nobody is signed in where `who` is None."""
    context = app_context("amazon", clock=clock)
    if who is not None:
        done(context, "amazon__login", **who)
    return context


def rows(world: World, table: str) -> dict[int, Any]:
    """A table's rows as they are, by id."""
    return dict(world.apps["amazon"].table(table).rows())


def cart(context: ToolContext) -> dict[int, int]:
    """Quantities in the cart by product."""
    items = done(context, "amazon__show_cart")["cart_items"]
    return {item["product_id"]: item["quantity"] for item in items}


def wish_list(context: ToolContext) -> dict[int, int]:
    """Quantities on the wish list by product."""
    items = done(context, "amazon__show_wish_list")["wish_list_items"]
    return {item["product_id"]: item["quantity"] for item in items}
