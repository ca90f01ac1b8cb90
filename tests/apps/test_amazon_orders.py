"""Amazon: cart, wish list, addresses, cards, orders, purchases; each operation and each documented error."""

from __future__ import annotations

from typing import Any

import pytest
from support.amazon import (
    ADDRESS,
    ADDRESS_OF_PER,
    CARD,
    CARD_OF_PER,
    DOUGH_BOWL,
    EXPIRED_CARD,
    PER,
    RED_SOCKS,
    SALAD_BOWL,
    SMALL_CARD,
    SMALL_SOCKS,
    SOLD_OUT_SOCKS,
    STONE_OVEN,
    cart,
    rows,
    shop,
    wish_list,
)
from support.apps import done, refused

from pi_gym.tools import ToolContext


def order(context: ToolContext, card: int = CARD, address: int = ADDRESS) -> Any:
    return done(context, "amazon__place_order", payment_card_id=card, address_id=address)


def test_the_cart_has_todays_prices_and_a_total() -> None:
    context = shop()
    shown = done(context, "amazon__show_cart")
    (item,) = shown["cart_items"]
    assert (item["product_id"], item["quantity"], item["price"], item["subtotal"]) == (SMALL_SOCKS, 2, 49.9, 99.8)
    assert (item["inventory_quantity"], shown["total"]) == (20, 99.8)
    added = done(context, "amazon__add_product_to_cart", product_id=DOUGH_BOWL, quantity=3)
    assert (added["products_in_cart"], added["total"]) == (2, 100.1)


def test_adding_counts_on_top_of_what_is_there() -> None:
    context = shop()
    done(context, "amazon__add_product_to_cart", product_id=SMALL_SOCKS, quantity=3)
    assert cart(context) == {SMALL_SOCKS: 5}
    done(context, "amazon__add_product_to_cart", product_id=STONE_OVEN, clear_cart_first=True)
    assert cart(context) == {STONE_OVEN: 1}
    assert cart(shop(who=PER)) == {SALAD_BOWL: 1}


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"product_id": SOLD_OUT_SOCKS}, "Rye socks (dark blue, medium) is out of stock"),
        ({"product_id": STONE_OVEN, "quantity": 4}, "Only 3 of Stone oven are in stock; 4 are not possible"),
        ({"product_id": SMALL_SOCKS, "quantity": 19}, "Only 20 of Rye socks (dark blue, small) are in stock, 2"),
        ({"product_id": STONE_OVEN, "quantity": 0}, "quantity must be between 1 and 1000, not 0"),
        ({"product_id": STONE_OVEN, "quantity": 4, "clear_cart_first": True}, "Only 3"),
    ],
)  # fmt: skip
def test_what_cannot_be_put_into_the_cart_is_explained(arguments: dict[str, Any], says: str) -> None:
    assert says in refused(shop(), "amazon__add_product_to_cart", **arguments)


def test_the_quantity_in_the_cart_is_set() -> None:
    context = shop()
    done(context, "amazon__update_product_quantity_in_cart", product_id=SMALL_SOCKS, quantity=20)
    assert cart(context) == {SMALL_SOCKS: 20}
    done(context, "amazon__update_product_quantity_in_cart", product_id=SMALL_SOCKS, quantity=0)
    assert "The cart is empty" in done(context, "amazon__show_cart")["message"]


@pytest.mark.parametrize(
    ("product_id", "quantity", "says"),
    [
        (SMALL_SOCKS, 21, "Only 20 of Rye socks"),
        (SMALL_SOCKS, -1, "quantity must be between 1 and 1000"),
        (STONE_OVEN, 1, "Stone oven is not in your cart; amazon__show_cart shows what is"),
        (SALAD_BOWL, 1, "is not in your cart"),
    ],
)
def test_quantities_that_cannot_be_set_are_explained(product_id: int, quantity: int, says: str) -> None:
    assert says in refused(shop(), "amazon__update_product_quantity_in_cart", product_id=product_id, quantity=quantity)


def test_the_cart_is_cleared() -> None:
    context = shop()
    assert "1 item(s) taken out" in done(context, "amazon__clear_cart")["message"]
    assert "empty already" in done(context, "amazon__clear_cart")["message"]
    assert cart(context) == {}
    assert [row["account"] for row in rows(context.world, "cart_items").values()] == [2]


