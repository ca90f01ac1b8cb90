"""Amazon: signing in, products and their types, sellers, recommendations; each operation and each documented error."""

from __future__ import annotations

from typing import Any

import pytest
from support.amazon import (
    DOUGH_BOWL,
    IDA,
    PER,
    RED_SOCKS,
    SALAD_BOWL,
    SMALL_SOCKS,
    SOLD_OUT_SOCKS,
    STONE_OVEN,
    TIN_OVEN,
    shop,
)
from support.apps import done, refused

from pi_gym.tools import ToolContext

NEEDS_SIGN_IN: dict[str, dict[str, Any]] = {
    "logout": {},
    "show_account": {},
    "show_cart": {},
    "add_product_to_cart": {"product_id": 1},
    "update_product_quantity_in_cart": {"product_id": 3, "quantity": 1},
    "clear_cart": {},
    "show_wish_list": {},
    "add_product_to_wish_list": {"product_id": 1},
    "move_product_from_cart_to_wish_list": {"product_id": 3},
    "move_product_from_wish_list_to_cart": {"product_id": 7},
    "show_addresses": {},
    "add_address": {"name": "x", "street_address": "x", "city": "x", "country": "x", "zip_code": 1},
    "show_payment_cards": {},
    "show_payment_card": {"payment_card_id": 1},
    "place_order": {"payment_card_id": 1, "address_id": 1},
    "show_order": {"order_id": 1},
    "show_orders": {},
    "show_product_purchases": {},
    "show_last_product_purchase": {"product_id": 6},
    "write_product_review": {"product_id": 1, "rating": 5},
    "write_product_question": {"product_id": 1, "question": "x"},
    "add_product_to_browsing_history": {"product_id": 1},
    "show_recommended_products": {},
}


def found(context: ToolContext, **arguments: Any) -> list[int]:
    products = done(context, "amazon__search_products", page_limit=20, **arguments)["products"]
    return [product["product_id"] for product in products]


@pytest.mark.parametrize("operation", NEEDS_SIGN_IN)
def test_nothing_of_an_account_is_open_before_one_signs_in(operation: str) -> None:
    text = refused(shop(who=None), f"amazon__{operation}", **NEEDS_SIGN_IN[operation])
    assert "Sign in first: amazon__login(username, password)" in text


def test_the_catalogue_is_open_to_everybody() -> None:
    context = shop(who=None)
    assert found(context, query="socks")
    for operation in ("show_product", "show_product_reviews", "show_product_questions"):
        done(context, f"amazon__{operation}", product_id=1)
    done(context, "amazon__show_product_question_answers", question_id=1)
    done(context, "amazon__show_seller", seller_id=1)
    done(context, "amazon__search_sellers")
    done(context, "amazon__search_product_types")
    done(context, "amazon__show_product_feature_choices")


def test_login_and_logout_and_what_is_wrong_with_them() -> None:
    context = shop(who=None)
    assert "Wrong password" in refused(context, "amazon__login", username=IDA["username"], password="Oven")
    assert "no account" in refused(context, "amazon__login", username="x@y.example", password="oven")
    assert "Ida Note" in done(context, "amazon__login", **IDA)["message"]
    assert "Signed out" in done(context, "amazon__logout")["message"]
    assert "Sign in first" in refused(context, "amazon__show_cart")


def test_the_account_has_its_numbers_and_no_password() -> None:
    account = done(shop(), "amazon__show_account")
    assert (account["email"], account["orders"], account["payment_cards"]) == (IDA["username"], 2, 3)
    assert [product["product_id"] for product in account["last_viewed"]] == [DOUGH_BOWL, TIN_OVEN]
    assert "oven" not in {account[name] for name in account if isinstance(account[name], str)}


