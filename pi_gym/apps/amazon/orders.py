"""Operations on orders."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

from pi_gym.apps.amazon.addresses import in_one_line
from pi_gym.apps.amazon.app import APP
from pi_gym.apps.amazon.payment_cards import is_expired
from pi_gym.apps.amazon.quantities import check_stock, clear
from pi_gym.apps.amazon.shown import is_gone, named, product_or_gone, variant
from pi_gym.apps.desk import Desk
from pi_gym.apps.money import units
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import search
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"product_names": 2, "address": 1}
SORTED = ("placed_at", "total")


@APP.operation("write")
def place_order(desk: Desk, payment_card_id: int, address_id: int) -> Any:
    """Buy everything that is in the cart at today's prices. The card is charged at once, and the cart is empty then.

    show_cart before shows what will be bought, and for how much. Orders cannot be taken back.

    Args:
        payment_card_id: the card to charge, one that has not expired and has enough left; show_payment_cards lists
            them.
        address_id: where to send it; show_addresses lists them.
    """
    items = [(row, product_or_gone(desk, row["product_id"])) for _, row in desk.own("cart_items")]
    if not items:
        raise ToolError("The cart is empty; there is nothing to order. amazon__add_product_to_cart fills it.")
    card, address = desk.need("payment_cards", payment_card_id), desk.need("addresses", address_id)
    for row, product in items:
        if is_gone(product):
            raise ToolError(
                f"There is no product with the id {row['product_id']} any more; take it out of the cart with"
                " amazon__update_product_quantity_in_cart and quantity 0."
            )
        check_stock(product, row["quantity"])
    total = sum(round(product["price"] * 100) * row["quantity"] for row, product in items)
    left = round(card["balance"] * 100) - total
    _check_card(desk, card, total, left)
    days = max(product["delivery_days"] for _, product in items)
    order = {
        "placed_at": desk.now,
        "total": units(total),
        "payment_card_id": payment_card_id,
        "card_last_digits": card["last_digits"],
        "address": in_one_line(address),
        "address_id": address_id,
        "delivery_on": (date.fromisoformat(desk.now[:10]) + timedelta(days=days)).isoformat(),
    }
    mine = desk.account_id
    names = [product["name"] for _, product in items]
    order_id = desk.insert("orders", account=mine, **order, product_names=names)
    for row, product in items:
        product_id, quantity = row["product_id"], row["quantity"]
        # As it is by now: a task's rows may put a product into the cart twice.
        stock = desk.need("products", product_id)
        check_stock(stock, quantity)
        desk.update("products", product_id, inventory_quantity=stock["inventory_quantity"] - quantity)
        desk.insert(
            "order_items",
            account=mine,
            order_id=order_id,
            product_id=product_id,
            product_name=product["name"],
            quantity=quantity,
            price=product["price"],
            placed_at=desk.now,
        )
    desk.update("payment_cards", payment_card_id, balance=units(left))
    clear(desk, "cart_items")
    bought = ", ".join(f"{row['quantity']} x {named(product)}" for row, product in items)[:600]
    return {
        "message": f"Ordered: {bought}. {units(total):.2f} kroner charged to the card ending in {card['last_digits']}.",
        "order_id": order_id,
        "total": units(total),
        "delivery_on": order["delivery_on"],
    }


def _check_card(desk: Desk, card: Row, total: int, left: int) -> None:
    called = f"{card['card_name']} (ending in {card['last_digits']})"
    if is_expired(desk, card):
        raise ToolError(
            f"{called} expired: its last month was {card['expires']}. amazon__show_payment_cards lists the others."
        )
    if left < 0:
        raise ToolError(
            f"{called} has {card['balance']:.2f} kroner left, and the order costs {units(total):.2f}. Use another card"
            " (amazon__show_payment_cards lists them), or take something out of the cart."
        )


@APP.operation("read")
def show_order(desk: Desk, order_id: int) -> Any:
    """Show an order whole: products with the prices that were paid, address, card, and when it arrives or arrived.

    Args:
        order_id: the order's id.
    """
    order = desk.need("orders", order_id)
    items = []
    for _, row in desk.having("order_items", "order_id", order_id):
        product = desk.table("products").get(row["product_id"])
        items.append(
            {
                **{name: row[name] for name in ("product_id", "product_name")},
                **(variant(product) if product else {}),
                "quantity": row["quantity"],
                "price": row["price"],
                "subtotal": units(round(row["price"] * 100) * row["quantity"]),
            }
        )
    return {
        **_shown(desk, order_id, order),
        "payment_card_id": order["payment_card_id"],
        "card_last_digits": order["card_last_digits"],
        "address_id": order["address_id"],
        "address": order["address"],
        "order_items": items,
    }


@APP.operation("read")
def show_orders(
    desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5, sort_by: str | None = None
) -> Any:
    """Show the account's orders, the newest first, or the best match first where there is a query.

    show_order gives an order with its prices; show_product_purchases lists single products.

    Args:
        query: words to look for in the names of what was bought and in the address; empty for all orders.
        page_index: which page, from 0.
        page_limit: orders a page, 1 to 20.
        sort_by: + or - (ascending or descending) and placed_at or total; null for the order above.
    """
    if query.strip():
        found = search(desk.table("orders"), query, SEARCHED, where={"account": desk.account_id})
    else:
        found = desk.own("orders")
    found = ordered(found, sort_by or (None if query.strip() else "-placed_at"), SORTED)
    nothing = (
        "No orders match; try other words, or amazon__show_orders without a query."
        if query.strip()
        else "No orders yet."
    )
    return page(found, page_index, page_limit, "orders", lambda key, row: _shown(desk, key, row), nothing)


def _shown(desk: Desk, key: int, order: Row) -> dict[str, Any]:
    arrived = order["delivery_on"] <= desk.now[:10]
    return {
        "order_id": key,
        "placed_at": order["placed_at"],
        "total": order["total"],
        "status": "delivered" if arrived else "on its way",
        "delivery_on": order["delivery_on"],
        "product_names": order["product_names"],
    }
