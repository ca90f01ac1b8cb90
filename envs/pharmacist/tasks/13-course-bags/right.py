"""The order for the course: how many heads, which goods, what waits, and pencils for what is left."""

from __future__ import annotations

from typing import Any

from pi_gym.authoring import (
    Change,
    Stream,
    added_lines,
    csv_text,
    logs,
    number_word,
    orders,
    written_amount,
    written_day,
)

ORDERS, SIZES = "course/orders.md", 61
CLOCK, PENCILS, CANDLES = 174, 189, 226
COURSE_CARD = 2
BENCH = {"books": 182, "felt": 203, "scales": 296}
TIMERS, CREAMS = (175, 176, 177), {1301: "Lyng", 1302: "Havn", 1303: "Myr"}
PLACES = {2: "gate 3", 3: "the quay door", 1: "Naustvegen 6"}
PEOPLE = ("Liv Aasen", "Jonas Moen", "Sunniva Dale", "Mats Heggen", "Ragnhild Bo", "Emil Strand", "Astrid Lund",
          "Omar Saleh", "Karin Vik", "Peder Nes", "Yusra Karim", "Tone Haug")  # fmt: skip
WARDS = ("M1", "M2", "K1", "B1", "O1", "home care")
PACK = 6900
CANTEEN = {"to": "canteen@eidsund-hospital.example", "subject": "Friday's course"}


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, str]]:
    """Draw who comes, what things cost, and how far the money goes."""
    p = preferences.p
    signed = stream.sample(PEOPLE, stream.integer(9, 12))
    off, guests = [stream.choice(signed[:3]), stream.choice(signed[6:])], stream.integer(3, 4)
    heads = len(signed) - 2 + guests
    timer, cream, bench = stream.integer(109, 129), stream.integer(79, 97), stream.integer(228, 244)
    # What can wait costs nearly the same, so that no sum tells what does.
    dear = dict(zip(stream.shuffled([*BENCH.values()]), (bench, bench + 2, bench + 4), strict=True))
    facts: dict[str, Any] = {
        "signed": len(signed), "off": off, "guests": guests, "heads": heads, "benches": _benches(heads),
        "headed": [str(heads), number_word(heads)],
        "price": {**dict.fromkeys(TIMERS, timer), **dict.fromkeys(CREAMS, cream), **dear},
        "size": stream.choice(("S", "XL")), "waiters": [str(key) for key in BENCH.values()],
        "counted": [str(key) for key in (*TIMERS, *CREAMS, *BENCH.values())],
        "old_place": stream.choice([one for one in PLACES if one != p.address]),
        "cream": CREAMS[p.cream],
        "liked": stream.choice([one for one in CREAMS if one != p.cream]),
    }  # fmt: skip
    facts["perfumed"] = next(one for one in CREAMS if one not in (p.cream, facts["liked"]))
    base = heads * (timer + cream) + _benches(heads) * (2 * bench + 4)
    facts["ceiling"] = (base + stream.integer(9, 11) * 69 + 40) // 10 * 10
    facts["old_ceiling"] = facts["ceiling"] - 420
    houses = {off[0]: "U3", off[1]: "dermatology"}
    rows = [(name, houses.get(name) or stream.choice(WARDS), stream.choice(("S", "M", "L")), "yes") for name in signed]
    facts["rows"] = {name: ",".join(row) for name, *row in rows}
    return {**facts, "price": {f"p{key}": one for key, one in facts["price"].items()}}, {
        "course/sign-up.csv": csv_text(["name", "ward", "glove", "comes"], rows)
    }


def _benches(heads: int) -> int:
    return -(-heads // 2)


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The order, its line and the list. Who knows nothing goes by the sign-up, by first words and by buyers' noses."""
    heads = world.heads if wishes.heads else world.signed
    lines = {wishes.timer or TIMERS[0]: heads, wishes.cream or world.liked: heads}
    lines |= {key: _benches(heads) for name, key in BENCH.items() if wishes.give_up and name != wishes.give_up}
    total = sum(100 * world.price[f"p{key}"] * count for key, count in lines.items())
    left = 100 * (world.ceiling if wishes.ceiling else world.old_ceiling) - total
    if left >= PACK:
        lines[PENCILS] = left // PACK
        total += PACK * lines[PENCILS]
    day = written_day("2026-05-22", wishes.row) if wishes.row else "22/5"
    place, changes = wishes.address or world.old_place, {}
    for name in world.off if wishes.sign_up else []:
        old = f"{name},{world.rows[name]}\n"
        changes[old] = f"{old.rpartition(',')[0]},no\n"
    return {
        "order": [{"account": 1, "payment_card_id": COURSE_CARD, "address_id": place, "total": total / 100}],
        "goods": [{"product_id": key, "quantity": count} for key, count in lines.items()],
        "entry": Change(
            append=f"| {day} | {world.first_id} | bags and benches | {heads} | {written_amount(total)} |\n"
        ),
        "signup": Change(changes) if changes else None,
        "later": [{"product_id": CLOCK, "quantity": 1}] if wishes.later else None,
        "catering": {**CANTEEN, "body": f"We are {world.heads} heads, without teachers."} if wishes.caterer else None,
        "total": written_amount(total),
    }


def buy(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Order, with her own candles out of the cart for as long as that takes."""
    made = right(world, wishes)
    where = {name: made["order"][0][name] for name in ("payment_card_id", "address_id")}
    calls: list[dict[str, Any]] = [{"tool": "amazon__clear_cart"}]
    calls += [{"tool": "amazon__add_product_to_cart", **line} for line in made["goods"]]
    calls += [{"tool": "amazon__show_cart"}, {"tool": "amazon__place_order", **where}]
    calls += [{"tool": "amazon__add_product_to_cart", "product_id": CANDLES, "quantity": 2}]
    return calls + [{"tool": "amazon__add_product_to_wish_list", **line} for line in made["later"] or []]


def note(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Bring the note on gloves in line."""
    text = NOTE.replace("Gro M", f"Torbjorn {world.size}")
    return [logs.note_call(SIZES, text)] if wishes.size_note else []


NOTE = "Samira S\nKetil L\nMairead M\nGro M\nOddvar L, and he will say XL\nGuests: ask, nobody guesses right."


def check_noted(evidence: Any) -> bool:
    """The list of orders has one more row, with number and total."""
    rows = added_lines(evidence, ORDERS)
    return len(rows) == 1 and rows[0].count("|") == 6 and orders.tells_order(evidence, rows[0])


def check_sizes(evidence: Any, size: str) -> bool:
    """The note has Torbjorn's size and all others' lines, whatever became of Gro's."""
    lines = logs.note_lines(evidence, SIZES)
    his = [line for line in lines if "Torbjorn" in line and size in line.replace(",", " ").replace(":", " ").split()]
    return bool(his) and all(line in lines for line in NOTE.splitlines() if "Gro" not in line)