def test_products_are_found_by_words_best_first() -> None:
    context = shop()
    assert found(context, query="rye socks")[:3] == [SMALL_SOCKS, SOLD_OUT_SOCKS, RED_SOCKS]
    assert set(found(context, query="rye")) == {STONE_OVEN, SMALL_SOCKS, SOLD_OUT_SOCKS, RED_SOCKS, DOUGH_BOWL}
    assert found(context, query="oak") == [SALAD_BOWL]
    assert len(found(context)) == 7
    nothing = done(context, "amazon__search_products", query="zeppelin")
    assert (nothing["products"], nothing["total"]) == ([], 0)
    assert "search_product_types" in nothing["message"]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({"product_type": "Ovens"}, {STONE_OVEN, TIN_OVEN}),
        ({"color": "blue"}, {SMALL_SOCKS, SOLD_OUT_SOCKS}),
        ({"color": "Dark Blue", "relative_size": "small"}, {SMALL_SOCKS}),
        ({"relative_size": "extra-large"}, set()),
        ({"min_price": 100.0}, {STONE_OVEN, TIN_OVEN, SALAD_BOWL}),
        ({"max_price": 49.9}, {SMALL_SOCKS, SOLD_OUT_SOCKS, DOUGH_BOWL}),
        ({"min_product_rating": 4.0}, {DOUGH_BOWL, SALAD_BOWL}),
        ({"max_product_rating": 3.5, "min_product_rating": 1.0}, {STONE_OVEN, TIN_OVEN}),
        ({"max_product_rating": 0.0}, {SMALL_SOCKS, SOLD_OUT_SOCKS, RED_SOCKS}),
        ({"min_seller_rating": 3.0}, {STONE_OVEN, SMALL_SOCKS, SOLD_OUT_SOCKS, RED_SOCKS, SALAD_BOWL}),
        ({"max_seller_rating": 3.0}, {TIN_OVEN, DOUGH_BOWL}),
        ({"seller_id": 2, "query": "rye"}, {DOUGH_BOWL}),
    ],
)
def test_filters_keep_what_fits(filters: dict[str, Any], expected: set[int]) -> None:
    assert set(found(shop(), **filters)) == expected


@pytest.mark.parametrize(
    ("sort_by", "first"),
    [
        ("+price", [DOUGH_BOWL, SMALL_SOCKS, SOLD_OUT_SOCKS, RED_SOCKS]),
        ("-price", [STONE_OVEN, TIN_OVEN]),
        ("-rating", [SALAD_BOWL, DOUGH_BOWL, STONE_OVEN, TIN_OVEN]),
        ("+rating", [TIN_OVEN, STONE_OVEN, DOUGH_BOWL, SALAD_BOWL]),
        ("-number_of_reviews", [DOUGH_BOWL, STONE_OVEN]),
        ("+seller_rating", [TIN_OVEN, DOUGH_BOWL]),
        ("delivery_days", [SMALL_SOCKS, SOLD_OUT_SOCKS, RED_SOCKS, DOUGH_BOWL]),
        ("+name", [DOUGH_BOWL, SMALL_SOCKS]),
    ],
)
def test_products_are_sorted(sort_by: str, first: list[int]) -> None:
    assert found(shop(), sort_by=sort_by)[: len(first)] == first


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"sort_by": "-cost"}, "one of: price, rating, number_of_reviews, seller_rating, delivery_days, name"),
        ({"min_price": 5.0, "max_price": 1.0}, "min_price (5) is above max_price (1)"),
        ({"min_product_rating": 5.0, "max_product_rating": 1.0}, "min_product_rating"),
        ({"min_seller_rating": 5.0, "max_seller_rating": 1.0}, "min_seller_rating"),
        ({"product_type": "oven"}, "Close: ovens. amazon__search_product_types finds the names"),
        ({"seller_id": 9}, "amazon__search_sellers finds ids"),
        ({"relative_size": "huge"}, "expected one of"),
        ({"page_limit": 21}, "between 1 and 20"),
        ({"page_index": -1}, "counts pages from 0"),
    ],
)
def test_wrong_filters_are_explained(arguments: dict[str, Any], says: str) -> None:
    assert says in refused(shop(), "amazon__search_products", **arguments)


def test_a_product_is_shown_whole_with_its_variants() -> None:
    product = done(shop(), "amazon__show_product", product_id=SMALL_SOCKS)
    assert (product["price"], product["inventory_quantity"], product["relative_size"]) == (49.9, 20, "small")
    assert product["features"] == ["Material: wool"]
    assert product["seller"] == {"seller_id": 1, "name": "Hot Goods", "rating": 4.5}
    assert (product["rating"], product["number_of_reviews"]) == (None, 0)
    assert [(one["product_id"], one["color"], one["price"]) for one in product["variants"]] == [
        (SOLD_OUT_SOCKS, "dark blue", 49.9),
        (RED_SOCKS, "red", 54.9),
    ]
    alone = done(shop(), "amazon__show_product", product_id=DOUGH_BOWL)
    assert (alone["variants"], alone["rating"], alone["number_of_reviews"]) == ([], 4.33, 3)


