"""The shop: a cart at present prices, codes that count for single items, orders that keep what was ordered."""

from __future__ import annotations

from typing import Any

import pytest
from support.phone_hand import StrictPhone


@pytest.fixture
def phone() -> StrictPhone:
    return StrictPhone("Shopping")


@pytest.fixture
def other() -> StrictPhone:
    return StrictPhone("Shopping")


def test_owner_and_agent_buy_alike_and_a_code_counts_for_its_items(phone: StrictPhone, other: StrictPhone) -> None:
    phone.user("view_product", product_id=1)
    phone.user("view_variant", item_id=1)
    assert phone.user("add_to_cart", quantity=2)["total"] == 219.98
    phone.user("remove_item", item_id=1)
    told = phone.user("checkout", discount_code="spring")
    assert phone.screen == "OrderDetailView"
    assert told["total"] == 79.99 + 54.0
    assert [(one["item"], one["quantity"], one["percent"]) for one in told["items"]] == [(3, 2, 10.0), (1, 1, 0.0)]
    assert phone.rows("cart") == {}
    other.agent("add_to_cart", item_id=1, quantity=2)
    other.agent("remove_from_cart", item_id=1)
    other.agent("checkout", discount_code="spring")
    assert phone.state == other.state


def test_an_order_keeps_its_items_as_they_were_ordered(phone: StrictPhone) -> None:
    key = phone.agent("checkout")["order_id"]
    phone.event("update_item", item_id=3, new_price=99.0, new_availability=False)
    told = phone.agent("get_order_details", order_id=key)
    assert (told["total"], told["items"][0]["price"]) == (60.0, 30.0)
    assert phone.agent("get_product_details", product_id=2)["variants"][0]["price"] == 99.0


def test_the_cart_has_present_prices(phone: StrictPhone) -> None:
    phone.event("update_item", item_id=3, new_price=25.0)
    assert phone.agent("list_cart") == phone.user("view_cart")
    assert phone.agent("list_cart")["total"] == 50.0


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("add_to_cart", {"item_id": 1, "quantity": 0}, "between 1 and 1000"),
        ("add_to_cart", {"item_id": 3, "quantity": 999}, "between 1 and 998"),
        ("add_to_cart", {"item_id": 2}, "not available"),
        ("add_to_cart", {"item_id": 9}, "no item with the id 9"),
        ("remove_from_cart", {"item_id": 1}, "not in the cart"),
        ("remove_from_cart", {"item_id": 3, "quantity": 3}, "between 1 and 2"),
        ("checkout", {"discount_code": "WINTER"}, "no discount code 'WINTER'"),
        ("get_discount_code_info", {"discount_code": "WINTER"}, "no discount code 'WINTER'"),
        ("get_discount_code_info", {}, "discount_code is empty"),
        ("search_product", {"product_name": " "}, "product_name is empty"),
        ("list_all_products", {"offset": -1}, "offset"),
        ("cancel_order", {"order_id": 2}, "is delivered"),
        ("cancel_order", {"order_id": 9}, "no order with the id 9"),
    ],
)
def test_an_impossible_thing_is_refused_with_its_reason(
    phone: StrictPhone, name: str, given: dict[str, Any], reason: str
) -> None:
    assert reason in phone.refused("assistant", name, **given)


def test_a_checkout_needs_available_items_and_a_code_that_counts(phone: StrictPhone) -> None:
    phone.user("view_cart")
    phone.event("update_item", item_id=3, new_availability=False)
    assert "'Camping stove' (item 3)" in phone.refused("user", "checkout")
    phone.user("remove_item", item_id=3, quantity=2)
    assert "cart is empty" in phone.refused("user", "checkout")
    phone.agent("add_to_cart", item_id=1)
    assert "counts for nothing in the cart" in phone.refused("user", "checkout", discount_code="SPRING")


def test_a_variant_is_opened_from_its_own_product(phone: StrictPhone) -> None:
    phone.user("view_product", product_id=2)
    assert "no variant of the product 2" in phone.refused("user", "view_variant", item_id=1)


def test_products_are_found_by_words_and_listed_by_pages(phone: StrictPhone) -> None:
    assert [one["product_id"] for one in phone.agent("search_product", product_name="jackets")["products"]] == [1]
    told = phone.user("list_products", offset=1, limit=1)
    assert told == {
        "products": [{"product_id": 2, "name": "Camping stove", "variants": 1, "price_from": 30.0}],
        "total": 2,
    }


