"""The shop's shelf for the foyer demo, and the order that follows from what everybody wrote.

Every shelf row sells beside its rivals: for each line of the order there is one product that meets all conditions of
the mails, and others that fail one of them (plug, price, day of delivery, stock, seller, or what buyers say of it).
"""

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any

from pi_gym.authoring import Stream, count_words, fixed

NOTES = "demo/orders.md"
LOTTE = "lotte.brandt@halden-it.example"

# What lies in Nora's cart for herself, with the quantities it may have.
PRIVATE = {300: (1,), 183: (2, 3, 4)}
BANNED = {14: "Elhuset", 18: "Kabel og Kort", 44: "Kjelleren Elektro"}
CARDS = {"8812": 901, "2307": 902, "6140": 903}
PLACES = {"lodge": 911, "goods": 912, "library": 913}
CENTRES = ("21640", "21611", "23075", "21088")  # the last one is closed
CLOTHING = ("30110", "30240", "30375")

PHONES = {"pads": 801, "weight": 802, "cable": 803}
# From a shop that may not be used, too slow, too few, half-open, USB-C, too dear, not what its page says, on-ear.
OTHER_PHONES = (804, 805, 806, 807, 808, 809, 810, 811)
STATIONS = {"cheapest": 822, "rated": 823, "make": 824}
LEADS = {5: 831, 10: 832, 15: 833}
TAPE, CELLS = 841, 851
WISHES = {"stand": 142, "lamp": 204, "sign": 871}
SHIRTS = 881  # the first of the right make: teal in four sizes, then orange, then grey
COLOURS = ("teal", "orange", "grey")
SIZES = ("small", "medium", "large", "extra-large")
TEAM = ("large", "small", "extra-large", "medium")  # Tomasz, Priya, Jonas, Nora; Wei-Lin's comes on top
NEED, SET, LEAST_LEFT = 24, 4, 5  # cells: needed, in a set, and the fewest that may be left in the cupboard