@pytest.mark.parametrize(
    ("operation", "more"),
    [
        ("show_product", {}),
        ("show_product_reviews", {}),
        ("show_product_questions", {}),
        ("write_product_review", {"rating": 3}),
        ("write_product_question", {"question": "x"}),
        ("add_product_to_cart", {}),
        ("add_product_to_wish_list", {}),
        ("update_product_quantity_in_cart", {"quantity": 1}),
        ("move_product_from_cart_to_wish_list", {}),
        ("move_product_from_wish_list_to_cart", {}),
        ("show_last_product_purchase", {}),
        ("add_product_to_browsing_history", {}),
        ("show_recommended_products", {}),
    ],
)
@pytest.mark.parametrize("product_id", [99, 0, -1])
def test_products_that_do_not_exist_are_named(operation: str, more: dict[str, Any], product_id: int) -> None:
    text = refused(shop(), f"amazon__{operation}", product_id=product_id, **more)
    assert f"no product with the id {product_id}. amazon__search_products finds ids" in text


def test_product_types_are_found_with_their_numbers() -> None:
    types = done(shop(), "amazon__search_product_types", query="feet")
    assert types["product_types"] == [{"product_type": "socks", "about": "for feet", "number_of_products": 3}]
    assert done(shop(), "amazon__search_product_types")["total"] == 3
    assert "without a query" in done(shop(), "amazon__search_product_types", query="cars")["message"]


def test_feature_choices_are_those_of_the_type() -> None:
    choices = done(shop(), "amazon__show_product_feature_choices", product_type="socks")
    assert choices["colors"] == ["dark blue", "red"]
    assert choices["relative_sizes"] == ["small", "medium"]
    assert choices["features"] == {"Material": ["wool"]}
    everything = done(shop(), "amazon__show_product_feature_choices")
    assert everything["colors"] == ["dark blue", "red", "white"]
    assert "search_product_types" in everything["message"]
    assert "no product type" in refused(shop(), "amazon__show_product_feature_choices", product_type="cars")


def test_sellers_are_found_and_shown() -> None:
    sellers = done(shop(), "amazon__search_sellers", query="slow parcels")["sellers"]
    assert [(seller["seller_id"], seller["rating"]) for seller in sellers] == [(2, 2.5)]
    assert "without a query" in done(shop(), "amazon__search_sellers", query="zeppelin")["message"]
    seller = done(shop(), "amazon__show_seller", seller_id=2)
    assert (seller["number_of_products"], seller["product_types"]) == (2, ["bowls", "ovens"])
    assert "amazon__search_sellers finds ids" in refused(shop(), "amazon__show_seller", seller_id=7)


def recommended(context: ToolContext, **arguments: Any) -> list[tuple[int, str]]:
    products = done(context, "amazon__show_recommended_products", **arguments)["products"]
    return [(product["product_id"], product["why"]) for product in products]


def test_recommended_is_what_the_buyers_bought_as_well_and_then_the_same_type() -> None:
    assert recommended(shop(), product_id=STONE_OVEN) == [
        (DOUGH_BOWL, "bought as well by 1 of its buyers"),
        (SALAD_BOWL, "bought as well by 1 of its buyers"),
        (TIN_OVEN, "also ovens"),
    ]
    # Neither sold out ones nor the product's own variants.
    assert recommended(shop(), product_id=SMALL_SOCKS) == []


def test_recommendations_start_from_the_browsing_history() -> None:
    context = shop()
    assert [key for key, _ in recommended(context)] == [STONE_OVEN, SALAD_BOWL]
    done(context, "amazon__add_product_to_browsing_history", product_id=STONE_OVEN)
    assert STONE_OVEN not in [key for key, _ in recommended(context)]
    other = shop(who={"username": "ada@shop.example", "password": "k1"})
    empty = done(other, "amazon__show_recommended_products")
    assert (empty["total"], "history is empty" in empty["message"]) == (0, True)


def test_a_review_of_the_session_counts_for_recommendations() -> None:
    context = shop(who=PER)
    done(context, "amazon__write_product_review", product_id=SALAD_BOWL, rating=2)
    done(context, "amazon__add_product_to_cart", product_id=RED_SOCKS, clear_cart_first=True)
    done(context, "amazon__place_order", payment_card_id=4, address_id=2)
    assert RED_SOCKS not in dict(recommended(context, product_id=SALAD_BOWL))
    done(context, "amazon__write_product_review", product_id=RED_SOCKS, rating=4)
    assert dict(recommended(context, product_id=SALAD_BOWL))[RED_SOCKS] == "bought as well by 1 of its buyers"


def test_looking_twice_at_a_product_moves_it_to_the_front() -> None:
    context = shop()
    done(context, "amazon__add_product_to_browsing_history", product_id=TIN_OVEN)
    viewed = done(context, "amazon__show_account")["last_viewed"]
    assert [product["product_id"] for product in viewed] == [TIN_OVEN, DOUGH_BOWL]
