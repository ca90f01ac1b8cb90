"""Operations on what else could please: the browsing history, and products that go with others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.apps.amazon.app import APP
from pi_gym.apps.amazon.ratings import Ratings
from pi_gym.apps.amazon.shown import named, short
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import page
from pi_gym.caches import BoundedCache
from pi_gym.state.tables import Row

CONSIDERED = 3
"""The number of last visited products that the recommendations without a product start from."""
MOST_BOUGHT = 20
"""The greatest number of recommended products that the same people bought."""
_counts: BoundedCache[tuple[int, ...], tuple[Mapping[int, Row], Mapping[int, int]]] = BoundedCache(1_024)


@APP.operation("write")
def add_product_to_browsing_history(desk: Desk, product_id: int) -> Any:
    """Note that the account looked at a product; recommendations without a product start from the last such ones.

    Args:
        product_id: the product's id.
    """
    product = desk.need("products", product_id)
    for key, row in desk.own("browsing_history"):
        if row["product_id"] == product_id:
            desk.update("browsing_history", key, viewed_at=desk.now)
            break
    else:
        desk.insert("browsing_history", account=desk.account_id, product_id=product_id, viewed_at=desk.now)
    return f"{named(product)} is in the browsing history."


@APP.operation("read")
def show_recommended_products(
    desk: Desk, product_id: int | None = None, page_index: int = 0, page_limit: int = 5
) -> Any:
    """Show products in stock that go with a product, or with what the account looked at last.

    First what its buyers bought as well, the most frequent first; then others of its type, the best rated first.

    Args:
        product_id: the product to start from; null for the last products of the browsing history.
        page_index: which page, from 0.
        page_limit: products a page, 1 to 20.
    """
    if product_id is not None:
        start = [(product_id, desk.need("products", product_id))]
    else:
        visits = sorted(desk.own("browsing_history"), key=lambda pair: (pair[1]["viewed_at"], pair[0]), reverse=True)
        seen = [(row["product_id"], desk.table("products").get(row["product_id"])) for _, row in visits]
        start = [(key, product) for key, product in seen if product is not None][:CONSIDERED]
    ratings = Ratings(desk)
    buyers = _bought_as_well(desk, [key for key, _ in start])
    table = desk.table("products")
    candidates = {key: row for key in buyers if (row := table.get(key)) is not None}
    for kind in dict.fromkeys(row["product_type"] for _, row in start):
        candidates.update(desk.having("products", "product_type", kind))
    left_out = {key for key, _ in start}
    families = {row["family"] for _, row in start} - {0}
    found = [
        (key, row)
        for key, row in candidates.items()
        if key not in left_out and row["family"] not in families and row["inventory_quantity"] > 0
    ]
    found.sort(key=lambda pair: (-buyers[pair[0]], 0.0) if pair[0] in buyers else (0, -ratings.of(pair[0])[0]))

    def shown(key: int, row: Row) -> dict[str, Any]:
        together = buyers.get(key, 0)
        why = f"bought as well by {together} of its buyers" if together else f"also {row['product_type']}"
        return {**short(desk, key, row, ratings), "why": why}

    nothing = (
        "Nothing to recommend: the browsing history is empty. Give a product_id, or"
        " amazon__add_product_to_browsing_history."
        if not start
        else "Nothing to recommend for this product."
    )
    return page(found, page_index, page_limit, "products", shown, nothing)


def _bought_as_well(desk: Desk, products: list[int]) -> Mapping[int, int]:
    """By product, the number of buyers of some products who bought it too; verified reviews tell who bought."""
    reviews = desk.table("reviews")
    if reviews.touched:
        return _count(desk, products)
    # Holding the rows keeps their identity from being given to others while the counts are in the cache.
    return _counts.get((id(reviews.base), *products), lambda: (reviews.base, _count(desk, products)))[1]


def _count(desk: Desk, products: list[int]) -> dict[int, int]:
    accounts = {
        row["account"] for key in products for _, row in desk.having("reviews", "product_id", key) if row["is_verified"]
    }
    counts: dict[int, int] = {}
    for account in sorted(accounts):
        for _, row in desk.having("reviews", "account", account):
            if row["is_verified"] and row["product_id"] not in products:
                counts[row["product_id"]] = counts.get(row["product_id"], 0) + 1
    return dict(sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))[:MOST_BOUGHT])
