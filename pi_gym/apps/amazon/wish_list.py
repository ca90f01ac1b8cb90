"""Operations on the wish list, and between it and the cart."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.amazon.app import APP
from pi_gym.apps.amazon.quantities import clear, put, shown, take
from pi_gym.apps.amazon.shown import named
from pi_gym.apps.desk import Desk


@APP.operation("read")
def show_wish_list(desk: Desk) -> Any:
    """Show the wish list, with today's prices and stock, and what it would cost together in kroner."""
    listed = shown(desk, "wish_list_items")
    if not listed["wish_list_items"]:
        listed["message"] = "The wish list is empty; amazon__add_product_to_wish_list fills it."
    return listed


@APP.operation("write")
def add_product_to_wish_list(
    desk: Desk, product_id: int, quantity: int = 1, clear_wish_list_first: bool = False
) -> Any:
    """Put a product on the wish list, in stock or not; what is there of it already counts on top.

    Args:
        product_id: the product's id.
        quantity: how many to add.
        clear_wish_list_first: take everything off the wish list before, this product too.
    """
    product = desk.need("products", product_id)
    removed = clear(desk, "wish_list_items") if clear_wish_list_first else 0
    now = put(desk, "wish_list_items", product_id, quantity)
    before = f" {removed} item(s) were taken off before." if removed else ""
    return f"{named(product)}: {now} on the wish list.{before}"


@APP.operation("write")
def move_product_from_cart_to_wish_list(desk: Desk, product_id: int, quantity: int = 0) -> Any:
    """Move a product from the cart to the wish list.

    Args:
        product_id: the product's id.
        quantity: how many to move; 0 moves all that the cart has of it.
    """
    product = desk.need("products", product_id)
    moved = take(desk, "cart_items", product_id, quantity)
    now = put(desk, "wish_list_items", product_id, moved)
    return f"{named(product)}: {moved} moved to the wish list, which has {now} of it now."


@APP.operation("write")
def move_product_from_wish_list_to_cart(desk: Desk, product_id: int, quantity: int = 0) -> Any:
    """Move a product from the wish list to the cart, where as many are in stock.

    Args:
        product_id: the product's id.
        quantity: how many to move; 0 moves all that the wish list has of it.
    """
    product = desk.need("products", product_id)
    moved = take(desk, "wish_list_items", product_id, quantity)
    now = put(desk, "cart_items", product_id, moved)
    return f"{named(product)}: {moved} moved to the cart, which has {now} of it now."
