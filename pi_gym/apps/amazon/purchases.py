"""Operations on what the account bought, product by product."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.amazon.app import APP
from pi_gym.apps.amazon.shown import named, variant
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import search
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"product_name": 1}
SORTED = ("placed_at", "price", "quantity", "product_name")


@APP.operation("read")
def show_product_purchases(
    desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5, sort_by: str | None = None
) -> Any:
    """Show the products that the account bought, one line a product and order, the newest first.

    Args:
        query: words to look for in the products' names, best match first; empty for all purchases.
        page_index: which page, from 0.
        page_limit: purchases a page, 1 to 20.
        sort_by: + or - (ascending or descending) and placed_at, price, quantity or product_name; null for the order
            above.
    """
    if query.strip():
        found = search(desk.table("order_items"), query, SEARCHED, where={"account": desk.account_id})
    else:
        found = desk.own("order_items")
    found = ordered(found, sort_by or (None if query.strip() else "-placed_at"), SORTED)
    nothing = (
        "Nothing that was bought matches; try other words." if query.strip() else "The account has bought nothing yet."
    )
    return page(found, page_index, page_limit, "purchases", lambda _, row: _shown(desk, row), nothing)


@APP.operation("read")
def show_last_product_purchase(desk: Desk, product_id: int) -> Any:
    """Show when the account last bought a product: price paid, quantity and order, with today's price and stock.

    Args:
        product_id: the product's id; show_product_purchases finds those that were bought.
    """
    product = desk.need("products", product_id)
    mine = desk.account_id
    bought = [pair for pair in desk.having("order_items", "product_id", product_id) if pair[1]["account"] == mine]
    if not bought:
        raise ToolError(f"You have not bought {named(product)}; amazon__show_product_purchases lists what you have.")
    _, last = max(bought, key=lambda pair: (pair[1]["placed_at"], pair[0]))
    today = {"price_today": product["price"], "inventory_quantity": product["inventory_quantity"]}
    return {**_shown(desk, last), **today, "times_bought": len(bought)}


def _shown(desk: Desk, row: Row) -> dict[str, Any]:
    product = desk.table("products").get(row["product_id"])
    return {
        "product_id": row["product_id"],
        "product_name": row["product_name"],
        **(variant(product) if product else {}),
        "order_id": row["order_id"],
        "quantity": row["quantity"],
        "price": row["price"],
        "placed_at": row["placed_at"],
    }
