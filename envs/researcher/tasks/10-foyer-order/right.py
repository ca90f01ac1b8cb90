"""The shop's shelf for the foyer demo, and the order that follows from what everybody wrote.

Every shelf row sells beside its rivals: for each line of the order there is one product that meets all conditions of
the mails, and others that fail one of them (plug, price, day of delivery, stock, seller, or what buyers say of it).
"""

from collections.abc import Mapping
from decimal import Decimal
from itertools import pairwise
from typing import Any

from pi_gym.authoring import Change, Stream, count_words, fixed, written_day

NOTES = "demo/orders.md"
LOTTE = "lotte.brandt@halden-it.example"

# What lies in Nora's cart for herself, with the quantities it may have.
PRIVATE = {300: (1,), 183: (2, 3, 4)}
BANNED = {14: "Elhuset", 18: "Kabel og Kort", 44: "Kjelleren Elektro"}
CARDS = {"8812": 901, "2307": 902, "6140": 903}
PLACES = {"lodge": 911, "goods": 912, "library": 913}
OLD_PLACE = 1  # C104
CENTRES = ("21640", "21611", "23075", "21088")  # the last one is closed
CLOTHING = ("30110", "30240", "30375")

PHONES = {"pads": 801, "weight": 802, "cable": 803}
# From a shop that may not be used, too slow, too few, half-open, USB-C, too dear, not what its page says, on-ear.
TRAP = 810
OTHER_PHONES = (804, 805, 806, 807, 808, 809, 810, 811)
STATIONS = {"cheapest": 822, "rated": 823, "make": 824}
LEADS = {5: 831, 10: 832, 15: 833}
TAPE, CELLS = 841, 851
#: Sold out or too small, from the wrong shop, too late, passive; leads, tape and cells that will not do; covers.
UNWANTED = (821, 825, 826, 827, 828, *range(834, 838), 842, 843, 852, 853, 861, 872)
WISHES = {"stand": 142, "lamp": 204, "sign": 871}
SHIRTS = 881  # the first of the right make: teal in four sizes, then orange, then grey
COLOURS = ("teal", "orange", "grey")
SIZES = ("small", "medium", "large", "extra-large")
TEAM = ("large", "small", "extra-large", "medium")  # Tomasz, Priya, Jonas, Nora; Wei-Lin's comes on top
THREADS = (6001, 6002, 6003, 6004, 6005, 6006, 6007, 6008, 6009, 6011, 6012, 6013)
SEARCHES = (
    *("extension lead 4 sockets", "tape yellow black", "rechargeable AA"),
    *("microphone stand low", "desk lamp dimmable black", "sign stand A3"),
)
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
    packs, most_packs = _packs(p.cells), _packs(LEAST_LEFT)
    base = pairs * price[PHONES[p.headphones]] + price[lead] + rolls * price[TAPE] + packs * price[CELLS]
    base += (len(TEAM) + 1) * price[SHIRTS]
    stations = [price[key] for key in STATIONS.values()]
    wishes = [price[key] for key in WISHES.values()]
    # With all wishes it is too dear whatever stands in for the box; without any one of them it never is.
    enough = base + max(stations) + sum(wishes) - min(wishes) + (most_packs - packs) * price[CELLS]
    shirts = [SHIRTS + number for number in range(len(COLOURS) * len(SIZES))]
    phones = [*PHONES.values(), *OTHER_PHONES]
    own = {f"p{key}": draw.child("own").child(str(key)).choice(amounts) for key, amounts in PRIVATE.items()}
    own_cart = {key.removeprefix("p"): quantity for key, quantity in own.items()}
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
        "old_rule": rules[(rules.index(p.headphones) + 1) % 3],
        "old_card": draw.choice([digits for digits in CARDS if digits != p.card]),
        "old_centre": CENTRES[-1],
        "old_left": draw.choice([left for left in (6, 10, 15, 18) if abs(left - p.cells) > SET]),
        "own": own,
        "old_numbers": [draw.integer(60000, 99000) for _ in range(4)],
        "old_sums": [f"{draw.integer(1500, 8900) / 10:.2f}" for _ in range(4)],
        "trap": [CLAIMS[part] if part == p.headphones else PLAIN[part] for part in ("cable", "pads", "weight")],
        "lie": LIES[p.headphones],
        "phones": phones,
        "stations": list(STATIONS.values()),
        "shirts": shirts,
        "other_phones": [key for key in phones if key != PHONES[p.headphones]],
        "unwanted": UNWANTED,
        "own_cart": own_cart,
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


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The order and what is written of it. Who knows nothing of a wish goes by what was said of it first."""
    lines = _lines(world, wishes)
    total = sum(round(world.price[f"p{key}"] * 100) * quantity for key, quantity in lines)
    said = f"{total // 100}.{total % 100:02d}"
    day = written_day("2026-03-17", wishes.entry) if wishes.entry else "17/3"
    what = "headphones, distributor, shirts, lead, tape, cells, nice things"
    row = f"| {day} | {world.first_id} | {what} | {said} | Nora |\n"
    order = {"account": 1, "payment_card_id": CARDS[wishes.card or world.old_card], "total": total / 100}
    return {
        "order": [{**order, "address_id": PLACES[wishes.address] if wishes.address else OLD_PLACE}],
        "goods": [{"product_id": key, "quantity": quantity} for key, quantity in lines],
        "entry": Change(append=row),
        "mail": {"to": LOTTE, "subject": "Order for the foyer demo", "body": _letter(world, wishes, said)},
        "total": said,
        "packs": _packs(wishes.cells or world.old_left),
    }


def _lines(world: Any, wishes: Any) -> list[tuple[int, int]]:
    """Products and quantities."""
    colour = COLOURS.index(wishes.shirt_colour or "teal")
    sizes = [*TEAM, wishes.shirt_sizes or "medium"]
    lines = [
        (PHONES[wishes.headphones] if wishes.headphones else TRAP, world.pairs),
        (STATIONS[wishes.substitute or "cheapest"], 1),
        (world.lead, 1),
        (TAPE, world.rolls),
        (CELLS, _packs(wishes.cells or world.old_left)),
    ]
    lines += [(SHIRTS + 4 * colour + number, sizes.count(size)) for number, size in enumerate(SIZES) if size in sizes]
    return lines + [(key, 1) for name, key in WISHES.items() if name != wishes.give_way]


def _letter(world: Any, wishes: Any, total: str) -> str:
    lines = ["Hi Lotte, the foyer order is placed.", f"Order number: {world.first_id}", f"Total: {total} kroner"]
    if wishes.mail_to_lotte:
        lines.append(f"Cost centre: {wishes.mail_to_lotte}")
    if wishes.shirts_centre:
        cost = fixed((len(TEAM) + 1) * world.price[f"p{SHIRTS}"], 2)
        lines.append(f"Of that, the shirts: {cost} kroner, on {wishes.shirts_centre}")
    return "\n".join([*lines, "Nora"]) + "\n"


# -- what the model solution does in the apps -------------------------------------------------------------------------


def read_mails(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Look through the inbox and the notes."""
    pages: list[dict[str, Any]] = [{}, {"page_index": 1}]
    lists = [
        {"tool": "gmail__show_inbox_threads", "min_created_at": "2026-03-01", "page_limit": 20, **page}
        for page in pages
    ]
    notes = {"tool": "simple_note__search_notes", "query": "demo cupboard cells", "page_limit": 10}
    threads = [{"tool": "gmail__show_thread", "email_thread_id": key} for key in THREADS]
    return [*lists, notes, *threads, {"tool": "simple_note__show_note", "note_id": 902}]


