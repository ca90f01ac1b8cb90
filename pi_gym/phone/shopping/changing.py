"""Changing the cart and orders."""

from __future__ import annotations

from pi_gym.apps.money import total
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.shopping.app import (
    CANCELLED,
    CART,
    ITEMS,
    ORDER_ITEMS,
    ORDERS,
    codes_of,
    discounted,
    product_name,
)
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MAX_QUANTITY = 1_000


def put(desk: PhoneDesk, item_id: int, quantity: int) -> str:
    """So many more of an item in the cart.

    Raises:
        ToolError: there is no such item, it is not available, or the quantity is out of range.
    """
    item = desk.need(ITEMS, item_id)
    name = product_name(desk, item)
    held = desk.having(CART, "item", item_id)
    present = sum(row["quantity"] for _, row in held)
    if not 1 <= quantity <= MAX_QUANTITY - present:
        raise ToolError(f"quantity must be between 1 and {MAX_QUANTITY - present}, not {quantity}.")
    if not item["available"]:
        raise ToolError(f"The item {item_id} of {name!r} is not available; choose another variant.")
    if held:
        desk.update(CART, held[0][0], quantity=held[0][1]["quantity"] + quantity)
    else:
        desk.insert(CART, item=item_id, quantity=quantity)
    return f"Put {quantity} of {name!r} in the cart."


def taken_out(desk: PhoneDesk, item_id: int, quantity: int) -> str:
    """So many of an item out of the cart; ToolError where it has not so many."""
    held = desk.having(CART, "item", item_id)
    if not held:
        raise ToolError(f"The item {item_id} is not in the cart.")
    key, row = held[0]
    if not 1 <= quantity <= row["quantity"]:
        raise ToolError(
            f"quantity must be between 1 and {row['quantity']}, as many as are in the cart, not {quantity}."
        )
    if quantity == row["quantity"]:
        desk.delete(CART, key)
    else:
        desk.update(CART, key, quantity=row["quantity"] - quantity)
    return f"Took {quantity} of {product_name(desk, desk.need(ITEMS, item_id))!r} out of the cart."


def bought(desk: PhoneDesk, discount_code: str | None) -> int:
    """The id of an order of all that is in the cart, which is empty afterwards.

    Raises:
        ToolError: the cart is empty, something in it is not available any more, or the code does not count for it.
    """
    entries = [(key, row, desk.need(ITEMS, row["item"])) for key, row in desk.table(CART).rows()]
    if not entries:
        raise ToolError("The cart is empty; put something in it first.")
    gone = [f"{product_name(desk, item)!r} (item {row['item']})" for _, row, item in entries if not item["available"]]
    if gone:
        raise ToolError(f"Not available any more: {', '.join(gone)}. Take it out of the cart first.")
    code = (discount_code or "").strip()
    percents = codes_of(desk, code) if code else {}
    if code and not any(row["item"] in percents for _, row, _ in entries):
        raise ToolError(f"The discount code {code[:60]!r} counts for nothing in the cart; check out without it.")
    lines = [
        {
            "item": row["item"],
            "product_name": product_name(desk, item),
            "options": item["options"],
            "quantity": row["quantity"],
            "price": item["price"],
            "percent": percents.get(row["item"], 0.0),
        }
        for _, row, item in entries
    ]
    amount = total([discounted(one["price"], one["quantity"], one["percent"]) for one in lines])
    order = desk.insert(ORDERS, order_date=desk.now, total=amount, discount_code=code)
    for line in lines:
        desk.insert(ORDER_ITEMS, order=order, **line)
    for key, _, _ in entries:
        desk.delete(CART, key)
    return order


def need_open(desk: PhoneDesk, order_id: int, *, delivered: bool) -> Row:
    """An order that was not cancelled; ToolError otherwise.

    Args:
        desk: the app.
        order_id: its id.
        delivered: whether it may have been delivered.
    """
    row = desk.need(ORDERS, order_id)
    if row["status"] == CANCELLED or (row["status"] == "delivered" and not delivered):
        raise ToolError(f"The order {order_id} is {row['status']}; that cannot be changed.")
    return row


def cancelled(desk: PhoneDesk, order_id: int) -> str:
    """The end of an order that was not delivered yet."""
    need_open(desk, order_id, delivered=False)
    desk.update(ORDERS, order_id, status=CANCELLED)
    return f"Order {order_id} cancelled."