def test_the_wish_list_takes_what_is_sold_out() -> None:
    context = shop()
    done(context, "amazon__add_product_to_wish_list", product_id=SOLD_OUT_SOCKS, quantity=2)
    assert wish_list(context) == {SALAD_BOWL: 6, SOLD_OUT_SOCKS: 2}
    assert done(context, "amazon__show_wish_list")["total"] == 819.8
    done(context, "amazon__add_product_to_wish_list", product_id=STONE_OVEN, clear_wish_list_first=True)
    assert wish_list(context) == {STONE_OVEN: 1}
    assert "quantity must be" in refused(context, "amazon__add_product_to_wish_list", product_id=1, quantity=0)
    assert "At most 1000" in refused(context, "amazon__add_product_to_wish_list", product_id=1, quantity=1000)


def test_products_move_between_cart_and_wish_list() -> None:
    context = shop()
    done(context, "amazon__move_product_from_cart_to_wish_list", product_id=SMALL_SOCKS, quantity=1)
    assert (cart(context), wish_list(context)) == ({SMALL_SOCKS: 1}, {SALAD_BOWL: 6, SMALL_SOCKS: 1})
    done(context, "amazon__move_product_from_cart_to_wish_list", product_id=SMALL_SOCKS)
    assert (cart(context), wish_list(context)) == ({}, {SALAD_BOWL: 6, SMALL_SOCKS: 2})
    done(context, "amazon__move_product_from_wish_list_to_cart", product_id=SALAD_BOWL, quantity=5)
    done(context, "amazon__move_product_from_wish_list_to_cart", product_id=SMALL_SOCKS)
    assert (cart(context), wish_list(context)) == ({SALAD_BOWL: 5, SMALL_SOCKS: 2}, {SALAD_BOWL: 1})
    done(context, "amazon__move_product_from_cart_to_wish_list", product_id=SALAD_BOWL)
    done(context, "amazon__move_product_from_cart_to_wish_list", product_id=SMALL_SOCKS)
    done(context, "amazon__add_product_to_wish_list", product_id=STONE_OVEN, clear_wish_list_first=True)
    done(context, "amazon__move_product_from_wish_list_to_cart", product_id=STONE_OVEN)
    assert "wish list is empty" in done(context, "amazon__show_wish_list")["message"]


@pytest.mark.parametrize(
    ("direction", "product_id", "quantity", "says"),
    [
        ("cart_to_wish_list", SMALL_SOCKS, 3, "Your cart has 2 of Rye socks (dark blue, small), not 3"),
        ("cart_to_wish_list", STONE_OVEN, 1, "not in your cart"),
        ("cart_to_wish_list", SMALL_SOCKS, -1, "quantity must be"),
        ("wish_list_to_cart", SALAD_BOWL, 7, "Your wish list has 6 of Salad bowl, not 7"),
        ("wish_list_to_cart", SALAD_BOWL, 0, "Only 5 of Salad bowl are in stock"),
        ("wish_list_to_cart", STONE_OVEN, 1, "not in your wish list; amazon__show_wish_list shows what is"),
    ],
)
def test_moves_that_cannot_be_done_are_explained(direction: str, product_id: int, quantity: int, says: str) -> None:
    text = refused(shop(), f"amazon__move_product_from_{direction}", product_id=product_id, quantity=quantity)
    assert says in text


def test_addresses_are_added_and_shown() -> None:
    context = shop()
    given = {"street_address": " Quay  5 ", "city": "Rye", "country": "Norway", "zip_code": 1002}
    made = done(context, "amazon__add_address", name="Stall", **given)
    assert made["message"] == "Address added: Quay 5, 1002 Rye, Norway."
    shown = done(context, "amazon__show_addresses")["addresses"]
    assert [(one["address_id"], one["name"]) for one in shown] == [(1, "Bakery"), (made["address_id"], "Stall")]
    assert "account" not in shown[0]
    again = refused(context, "amazon__add_address", name="Other name", **{**given, "city": "RYE"})
    assert f"already, as 'Stall' (address_id {made['address_id']})" in again
    stranger = shop(who={"username": "ada@shop.example", "password": "k1"})
    assert "add_address" in done(stranger, "amazon__show_addresses")["message"]
    assert "no payment cards" in done(stranger, "amazon__show_payment_cards")["message"]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"city": " ", "name": ""}, "An address needs a name and a city"),
        ({"zip_code": 0}, "zip_code must be a postal code"),
        ({"zip_code": 123_456_789}, "at most eight digits"),
        ({"city": "y" * 201, "state": "z" * 201}, "The city of the address would have 201 characters; at most 200"),
    ],
)
def test_incomplete_addresses_are_explained(change: dict[str, Any], says: str) -> None:
    given = {"name": "x", "street_address": "x 1", "city": "y", "country": "z", "zip_code": 5}
    assert says in refused(shop(), "amazon__add_address", **{**given, **change})


