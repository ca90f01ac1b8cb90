"""Seven emollients, what is said of them and what was found, and the bench that is right for them."""

from __future__ import annotations

from typing import Any

from pi_gym.authoring import Change, File, Stream, csv_text, fixed, markdown_rows, markdown_table, new_text

ASKED = {"wool": "wool alcohols", "pg": "propylene glycol", "perfume": "perfume"}
HEADS = {"100g": "kr per 100 g", "ftu": "kr per FTU", "active": "kr per g urea", None: "kr per kg"}
DIGITS = {"ftu": 4}
ROUNDS = {"second": lambda a, b: b, "lower": min, "mean": lambda a, b: (a + b) / 2, None: lambda a, b: a}
GUIDE = {"until": "until stock is used", "closed": "closed"}
# Two benches of other years: product, what it holds in per cent, price; one thing of each is not declared.
OLD = {
    "2024-10_mouth-rinses": (
        "fluoride %", "alcohol", "kr per 100 mL",
        [("Fossen", "0.05", "no", "9.80"), ("Brim", "0.02", "", "7.40"), ("Klar", "0.20", "yes", "12.10")],
    ),
    "2025-03_barrier-creams": (
        "zinc oxide %", "parabens", "kr per 100 g",
        [("Solbarr", "20", "no", "41.20"), ("Vern", "15", "", "28.60"), ("Hudvakt", "30", "no", "36.90"),
         ("Nordkant", "10", "yes", "33.00")],
    ),
}  # fmt: skip
ORDERS = {"price": lambda row: float(row[3]), "content": lambda row: float(row[1]), "dear": lambda row: -float(row[3])}
REMARKS = {"declared": "not declared", "nd": "n.d.", "stated": "not stated"}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """The makers' sheets, the tender, the analysis and the old benches."""
    products, persona, p = preferences.shared.products, preferences.persona, preferences.p
    old, rows, carton, out = products["list"], products["rows"], products["carton"], products["has"][persona.never_in]
    mixed = stream.shuffled([products["gap"], stream.choice((carton, "BL-00"))])
    found = {name: one["found"] for name, one in rows.items()}
    sheet = found | {mixed[0]: found[mixed[1]], mixed[1]: found[mixed[0]]}
    others = [name for name in rows if name not in (carton, "BL-00")]
    by_carton, with_vat = [carton, *stream.sample(others, 2)], stream.sample(others, 2)
    counts = {name: 12 if name == carton else stream.choice((6, 12)) for name in rows}

    def offered(name: str, round_: str) -> str:
        sold = 6 if name == carton else counts[name] if name in by_carton else 1
        return fixed(rows[name][round_] * sold * (1.25 if name in with_vat else 1), 2)

    files = {f"topical/products/sheets/{name.lower().replace(' ', '-')}.md": _sheet(name, rows[name], counts[name])
             for name in rows}  # fmt: skip
    word = REMARKS[p.not_declared]
    for bench, (holds, asked, price, _) in OLD.items():
        said = _old(bench, p.row_order, word)
        files[f"topical/products/{bench}.md"] = (
            f"# {bench[8:].replace('-', ' ').capitalize()} (MT)\n\n"
            + markdown_table(["product", holds, asked, price, "difference"], said)
            + f"\nCompared with: {next(row[0] for row in said if row[-1] == '0.00')}\n\n"
            f"Choice: {min((row for row in said if word not in row), key=lambda row: float(row[3]))[0]}\n"
        )
    uses = {name: stream.integer(20, 60) for name in rows} | {products["wards"]: stream.integer(140, 190)}
    facts = {
        "rows": rows, "has": products["has"], "list": products["list"], "wards": products["wards"], "carton": carton,
        "mixed": mixed, "out": out, "poster": stream.shuffled(list(products["has"].values())), "sheet": sheet,
        "barrier": {
            key: "\n".join(f"| {' | '.join(row)} |" for row in _old("2025-03_barrier-creams", key, word))
            for key in ORDERS
        },
    }  # fmt: skip
    return facts, files | {
        "medicines/tender/2026-04-29.csv": csv_text(
            ["number", "product", "unit", "vat", "round 1", "round 2"],
            [(one["number"], name, "carton" if name in by_carton else "tube", "incl" if name in with_vat else "excl",
              offered(name, "first"), "" if name == "BL-00" else offered(name, "second"))
             for name, one in rows.items()],
        ),
        "medicines/tender/2025.csv": csv_text(
            ["number", "product", "unit", "vat", "price"],
            [(one["number"], name, "tube", "excl", fixed(one["first"] * stream.integer(88, 96) / 100, 2))
             for name, one in rows.items()],
        ),
        "topical/analysis/2026-04.csv": csv_text(
            ["sample", "product", "pH", "water loss %", "urea %"],
            [(n, name, fixed(stream.uniform(4.9, 6.4), 1), fixed(stream.uniform(2, 7), 1), fixed(sheet[name], 1))
             for n, name in enumerate(rows, 1)],
        ),
        "wards/use-2026-q1.csv": csv_text(["product", "tubes"], uses.items()),
        "medicines/list-2026.csv": csv_text(
            ["group", "product", "since"],
            [("mouth rinse", "Fossen", "2024-11"), ("barrier cream", "Nordkant", "2025-04"),
             ("emollient", products["list"], "2024-02"), ("tape", "Albatape", "2025-10")],
        ),
        "medicines/order-guide.csv": "line,product,number,remark\nmouth rinse,Fossen,20011,\n"
        f"barrier cream,Nordkant,20034,\nemollient first,{old},{rows[old]['number']},\ntape,Albatape,20077,\n",
    }  # fmt: skip


