"""Products with quantities: what the cart and the wish list have in common."""

from __future__ import annotations

from typing import Any, Literal

from pi_gym.apps.amazon.shown import named, product_or_gone, variant
from pi_gym.apps.desk import Desk
from pi_gym.apps.money import total, units
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

Items = Literal["cart_items", "wish_list_items"]
MAX_QUANTITY = 1_000
WORDS: dict[Items, str] = {"cart_items": "cart", "wish_list_items": "wish list"}
SHOW: dict[Items, str] = {"cart_items": "amazon__show_cart", "wish_list_items": "amazon__show_wish_list"}


def item_of(desk: Desk, table: Items, product_id: int) -> tuple[int, Row] | None:
    """The account's item of a product, as (id, row), or None."""
    return next((pair for pair in desk.own(table) if pair[1]["product_id"] == product_id), None)


def need_item(desk: Desk, table: Items, product_id: int) -> tuple[int, Row]:
    """The account's item of a product; ToolError where it has none."""
    found = item_of(desk, table, product_id)
    if found is None:
        product = desk.need("products", product_id)
        raise ToolError(f"{named(product)} is not in your {WORDS[table]}; {SHOW[table]} shows what is.")
    return found


def put(desk: Desk, table: Items, product_id: int, quantity: int) -> int:
    """Add a quantity of a product, and give how many are there now; one item a product.

    Raises:
        ToolError: there is no such product, the quantity is none, or, in the cart, the stock does not reach.
    """
    product = desk.need("products", product_id)
    check_quantity(quantity)
    found = item_of(desk, table, product_id)
    already = found[1]["quantity"] if found else 0
    if table == "cart_items":
        check_stock(product, already + quantity, already)
    if already + quantity > MAX_QUANTITY:
        raise ToolError(f"At most {MAX_QUANTITY} of a product can be in the {WORDS[table]}; {already} are.")
    if found is None:
        desk.insert(table, account=desk.account_id, product_id=product_id, quantity=quantity, added_at=desk.now)
    else:
        desk.update(table, found[0], quantity=already + quantity)
    return int(already + quantity)


def take(desk: Desk, table: Items, product_id: int, quantity: int) -> int:
    """Take a quantity of a product away, 0 standing for all of them, and give how many were taken.

    Raises:
        ToolError: the product is not there, or fewer of it are.
    """
    key, row = need_item(desk, table, product_id)
    if quantity != 0:
        check_quantity(quantity)
    if quantity > row["quantity"]:
        product = product_or_gone(desk, product_id)
        raise ToolError(f"Your {WORDS[table]} has {row['quantity']} of {named(product)}, not {quantity}.")
    taken: int = quantity or row["quantity"]
    if taken == row["quantity"]:
        desk.delete(table, key)
    else:
        desk.update(table, key, quantity=row["quantity"] - taken)
    return taken


def clear(desk: Desk, table: Items) -> int:
    """Take everything away, and give how many items there were."""
    items = desk.own(table)
    for key, _ in items:
        desk.delete(table, key)
    return len(items)


def check_quantity(quantity: int) -> None:
    """ToolError where a quantity is none."""
    if not 1 <= quantity <= MAX_QUANTITY:
        raise ToolError(f"quantity must be between 1 and {MAX_QUANTITY}, not {quantity}.")


def check_stock(product: Row, wanted: int, already: int = 0) -> None:
    """ToolError where the stock does not reach; the message says how much there is."""
    stock = product["inventory_quantity"]
    if wanted <= stock:
        return
    if stock == 0:
        raise ToolError(
            f"{named(product)} is out of stock. amazon__show_product lists its variants;"
            " amazon__add_product_to_wish_list keeps it for later."
        )
    there = f", {already} of which your cart has already" if already else ""
    raise ToolError(f"Only {stock} of {named(product)} are in stock{there}; {wanted} are not possible.")


def shown(desk: Desk, table: Items) -> dict[str, Any]:
    """All items with today's prices and their sum."""
    items, amounts = [], []
    for _, row in desk.own(table):
        product = product_or_gone(desk, row["product_id"])
        amounts.append(units(round(product["price"] * 100) * row["quantity"]))
        items.append(
            {
                "product_id": row["product_id"],
                "product_name": product["name"],
                **variant(product),
                "quantity": row["quantity"],
                "price": product["price"],
                "subtotal": amounts[-1],
                "inventory_quantity": product["inventory_quantity"],
                "added_at": row["added_at"],
            }
        )
    return {table: items, "total": total(amounts)}
