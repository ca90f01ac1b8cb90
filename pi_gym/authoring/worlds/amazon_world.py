"""The seed world of Amazon: a catalogue with reviews and questions that all persons share, and a person's own shopping.

The catalogue's products lie in `_shared/world/amazon/*.yaml`. A product of the seeds becomes one row for each of its
colours, sizes and further versions. Reviews are put together from what the seeds say in praise and in blame of the
product and of its type, so that several buyers tell of the same fault, each in other company.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from pathlib import Path
from typing import NamedTuple

from pydantic import Field

from pi_gym.authoring.worlds.amazon_products import (
    AmazonCatalogueSeeds,
    product_types,
    sellers,
    strangers,
    variants,
)
from pi_gym.authoring.worlds.amazon_questions import questions_and_answers
from pi_gym.authoring.worlds.amazon_reviews import reviews
from pi_gym.authoring.worlds.amazon_times import later_moment
from pi_gym.authoring.worlds.circle import BoughtSeed, Circle, OrderSeed, stream_of
from pi_gym.authoring.worlds.seed_rows import FIRST_OWN, Day, Row, Tables, moment, number_rows
from pi_gym.errors import SpecError
from pi_gym.schema import load_model
from pi_gym.schema.specs import Spec


class AddressSeed(Spec):
    """An address of somebody; orders go to the first."""

    account: str
    name: str
    street_address: str
    city: str
    country: str
    zip_code: int


class CardSeed(Spec):
    """A card of somebody; orders are paid with the first, or with the second while it was good."""

    account: str
    card_name: str
    last_digits: str
    expires: str
    balance: float


class PlacedSeed(Spec):
    """A day's entry about a product; the person's own where no account is named."""

    product: str
    date: Day
    color: str | None = None
    size: str = ""
    account: str | None = None


class ProductReviewSeed(PlacedSeed):
    """A review."""

    rating: int
    title: str
    text: str


class ProductQuestionSeed(PlacedSeed):
    """A question, and what strangers answered."""

    question: str
    answers: list[str]


class WishedSeed(PlacedSeed):
    """A product on a wish list or in a cart."""

    quantity: int = 1


class AmazonSeeds(Spec):
    """amazon.yaml.

    Args:
        accounts: passwords by person; nobody else has an account.
        addresses: everybody's.
        cards: everybody's.
        credit_until: until when orders were paid with the second card, of those who have one.
        to_second_address: orders that begin with one of these products went to the second address.
        other_orders: orders of others; the person's are those of life.yaml.
        colors: the colour of a product where an entry names none.
        reviews: what they wrote.
        questions: what they asked.
        wishes: their wish lists.
        cart: their carts.
        visits: what the person looked at.
    """

    accounts: dict[str, str]
    addresses: list[AddressSeed] = Field(default_factory=list)
    cards: list[CardSeed] = Field(default_factory=list)
    credit_until: Day | None = None
    to_second_address: list[str] = Field(default_factory=list)
    other_orders: list[OrderSeed] = Field(default_factory=list)
    colors: dict[str, str] = Field(default_factory=dict)
    reviews: list[ProductReviewSeed] = Field(default_factory=list)
    questions: list[ProductQuestionSeed] = Field(default_factory=list)
    wishes: list[WishedSeed] = Field(default_factory=list)
    cart: list[WishedSeed] = Field(default_factory=list)
    visits: list[PlacedSeed] = Field(default_factory=list)


def shared_tables(world: Path) -> Tables:
    """The catalogue: product types, sellers, products, the people who write, their reviews, questions and answers.

    Args:
        world: the folder of the shared seeds.
    """
    seeds, stream = load_model(AmazonCatalogueSeeds, world / "amazon.yaml", "world/amazon.yaml"), stream_of("amazon")
    types = product_types(world)
    products, accounts = variants(seeds, types, stream), strangers(seeds, stream)
    people = [row["id"] for row in accounts]
    questions, answers = questions_and_answers(seeds, products, people, stream)
    return {
        "accounts": accounts,
        "product_types": number_rows([{"name": kind.name, "about": kind.seed.about} for kind in types]),
        "sellers": sellers(seeds, stream),
        "products": [product.row for product in products],
        "reviews": list(reviews(seeds, products, people, stream)),
        "questions": questions,
        "answers": answers,
    }


def person_tables(circle: Circle) -> Tables:
    """The tables of a person's world: accounts, orders as in life.yaml, and what they wrote and wish for."""
    return _Shopping(circle).tables()


class _Bought(NamedTuple):
    item: BoughtSeed
    product: Row