def test_cards_show_whether_they_can_be_used() -> None:
    cards = done(shop(), "amazon__show_payment_cards")["payment_cards"]
    assert [(one["payment_card_id"], one["is_expired"]) for one in cards] == [
        (CARD, False),
        (EXPIRED_CARD, True),
        (SMALL_CARD, False),
    ]
    card = done(shop("2026-02-01T00:00:00"), "amazon__show_payment_card", payment_card_id=SMALL_CARD)
    assert (card["last_digits"], card["balance"], card["is_expired"]) == ("3333", 50.0, True)
    text = refused(shop(), "amazon__show_payment_card", payment_card_id=CARD_OF_PER)
    assert "no payment card with the id 4. amazon__show_payment_cards finds ids" in text


def test_an_order_charges_the_card_takes_the_stock_and_empties_the_cart() -> None:
    context = shop("2026-01-05T09:00:00")
    done(context, "amazon__add_product_to_cart", product_id=STONE_OVEN)
    made = order(context)
    assert (made["total"], made["delivery_on"]) == (1099.3, "2026-01-10")
    assert "2 x Rye socks (dark blue, small), 1 x Stone oven" in made["message"]
    shown = done(context, "amazon__show_order", order_id=made["order_id"])
    assert [(one["product_id"], one["quantity"], one["price"], one["subtotal"]) for one in shown["order_items"]] == [
        (SMALL_SOCKS, 2, 49.9, 99.8),
        (STONE_OVEN, 1, 999.5, 999.5),
    ]
    assert (shown["address"], shown["card_last_digits"]) == ("Mill Lane 1, 1000 Rye, Norway", "1111")
    assert (shown["placed_at"], shown["status"]) == ("2026-01-05T09:00:00", "on its way")
    assert cart(context) == {}
    assert done(context, "amazon__show_payment_card", payment_card_id=CARD)["balance"] == 900.7
    assert done(context, "amazon__show_product", product_id=STONE_OVEN)["inventory_quantity"] == 2
    assert done(context, "amazon__show_product", product_id=SMALL_SOCKS)["inventory_quantity"] == 18
    assert done(context, "amazon__write_product_review", product_id=SMALL_SOCKS, rating=4)["is_verified"]


@pytest.mark.parametrize(
    ("card", "address", "says"),
    [
        (99, ADDRESS, "no payment card with the id 99. amazon__show_payment_cards finds ids"),
        (CARD_OF_PER, ADDRESS, "no payment card with the id 4"),
        (EXPIRED_CARD, ADDRESS, "Old card (ending in 2222) expired: its last month was 2025-12"),
        (SMALL_CARD, ADDRESS, "Small card (ending in 3333) has 50.00 kroner left, and the order costs 99.80"),
        (CARD, 99, "no address with the id 99. amazon__show_addresses finds ids"),
        (CARD, ADDRESS_OF_PER, "no address with the id 2"),
    ],
)
def test_orders_that_cannot_be_placed_change_nothing(card: int, address: int, says: str) -> None:
    assert says in refused(shop(), "amazon__place_order", payment_card_id=card, address_id=address)


def test_an_empty_cart_cannot_be_ordered() -> None:
    context = shop()
    done(context, "amazon__clear_cart")
    text = refused(context, "amazon__place_order", payment_card_id=CARD, address_id=ADDRESS)
    assert "The cart is empty" in text


def test_what_others_bought_meanwhile_is_noticed() -> None:
    context = shop()
    done(context, "amazon__add_product_to_cart", product_id=RED_SOCKS, quantity=2, clear_cart_first=True)
    done(context, "amazon__login", **PER)
    done(context, "amazon__add_product_to_cart", product_id=RED_SOCKS, clear_cart_first=True)
    order(context, CARD_OF_PER, ADDRESS_OF_PER)
    done(context, "amazon__login", username="ida@notes.example", password="oven")
    assert "Fewer in stock than in the cart: Rye socks" in done(context, "amazon__show_cart")["message"]
    text = refused(context, "amazon__place_order", payment_card_id=CARD, address_id=ADDRESS)
    assert "Only 1 of Rye socks (red, medium) are in stock; 2 are not possible" in text


