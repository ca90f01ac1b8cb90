"""The seed world of Amazon: a catalogue with reviews and questions that all personas share, and Nora's own shopping.

Products lie in seeds/amazon/*.yaml, everything else in seeds/amazon.yaml. A product of the seeds becomes one row for
each of its colours, sizes and further versions. Reviews are put together from what the seeds say in praise and in
blame of the product and of its type, so that several buyers tell of the same fault, each in other company.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from worlds.amazon_shop.products import FIRST_STRANGER, Row, Seeds, product_types, sellers, strangers, variants
from worlds.amazon_shop.questions import questions_and_answers
from worlds.amazon_shop.reviews import reviews
from worlds.amazon_shop.times import later, moment

from pi_gym.seeding import Stream

FIRST_OWN = 50_001


def shared(seeds: Seeds, stream: Stream) -> dict[str, list[Row]]:
    """The catalogue: product types, sellers, products, the people who write, their reviews, questions and answers.

    Args:
        seeds: the content of seeds/amazon.yaml.
        stream: for everything that is drawn.
    """
    types = product_types()
    products = variants(seeds, types, stream)
    accounts = strangers(seeds, stream)
    people = [row["id"] for row in accounts]
    questions, answers = questions_and_answers(seeds, products, people, stream)
    named = [{"id": number, "name": kind["type"], "about": kind["about"]} for number, kind in enumerate(types, start=1)]
    return {
        "accounts": accounts,
        "product_types": named,
        "sellers": sellers(seeds, stream),
        "products": [product["row"] for product in products],
        "reviews": list(reviews(seeds, products, people, stream)),
        "questions": questions,
        "answers": answers,
    }


def tables(
    seeds: Seeds, people: Mapping[str, Mapping[str, Any]], life: Mapping[str, Any], stream: Stream
) -> dict[str, list[Row]]:
    """The persona's own tables: accounts of the people, orders as in life.yaml, and what they wrote and wish for.

    Args:
        seeds: the content of seeds/amazon.yaml.
        people: by key, from seeds/people.yaml.
        life: from seeds/life.yaml; its orders are Nora's.
        stream: for everything that is drawn.
    """
    rows = [product["row"] for product in variants(seeds, product_types(), stream)]
    numbers = {key: number for number, key in enumerate(seeds["accounts"], start=1)}
    accounts = [
        {"id": numbers[key],
         **{name: people[key][name] for name in ("first_name", "last_name", "email", "phone_number")},
         "password": password}
        for key, password in seeds["accounts"].items()
    ]  # fmt: skip
    addresses = _numbered({**row, "account": numbers[row["account"]]} for row in seeds["addresses"])
    holders = {row["id"]: f"{row['first_name']} {row['last_name']}" for row in accounts}
    cards = _numbered(
        {**row, "account": numbers[row["account"]], "owner_name": holders[numbers[row["account"]]]}
        for row in seeds["cards"]
    )
    placed = [{**order, "account": "nora"} for order in life["orders"]] + seeds["other_orders"]
    placed.sort(key=lambda order: order["date"])
    orders: list[Row] = []
    items: list[Row] = []
    for number, order in enumerate(placed, start=1):
        bought = [(item, _find(seeds, rows, item)) for item in order["items"]]
        orders.append(_order(seeds, number, order, bought, numbers, addresses, cards, stream))
        items += [
            {"account": orders[-1]["account"], "order_id": number, "product_id": product["id"],
             "product_name": product["name"], "quantity": item["quantity"], "price": item["price"],
             "placed_at": orders[-1]["placed_at"]}
            for item, product in bought
        ]  # fmt: skip

    def dated(what: str, row: Mapping[str, Any], column: str) -> Row:
        key = _find(seeds, rows, row)["id"]
        account = numbers[row.get("account", "nora")]
        return {"account": account, "product_id": key, column: moment(row["date"], stream.child(what, row["product"]))}

    owned = {(item["account"], item["product_id"]) for item in items}
    written = []
    for row in seeds["reviews"]:
        place = dated("own review", row, "created_at")
        verified = (place["account"], place["product_id"]) in owned
        written.append({**place, "rating": row["rating"], "title": row["title"], "text": row["text"],
                        "is_verified": verified})  # fmt: skip
    questions, answers = [], []
    count = seeds["reviewers"]["count"]
    for row in seeds["questions"]:
        question = {**dated("own question", row, "created_at"), "question": row["question"]}
        questions.append(question)
        for text in row["answers"]:
            own = stream.child("own answer", text)
            answers.append(
                {"account": FIRST_STRANGER + own.integer(0, count - 1), "question_id": FIRST_OWN + len(questions) - 1,
                 "answer": text, "is_verified": True, "created_at": later(question["created_at"], own)}
            )  # fmt: skip

    def listed(what: str) -> list[Row]:
        return _numbered({**dated(what, row, "added_at"), "quantity": row["quantity"]} for row in seeds[what])

    return {
        "accounts": accounts,
        "addresses": addresses,
        "payment_cards": cards,
        "orders": orders,
        "order_items": _numbered(items),
        "reviews": _numbered(written, FIRST_OWN),
        "questions": _numbered(questions, FIRST_OWN),
        "answers": _numbered(answers, FIRST_OWN),
        "wish_list_items": listed("wishes"),
        "cart_items": listed("cart"),
        "browsing_history": _numbered(dated("visit", row, "viewed_at") for row in seeds["visits"]),
    }


def _numbered(rows: Iterable[Mapping[str, Any]], first: int = 1) -> list[Row]:
    return [{"id": number, **row} for number, row in enumerate(rows, start=first)]


def _find(seeds: Seeds, rows: list[Row], wanted: Mapping[str, Any]) -> Row:
    """The product of a name; its colour is that of the entry or, where it has none, that of `colors`."""
    name = wanted["product"]
    color = wanted.get("color", seeds["colors"].get(name, ""))
    size = wanted.get("size", "")
    found = [row for row in rows if (row["name"], row["color"], row["relative_size"]) == (name, color, size)]
    assert len(found) == 1, f"{name!r} {color!r} {size!r}: {len(found)} products"
    return found[0]


def _order(
    seeds: Seeds, number: int, order: Row, bought: list[tuple[Row, Row]], numbers: Mapping[str, int],
    addresses: list[Row], cards: list[Row], stream: Stream,
) -> Row:  # fmt: skip
    account = numbers[order["account"]]
    own_cards = [card for card in cards if card["account"] == account]
    own_addresses = [address for address in addresses if address["account"] == account]
    card = own_cards[1 if len(own_cards) > 1 and order["date"] <= seeds["credit_until"] else 0]
    address = own_addresses[1 if bought[0][0]["product"] in seeds["to_lab"] and len(own_addresses) > 1 else 0]
    days = max(product["delivery_days"] for _, product in bought)
    parts = (address["street_address"], f"{address['zip_code']} {address['city']}", address["country"])
    return {
        "id": number,
        "account": account,
        "placed_at": moment(order["date"], stream.child("order", number)),
        "total": round(sum(round(item["price"] * 100) * item["quantity"] for item, _ in bought) / 100, 2),
        "payment_card_id": card["id"],
        "card_last_digits": card["last_digits"],
        "address": ", ".join(parts),
        "address_id": address["id"],
        "delivery_on": (date.fromisoformat(order["date"]) + timedelta(days=days)).isoformat(),
        "product_names": [product["name"] for _, product in bought],
    }
