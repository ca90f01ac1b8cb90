"""The app Shopping: its tables, its screens, and how products, the cart and orders are shown."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from pi_gym.apps.columns import Column, TableSpec
from pi_gym.apps.money import total, units
from pi_gym.apps.row_search import search, words_of
from pi_gym.phone.declare import PhoneApp, Screen
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import page
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

#: The statuses that an order may be moved to; "cancelled" is one, too, by cancelling.
OrderStatus: TypeAlias = Literal["processed", "shipped", "out_for_delivery", "delayed", "delivery_failed", "delivered"]
CANCELLED = "cancelled"
APP = PhoneApp(
    "Shopping",
    "the shop",
    "An online shop: products in several variants, each an item with its price, a cart, discount codes that count for"
    " single items, and orders.",
    {
        "products": TableSpec(
            {"name": Column(str, "the product's name", max_chars=200)}, noun="product", find="search_product"
        ),
        "items": TableSpec(
            {
                "product": Column(int, "the id of the product of which it is a variant", refers="products"),
                "price": Column(float, "the price of one"),
                "available": Column(bool, "whether it can be bought", True),
                "options": Column(dict[str, str], 'how it differs, such as {"color": "red"}', {}),
            },
            noun="item",
            find="get_product_details",
        ),
        "cart": TableSpec(
            {
                "item": Column(int, "the id of an item in the cart", refers="items"),
                "quantity": Column(int, "how many", 1),
            },
            noun="cart entry",
            find="list_cart",
        ),
        "discount_codes": TableSpec(
            {
                "item": Column(int, "the id of an item for which it counts", refers="items"),
                "code": Column(str, "the code", max_chars=60),
                "percent": Column(float, "how much is taken off, in percent"),
            },
            noun="discount code",
            find="get_all_discount_codes",
        ),
        "orders": TableSpec(
            {
                "status": Column(str, "processed, shipped, … or cancelled", "processed", max_chars=30),
                "order_date": Column(str, "when it was placed, ISO 8601"),
                "total": Column(float, "what it cost, discount included"),
                "discount_code": Column(str, "the code that was used", "", max_chars=60),
            },
            noun="order",
            find="list_orders",
        ),
        "order_items": TableSpec(
            {
                "order": Column(int, "the order's id", refers="orders"),
                "item": Column(int, "the item's id", refers="items"),
                "product_name": Column(str, "the product's name at the time", max_chars=200),
                "options": Column(dict[str, str], "the variant's options at the time", {}),
                "quantity": Column(int, "how many", 1),
                "price": Column(float, "the price of one at the time, before a discount"),
                "percent": Column(float, "how much was taken off, in percent", 0.0),
            },
            noun="ordered item",
            find="get_order_details",
        ),
    },
    [
        Screen("ShoppingHome"),
        Screen("ProductDetail", {"product_id": None}),
        Screen("VariantDetail", {"item_id": None}),
        Screen("CartView"),
        Screen("OrderListView"),
        Screen("OrderDetailView", {"order_id": None}),
    ],
)
PRODUCTS, ITEMS, CART, CODES, ORDERS, ORDER_ITEMS = APP.tables
HOME, PRODUCT, VARIANT, CART_VIEW, ORDER_LIST, ORDER = APP.screens


def product_name(desk: PhoneDesk, item: Row) -> str:
    """The name of the product of which an item is a variant."""
    name: str = desk.need(PRODUCTS, item["product"])["name"]
    return name


def spoken_options(options: dict[str, str]) -> str:
    """Options in words, in brackets; nothing where there are none.

    >>> spoken_options({"color": "red", "size": "M"})
    ' (color: red, size: M)'
    """
    listed = ", ".join(f"{name}: {value}" for name, value in options.items())
    return f" ({listed})" if listed else ""


def variant(desk: PhoneDesk, key: int) -> dict[str, Any]:
    """An item whole, with the name of its product."""
    row = desk.need(ITEMS, key)
    return {"item_id": key, "product_id": row["product"], "name": product_name(desk, row), **_facts(row)}


def product(desk: PhoneDesk, key: int) -> dict[str, Any]:
    """A product whole, with its variants."""
    row = desk.need(PRODUCTS, key)
    variants = [{"item_id": one, **_facts(item)} for one, item in desk.having(ITEMS, "product", key)]
    return {"product_id": key, **row, "variants": variants}


def _facts(item: Row) -> dict[str, Any]:
    return {name: item[name] for name in ("options", "price", "available")}


def products_page(desk: PhoneDesk, rows: list[tuple[int, Row]], offset: int, limit: int) -> dict[str, Any]:
    """A page of products, each with the number of its variants and its least price."""

    def entry(key: int, row: Row) -> dict[str, Any]:
        prices = [item["price"] for _, item in desk.having(ITEMS, "product", key)]
        shown = {"product_id": key, "name": row["name"], "variants": len(prices)}
        return {**shown, "price_from": min(prices)} if prices else shown

    return page(rows, offset, limit, "products", entry)


def products_found(desk: PhoneDesk, query: str) -> list[tuple[int, Row]]:
    """The products whose name has a word of the query as (id, row), best first."""
    if not words_of(query):
        raise ToolError("product_name is empty; give words of the name. list_all_products lists all.")
    return search(desk.table(PRODUCTS), query, {"name": 1})


def cart(desk: PhoneDesk) -> dict[str, Any]:
    """The cart with what it costs at present."""
    entries = [{**variant(desk, row["item"]), "quantity": row["quantity"]} for _, row in desk.table(CART).rows()]
    return {"items": entries, "total": total([one["price"] * one["quantity"] for one in entries])}


def order_list(desk: PhoneDesk) -> dict[str, Any]:
    """All orders, the newest first."""
    rows = sorted(desk.table(ORDERS).rows(), key=lambda pair: (pair[1]["order_date"], pair[0]), reverse=True)
    entries = [
        {"order_id": key, "items": [one["product_name"] for one in order_lines(desk, key)], **row} for key, row in rows
    ]
    return {"orders": entries, "total": len(entries)}


def order(desk: PhoneDesk, key: int) -> dict[str, Any]:
    """An order whole, with its items as they were ordered."""
    row = desk.need(ORDERS, key)
    lines = [{name: value for name, value in one.items() if name != "order"} for one in order_lines(desk, key)]
    return {"order_id": key, **row, "items": lines}


def order_lines(desk: PhoneDesk, key: int) -> list[Row]:
    """The items of an order."""
    return [row for _, row in desk.having(ORDER_ITEMS, "order", key)]


def codes_of(desk: PhoneDesk, code: str) -> dict[int, float]:
    """The percents that a code takes off, by item; ToolError where there is no such code."""
    wanted = code.strip().casefold()
    found = {row["item"]: row["percent"] for _, row in desk.table(CODES).rows() if row["code"].casefold() == wanted}
    if not found:
        raise ToolError(f"There is no discount code {code[:60]!r}; get_discount_code_info tells of those that exist.")
    return found


def discounted(price: float, quantity: int, percent: float) -> float:
    """The price of so many, with so much taken off.

    >>> discounted(19.99, 3, 15.0)
    50.97
    """
    return units(round(round(price * 100) * quantity * (100 - percent) / 100))