def test_orders_are_listed_newest_first(phone: StrictPhone) -> None:
    assert phone.agent("list_orders") == phone.user("list_orders")
    assert [one["order_id"] for one in phone.agent("list_orders")["orders"]] == [1, 2]
    assert phone.user("view_order", order_id=1) == phone.user("view_order")


def test_codes_are_told_with_their_items(phone: StrictPhone) -> None:
    phone.event("add_discount_code", item_id=1, discount_code={"SPRING": 5.0})
    items = [
        {"item_id": 3, "name": "Camping stove", "percent": 10.0},
        {"item_id": 1, "name": "Rain jacket", "percent": 5.0},
    ]
    assert phone.agent("get_discount_code_info", discount_code="spring")["items"] == items
    assert phone.agent("get_all_discount_codes") == {"discount_codes": [{"discount_code": "SPRING", "items": items}]}


@pytest.mark.parametrize(
    ("name", "given", "short", "whole"),
    [
        (
            "add_product",
            {"name": "Head lamp"},
            "New in the shop: Head lamp",
            "New in the shop: Head lamp (product 500001).",
        ),
        (
            "add_item_to_product",
            {"product_id": 2, "price": 35.0, "options": {"burners": "2"}, "available": False},
            "New variant of Camping stove: 35.00",
            "New variant of Camping stove (product 2): item 500001 (burners: 2), 35.00, not available.",
        ),
        (
            "update_item",
            {"item_id": 3, "new_price": 25.0},
            "Camping stove is now 25.00",
            "Camping stove (item 3 of product 2) is now 25.00 instead of 30.00.",
        ),
        (
            "update_item",
            {"item_id": 2, "new_availability": True},
            "Rain jacket is now available",
            "Rain jacket (color: blue, size: M) (item 2 of product 1) is now available.",
        ),
        (
            "add_discount_code",
            {"item_id": 3, "discount_code": {"CAMP": 12.5}},
            "Discount on Camping stove: CAMP",
            "Discount on Camping stove (item 3 of product 2), 30.00: CAMP takes off 12.5 %.",
        ),
        (
            "update_order_status",
            {"order_id": 1, "status": "out_for_delivery"},
            "Order 1 is now out for delivery",
            "Order 1 is now out for delivery (placed 2026-05-01T12:00:00, total 79.99: 1 × Rain jacket (color: red)).",
        ),
        (
            "cancel_order",
            {"order_id": 1},
            "Order 1 was cancelled by the shop",
            "Order 1 was cancelled by the shop (placed 2026-05-01T12:00:00, total 79.99:"
            " 1 × Rain jacket (color: red)).",
        ),
    ],
)
def test_an_event_is_shown_short_and_whole(
    phone: StrictPhone, name: str, given: dict[str, Any], short: str, whole: str
) -> None:
    before = phone.state
    notice = phone.event(name, **given)
    assert (notice.short, notice.whole) == (short, whole)
    assert phone.state != before


@pytest.mark.parametrize(
    ("name", "given", "reason"),
    [
        ("add_product", {"name": ""}, "name is empty"),
        ("add_item_to_product", {"product_id": 9, "price": 1.0}, "no product with the id 9"),
        ("add_item_to_product", {"product_id": 1, "price": -1.0}, "price must be"),
        ("update_item", {"item_id": 9, "new_price": 1.0}, "no item with the id 9"),
        ("update_item", {"item_id": 1}, "Nothing to change"),
        ("add_discount_code", {"item_id": 1, "discount_code": {}}, "discount_code is empty"),
        ("add_discount_code", {"item_id": 1, "discount_code": {"ALL": 101.0}}, "0 to 100 %"),
        ("update_order_status", {"order_id": 9}, "no order with the id 9"),
    ],
)
def test_an_impossible_event_does_not_happen(phone: StrictPhone, name: str, given: dict[str, Any], reason: str) -> None:
    assert reason in phone.refused("event", name, **given)
    assert phone.notices == []


def test_a_code_that_comes_again_counts_with_its_new_percent(phone: StrictPhone) -> None:
    phone.event("add_discount_code", item_id=3, discount_code={"spring": 20})
    assert phone.agent("get_discount_code_info", discount_code="SPRING")["items"][0]["percent"] == 20.0
    assert len(phone.rows("discount_codes")) == 1


def test_a_cancelled_order_stays_cancelled(phone: StrictPhone, other: StrictPhone) -> None:
    phone.agent("cancel_order", order_id=1)
    other.event("cancel_order", order_id=1)
    assert phone.state == other.state
    assert "is cancelled" in phone.refused("event", "update_order_status", order_id=1)
    assert "is cancelled" in phone.refused("assistant", "cancel_order", order_id=1)
