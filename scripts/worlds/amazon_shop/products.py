"""Products of the catalogue: one row for each colour, size and version of what the seeds describe."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from pi_gym.seeding import Stream

Seeds = Mapping[str, Any]
Row = dict[str, Any]
FOLDER = Path(__file__).parents[2] / "seeds" / "amazon"
SIZES = {"XS": "extra-small", "S": "small", "M": "medium", "L": "large", "XL": "extra-large"}
FIRST_STRANGER = 1_001


def product_types() -> list[Row]:
    """The types of all departments, as the seeds have them."""
    kinds: list[Row] = []
    for path in sorted(FOLDER.glob("*.yaml")):
        # The C loader reads these files ten times as fast, and the same.
        loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
        kinds += [{**kind, "department": path.stem} for kind in yaml.load(path.read_text(encoding="utf-8"), loader)]
    return kinds


def parts(text: str | None) -> list[str]:
    """The texts of a line of them."""
    return [part.strip() for part in text.split(" / ")] if text else []


def _facts(text: str) -> dict[str, str]:
    return {name.strip(): value for name, _, value in (fact.partition("=") for fact in text.split("; "))}


def variants(seeds: Seeds, types: list[Row], stream: Stream) -> list[Row]:
    """One entry a variant: its row, its product in the seeds, its type, and which variant it is."""
    made: list[Row] = []
    numbers = {key: number for number, key in enumerate(seeds["sellers"], start=1)}
    for index, kind in enumerate(types):
        other = seeds["others"][index % len(seeds["others"])]
        for entry in kind["products"]:
            own = stream.child("product", entry["name"])
            seller = other if own.integer(1, 5) == 1 else own.choice(kind["sellers"])
            days, first = own.integer(*seeds["sellers"][seller]["days"]), len(made) + 1
            variants = list(_variants(entry))
            for at, (name, price, facts, color, size) in enumerate(variants):
                row = {
                    "id": first + at,
                    "name": name,
                    "product_type": kind["type"],
                    "brand": entry["brand"],
                    "seller_id": numbers[seller],
                    "price": price,
                    "inventory_quantity": seeds["stock"].get(name, _stock(own)),
                    "color": color,
                    "relative_size": size,
                    "family": first if len(variants) > 1 else 0,
                    "delivery_days": days,
                    "features": [f"{fact}: {value}" for fact, value in facts.items()],
                    "description": entry["text"],
                }
                made.append({"row": row, "entry": entry, "kind": kind, "at": at, "facts": facts, "seller": seller})
    return made


def _variants(entry: Row) -> Iterator[tuple[str, float, dict[str, str], str, str]]:
    facts = _facts(entry["facts"])
    versions = [(entry["name"], float(entry["price"]), facts)]
    for line in entry.get("more", ()):
        name, price, changed = line.split(" | ")
        versions.append((name, float(price), {**facts, **_facts(changed)}))
    colors = entry.get("colors", "").split(", ")
    sizes = [SIZES.get(size, "") for size in entry.get("sizes", "").split(", ")]
    for name, price, known in versions:
        yield from ((name, price, known, color, size) for color in colors for size in sizes)


def _stock(own: Stream) -> int:
    drawn = own.integer(1, 100)
    return 0 if drawn <= 7 else own.integer(1, 4) if drawn <= 20 else own.integer(5, 140)


def sellers(seeds: Seeds, stream: Stream) -> list[Row]:
    """The table of sellers."""
    return [
        {"id": number, "name": row["name"], "rating": row["rating"],
         "number_of_ratings": stream.child("seller", key).integer(40, 4_000) if key != "nybutikk" else 7,
         "city": row["city"], "about": row["about"],
         "return_days": 14 if row["rating"] < 4 else 60 if row["rating"] > 4.6 else 30}
        for number, (key, row) in enumerate(seeds["sellers"].items(), start=1)
    ]  # fmt: skip


def strangers(seeds: Seeds, stream: Stream) -> list[Row]:
    """Accounts of the people who write reviews, questions and answers."""
    plan, own = seeds["reviewers"], stream.child("strangers")
    firsts, lasts = plan["first"].split(), plan["last"].split()
    pairs = own.sample([(first, last) for first in firsts for last in lasts], plan["count"])
    return [
        {"id": number, "first_name": first, "last_name": last,
         "email": f"{first}.{last}@{own.choice(plan['hosts'])}".lower(),
         "password": "".join(own.choice("abcdefghjkmnpqrstuvwxyz23456789") for _ in range(14))}
        for number, (first, last) in enumerate(pairs, start=FIRST_STRANGER)
    ]  # fmt: skip
