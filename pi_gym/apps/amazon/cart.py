"""Operations on the cart."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.amazon.app import APP
from pi_gym.apps.amazon.quantities import check_quantity, check_stock, clear, need_item, put, shown
from pi_gym.apps.amazon.shown import named, product_or_gone
from pi_gym.apps.desk import Desk


@APP.operation("read")
def show_cart(desk: Desk) -> Any:
    """Show what is in the cart, with today's prices and stock, and the total in kroner."""
    cart = shown(desk, "cart_items")
    if not cart["cart_items"]:
        cart["message"] = "The cart is empty; amazon__add_product_to_cart fills it."
    short = [item["product_name"] for item in cart["cart_items"] if item["quantity"] > item["inventory_quantity"]]
    if short:
        cart["message"] = f"Fewer in stock than in the cart: {', '.join(short)}. Lower the quantity before ordering."
    return cart


@APP.operation("write")
def add_product_to_cart(desk: Desk, product_id: int, quantity: int = 1, clear_cart_first: bool = False) -> Any:
    """Put a product into the cart; what is there of it already counts on top. Nothing is bought or reserved by that.

    Args:
        product_id: the product's id; other colours and sizes have their own (show_product lists them as variants).
        quantity: how many to add; with those in the cart, at most as many as are in stock.
        clear_cart_first: take everything out of the cart before, this product too.
    """
    product = desk.need("products", product_id)
    removed = clear(desk, "cart_items") if clear_cart_first else 0
    now = put(desk, "cart_items", product_id, quantity)
    before = f" {removed} item(s) were taken out before." if removed else ""
    return _message(desk, f"{named(product)}: {now} in the cart.{before}")


@APP.operation("write")
def update_product_quantity_in_cart(desk: Desk, product_id: int, quantity: int) -> Any:
    """Set how many of a product are in the cart; it has to be there already.

    Args:
        product_id: the product's id.
        quantity: the new quantity, at most as many as are in stock; 0 takes the product out.
    """
    key, _ = need_item(desk, "cart_items", product_id)
    product = product_or_gone(desk, product_id)
    if quantity == 0:
        desk.delete("cart_items", key)
        return _message(desk, f"{named(product)} taken out of the cart.")
    check_quantity(quantity)
    check_stock(product, quantity)
    desk.update("cart_items", key, quantity=quantity)
    return _message(desk, f"{named(product)}: {quantity} in the cart.")


@APP.operation("write")
def clear_cart(desk: Desk) -> Any:
    """Take everything out of the cart."""
    removed = clear(desk, "cart_items")
    return _message(desk, f"{removed} item(s) taken out of the cart." if removed else "The cart was empty already.")


def _message(desk: Desk, text: str) -> dict[str, Any]:
    cart = shown(desk, "cart_items")
    return {"message": text, "products_in_cart": len(cart["cart_items"]), "total": cart["total"]}
