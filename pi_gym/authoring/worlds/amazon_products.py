"""Products of Amazon's catalogue: one row for each colour, size and version of what the seeds describe."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from pydantic import Field, RootModel

from pi_gym.authoring.worlds.seed_rows import FIRST_STRANGER, Day, Known, Row
from pi_gym.schema import load_model
from pi_gym.schema.specs import Spec
from pi_gym.seeding import Stream

SIZES = {"XS": "extra-small", "S": "small", "M": "medium", "L": "large", "XL": "extra-large"}


class SellerSeed(Spec):
    """A seller: `days` from the order to the door, fastest and slowest; `ratings` is drawn where left out."""

    name: str
    city: str
    rating: float
    days: tuple[int, int]
    about: str
    ratings: int | None = None


class ReviewersSeed(Spec):
    """The strangers who write: how many, and of what their names and addresses are drawn."""

    count: int
    first: str
    last: str
    hosts: list[str]


class PhrasesSeed(Spec):
    """The phrases of reviews of any product: titles and ends by stars, `fit` by how the product fits."""

    title: dict[int, str]
    end: dict[int, str]
    after: str
    fit: dict[str, str]


class QuestionSeed(Spec):
    """A question that fits many products, and its answers."""

    ask: str
    answer: str


class ProductSeed(Spec):
    """A product. Parts of texts are separated by " / ".

    Args:
        name: what it is called.
        brand: who makes it.
        price: of the first version.
        stars: what reviews are drawn around.
        text: the description.
        facts: its features, as `name=value; name=value`.
        up: sentences in praise of it.
        down: sentences in blame of it.
        ask: questions with their answers behind ">".
        colors: separated by commas; one row each.
        sizes: likewise, from XS to XL.
        fit: how its sizes fit.
        more: further versions, as `name | price | changed facts`.
    """

    name: str
    brand: str
    price: float
    stars: float
    text: str
    facts: str
    up: str
    down: str
    ask: str | None = None
    colors: str = ""
    sizes: str = ""
    fit: Literal["small", "usual", "large"] | None = None
    more: list[str] = Field(default_factory=list)


class ProductTypeSeed(Spec):
    """A type of products: who sells it, and what is said of all of it.

    Reviews say `why` one buys it and what is `good` and `bad` about it; `end` is how they end, where the usual ends
    would not do.
    """

    about: str
    sellers: list[str]
    why: str
    good: str
    bad: str
    end: str | None = None
    products: list[ProductSeed]


class _Department(RootModel[dict[str, ProductTypeSeed]]):
    """amazon/<department>.yaml: its product types by name."""


class AmazonCatalogueSeeds(Spec):
    """_shared/world/amazon.yaml.

    Args:
        begin: the first day on which anybody wrote anything (`from`).
        end: the last day of the catalogue (`to`).
        sellers: by key.
        others: sellers of which each type has one beside its own.
        reviewers: who writes.
        words: what reviews of any product say.
        facts: questions that a fact answers, by its name; {value} is filled in.
        delivery: the question how long it takes; {days} and {city} are filled in.
        stock: how many there are of a product; drawn for the others.
    """

    begin: Day = Field(alias="from")
    end: Day = Field(alias="to")
    sellers: dict[str, SellerSeed]
    others: list[str]
    reviewers: ReviewersSeed
    words: PhrasesSeed
    facts: dict[str, QuestionSeed]
    delivery: QuestionSeed
    stock: dict[str, int] = Field(default_factory=dict)


@dataclass(frozen=True)
class ProductType:
    """A type of products, with its name and its department."""

    name: str
    department: str
    seed: ProductTypeSeed


@dataclass(frozen=True)
class ProductVariant:
    """A row of the products, and where it comes from.

    Args:
        row: the row.
        seed: its product.
        kind: the product's type.
        at: which of the product's variants it is, from 0.
        facts: its features by name.
        seller: the seller's key.
    """

    row: Row
    seed: ProductSeed
    kind: ProductType
    at: int
    facts: dict[str, str]
    seller: str


def product_types(world: Path) -> list[ProductType]:
    """The types of all departments."""
    return [
        ProductType(name, path.stem, seed)
        for path in sorted((world / "amazon").glob("*.yaml"))
        for name, seed in load_model(_Department, path, f"world/amazon/{path.name}").root.items()
    ]


def parts(text: str | None) -> list[str]:
    """The texts of a line of them."""
    return [part.strip() for part in text.split(" / ")] if text else []


def _facts(text: str) -> dict[str, str]:
    return {name.strip(): value for name, _, value in (fact.partition("=") for fact in text.split("; "))}


def variants(seeds: AmazonCatalogueSeeds, types: list[ProductType], stream: Stream) -> list[ProductVariant]:
    """All rows of products, those of a product one after the other."""
    made: list[ProductVariant] = []
    sellers = Known("seller", seeds.sellers)
    numbers = {key: number for number, key in enumerate(seeds.sellers, start=1)}
    for index, kind in enumerate(types):
        other = seeds.others[index % len(seeds.others)]
        for product in kind.seed.products:
            own = stream.child("product", product.name)
            seller = other if own.integer(1, 5) == 1 else own.choice(kind.seed.sellers)
            days, first = own.integer(*sellers[seller].days), len(made) + 1
            versions = list(_versions(product))
            for at, (name, price, facts, color, size) in enumerate(versions):
                row = {
                    "id": first + at,
                    "name": name,
                    "product_type": kind.name,
                    "brand": product.brand,
                    "seller_id": numbers[seller],
                    "price": price,
                    "inventory_quantity": seeds.stock.get(name, _stock(own)),
                    "color": color,
                    "relative_size": size,
                    "family": first if len(versions) > 1 else 0,
                    "delivery_days": days,
                    "features": [f"{fact}: {value}" for fact, value in facts.items()],
                    "description": product.text,
                }
                made.append(ProductVariant(row, product, kind, at, facts, seller))
    return made


def _versions(product: ProductSeed) -> Iterator[tuple[str, float, dict[str, str], str, str]]:
    facts = _facts(product.facts)
    versions = [(product.name, product.price, facts)]
    for line in product.more:
        name, price, changed = line.split(" | ")
        versions.append((name, float(price), {**facts, **_facts(changed)}))
    colors = product.colors.split(", ")
    sizes = [SIZES.get(size, "") for size in product.sizes.split(", ")]
    for name, cost, known in versions:
        yield from ((name, cost, known, color, size) for color in colors for size in sizes)


def _stock(own: Stream) -> int:
    drawn = own.integer(1, 100)
    return 0 if drawn <= 7 else own.integer(1, 4) if drawn <= 20 else own.integer(5, 140)


def sellers(seeds: AmazonCatalogueSeeds, stream: Stream) -> list[Row]:
    """The table of sellers."""
    return [
        {
            "id": number,
            "name": one.name,
            "rating": one.rating,
            "number_of_ratings": one.ratings or stream.child("seller", key).integer(40, 4_000),
            "city": one.city,
            "about": one.about,
            "return_days": 14 if one.rating < 4 else 60 if one.rating > 4.6 else 30,
        }
        for number, (key, one) in enumerate(seeds.sellers.items(), start=1)
    ]


def strangers(seeds: AmazonCatalogueSeeds, stream: Stream) -> list[Row]:
    """Accounts of the people who write reviews, questions and answers."""
    plan, own = seeds.reviewers, stream.child("strangers")
    firsts, lasts = plan.first.split(), plan.last.split()
    pairs = own.sample([(first, last) for first in firsts for last in lasts], plan.count)
    return [
        {
            "id": number,
            "first_name": first,
            "last_name": last,
            "email": f"{first}.{last}@{own.choice(plan.hosts)}".lower(),
            "password": "".join(own.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(14)),
        }
        for number, (first, last) in enumerate(pairs, start=FIRST_STRANGER)
    ]
