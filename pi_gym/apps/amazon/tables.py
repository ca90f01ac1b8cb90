"""The tables of Amazon: the catalogue that everybody sees, and what belongs to an account."""

from __future__ import annotations

from pi_gym.apps.columns import ACCOUNTS, Column, TableSpec

MORNING = "2026-01-01T09:00:00"
# So that an order can hold an address in one line.
_LINE_CHARS = 200
_OWNER = "the id of the account that it belongs to"
_PRODUCT = "the product's id"
_WRITTEN = "when it was written, ISO 8601"


def _listed(noun: str, find: str) -> TableSpec:
    """A table of products with quantities: the cart, the wish list."""
    return TableSpec(
        {
            "account": Column(int, _OWNER, 1, ACCOUNTS),
            "product_id": Column(int, _PRODUCT, refers="products"),
            "quantity": Column(int, "how many, 1 or more", 1),
            "added_at": Column(str, "when it was first put there, ISO 8601", MORNING),
        },
        noun=noun,
        find=find,
        owner="account",
    )


CATALOGUE = {
    "product_types": TableSpec(
        {
            "name": Column(str, "its name in lower case, as products and filters have it"),
            "about": Column(str, "what belongs to it, with other words for it", ""),
        },
        noun="product type",
        find="search_product_types",
    ),
    "sellers": TableSpec(
        {
            "name": Column(str, "its name"),
            "rating": Column(float, "what buyers gave it, 1 to 5, one decimal"),
            "number_of_ratings": Column(int, "how many gave it that", 0),
            "city": Column(str, "where it sends from", ""),
            "about": Column(str, "what it says about itself", ""),
            "return_days": Column(int, "days in which goods can be sent back", 30),
        },
        noun="seller",
        find="search_sellers",
    ),
    "products": TableSpec(
        {
            "name": Column(str, "its name; variants in other colours and sizes have the same"),
            "product_type": Column(str, "the name of its product type", refers="product_types.name"),
            "brand": Column(str, "its brand", ""),
            "seller_id": Column(int, "who sells it", refers="sellers"),
            "price": Column(float, "what one costs today, in kroner, two decimals"),
            "inventory_quantity": Column(int, "how many are in stock", 0),
            "color": Column(str, "its colour, or empty", ""),
            "relative_size": Column(str, "extra-small, small, medium, large, extra-large, or empty", ""),
            "family": Column(int, "the same number for all variants of a product", 0),
            "delivery_days": Column(int, "days from the order to the door", 3),
            "features": Column(list[str], 'facts, each as "Name: value"', []),
            "description": Column(str, "what the seller says about it", ""),
        },
        noun="product",
        find="search_products",
    ),
    "reviews": TableSpec(
        {
            "account": Column(int, "the id of the account that wrote it", refers=ACCOUNTS),
            "product_id": Column(int, _PRODUCT, refers="products"),
            "rating": Column(int, "stars, 1 to 5"),
            "title": Column(str, "its headline", "", max_chars=200),
            "text": Column(str, "its text", "", max_chars=3_000),
            "is_verified": Column(bool, "whether the writer bought the product here", False),
            "created_at": Column(str, _WRITTEN, MORNING),
        },
        noun="review",
        find="show_product_reviews",
    ),
    "questions": TableSpec(
        {
            "account": Column(int, "the id of the account that asked", refers=ACCOUNTS),
            "product_id": Column(int, _PRODUCT, refers="products"),
            "question": Column(str, "its text", max_chars=500),
            "created_at": Column(str, _WRITTEN, MORNING),
        },
        noun="question",
        find="show_product_questions",
    ),
    "answers": TableSpec(
        {
            "account": Column(int, "the id of the account that answered", refers=ACCOUNTS),
            "question_id": Column(int, "the question's id", refers="questions"),
            "answer": Column(str, "its text"),
            "is_verified": Column(bool, "whether the writer bought the product here", False),
            "created_at": Column(str, _WRITTEN, MORNING),
        },
        noun="answer",
        find="show_product_question_answers",
    ),
}

OWNED = {
    "addresses": TableSpec(
        {
            "account": Column(int, _OWNER, 1, ACCOUNTS),
            "name": Column(str, "what the owner calls it, or who receives there", max_chars=_LINE_CHARS),
            "street_address": Column(str, "street, number and floor", max_chars=_LINE_CHARS),
            "city": Column(str, "city", max_chars=_LINE_CHARS),
            "state": Column(str, "state or region, or empty", "", max_chars=_LINE_CHARS),
            "country": Column(str, "country", max_chars=_LINE_CHARS),
            "zip_code": Column(int, "postal code"),
        },
        noun="address",
        find="show_addresses",
        owner="account",
    ),
    "payment_cards": TableSpec(
        {
            "account": Column(int, _OWNER, 1, ACCOUNTS),
            "card_name": Column(str, "what the owner calls it"),
            "owner_name": Column(str, "the name on the card"),
            "last_digits": Column(str, "the last four digits of its number"),
            "expires": Column(str, "the last month in which it can be used, like 2027-08"),
            "balance": Column(float, "what can still be spent with it, in kroner, two decimals"),
        },
        noun="payment card",
        find="show_payment_cards",
        owner="account",
    ),
    "cart_items": _listed("cart item", "show_cart"),
    "wish_list_items": _listed("wish list item", "show_wish_list"),
    "orders": TableSpec(
        {
            "account": Column(int, _OWNER, 1, ACCOUNTS),
            "placed_at": Column(str, "when it was placed, ISO 8601"),
            "total": Column(float, "what was paid, in kroner, two decimals"),
            "payment_card_id": Column(int, "the card that was charged", refers="payment_cards"),
            "card_last_digits": Column(str, "the last four digits of that card"),
            "address": Column(str, "where it went, in one line"),
            "address_id": Column(int, "the address's id", refers="addresses"),
            "delivery_on": Column(str, "the day on which it arrives, ISO 8601"),
            "product_names": Column(list[str], "the names of what was bought, for searching", []),
        },
        noun="order",
        find="show_orders",
        owner="account",
    ),
    "order_items": TableSpec(
        {
            "account": Column(int, _OWNER, 1, ACCOUNTS),
            "order_id": Column(int, "the order's id", refers="orders"),
            "product_id": Column(int, _PRODUCT, refers="products"),
            "product_name": Column(str, "the product's name"),
            "quantity": Column(int, "how many were bought"),
            "price": Column(float, "what one cost when it was ordered, in kroner, two decimals"),
            "placed_at": Column(str, "when the order was placed, ISO 8601"),
        },
        noun="purchase",
        find="show_product_purchases",
        owner="account",
    ),
    "browsing_history": TableSpec(
        {
            "account": Column(int, _OWNER, 1, ACCOUNTS),
            "product_id": Column(int, _PRODUCT, refers="products"),
            "viewed_at": Column(str, "when it was last looked at, ISO 8601", MORNING),
        },
        noun="visit",
        owner="account",
    ),
}
