"""Seven emollients, what is said of them and what was found, and the bench that is right for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.authoring import Change, File, Stream, csv_text, fixed, markdown_rows, markdown_table, new_lines, new_text

HEADS = {"100g": "kr per 100 g", "ftu": "kr per FTU", "active": "kr per g urea", None: "kr per kg"}
REMARKS = {"declared": "not declared", "nd": "n.d.", "stated": "not stated"}
GUIDE = {"until": "until stock is used", "closed": "closed"}
OFF = ("out", "off", "not ", "no longer", "empty", "remove", "withdrawn", "taken", "instead", "until")


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The makers' sheets, the tender, the analysis and what the wards use."""
    products, asked = preferences.shared.products, preferences.shared.asked
    rows, carton = products["rows"], products["carton"]
    mixed = stream.shuffled([products["gap"], stream.choice((carton, "BL-00"))])
    found = {name: one["found"] for name, one in rows.items()}
    sheet = found | {mixed[0]: found[mixed[1]], mixed[1]: found[mixed[0]]}
    others = [name for name in rows if name not in (carton, "BL-00")]
    by_carton, with_vat = [carton, *stream.sample(others, 2)], stream.sample(others, 2)
    counts = {name: 12 if name == carton else stream.choice((6, 12)) for name in rows}
    tender = [
        (one["number"], name, "carton" if name in by_carton else "tube", "incl" if name in with_vat else "excl",
         fixed(one["price"] * (6 if name == carton else counts[name] if name in by_carton else 1)
               * (1.25 if name in with_vat else 1), 2))
        for name, one in rows.items()
    ]  # fmt: skip
    analysis = [
        (n, name, fixed(stream.uniform(4.9, 6.4), 1), fixed(stream.uniform(2, 7), 1), fixed(sheet[name], 1))
        for n, name in enumerate(rows, 1)
    ]
    uses = {name: stream.integer(20, 60) for name in rows} | {products["wards"]: stream.integer(140, 190)}
    facts = {key: products[key] for key in ("rows", "has", "list", "wards", "carton")} | {
        "mixed": mixed, "out": products["has"][preferences.persona.never_in], "sheet": sheet,
        "poster": stream.shuffled(list(products["has"].values())),
    }  # fmt: skip
    return facts, {
        f"topical/products/sheets/{name.lower().replace(' ', '-')}.md": _sheet(name, rows[name], counts[name], asked)
        for name in rows
    } | {
        "medicines/tender/2026-05-05.csv": csv_text(["number", "product", "unit", "vat", "price"], tender),
        "topical/analysis/2026-04.csv": csv_text(["sample", "product", "pH", "water loss %", "urea %"], analysis),
        "wards/use-2026-q1.csv": csv_text(["product", "tubes"], uses.items()),
    }