def look_around(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Compare what the shop has."""
    shows = ("show_cart", "show_addresses", "show_payment_cards")
    found: list[dict[str, Any]] = [{"tool": f"amazon__{name}"} for name in shows]
    asked = {"product_type": "headphones", "query": "closed over-ear 3.5 mm", "max_price": world.cap}
    searches = [asked, {"product_type": "audio accessories"}, {"product_type": "t-shirts", "query": "heavy cotton"}]
    searches += [{"query": query} for query in SEARCHES]
    found += [{"tool": "amazon__search_products", "page_limit": 20, **one} for one in searches]
    looked = [*PHONES.values(), TRAP, *STATIONS.values(), 828, world.lead, TAPE, CELLS]
    found += [{"tool": "amazon__show_product", "product_id": key} for key in looked]
    best = PHONES[wishes.headphones] if wishes.headphones else TRAP
    found.append({"tool": "amazon__show_product_questions", "product_id": TRAP})
    found.append({"tool": "amazon__show_product_question_answers", "question_id": 60001})
    return [*found, {"tool": "amazon__show_product_reviews", "product_id": best}]


def fill_cart(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Put the order into the cart, and nothing else."""
    lines = _lines(world, wishes)
    adds = [{"tool": "amazon__add_product_to_cart", "product_id": key, "quantity": count} for key, count in lines]
    return [{"tool": "amazon__clear_cart"}, *adds, {"tool": "amazon__show_cart"}]


def place(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Order, and put Nora's own things back."""
    order = right(world, wishes)["order"][0]
    own = [
        {"tool": "amazon__add_product_to_cart", "product_id": key, "quantity": world.own[f"p{key}"]} for key in PRIVATE
    ]
    placed = {key: order[key] for key in ("payment_card_id", "address_id")}
    return [{"tool": "amazon__place_order", **placed}, *own, {"tool": "amazon__show_orders", "page_limit": 1}]


def tell_lotte(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Write to Lotte."""
    mail = right(world, wishes)["mail"]
    sent = {"email_addresses": [mail["to"]], "subject": mail["subject"], "body": mail["body"]}
    return [{"tool": "gmail__send_email", **sent}]


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


def check_tells_lotte(evidence: Any) -> bool:
    """One mail went out, to Lotte alone, with the order's number and total."""
    mails = [row for _, row in _created(evidence, "gmail", "emails")]
    if len(mails) != 1 or list(mails[0]["recipients"]) != [LOTTE]:
        return False
    return _tells_order(evidence, f"{mails[0]['subject']}\n{mails[0]['body']}")


def check_cart(evidence: Any, own: dict[str, int]) -> bool:
    """In Nora's cart lie her own things, and nothing else."""
    rows = [row for _, row in evidence.apps["amazon"].table("cart_items").rows() if row["account"] == 1]
    return {str(row["product_id"]): row["quantity"] for row in rows} == own