class _Shopping:
    """A person's tables, from the seeds and the catalogue.

    Args:
        circle: the people.
    """

    def __init__(self, circle: Circle) -> None:
        self.circle, self.stream = circle, stream_of("amazon")
        self.seeds = circle.seeds(AmazonSeeds, "amazon")
        self.catalogue = circle.shared("amazon")
        self.numbers = circle.numbers(self.seeds.accounts)

    def tables(self) -> Tables:
        """All of them."""
        accounts = self.circle.accounts(self.seeds.accounts)
        holders = {row["id"]: f"{row['first_name']} {row['last_name']}" for row in accounts}
        addresses = number_rows(
            [{**one.model_dump(), "account": self.numbers[one.account]} for one in self.seeds.addresses]
        )
        cards = number_rows(
            [
                {
                    **one.model_dump(),
                    "account": self.numbers[one.account],
                    "owner_name": holders[self.numbers[one.account]],
                }
                for one in self.seeds.cards
            ]
        )
        orders, items = self._orders(addresses, cards)
        questions, answers = self._questions()
        return {
            "accounts": accounts,
            "addresses": addresses,
            "payment_cards": cards,
            "orders": orders,
            "order_items": items,
            "reviews": self._reviews(items),
            "questions": questions,
            "answers": answers,
            "wish_list_items": self._wished_rows(self.seeds.wishes, "wishes"),
            "cart_items": self._wished_rows(self.seeds.cart, "cart"),
            "browsing_history": number_rows([self._placed_row("visit", one, "viewed_at") for one in self.seeds.visits]),
        }

    def _account(self, key: str | None) -> int:
        return self.numbers[key or self.circle.owner]

    def _product(self, name: str, color: str | None, size: str) -> Row:
        """The product of a name; its colour is that of the entry or, where it has none, that of `colors`."""
        wanted = (name, self.seeds.colors.get(name, "") if color is None else color, size)
        rows = self.catalogue["products"]
        found = [row for row in rows if (row["name"], row["color"], row["relative_size"]) == wanted]
        if len(found) == 1:
            return found[0]
        those = [
            f"{row['color'] or 'no colour'}, {row['relative_size'] or 'no size'}" for row in rows if row["name"] == name
        ]
        known = f"it has {'; '.join(those)}" if those else "the catalogue has none of this name"
        raise SpecError("", f"no product {name!r} in colour {wanted[1]!r} and size {size!r}: {known}")

    def _placed_row(self, what: str, one: PlacedSeed, column: str) -> Row:
        at = moment(one.date, self.stream.child(what, one.product))
        product = self._product(one.product, one.color, one.size)
        return {"account": self._account(one.account), "product_id": product["id"], column: at}

    def _wished_rows(self, listed: Sequence[WishedSeed], what: str) -> list[Row]:
        return number_rows([{**self._placed_row(what, one, "added_at"), "quantity": one.quantity} for one in listed])

    def _orders(self, addresses: list[Row], cards: list[Row]) -> tuple[list[Row], list[Row]]:
        placed = sorted([*self.circle.life.orders, *self.seeds.other_orders], key=lambda order: order.date)
        orders: list[Row] = []
        items: list[Row] = []
        for number, order in enumerate(placed, start=1):
            bought = [_Bought(item, self._product(item.product, item.color, item.size)) for item in order.items]
            orders.append(self._order(number, order, bought, addresses, cards))
            items += [
                {
                    "account": orders[-1]["account"],
                    "order_id": number,
                    "product_id": product["id"],
                    "product_name": product["name"],
                    "quantity": item.quantity,
                    "price": item.price,
                    "placed_at": orders[-1]["placed_at"],
                }
                for item, product in bought
            ]
        return orders, number_rows(items)

    def _order(
        self, number: int, order: OrderSeed, bought: Sequence[_Bought], addresses: list[Row], cards: list[Row]
    ) -> Row:
        account, until = self._account(order.account), self.seeds.credit_until
        own_cards = _own_rows(cards, account, f"orders of {order.date}: a card")
        own_addresses = _own_rows(addresses, account, f"orders of {order.date}: an address")
        on_credit = until is not None and len(own_cards) > 1 and order.date <= until
        elsewhere = bought[0].item.product in self.seeds.to_second_address and len(own_addresses) > 1
        card, address = own_cards[1 if on_credit else 0], own_addresses[1 if elsewhere else 0]
        days = max(product["delivery_days"] for _, product in bought)
        parts = (address["street_address"], f"{address['zip_code']} {address['city']}", address["country"])
        return {
            "id": number,
            "account": account,
            "placed_at": moment(order.date, self.stream.child("order", number)),
            "total": round(sum(round(item.price * 100) * item.quantity for item, _ in bought) / 100, 2),
            "payment_card_id": card["id"],
            "card_last_digits": card["last_digits"],
            "address": ", ".join(parts),
            "address_id": address["id"],
            "delivery_on": (date.fromisoformat(order.date) + timedelta(days=days)).isoformat(),
            "product_names": [product["name"] for _, product in bought],
        }

    def _reviews(self, items: Sequence[Row]) -> list[Row]:
        owned = {(item["account"], item["product_id"]) for item in items}
        written = []
        for one in self.seeds.reviews:
            row = self._placed_row("own review", one, "created_at")
            verified = (row["account"], row["product_id"]) in owned
            written.append({**row, "rating": one.rating, "title": one.title, "text": one.text, "is_verified": verified})
        return number_rows(written, FIRST_OWN)

    def _questions(self) -> tuple[list[Row], list[Row]]:
        questions: list[Row] = []
        answers: list[Row] = []
        others = [row["id"] for row in self.catalogue["accounts"]]
        for number, one in enumerate(self.seeds.questions, start=FIRST_OWN):
            questions.append({**self._placed_row("own question", one, "created_at"), "question": one.question})
            for text in one.answers:
                answers.append(self._answer(number, text, questions[-1]["created_at"], others))
        return number_rows(questions, FIRST_OWN), number_rows(answers, FIRST_OWN)

    def _answer(self, question: int, text: str, asked_at: str, others: Sequence[int]) -> Row:
        own = self.stream.child("own answer", text)
        return {
            "account": own.choice(others),
            "question_id": question,
            "answer": text,
            "is_verified": True,
            "created_at": later_moment(asked_at, self.circle.life.end, own),
        }


def _own_rows(rows: Sequence[Row], account: int, what: str) -> list[Row]:
    found = [row for row in rows if row["account"] == account]
    if not found:
        raise SpecError("", f"{what} is needed, and account {account} has none")
    return found
