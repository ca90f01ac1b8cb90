"""Operations on sellers."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.amazon.app import APP
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.apps.row_search import search
from pi_gym.state.tables import Row

SEARCHED = {"name": 8, "city": 4, "about": 1}


@APP.operation("read", open=False)
def search_sellers(desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5) -> Any:
    """Search sellers, by words of name, city and what they say about themselves; all sellers without a query.

    Args:
        query: words to look for; empty for all sellers.
        page_index: which page, from 0.
        page_limit: sellers a page, 1 to 20.
    """
    found = search(desk.table("sellers"), query, SEARCHED)
    nothing = "No sellers match. Try fewer or other words, or amazon__search_sellers without a query for all of them."
    return page(found, page_index, page_limit, "sellers", _shown, nothing)


@APP.operation("read", open=False)
def show_seller(desk: Desk, seller_id: int) -> Any:
    """Show a seller: rating, where it sends from, days for returns, and which types of products it sells.

    Args:
        seller_id: the seller's id.
    """
    row = desk.need("sellers", seller_id)
    sold = [product["product_type"] for _, product in desk.having("products", "seller_id", seller_id)]
    return {**_shown(seller_id, row), "number_of_products": len(sold), "product_types": sorted(set(sold))}


def _shown(key: int, row: Row) -> dict[str, Any]:
    return {"seller_id": key, **row}
