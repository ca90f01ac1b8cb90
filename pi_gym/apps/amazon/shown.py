"""Products as they are shown, in lists and whole."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.amazon.ratings import Ratings
from pi_gym.apps.desk import Desk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

_GONE: Row = {"name": "a product that is gone", "color": "", "relative_size": "", "price": 0.0, "inventory_quantity": 0}
SIZES = ("extra-small", "small", "medium", "large", "extra-large")


def short(desk: Desk, key: int, product: Row, ratings: Ratings) -> dict[str, Any]:
    """A product as a line of a list."""
    rating, count = ratings.of(key)
    return {
        "product_id": key,
        "name": product["name"],
        "product_type": product["product_type"],
        "brand": product["brand"],
        **variant(product),
        "price": product["price"],
        "rating": rating if count else None,
        "number_of_reviews": count,
        "inventory_quantity": product["inventory_quantity"],
        "delivery_days": product["delivery_days"],
        "seller": seller(desk, product),
    }


def whole(desk: Desk, key: int, product: Row) -> dict[str, Any]:
    """A product with everything that its page says."""
    shown = short(desk, key, product, Ratings(desk))
    siblings = desk.having("products", "family", product["family"]) if product["family"] else []
    return {
        **shown,
        "description": product["description"],
        "features": product["features"],
        "variants": [
            {
                "product_id": other,
                "name": row["name"],
                **variant(row),
                "price": row["price"],
                "inventory_quantity": row["inventory_quantity"],
            }
            for other, row in siblings
            if other != key
        ],
    }


def variant(product: Row) -> dict[str, Any]:
    """Colour and size; null where the product has none."""
    return {"color": product["color"] or None, "relative_size": product["relative_size"] or None}


def product_or_gone(desk: Desk, key: int) -> Row:
    """A product that a record names; one that nobody can buy where it is gone, as a task's rows may bring it about."""
    return desk.table("products").get(key) or _GONE


def is_gone(product: Row) -> bool:
    """Whether `product_or_gone` found nothing."""
    return product is _GONE


def seller(desk: Desk, product: Row) -> dict[str, Any]:
    """The seller of a product, with id, name and rating."""
    row = desk.table("sellers").get(product["seller_id"])
    name, rating = (row["name"], row["rating"]) if row else ("", None)
    return {"seller_id": product["seller_id"], "name": name, "rating": rating}


def named(product: Row) -> str:
    """A product's name as messages have it, with colour and size."""
    more = ", ".join(word for word in (product["color"], product["relative_size"]) if word)
    return f"{product['name']} ({more})" if more else str(product["name"])


def check_range(low: float, high: float, name: str) -> None:
    """ToolError where the least value of a filter is above the greatest."""
    if low > high:
        raise ToolError(f"min_{name} ({low:g}) is above max_{name} ({high:g}); nothing can be between them.")
