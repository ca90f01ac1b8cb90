"""The seed world of Amazon: enough of it, coherent with the people and what happened to them, and worth searching."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.apps import app_context, done

from pi_gym import load_pack
from pi_gym.tools import ToolContext

SEEDS = Path(__file__).parents[2] / "envs" / "researcher" / "world"
NORA = 1
FIRST_SESSION = "2026-03-02"
CAPACITY = re.compile(r"([\d,.]+) (?:mAh|lumen|GB|TB)\b")
SIZES = {"", "extra-small", "small", "medium", "large", "extra-large"}


@cache
def world() -> dict[str, dict[int, Any]]:
    return load_pack("researcher").app_seeds.rows("amazon")


def nora() -> ToolContext:
    context = app_context("amazon", pack=load_pack("researcher"), clock=f"{FIRST_SESSION}T09:00:00")
    account = next(one for one in load_pack("researcher").persona.accounts if one.app == "amazon")
    done(context, "amazon__login", username=account.username, password=account.password)
    return context


def test_there_is_enough_to_search() -> None:
    counts = {table: len(rows) for table, rows in world().items()}
    assert counts["products"] >= 420
    assert counts["product_types"] >= 30
    assert 40 <= counts["sellers"] <= 60
    assert counts["reviews"] >= 2_500
    assert counts["questions"] >= 450
    assert counts["answers"] > counts["questions"]


def test_products_are_whole() -> None:
    tables = world()
    types = {row["name"] for row in tables["product_types"].values()}
    sold = Counter(row["product_type"] for row in tables["products"].values())
    assert set(sold) == types
    assert {row["seller_id"] for row in tables["products"].values()} == set(tables["sellers"])
    for key, row in tables["products"].items():
        assert row["price"] > 0
        assert row["price"] == round(row["price"], 2)
        assert row["relative_size"] in SIZES
        assert row["description"].endswith(".")
        assert len(row["features"]) >= 3
        assert all(": " in fact for fact in row["features"]), key
    stock = [row["inventory_quantity"] for row in tables["products"].values()]
    assert 15 <= stock.count(0) <= 50
    assert sum(1 <= number <= 4 for number in stock) >= 30


def test_variants_differ_in_colour_size_or_name_and_name_each_other() -> None:
    products = world()["products"]
    variants = [(row["name"], row["color"], row["relative_size"]) for row in products.values()]
    assert len(set(variants)) == len(variants)
    families = Counter(row["family"] for row in products.values() if row["family"])
    assert min(families.values()) > 1
    for family in families:
        assert products[family]["family"] == family
        assert len({row["product_type"] for row in products.values() if row["family"] == family}) == 1


def test_reviews_are_one_an_account_and_product_and_none_like_another() -> None:
    reviews = world()["reviews"].values()
    pairs = [(row["account"], row["product_id"]) for row in reviews]
    assert len(set(pairs)) == len(pairs)
    texts = [row["text"] for row in reviews]
    assert len(set(texts)) == len(texts)
    assert all(1 <= row["rating"] <= 5 and row["created_at"] < FIRST_SESSION for row in reviews)
    stars = Counter(row["rating"] for row in reviews)
    assert min(stars.values()) >= 40


def test_answers_come_after_their_questions() -> None:
    questions = world()["questions"]
    for row in world()["answers"].values():
        assert questions[row["question_id"]]["created_at"] < row["created_at"] < FIRST_SESSION
        assert questions[row["question_id"]]["account"] != row["account"]


def test_noras_orders_are_those_of_her_life() -> None:
    life = yaml.safe_load((SEEDS / "life.yaml").read_text("utf-8"))
    tables = world()
    expected = sorted(
        (order["date"], item["product"], item["price"], item["quantity"], item.get("size", ""))
        for order in life["orders"]
        for item in order["items"]
    )
    items = [row for row in tables["order_items"].values() if row["account"] == NORA]
    found = sorted(
        (
            row["placed_at"][:10],
            row["product_name"],
            row["price"],
            row["quantity"],
            tables["products"][row["product_id"]]["relative_size"],
        )
        for row in items
    )
    assert found == expected
    assert sum(row["account"] == NORA for row in tables["orders"].values()) == len(life["orders"])


def test_orders_add_up() -> None:
    tables = world()
    for key, order in tables["orders"].items():
        items = [row for row in tables["order_items"].values() if row["order_id"] == key]
        assert round(order["total"] * 100) == sum(round(row["price"] * 100) * row["quantity"] for row in items)
        assert order["product_names"] == [row["product_name"] for row in items]
        assert {row["account"] for row in items} == {order["account"]}
        card = tables["payment_cards"][order["payment_card_id"]]
        assert (card["account"], card["last_digits"]) == (order["account"], order["card_last_digits"])
        assert order["placed_at"][:7] <= card["expires"]
        assert order["placed_at"][:10] < order["delivery_on"] < FIRST_SESSION


def test_reviews_are_verified_where_the_writer_ordered() -> None:
    tables = world()
    people = {key for key in tables["accounts"] if key < 100}
    bought: dict[tuple[int, int], str] = {}
    for row in tables["order_items"].values():
        bought.setdefault((row["account"], row["product_id"]), row["placed_at"])
    own = [row for row in tables["reviews"].values() if row["account"] in people]
    assert sum(row["account"] == NORA for row in own) >= 5
    for row in own:
        ordered = bought.get((row["account"], row["product_id"]))
        assert row["is_verified"] == (ordered is not None)
        assert ordered is None or ordered < row["created_at"]


def test_the_accounts_are_the_people_and_strangers_apart() -> None:
    people = {one["email"]: one for one in yaml.safe_load((SEEDS / "people.yaml").read_text("utf-8")).values()}
    for key, row in world()["accounts"].items():
        assert row["email"].endswith(".example")
        assert (row["email"] in people) == (key < 100)
        if key < 100:
            assert row["first_name"] == people[row["email"]]["first_name"]
    emails = [row["email"] for row in world()["accounts"].values()]
    assert len(set(emails)) == len(emails)


def test_nora_can_shop_at_the_first_session() -> None:
    context = nora()
    cards = done(context, "amazon__show_payment_cards")["payment_cards"]
    assert [card["is_expired"] for card in cards] == [False, True, False]
    cart = done(context, "amazon__show_cart")
    assert "message" not in cart
    assert cards[2]["balance"] < cart["total"] < cards[0]["balance"]
    assert any(item["inventory_quantity"] == 0 for item in done(context, "amazon__show_wish_list")["wish_list_items"])
    done(context, "amazon__place_order", payment_card_id=cards[0]["payment_card_id"], address_id=1)
    assert done(context, "amazon__show_recommended_products")["total"] > 10


@pytest.mark.parametrize(
    ("query", "first"),
    [
        ("headphones closed", "Over-ear headphones, closed"),
        ("silk liner", "Sleeping bag liner, silk"),
        ("poster tube", "Poster tube with strap, 95 cm"),
        ("fragrance-free washing powder", "Washing powder, fragrance-free, 2 kg"),
        ("quiet kettle", "Quiet kettle, 1.5 l"),
        ("lighthouse novel", "The Lighthouse Keeper's Inventory"),
        ("nickel-free pot", "Camping pot set, titanium"),
        ("left hand mouse", "Vertical mouse, left hand"),
    ],
)
def test_products_are_found(query: str, first: str) -> None:
    products = done(nora(), "amazon__search_products", query=query, page_limit=3)["products"]
    assert first in [product["name"] for product in products]


def test_reviews_tell_what_the_description_does_not() -> None:
    context = nora()
    boxes = done(context, "amazon__search_products", query="lunch box two compartments", page_limit=3)["products"]
    leaks = [
        done(context, "amazon__show_product_reviews", product_id=box["product_id"], query="leaks")["total"]
        for box in boxes
    ]
    assert sum(leaks) >= 2
    socks = done(context, "amazon__search_products", product_type="base layers", relative_size="medium")["products"]
    fits = [
        done(context, "amazon__show_product_reviews", product_id=one["product_id"], query="size small tight")["total"]
        for one in socks
    ]
    assert sum(fits) >= 3


def test_descriptions_do_not_contradict_the_capacity() -> None:
    # Variants share their description, so what differs between them must stand in the features only.
    for row in world()["products"].values():
        said, known = CAPACITY.findall(row["description"]), CAPACITY.findall(" ".join(row["features"]))
        assert not known or set(said) <= set(known), row["name"]
