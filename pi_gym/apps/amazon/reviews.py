"""Operations on reviews."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.accounts import account_by_email, full_name, holder
from pi_gym.apps.amazon.app import APP
from pi_gym.apps.amazon.ratings import Ratings
from pi_gym.apps.amazon.shown import check_range, named
from pi_gym.apps.desk import Desk
from pi_gym.apps.pages import ordered, page
from pi_gym.apps.row_search import search
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

SEARCHED = {"title": 3, "text": 1}
SORTED = ("created_at", "rating")
MIN_STARS, MAX_STARS = 1, 5


@APP.operation("read", open=False)
def show_product_reviews(
    desk: Desk,
    product_id: int,
    query: str = "",
    user_email: str | None = None,
    min_rating: int = MIN_STARS,
    max_rating: int = MAX_STARS,
    is_verified: bool | None = None,
    page_index: int = 0,
    page_limit: int = 5,
    sort_by: str | None = None,
) -> Any:
    """Show the reviews of a product, the newest first, or the best match first where there is a query.

    Variants in other colours and sizes have reviews of their own.

    Args:
        product_id: the product's id.
        query: words to look for in title and text; empty for all reviews.
        user_email: only the review by the account with this e-mail address; null for everybody's.
        min_rating: the least number of stars, 1 to 5.
        max_rating: the highest number of stars, 1 to 5.
        is_verified: only by people who bought the product here (true) or did not (false); null for both.
        page_index: which page, from 0.
        page_limit: reviews a page, 1 to 20.
        sort_by: + or - (ascending or descending) and created_at or rating; null for the order above.
    """
    desk.need("products", product_id)
    check_range(min_rating, max_rating, "rating")
    found = of_product(desk, "reviews", SEARCHED, product_id, query, user_email)
    found = [
        pair
        for pair in found
        if min_rating <= pair[1]["rating"] <= max_rating and is_verified in (None, pair[1]["is_verified"])
    ]
    found = ordered(found, sort_by or (None if query.strip() else "-created_at"), SORTED)
    nothing = "No reviews match." if Ratings(desk).of(product_id)[1] else "Nobody has reviewed this product yet."
    return page(found, page_index, page_limit, "reviews", lambda key, row: _shown(desk, key, row), nothing)


@APP.operation("write")
def write_product_review(desk: Desk, product_id: int, rating: int, title: str = "", text: str = "") -> Any:
    """Review a product; everybody can read it under your name. One review a product; it cannot be changed later.

    The review is marked as verified where you bought the product here.

    Args:
        product_id: the product's id.
        rating: stars, 1 (worst) to 5 (best).
        title: a headline, at most 200 characters.
        text: what you think of the product, at most 3000 characters.
    """
    product = desk.need("products", product_id)
    if not MIN_STARS <= rating <= MAX_STARS:
        raise ToolError(f"rating must be {MIN_STARS} (worst) to {MAX_STARS} (best) stars, not {rating}.")
    mine = desk.account_id
    for key, row in desk.having("reviews", "product_id", product_id):
        if row["account"] == mine:
            raise ToolError(
                f"You reviewed {named(product)} already, on {row['created_at'][:10]} with {row['rating']} stars (review"
                f" {key}); each account has one review a product."
            )
    bought = is_buyer(desk, product_id)
    key = desk.insert(
        "reviews",
        account=mine,
        product_id=product_id,
        rating=rating,
        title=title.strip(),
        text=text.strip(),
        is_verified=bought,
        created_at=desk.now,
    )
    return {
        "message": f"Review of {named(product)} published"
        + ("." if bought else ", not verified: you have not bought it here."),
        "review_id": key,
        "is_verified": bought,
    }


def is_buyer(desk: Desk, product_id: int) -> bool:
    """Whether the account that is signed in bought a product here."""
    mine = desk.account_id
    return any(row["account"] == mine for _, row in desk.having("order_items", "product_id", product_id))


def of_product(
    desk: Desk, table: str, fields: dict[str, int], product_id: int, query: str, user_email: str | None
) -> list[tuple[int, Row]]:
    """The rows about a product that match, best match first; by id without a query."""
    by = None if user_email is None else account_by_email(desk, user_email)[0]
    if query.strip():
        where = {"product_id": product_id} if by is None else {"product_id": product_id, "account": by}
        return search(desk.table(table), query, fields, where=where)
    return [pair for pair in desk.having(table, "product_id", product_id) if by in (None, pair[1]["account"])]


def user(desk: Desk, account: int) -> dict[str, Any]:
    """The author of something written, as everybody sees them."""
    row = holder(desk, account)
    return {"name": full_name(row), "email": row["email"]}


def _shown(desk: Desk, key: int, row: Row) -> dict[str, Any]:
    names = ("rating", "title", "text", "is_verified", "created_at")
    return {"review_id": key, **{name: row[name] for name in names}, "user": user(desk, row["account"])}