# What the trap claims, by what counts: the facts of its page, the question, the answer, and what a buyer wrote.
CLAIMS = {"pads": "Ear pads: replaceable", "weight": "Weight: 190 g", "cable": "Cable: 1.5 m, detachable"}
PLAIN = {"pads": "Ear pads: fixed", "weight": "Weight: 251 g", "cable": "Cable: 1.5 m, fixed"}
LIES = {
    "pads": (
        "Can the ear pads really be changed? I find no spare ones.",
        "No. They are glued on; I tore one trying.",
        "The pads do not come off, whatever the page says.",
    ),
    "weight": (
        "Is 190 g right? They look bigger.",
        "Perhaps without the pads. Mine weigh 263 g on the kitchen scales.",
        "190 g? It is 263 g out of the box, I weighed two.",
    ),
    "cable": (
        "Which plug has the cable at the headphone?",
        "None, it is moulded in. What can be unplugged is only the extension.",
        "Detachable means the extension. At the cup it is glued in.",
    ),
}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Prices, sellers, counts and the ceiling of this variant."""
    p = preferences.p
    draw = stream.child("facts")
    banned, forgiven = draw.sample(list(BANNED), 2)
    rules = list(PHONES)
    reach = draw.choice([7, 8, 9, 12, 13, 14])
    rolls = draw.integer(2, 3)
    pairs = p.places + 1
    price, cap = _prices(stream.child("prices"))
    lead = LEADS[min(length for length in LEADS if length >= reach)]
    packs, most_packs = _packs(p.cells_left), _packs(LEAST_LEFT)
    base = pairs * price[PHONES[p.phones_rule]] + price[lead] + rolls * price[TAPE] + packs * price[CELLS]
    base += (len(TEAM) + 1) * price[SHIRTS]
    stations = [price[key] for key in STATIONS.values()]
    wishes = [price[key] for key in WISHES.values()]
    # With all wishes it is too dear whatever stands in for the box; without any one of them it never is.
    enough = base + max(stations) + sum(wishes) - min(wishes) + (most_packs - packs) * price[CELLS]
    shirts = [SHIRTS + number for number in range(len(COLOURS) * len(SIZES))]
    phones = [*PHONES.values(), *OTHER_PHONES]
    facts = {
        "price": {f"p{key}": cents / 100 for key, cents in price.items()}
        | {f"p{key}": price[SHIRTS] / 100 for key in shirts},
        "cap": cap,
        "ceiling": -(-enough // 1000) * 10,
        "old_ceiling": -(-(base + max(stations) + sum(wishes)) // 50000) * 500 + 500,
        "banned": BANNED[banned],
        "banned_id": banned,
        "forgiven": BANNED[forgiven],
        "forgiven_id": forgiven,
        "pairs": pairs,
        "reach": reach,
        "lead": lead,
        "rolls": rolls,
        "old_rule": rules[(rules.index(p.phones_rule) + 1) % 3],
        "old_card": draw.choice([digits for digits in CARDS if digits != p.card]),
        "old_centre": CENTRES[-1],
        "old_left": draw.choice([left for left in (6, 10, 15, 18) if abs(left - p.cells_left) > SET]),
        "own": {f"p{key}": draw.choice(amounts) for key, amounts in PRIVATE.items()},
        "old_numbers": [draw.integer(60000, 99000) for _ in range(4)],
        "old_sums": [f"{draw.integer(1500, 8900) / 10:.2f}" for _ in range(4)],
        "trap": [CLAIMS[part] if part == p.phones_rule else PLAIN[part] for part in ("cable", "pads", "weight")],
        "lie": LIES[p.phones_rule],
        "phones": phones,
        "stations": list(STATIONS.values()),
        "shirts": shirts,
        # All that the order may hold; the headphones have an item of their own.
        "allowed": [*phones, lead, TAPE, CELLS, *STATIONS.values(), *shirts, *WISHES.values()],
    }
    return facts, {}


def _packs(left: int) -> int:
    """Sets of cells to buy where so many single ones are left."""
    return -(-(NEED - left) // SET)


def _prices(stream: Stream) -> tuple[dict[int, int], int]:
    """What things cost, in øre by product, and the most that a pair of headphones may cost, in kroner."""

    def between(low: int, high: int) -> int:
        return stream.integer(low * 10, high * 10) * 10

    cap = 10 * stream.integer(38, 46)
    below = {801: (6, 30), 802: (6, 30), 803: (6, 30), 804: (90, 115), 805: (40, 60), 806: (35, 55), 807: (60, 80)}
    below |= {808: (70, 95), 809: (-60, -15), 810: (45, 75), 811: (150, 180)}
    price = {key: between(cap - high, cap - low) for key, (low, high) in below.items()}
    ranges = {821: (440, 480), 822: (440, 465), 823: (535, 565), 824: (490, 515), 825: (210, 260), 826: (380, 420)}
    ranges |= {827: (470, 500), 828: (150, 190), 831: (150, 180), 832: (215, 245), 833: (270, 310), 834: (330, 390)}
    ranges |= {835: (140, 165), 836: (190, 220), 837: (160, 180), 841: (79, 98), 842: (110, 140), 843: (60, 75)}
    ranges |= {851: (88, 98), 852: (65, 79), 853: (149, 169), 861: (119, 149), 872: (99, 129)}
    ranges |= {142: (590, 640), 204: (560, 660), 871: (570, 690), SHIRTS: (139, 169), SHIRTS + 12: (89, 99)}
    return price | {key: between(*bounds) for key, bounds in ranges.items()}, cap


def work(world: Any, values: Any, draw: frozenset[str]) -> dict[str, Any]:
    """The order for the values at hand."""
    p = values.p
    # Where Nora has no wish, the assistant decides by itself.
    colour = COLOURS.index(p.shirt_colour if "shirt-colour" in draw else "teal")
    station = STATIONS[p.substitute if "substitute" in draw else "cheapest"]
    counts = {size: [*TEAM, p.late_size].count(size) for size in SIZES}
    phones = PHONES[p.phones_rule]
    gives_way = values.persona.foyer_wish
    wanted = [name for name in WISHES if name != gives_way]
    lines = [(phones, world.pairs), (station, 1), (world.lead, 1), (TAPE, world.rolls), (CELLS, _packs(p.cells_left))]
    lines += [(SHIRTS + 4 * colour + number, counts[size]) for number, size in enumerate(SIZES)]
    lines += [(WISHES[name], 1) for name in wanted]
    total = sum(round(world.price[f"p{key}"] * 100) * quantity for key, quantity in lines)
    return {
        "lines": lines,
        "phones": phones,
        "station": station,
        "packs": _packs(p.cells_left),
        "counts": [
            {"size": size, "ids": [SHIRTS + 4 * index + number for index in range(3)], "count": counts[size]}
            for number, size in enumerate(SIZES)
        ],
        "colour_ids": [SHIRTS + 4 * colour + number for number in range(4)],
        "wanted": wanted,
        "wanted_ids": [WISHES[name] for name in wanted],
        "gives_way": WISHES[gives_way],
        "card": CARDS[p.card],
        "place": PLACES[p.deliver_to],
        "total": f"{total // 100}.{total % 100:02d}",
        "shirts_total": fixed((len(TEAM) + 1) * world.price[f"p{SHIRTS}"], 2),
        "day": {"iso": "2026-03-17", "day-month": "17 March 2026", "month-day": "March 17, 2026"}[
            values.persona.date_style
        ],
    }


# -- what was written down, against the order that was placed ---------------------------------------------------------


def _created(evidence: Any, app: str, table: str) -> list[tuple[int, Mapping[str, Any]]]:
    now, start = evidence.apps[app].table(table), evidence.apps_start[app].table(table)
    return [(key, after) for key, (before, after) in sorted(now.diff(start).items()) if before is None and after]


def _figures(text: str) -> set[Decimal]:
    """The numbers in a text, however their thousands and decimals are set off."""
    plain = "".join(char if char.isdigit() or char in ".," else " " for char in text[:20_000].replace("\u202f", " "))
    tokens = [token.strip(".,") for token in plain.split()]
    # "6 412.30" is one number.
    for a, b in pairwise(list(tokens)):
        if a.isdigit() and len(a) <= 3 and len(b.replace(",", ".").split(".")[0]) == 3:
            tokens.append(a + b)
    found = set()
    for token in tokens:
        head, _, tail = token.rpartition(",")
        if head and len(tail) <= 2 and "." not in tail:
            token = head.replace(".", "").replace(",", "") + "." + tail
        whole = token.replace(",", "")
        if whole.count(".") <= 1 and whole.strip(".").isascii() and len(whole) < 30:
            found.add(Decimal(whole or "0"))
    return found


def _tells_order(evidence: Any, text: str) -> bool:
    """Whether a text gives number and total of the one order."""
    orders = _created(evidence, "amazon", "orders")
    if len(orders) != 1:
        return False
    key, order = orders[0]
    return {Decimal(key), Decimal(str(order["total"]))} <= _figures(text)


def _entries(evidence: Any) -> list[list[str]]:
    """The cells of the table rows that demo/orders.md has gained; none where an old line is gone or moved."""
    old = (evidence.start.text(NOTES) or "").splitlines()
    lines = (evidence.text(NOTES) or "").splitlines()
    rest = iter([line.rstrip() for line in lines])
    if not all(line.rstrip() in rest for line in old):
        return []
    new = [line for line in lines if line.strip().startswith("|") and line not in old]
    return [[cell.strip(" *`") for cell in line.strip().strip("|").split("|")] for line in new]


def check_told(evidence: Any) -> bool:
    """A reply gives number and total of the order."""
    return any(count_words(text) <= 500 and _tells_order(evidence, text) for text in evidence.replies)


def check_noted(evidence: Any) -> bool:
    """The list of orders has one more row, with number and total; all that stood there stands."""
    rows = _entries(evidence)
    return len(rows) == 1 and len(rows[0]) == 5 and _tells_order(evidence, " ; ".join(rows[0]))


def check_dated(evidence: Any, day: str) -> bool:
    """The new row begins with the day as Nora writes it, and ends with her name."""
    if not check_noted(evidence):
        return False
    first, *_, last = _entries(evidence)[0]
    return first == day and last.lower().startswith("nora")


def check_mail(evidence: Any, centre: str) -> bool:
    """One mail went out, to Lotte alone, with number, total and the cost centre in force, no other one."""
    mails = [row for _, row in _created(evidence, "gmail", "emails")]
    if len(mails) != 1 or list(mails[0]["recipients"]) != [LOTTE]:
        return False
    text = f"{mails[0]['subject']}\n{mails[0]['body']}"
    told = [one for one in CENTRES if Decimal(one) in _figures(text)]
    return told == [centre] and count_words(text) <= 500 and _tells_order(evidence, text)


def check_shirts(evidence: Any, centre: str, shirts: list[int]) -> bool:
    """The one mail, to Lotte alone, gives the sum of the ordered shirts and the one cost centre for them."""
    mails = [row for _, row in _created(evidence, "gmail", "emails")]
    if len(mails) != 1 or list(mails[0]["recipients"]) != [LOTTE]:
        return False
    text = f"{mails[0]['subject']}\n{mails[0]['body']}"
    found = _figures(text)
    lines = [row for _, row in _created(evidence, "amazon", "order_items") if row["product_id"] in shirts]
    cost = sum(Decimal(str(row["price"])) * row["quantity"] for row in lines)
    told = [one for one in CLOTHING if Decimal(one) in found]
    return told == [centre] and bool(lines) and cost in found and count_words(text) <= 500
