"""The operations on the shop: an agent's, and the owner's by screen."""

from __future__ import annotations

from typing import Any

from pi_gym.phone.declare import USER
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.shopping.app import (
    APP,
    CART_VIEW,
    CODES,
    HOME,
    ITEMS,
    ORDER,
    ORDER_LIST,
    PRODUCT,
    PRODUCTS,
    VARIANT,
    cart,
    codes_of,
    order,
    order_list,
    product,
    products_found,
    products_page,
    variant,
)
from pi_gym.phone.shopping.changing import bought, cancelled, put, taken_out
from pi_gym.tools.declare import ToolError


@APP.operation("read", USER, on=HOME, name="list_products")
@APP.operation("read")
def list_all_products(desk: PhoneDesk, offset: int = 0, limit: int = 10) -> Any:
    """List the products.

    Args:
        offset: how many to skip.
        limit: how many to list.
    """
    return products_page(desk, list(desk.table(PRODUCTS).rows()), offset, limit)


@APP.operation("read")
def get_product_details(desk: PhoneDesk, product_id: int) -> Any:
    """Show a product with all its variants.

    Args:
        product_id: the product's id.
    """
    return product(desk, product_id)


@APP.operation("read")
def search_product(desk: PhoneDesk, product_name: str, offset: int = 0, limit: int = 10) -> Any:
    """Search the products by words of their names, best first.

    Args:
        product_name: words to look for.
        offset: how many to skip.
        limit: how many to list.
    """
    return products_page(desk, products_found(desk, product_name), offset, limit)


@APP.operation("read")
def list_cart(desk: PhoneDesk) -> Any:
    """Show the cart with its items, their prices, and whether they are available."""
    return cart(desk)


@APP.operation("read")
def get_discount_code_info(desk: PhoneDesk, discount_code: str = "") -> Any:
    """Show for which items a discount code counts, and how many percent it takes off.

    Args:
        discount_code: the code.
    """
    if not discount_code.strip():
        raise ToolError("discount_code is empty; give a code. get_all_discount_codes lists all.")
    percents = codes_of(desk, discount_code)
    return {"discount_code": discount_code.strip(), "items": [_discount(desk, *pair) for pair in percents.items()]}


@APP.operation("read")
def get_all_discount_codes(desk: PhoneDesk) -> Any:
    """List all discount codes, each with the items for which it counts."""
    codes: dict[str, list[dict[str, Any]]] = {}
    for _, row in desk.table(CODES).rows():
        codes.setdefault(row["code"], []).append(_discount(desk, row["item"], row["percent"]))
    return {"discount_codes": [{"discount_code": code, "items": items} for code, items in codes.items()]}


@APP.operation("read", name="list_orders")
def list_all_orders(desk: PhoneDesk) -> Any:
    """List the orders, the newest first."""
    return order_list(desk)


@APP.operation("read")
def get_order_details(desk: PhoneDesk, order_id: int) -> Any:
    """Show an order with its items as they were ordered.

    Args:
        order_id: the order's id.
    """
    return order(desk, order_id)


@APP.operation("write", name="add_to_cart")
def add_item_to_cart(desk: PhoneDesk, item_id: int, quantity: int = 1) -> Any:
    """Put a variant of a product in the cart.

    Args:
        item_id: the id of the variant.
        quantity: how many more.
    """
    return put(desk, item_id, quantity)


@APP.operation("write", USER, on=CART_VIEW, name="remove_item")
@APP.operation("write")
def remove_from_cart(desk: PhoneDesk, item_id: int, quantity: int = 1) -> Any:
    """Take a variant of a product out of the cart.

    Args:
        item_id: the id of the variant.
        quantity: how many fewer.
    """
    return taken_out(desk, item_id, quantity)


@APP.operation("write", name="checkout")
def order_cart(desk: PhoneDesk, discount_code: str | None = None) -> Any:
    """Order everything in the cart.

    Args:
        discount_code: a code; it takes something off the items for which it counts.
    """
    return order(desk, bought(desk, discount_code))


@APP.operation("write")
def cancel_order(desk: PhoneDesk, order_id: int) -> Any:
    """Cancel an order that was not delivered yet.

    Args:
        order_id: the order's id.
    """
    return cancelled(desk, order_id)


@APP.operation("read", USER, on=HOME, goto=PRODUCT)
def view_product(desk: PhoneDesk, product_id: int) -> Any:
    """Open a product.

    Args:
        product_id: the product's id.
    """
    told = product(desk, product_id)
    desk.show(PRODUCT, product_id=product_id)
    return told


@APP.operation("read", USER, on=HOME, goto=CART_VIEW)
def view_cart(desk: PhoneDesk) -> Any:
    """Open the cart."""
    desk.show(CART_VIEW)
    return cart(desk)


@APP.operation("read", USER, on=HOME, goto=ORDER_LIST)
def list_orders(desk: PhoneDesk) -> Any:
    """Open the list of orders, the newest first."""
    desk.show(ORDER_LIST)
    return order_list(desk)


@APP.operation("read", USER, on=PRODUCT, goto=VARIANT)
def view_variant(desk: PhoneDesk, item_id: int) -> Any:
    """Open a variant of the product that is open.

    Args:
        item_id: the id of the variant.
    """
    number = desk.shown["product_id"]
    if desk.need(ITEMS, item_id)["product"] != number:
        raise ToolError(f"The item {item_id} is no variant of the product {number}, which is open.")
    desk.show(VARIANT, item_id=item_id)
    return variant(desk, item_id)


@APP.operation("write", USER, on=VARIANT, goto=CART_VIEW)
def add_to_cart(desk: PhoneDesk, quantity: int = 1) -> Any:
    """Put the variant that is open in the cart, and open that.

    Args:
        quantity: how many more.
    """
    put(desk, desk.shown["item_id"], quantity)
    desk.show(CART_VIEW)
    return cart(desk)


@APP.operation("write", USER, on=CART_VIEW, goto=ORDER)
def checkout(desk: PhoneDesk, discount_code: str | None = None) -> Any:
    """Order everything in the cart, and open the order.

    Args:
        discount_code: a code; it takes something off the items for which it counts.
    """
    key = bought(desk, discount_code)
    desk.show(ORDER, order_id=key)
    return order(desk, key)


@APP.operation("read", USER, on=ORDER_LIST, goto=ORDER)
def view_order(desk: PhoneDesk, order_id: int) -> Any:
    """Open an order.

    Args:
        order_id: the order's id.
    """
    told = order(desk, order_id)
    desk.show(ORDER, order_id=order_id)
    return told


@APP.operation("read", USER, on=ORDER, name="view_order")
def view_order_shown(desk: PhoneDesk) -> Any:
    """Show the order that is open."""
    return order(desk, desk.shown["order_id"])


def _discount(desk: PhoneDesk, item: int, percent: float) -> dict[str, Any]:
    return {"item_id": item, "name": variant(desk, item)["name"], "percent": percent}