def test_a_card_can_be_spent_to_the_last_cent() -> None:
    context = shop()
    done(context, "amazon__add_product_to_cart", product_id=DOUGH_BOWL, quantity=500, clear_cart_first=True)
    order(context, SMALL_CARD)
    assert done(context, "amazon__show_payment_card", payment_card_id=SMALL_CARD)["balance"] == 0.0
    assert done(context, "amazon__show_product", product_id=DOUGH_BOWL)["inventory_quantity"] == 0


def with_cart_rows(context: ToolContext, *quantities: int) -> None:
    """Put further rows of the same socks into the cart, as a task's rows may."""
    database = context.world.apps["amazon"]
    table = database.table("cart_items")
    for key, quantity in enumerate(quantities, start=901):
        table = table.insert(key, {**rows(context.world, "cart_items")[1], "quantity": quantity})
    context.world.put_app("amazon", database.put("cart_items", table))


def test_a_product_that_is_twice_in_the_cart_is_taken_twice_from_the_stock() -> None:
    context = shop()
    with_cart_rows(context, 18)
    order(context)
    assert rows(context.world, "products")[SMALL_SOCKS]["inventory_quantity"] == 0
    short = shop()
    with_cart_rows(short, 19)
    text = refused(short, "amazon__place_order", payment_card_id=CARD, address_id=ADDRESS)
    assert "Only 18 of Rye socks" in text


def test_orders_are_listed_newest_first_and_only_ones_own() -> None:
    context = shop()
    listed = done(context, "amazon__show_orders")["orders"]
    assert [(one["order_id"], one["status"]) for one in listed] == [(2, "delivered"), (1, "delivered")]
    by_total = done(context, "amazon__show_orders", sort_by="+total")["orders"]
    assert [one["order_id"] for one in by_total] == [1, 2]
    assert [one["order_id"] for one in done(context, "amazon__show_orders", query="oven")["orders"]] == [2]
    assert "without a query" in done(context, "amazon__show_orders", query="salad")["message"]
    assert "one of: placed_at, total" in refused(context, "amazon__show_orders", sort_by="price")
    text = refused(context, "amazon__show_order", order_id=3)
    assert "no order with the id 3. amazon__show_orders finds ids" in text
    early = done(shop("2026-01-03T09:00:00"), "amazon__show_order", order_id=2)
    assert (early["status"], early["delivery_on"]) == ("on its way", "2026-01-04")


def test_purchases_are_listed_product_by_product() -> None:
    context = shop()
    bought = done(context, "amazon__show_product_purchases")["purchases"]
    assert [(one["product_id"], one["order_id"]) for one in bought] == [
        (STONE_OVEN, 2),
        (DOUGH_BOWL, 2),
        (DOUGH_BOWL, 1),
    ]
    by_price = done(context, "amazon__show_product_purchases", sort_by="+price")["purchases"]
    assert [one["price"] for one in by_price] == [0.1, 0.2, 950.0]
    bowls = done(context, "amazon__show_product_purchases", query="bowl")["purchases"]
    assert [one["product_id"] for one in bowls] == [DOUGH_BOWL, DOUGH_BOWL]
    assert "matches" in done(context, "amazon__show_product_purchases", query="salad")["message"]
    stranger = shop(who={"username": "ada@shop.example", "password": "k1"})
    assert "bought nothing" in done(stranger, "amazon__show_product_purchases")["message"]
    assert "No orders yet" in done(stranger, "amazon__show_orders")["message"]
    assert "one of: placed_at" in refused(context, "amazon__show_product_purchases", sort_by="x")


def test_the_last_purchase_has_the_price_then_and_today() -> None:
    last = done(shop(), "amazon__show_last_product_purchase", product_id=STONE_OVEN)
    assert (last["price"], last["price_today"], last["order_id"], last["times_bought"]) == (950.0, 999.5, 2, 1)
    twice = done(shop(), "amazon__show_last_product_purchase", product_id=DOUGH_BOWL)
    assert (twice["order_id"], twice["times_bought"]) == (2, 2)
    text = refused(shop(), "amazon__show_last_product_purchase", product_id=SALAD_BOWL)
    assert "You have not bought Salad bowl; amazon__show_product_purchases lists" in text