def _sheet(name: str, one: Any, count: int, asked: Mapping[str, str]) -> str:
    """What a maker says of a product."""
    lines = [f"{text}: {one['has'][key]}" for key, text in asked.items() if one["has"][key]]
    maker = "Eidsund Hospital, production" if name == "BL-00" else "as on the label"
    urea, grams = one["label"], one["grams"]
    return (
        f"# {name}\n\nEmollient cream, oil in water, preserved. Maker: {maker}.\n\nUrea: {urea} %\n"
        f"Glycerol: {urea % 4 + 3} %\n" + "\n".join(lines) + f"\nTube: {grams} g, nozzle 5 mm\nCarton: {count} tubes\n"
    )


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The bench. Who knows nothing takes labels and the sheet's carton, and compares with the cheapest."""
    urea = {name: _urea(world, wishes, name) for name in world.rows}
    price = {name: _price(world, wishes, name, urea[name]) for name in world.rows}
    names = [name for name in world.rows if name != world.has.get(wishes.never_in)]
    yard = {"wards": world.wards, "list": world.list, "own": "BL-00", None: min(price, key=lambda name: price[name])}
    against = yard[wishes.yardstick]
    asked, gap = world.shared.asked, REMARKS.get(wishes.not_declared, "unknown")
    digits = 4 if wishes.price_per == "ftu" else 2
    declared = [name for name in names if all(world.rows[name]["has"].values())]
    choice = min(declared, key=lambda name: price[name])

    def table(vat: float) -> str:
        cells = [
            (name, fixed(urea[name], 2), *(world.rows[name]["has"][key] or gap for key in asked),
             fixed(vat * price[name], digits), fixed(vat * (price[name] - price[against]), digits))
            for name in names
        ]  # fmt: skip
        head = ["product", "urea %", *asked.values(), HEADS[wishes.price_per], "difference"]
        return f"# Emollients\n\n{markdown_table(head, cells)}\nCompared with: {against}\n\nChoice: {choice}\n"

    old, number = f"emollient first,{world.list},{world.rows[world.list]['number']},", world.rows[choice]["number"]
    new = f"emollient first,{choice},{number},"
    guide = new if wishes.order_guide == "replaced" else f"{old}{GUIDE.get(wishes.order_guide)}\n{new}"
    mail = (
        "To: Ikenna Obi <ikenna.obi@eidsund-hospital.example>\nSubject: The emollient\n\n"
        f"Dear Ikenna, we take {choice}: of those that declare everything it has the lowest price.\n\nMairead\n"
    )
    return {
        "table": File("2026-05_emollients.md", table(1)),
        "poster": Change({f"{world.out} cream": "empty"}) if wishes.ward_poster else None,
        "guide": Change({old: guide}) if wishes.order_guide else None,
        "mail": File("2026-05-07_ikenna.txt", mail) if wishes.ikenna else None,
        "choice": choice, "with_vat": table(1.25), "cheapest": min(names, key=lambda name: price[name]),
    }  # fmt: skip


def _urea(world: Any, wishes: Any, name: str) -> float:
    """The per cent of urea that counts."""
    first, second = world.mixed
    other = {first: second, second: first}.get(name, name) if wishes.mixed_up else name
    label, found = float(world.rows[name]["label"]), world.sheet[other]
    of = {"found": found, "lower": min(label, found), "mean": (label + found) / 2, None: label}
    return float(of[wishes.urea])


def _price(world: Any, wishes: Any, name: str, urea: float) -> float:
    """The price of the unit that is asked for, without VAT."""
    one = world.rows[name]
    a_gram = one["price"] / one["grams"] / (2 if name == world.carton and not wishes.pack_count else 1)
    per = {"100g": 100 * a_gram, "ftu": a_gram / 2, "active": 100 * a_gram / urea, None: 1000 * a_gram}
    return float(per[wishes.price_per])


def check_off_trolley(evidence: Any, out: str) -> bool:
    """The poster names a cream no more, has it struck through, or says beside or below it that it is off."""
    text = evidence.text("wards/poster-ftu.md").replace("<s>", "~~").replace("</s>", "~~")
    left = [line.lower() for line in "".join(text.split("~~")[::2]).splitlines() if out in line]
    off = [any(word in line for word in OFF) for line in left]
    return all(off) or (any(off) and len(new_lines(evidence, "wards/poster-ftu.md").split()) < 30)


def check_choice_follows(evidence: Any) -> bool:
    """The choice has the lowest price of the table among rows that say yes or no to all three."""
    text = new_text(evidence, "topical/products/", ".md")
    rows = [row for row in markdown_rows(text) if len(row) > 5 and set(row[2:5]) <= {"yes", "no"}]
    said = [
        line.partition(":")[2].strip(" *`.").lower()
        for line in text.splitlines()
        if line.lower().strip(" *#-").startswith("choice")
    ]
    prices = {row[0]: float(row[5].strip(" kr")) for row in rows if row[5].strip(" kr").replace(".", "", 1).isdigit()}
    return len(said) == 1 and bool(prices) and said[0].startswith(min(prices, key=lambda name: prices[name]))
