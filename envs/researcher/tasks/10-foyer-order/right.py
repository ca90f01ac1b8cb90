"""The shop's shelf for the foyer demo, and the order that follows from what everybody wrote.

Every shelf row sells beside its rivals: for each line of the order there is one product that meets all conditions of
the mails, and others that fail one of them (plug, price, day of delivery, stock, seller, or what buyers say of it).
"""

from collections.abc import Mapping
from typing import Any

from pi_gym.authoring import (
    Change,
    Stream,
    csv_records,
    draw_amounts,
    fixed,
    made_records,
    messages,
    orders,
    written_amount,
    written_day,
)

NOTES = "demo/orders.md"
LOTTE = "lotte.brandt@halden-it.example"
MATES = {one.partition(".")[0]: f"{one}@halden-it.example" for one in ("tomasz.wieczorek", "jonas.beck", "priya.raman")}

BANNED = {14: "Elhuset", 18: "Kabel og Kort", 44: "Kjelleren Elektro"}
CARDS = {"8812": 901, "2307": 902, "6140": 903}
PLACES = {"lodge": 911, "goods": 912, "library": 913}
OLD_PLACE = 1  # C104

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
ASKERS = {"stand": "tomasz.wieczorek", "lamp": "priya.raman", "sign": "wei-lin.zhao"}
SHIRTS = 881  # the first of the right make: teal in four sizes, then orange, then grey
COLOURS = ("teal", "orange", "grey")
SIZES = ("small", "medium", "large", "extra-large")
TEAM = ("large", "small", "extra-large", "medium", "medium")  # Tomasz, Priya, Jonas, Nora, Wei-Lin
NEED, SET, LEAST_LEFT = 24, 4, 5  # cells: needed, in a set, and the fewest that may be left in the cupboard


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """Prices, sellers, counts and the ceiling of this variant."""
    p, data = preferences.p, preferences.data
    draw = stream.child("facts")
    banned, forgiven = draw.sample(list(BANNED), 2)
    rules, pairs = list(PHONES), p.places + 1
    reach, rolls = draw.choice([7, 8, 9, 12, 13, 14]), draw.integer(2, 3)
    price, cap = _prices(stream.child("prices"), data)
    lead = LEADS[min(length for length in LEADS if length >= reach)]
    packs = _packs(p.cells)
    base = pairs * price[PHONES[p.headphones]] + price[lead] + rolls * price[TAPE] + packs * price[CELLS]
    base += len(TEAM) * price[SHIRTS]
    wishes = [price[key] for key in WISHES.values()]
    most = base + sum(wishes) + max(price[key] for key in STATIONS.values())
    # With all wishes it is too dear whatever stands in for the box; without any one of them it never is.
    enough = most - min(wishes) + (_packs(LEAST_LEFT) - packs) * price[CELLS]
    phones = [*PHONES.values(), *OTHER_PHONES]
    old_card, card = draw.sample(list(CARDS), 2)
    claims = {one["part"]: one for one in csv_records(data["claims.csv"])}
    return {
        "price": {f"p{key}": cents / 100 for key, cents in price.items()}
        | {f"p{key}": price[SHIRTS] / 100 for key in range(SHIRTS, SHIRTS + 12)},
        "cap": cap,
        "ceiling": -(-enough // 1000) * 10,
        "old_ceiling": -(-most // 50000) * 500 + 500,
        "banned": BANNED[banned], "banned_id": banned, "forgiven": BANNED[forgiven], "forgiven_id": forgiven,
        "pairs": pairs, "reach": reach, "lead": lead, "rolls": rolls, "phones": phones, "unwanted": UNWANTED,
        "old_rule": rules[(rules.index(p.headphones) + 1) % 3],
        "old_card": old_card, "card": card,
        "old_left": draw.choice([left for left in (6, 10, 15, 18) if abs(left - p.cells) > SET]),
        "own": {"300": 1, "183": draw.integer(2, 4)},  # what lies in Nora's cart for herself
        "trap": [claims[part]["claim" if part == p.headphones else "plain"] for part in ("cable", "pads", "weight")],
        "lie": [claims[p.headphones][name] for name in ("question", "answer", "review")],
        "other_phones": [key for key in phones if key != PHONES[p.headphones]],
    }, {}  # fmt: skip


def _packs(left: int) -> int:
    """Sets of cells to buy where so many single ones are left."""
    return -(-(NEED - left) // SET)


def _prices(stream: Stream, data: Mapping[str, str]) -> tuple[dict[int, int], int]:
    """What things cost, in øre by product, and the most that a pair of headphones may cost, in kroner."""
    cap, price = 10 * stream.integer(38, 46), {}
    for one in csv_records(data["headphones.csv"]):
        low, high = cap - int(one["most_below"]), cap - int(one["least_below"])
        price[int(one["product"])] = stream.integer(10 * low, 10 * high) * 10
    return price | {int(name): cents for name, cents in draw_amounts(stream, data["prices.csv"]).items()}, cap


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The order and what is written of it. Who knows nothing of a wish goes by what was said of it first."""
    lines = _lines(world, wishes)
    total = sum(round(world.price[f"p{key}"] * 100) * quantity for key, quantity in lines)
    said = written_amount(total)
    day = written_day("2026-03-17", wishes.entry) if wishes.entry else "17/3"
    what = "headphones, distributor, shirts, lead, tape, cells, nice things"
    row = f"| {day} | {world.first_id} | {what} | {said} | Nora |\n"
    order = {"account": 1, "payment_card_id": CARDS[world.card], "address_id": PLACES.get(wishes.address, OLD_PLACE)}
    mail = {"to": LOTTE, "subject": "Order for the foyer demo", "body": _letter(world, wishes, said)}
    where = f"It comes on Wednesday to: {wishes.address or 'C104'}. Can you fetch it before six?\nNora"
    errand = {"to": MATES[wishes.parcel], "subject": "The foyer's parcel", "body": where} if wishes.parcel else None
    asker = f"{ASKERS.get(wishes.give_way)}@halden-it.example"
    gone = f"Sorry, your {wishes.give_way} waits until summer."
    word = {"to": asker, "subject": "Not everything for the foyer", "body": f"{gone} Is there another?\nNora"}
    return {
        "order": [{**order, "total": total / 100}],
        "goods": [{"product_id": key, "quantity": quantity} for key, quantity in lines],
        "entry": Change(append=row),
        "mail": mail,
        "errand": errand,
        "word": word if wishes.left_out and wishes.give_way else None,
        "total": said,
        "packs": _packs(wishes.cells or world.old_left),
    }


def _lines(world: Any, wishes: Any) -> list[tuple[int, int]]:
    """Products and quantities."""
    colour = COLOURS.index(wishes.shirt_colour or "teal")
    lines = [
        (PHONES[wishes.headphones] if wishes.headphones else TRAP, world.pairs),
        (STATIONS[wishes.substitute or "cheapest"], 1),
        (world.lead, 1),
        (TAPE, world.rolls),
        (CELLS, _packs(wishes.cells or world.old_left)),
    ]
    lines += [(SHIRTS + 4 * colour + number, TEAM.count(size)) for number, size in enumerate(SIZES)]
    return lines + [(key, 1) for name, key in WISHES.items() if name != wishes.give_way]


def _letter(world: Any, wishes: Any, total: str) -> str:
    lines = ["Hi Lotte, the foyer order is placed.", f"Order number: {world.first_id}", f"Total: {total} kroner"]
    if wishes.mail_to_lotte:
        lines.append(f"Cost centre: {wishes.mail_to_lotte}")
    if wishes.shirts_centre:
        cost = fixed(len(TEAM) * world.price[f"p{SHIRTS}"], 2)
        lines.append(f"Of that, the shirts: {cost} kroner, on {wishes.shirts_centre}")
    return "\n".join([*lines, "Nora"]) + "\n"


def send(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Mail Lotte, whoever fetches the parcel, and whoever asked for what waits."""
    mails = right(world, wishes)
    return messages.send_calls(*(mails[name] for name in ("mail", "errand", "word") if mails[name]))


# -- what was written down, against the order that was placed ---------------------------------------------------------


def check_noted(evidence: Any) -> bool:
    """The list of orders has one more row, with number and total."""
    old = (evidence.start.text(NOTES) or "").splitlines()
    new = [line for line in (evidence.text(NOTES) or "").splitlines() if line.strip()[:1] == "|" and line not in old]
    return len(new) == 1 and new[0].strip().strip("|").count("|") == 4 and orders.tells_order(evidence, new[0])


def check_knows(evidence: Any, mate: str) -> bool:
    """Whoever fetches the parcel reads where it lies, and not simply everybody."""
    sent = {name: " ".join(messages.sent_messages(evidence).get(email, ())).lower() for name, email in MATES.items()}
    told = [name for name, text in sent.items() if any(place in text for place in ("c104", *PLACES))]
    return mate in told and len(told) < len(MATES)


def check_hears(evidence: Any) -> bool:
    """Whoever asked for a nice thing that is not in the order reads so, and not simply everybody."""
    bought = {row["product_id"] for row in made_records(evidence, "amazon", "order_items").values()}
    waits, sent = {name for name, key in WISHES.items() if key not in bought}, messages.sent_messages(evidence)
    texts = {name: " ".join(sent.get(f"{asker}@halden-it.example", ())) for name, asker in ASKERS.items()}
    told = {name for name, text in texts.items() if _nice_things(text) & waits}
    return bool(bought) and waits <= told and len(told) < len(ASKERS)


def _nice_things(text: str) -> set[str]:
    """Those of the three that a text speaks of; the stand for the sign is the sign, a stand-in is none."""
    plain = text.lower().replace("-", " ").replace("a3 ", "").replace("stand in", "")
    plain = plain.replace("stand for the sign", "sign").replace("sign stand", "sign")
    return {name for name in WISHES if name in plain}
