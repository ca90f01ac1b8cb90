"""Operations on products and product types."""

from __future__ import annotations

from typing import Any, Literal

from pi_gym.apps.amazon.app import APP
from pi_gym.apps.amazon.ratings import Ratings
from pi_gym.apps.amazon.shown import SIZES, check_range, short, whole
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import search, words_of
from pi_gym.errors import closest
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"name": 8, "product_type": 6, "brand": 4, "color": 3, "features": 2, "description": 1}
TYPES_SEARCHED = {"name": 8, "about": 1}
SORTED = ("price", "rating", "number_of_reviews", "seller_rating", "delivery_days", "name")
MAX_CHOICES = 30
ANY_SIZE: Any = None
"""No filter on sizes: the parameter's type names sizes only, so leaving it out is the way to say so."""


@APP.operation("read", open=False)
def search_products(
    desk: Desk,
    query: str = "",
    product_type: str = "",
    color: str = "",
    relative_size: Literal["extra-small", "small", "medium", "large", "extra-large"] = ANY_SIZE,
    min_price: float = 0.0,
    max_price: float = 1_000_000.0,
    min_product_rating: float = 0.0,
    max_product_rating: float = 5.0,
    min_seller_rating: float = 0.0,
    max_seller_rating: float = 5.0,
    seller_id: int | None = None,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Search products, or list them all; all filters have to fit.

    Products are found by words of name, type, brand, colour, features and description, best match first. A product in
    another colour or size is a product of its own. show_product gives description, features and variants. Products
    that are out of stock are listed too, with inventory_quantity 0.

    Args:
        query: words to look for; empty for all products.
        product_type: only this type; search_product_types finds the names. Empty for all types.
        color: only this colour, like "blue", which finds "dark blue" too. Empty for all colours.
        relative_size: only this size; leave it out for all sizes.
        min_price: the least price in kroner.
        max_price: the highest price in kroner.
        min_product_rating: the least mean of stars, 0 to 5; products without reviews count as 0.
        max_product_rating: the highest mean of stars, 0 to 5.
        min_seller_rating: the least rating of the seller, 0 to 5.
        max_seller_rating: the highest rating of the seller, 0 to 5.
        seller_id: only what this seller sells; null for all sellers.
        page_index: which page, from 0.
        page_limit: products a page, 1 to 20.
        sort_by: + or - (ascending or descending) and price, rating, number_of_reviews, seller_rating, delivery_days or
            name; null for the best match first.
    """
    check_range(min_price, max_price, "price")
    check_range(min_product_rating, max_product_rating, "product_rating")
    check_range(min_seller_rating, max_seller_rating, "seller_rating")
    if seller_id is not None:
        desk.need("sellers", seller_id)
    kind = _product_type(desk, product_type) if product_type.strip() else ""
    shades = set(words_of(color))
    left_out = {
        key
        for key, row in desk.table("sellers").rows()
        if not min_seller_rating <= row["rating"] <= max_seller_rating or seller_id not in (None, key)
    }

    def keep(row: Row) -> bool:
        return (
            min_price <= row["price"] <= max_price
            and row["seller_id"] not in left_out
            and (relative_size is None or row["relative_size"] == relative_size)
            and (not shades or shades.issubset(words_of(row["color"])))
        )

    where = {"product_type": kind} if kind else None
    found = search(desk.table("products"), query, SEARCHED, keep, where=where)
    ratings = Ratings(desk)
    if min_product_rating > 0 or max_product_rating < 5:
        found = [pair for pair in found if min_product_rating <= ratings.of(pair[0])[0] <= max_product_rating]
    if sort_by is not None:
        found = _ordered(desk, found, sort_by, ratings)
    nothing = (
        "No products match. Try fewer or other words or wider filters; amazon__search_product_types finds types and"
        " amazon__show_product_feature_choices the colours and sizes of a type."
    )
    return page(found, page_index, page_limit, "products", lambda key, row: short(desk, key, row, ratings), nothing)


def _ordered(desk: Desk, found: list[tuple[int, Row]], sort_by: str, ratings: Ratings) -> list[tuple[int, Row]]:
    """The products sorted by a column, be it their own or not; those without reviews come last."""
    column = sort_by.strip().lstrip("+-")
    if column in ("rating", "number_of_reviews"):
        at = 0 if column == "rating" else 1
        values = {key: ratings.of(key)[at] or None for key, _ in found}
    elif column == "seller_rating":
        by_seller = {key: row["rating"] for key, row in desk.table("sellers").rows()}
        values = {key: by_seller.get(row["seller_id"]) for key, row in found}
    else:
        return ordered(found, sort_by, SORTED)
    sortable = [(key, {column: values[key], "row": row}) for key, row in found]
    return [(key, entry["row"]) for key, entry in ordered(sortable, sort_by, SORTED)]


@APP.operation("read", open=False)
def show_product(desk: Desk, product_id: int) -> Any:
    """Show a product whole: price, stock, rating, seller, description, features, and its variants in other versions.

    Args:
        product_id: the product's id.
    """
    return whole(desk, product_id, desk.need("products", product_id))


@APP.operation("read", open=False)
def search_product_types(desk: Desk, query: str = "", page_index: int = 0, page_limit: int = 5) -> Any:
    """Search the types of products, by words of their names and of what belongs to them; all types without a query.

    The names are what the filter product_type of search_products takes.

    Args:
        query: words to look for; empty for all types.
        page_index: which page, from 0.
        page_limit: types a page, 1 to 20.
    """
    found = search(desk.table("product_types"), query, TYPES_SEARCHED)
    nothing = (
        "No product types match. Try another word, or amazon__search_product_types without a query for all of them."
    )

    def shown(_: int, row: Row) -> dict[str, Any]:
        count = len(desk.having("products", "product_type", row["name"]))
        return {"product_type": row["name"], "about": row["about"], "number_of_products": count}

    return page(found, page_index, page_limit, "product_types", shown, nothing)


@APP.operation("read", open=False)
def show_product_feature_choices(desk: Desk, product_type: str | None = None) -> Any:
    """Show in which colours, relative sizes and further features the products of a type come.

    Colours and sizes are filters of search_products; words of other features can be looked for with its query.

    Args:
        product_type: the type, as search_product_types names it; null for the colours and sizes of all products.
    """
    kind = _product_type(desk, product_type) if product_type and product_type.strip() else None
    products = desk.table("products").rows() if kind is None else desk.having("products", "product_type", kind)
    colors: set[str] = set()
    sizes: set[str] = set()
    features: dict[str, dict[str, None]] = {}
    for _, row in products:
        colors.add(row["color"])
        sizes.add(row["relative_size"])
        for fact in row["features"] if kind is not None else ():
            name, _, value = fact.partition(": ")
            features.setdefault(name, {})[value] = None
    shown: dict[str, Any] = {
        "product_type": kind,
        "colors": sorted(colors - {""}),
        "relative_sizes": [size for size in SIZES if size in sizes],
    }
    if kind is None:
        return {
            **shown,
            "message": "Give a product_type for its further features; amazon__search_product_types finds them.",
        }
    return {**shown, "features": {name: sorted(features[name])[:MAX_CHOICES] for name in sorted(features)}}


def _product_type(desk: Desk, text: str) -> str:
    """The name of a product type as the catalogue has it; ToolError where there is none."""
    name = " ".join(text.replace("_", " ").split()).casefold()
    if desk.having("product_types", "name", name):
        return name
    near = closest(name[:60], [row["name"] for _, row in desk.table("product_types").rows()], 3)
    hint = f" Close: {', '.join(near)}." if near else ""
    raise ToolError(f"There is no product type {text[:60]!r}.{hint} amazon__search_product_types finds the names.")
