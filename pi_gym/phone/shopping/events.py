"""The events of the shop: new products, changed prices, discount codes, and the way of orders."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.money import cents, units
from pi_gym.phone.declare import EVENT
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.shopping.app import (
    APP,
    CODES,
    ITEMS,
    ORDERS,
    PRODUCTS,
    OrderStatus,
    order_lines,
    product_name,
    spoken_options,
)
from pi_gym.phone.shopping.changing import cancelled, need_open
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


@APP.operation("write", EVENT)
def add_product(desk: PhoneDesk, name: str) -> Any:
    """Bring a new product to the shop; its variants come by themselves.

    Args:
        name: its name.
    """
    if not name.strip():
        raise ToolError("name is empty; a product needs one.")
    key = desk.insert(PRODUCTS, name=name)
    desk.notify(f"New in the shop: {name}", f"New in the shop: {name} (product {key}).")
    return {"message": "Product added.", "product_id": key}


@APP.operation("write", EVENT)
def add_item_to_product(
    desk: PhoneDesk, product_id: int, price: float, options: dict[str, str] | None = None, available: bool = True
) -> Any:
    """Bring a new variant of a product to the shop.

    Args:
        product_id: the product's id.
        price: the price of one.
        options: how it differs, such as {"color": "red"}.
        available: whether it can be bought.
    """
    name, amount = desk.need(PRODUCTS, product_id)["name"], units(cents(price, "price"))
    key = desk.insert(ITEMS, product=product_id, price=amount, options=options or {}, available=available)
    desk.notify(
        f"New variant of {name}: {amount:.2f}",
        f"New variant of {name} (product {product_id}): item {key}{spoken_options(options or {})}, {amount:.2f},"
        f" {_availability(available)}.",
    )
    return {"message": "Variant added.", "item_id": key}


@APP.operation("write", EVENT)
def update_item(
    desk: PhoneDesk, item_id: int, new_price: float | None = None, new_availability: bool | None = None
) -> Any:
    """Change the price of a variant, whether it can be bought, or both.

    Args:
        item_id: the id of the variant.
        new_price: the price of one from now on.
        new_availability: whether it can be bought from now on.
    """
    row = desk.need(ITEMS, item_id)
    changes: dict[str, Any] = {}
    short, whole = [], []
    if new_price is not None:
        changes["price"] = amount = units(cents(new_price, "new_price"))
        short.append(f"{amount:.2f}")
        whole.append(f"{amount:.2f} instead of {row['price']:.2f}")
    if new_availability is not None:
        changes["available"] = new_availability
        short.append(_availability(new_availability))
        whole.append(_availability(new_availability))
    if not changes:
        raise ToolError("Nothing to change was given; give new_price, new_availability, or both.")
    desk.update(ITEMS, item_id, **changes)
    name = product_name(desk, row)
    desk.notify(f"{name} is now {', '.join(short)}", f"{_named(desk, item_id, row)} is now {', '.join(whole)}.")
    return f"Item {item_id} changed."


@APP.operation("write", EVENT)
def add_discount_code(desk: PhoneDesk, item_id: int, discount_code: dict[str, float]) -> Any:
    """Let discount codes count for a variant.

    Args:
        item_id: the id of the variant.
        discount_code: percents by code, such as {"SPRING": 10}.
    """
    row = desk.need(ITEMS, item_id)
    if not discount_code:
        raise ToolError('discount_code is empty; give percents by code, such as {"SPRING": 10}.')
    for code, percent in discount_code.items():
        if not code.strip() or not 0 < percent <= 100:
            raise ToolError(
                f"The code {code[:60]!r} would take off {percent:g} %; a code needs a name, and 0 to 100 %."
            )
        for key, one in desk.having(CODES, "item", item_id):
            if one["code"].casefold() == code.strip().casefold():
                desk.delete(CODES, key)
        desk.insert(CODES, item=item_id, code=code.strip(), percent=float(percent))
    terms = ", ".join(f"{code.strip()} takes off {percent:g} %" for code, percent in discount_code.items())
    desk.notify(
        f"Discount on {product_name(desk, row)}: {', '.join(code.strip() for code in discount_code)}",
        f"Discount on {_named(desk, item_id, row)}, {row['price']:.2f}: {terms}.",
    )
    return "Discount code added."


@APP.operation("write", EVENT)
def update_order_status(desk: PhoneDesk, order_id: int, status: OrderStatus = "shipped") -> Any:
    """Move an order to a status.

    Args:
        order_id: the order's id.
        status: the status.
    """
    need_open(desk, order_id, delivered=True)
    desk.update(ORDERS, order_id, status=status)
    _notify_order(desk, order_id, f"is now {status.replace('_', ' ')}")
    return f"Order {order_id} is {status}."


@APP.operation("write", EVENT)
def cancel_order(desk: PhoneDesk, order_id: int) -> Any:
    """Let the shop cancel an order.

    Args:
        order_id: the order's id.
    """
    told = cancelled(desk, order_id)
    _notify_order(desk, order_id, "was cancelled by the shop")
    return told


def _notify_order(desk: PhoneDesk, key: int, news: str) -> None:
    row = desk.need(ORDERS, key)
    lines = (
        f"{one['quantity']} × {one['product_name']}{spoken_options(one['options'])}" for one in order_lines(desk, key)
    )
    about = f"placed {row['order_date']}, total {row['total']:.2f}"
    items = "; ".join(lines)
    desk.notify(f"Order {key} {news}", f"Order {key} {news} ({about}{': ' + items if items else ''}).")


def _named(desk: PhoneDesk, key: int, row: Row) -> str:
    """An item as notifications name it to the agent."""
    return f"{product_name(desk, row)}{spoken_options(row['options'])} (item {key} of product {row['product']})"


def _availability(available: bool) -> str:
    return "available" if available else "not available"