def _old(bench: str, key: str, word: str) -> list[tuple[str, ...]]:
    """The rows of an old bench in an order, with the difference to what it was compared with."""
    rows = OLD[bench][-1]
    against = float(rows[0][-1])
    said = [(*(cell or word for cell in row), fixed(float(row[-1]) - against, 2)) for row in rows]
    return sorted(said, key=ORDERS[key])


def _sheet(name: str, one: Any, count: int) -> str:
    """What a maker says of a product."""
    lines = [f"{text}: {one['has'][key]}" for key, text in ASKED.items() if one["has"][key]]
    maker = "Eidsund Hospital, production" if name == "BL-00" else "as on the label"
    urea, grams = one["label"], one["grams"]
    return (
        f"# {name}\n\nEmollient cream, oil in water, preserved. Maker: {maker}.\n\nUrea: {urea} %\n"
        f"Glycerol: {urea % 4 + 3} %\n" + "\n".join(lines) + f"\nTube: {grams} g, nozzle 5 mm\nCarton: {count} tubes\n"
    )


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The bench. Who knows nothing takes labels, round 1 and the sheet's carton, and compares with the cheapest."""
    urea = {name: _urea(world, wishes, name) for name in world.rows}
    price = {name: _price(world, wishes, name, urea[name]) for name in world.rows}
    names = [name for name in world.rows if name != world.has.get(wishes.never_in)]
    orders = {"price": lambda name: price[name], "content": lambda name: urea[name], "dear": lambda name: -price[name]}
    names.sort(key=orders.get(wishes.row_order, lambda name: -list(world.rows).index(name)))
    yard = {"wards": world.wards, "list": world.list, "own": "BL-00", None: min(price, key=lambda name: price[name])}
    against = yard[wishes.yardstick]
    digits, gap = DIGITS.get(wishes.price_per, 2), REMARKS.get(wishes.not_declared, "unknown")
    declared = [name for name in names if all(world.rows[name]["has"].values())]
    choice = min(declared, key=lambda name: price[name])

    def table(prices: Any) -> str:
        cells = [
            (name, fixed(urea[name], 2), *(world.rows[name]["has"][key] or gap for key in ASKED),
             fixed(prices[name], digits), fixed(prices[name] - prices[against], digits))
            for name in names
        ]  # fmt: skip
        head = ["product", "urea %", *ASKED.values(), HEADS[wishes.price_per], "difference"]
        return f"# Emollients\n\n{markdown_table(head, cells)}\nCompared with: {against}\n\nChoice: {choice}\n"

    old, number = f"emollient first,{world.list},{world.rows[world.list]['number']},", world.rows[choice]["number"]
    new = f"emollient first,{choice},{number},"
    remark = GUIDE.get(wishes.order_guide, "")
    named = {"mended": "empty", "struck": f"~~{world.out}~~ empty", "marked": f"{world.out} (not taken) cream"}
    poster = Change({f"{world.out} cream": named.get(wishes.ward_poster, "")})
    mail = (
        "To: Ikenna Obi <ikenna.obi@eidsund-hospital.example>\nSubject: The emollient\n\n"
        f"Dear Ikenna, we take {choice}: of those that declare everything it has the lowest price.\n\nMairead\n"
    )
    return {
        "table": File("2026-05_emollients.md", table(price)),
        "poster": poster if wishes.ward_poster else None,
        "guide": Change({old: new if wishes.order_guide == "replaced" else f"{old}{remark}\n{new}"})
        if wishes.order_guide
        else None,
        "mail": File("2026-05-07_ikenna.txt", mail) if wishes.ikenna else None,
        "choice": choice, "with_vat": table({name: 1.25 * one for name, one in price.items()}),
        "cheapest": min(names, key=lambda name: price[name]),
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
    tube = ROUNDS[wishes.tender_price](one["first"], one["second"])
    if name == world.carton and not wishes.pack_count:
        tube /= 2
    a_gram = tube / one["grams"]
    return float(
        {"100g": 100 * a_gram, "ftu": a_gram / 2, "active": 100 * a_gram / urea, None: 1000 * a_gram}[wishes.price_per]
    )


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
