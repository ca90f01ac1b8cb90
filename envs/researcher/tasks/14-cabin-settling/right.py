"""A weekend's bills: what the till printed, what the texts tell, and who bears how much for which wishes."""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from pi_gym.authoring import (
    Change,
    File,
    Stream,
    csv_records,
    csv_text,
    debts,
    keyed_texts,
    messages,
    new_csv_amounts,
    redraw,
    same_amounts,
    split_amount,
    telling,
    written_amount,
    written_day,
)

NORA = "nora.lindqvist@halden-it.example"
FRIENDS = ("sofie.dahl", "oda.lien", "mats.brekke", "maren.solberg", "kasper.nygaard")
EMAILS = {"nora": NORA} | {one.partition(".")[0]: f"{one}@postbox.example" for one in FRIENDS}
PEOPLE = (*EMAILS,)
PHONES = dict(zip(PEOPLE, ("5550142001", *(f"55501420{end}" for end in (33, 39, 40, 30, 38))), strict=True))
GROUP, FLAT, CORD = 5, 4, 2580  # CORD: what Nora has owed Mats in the group since August, in cents
PAYERS = {"food": "nora", "cabin": "sofie", "petrol": "oda"}
SAID = {
    "food": "Food, Bjornbu in March",
    "cabin": "Cabin fee, two nights",
    "petrol": "Petrol and toll, Bjornbu in March",
}
COLUMNS = ("cabin", "petrol", "food")
PAY_DAYS = ("2026-04-08", "2026-04-09", "2026-04-10", "2026-04-13", "2026-04-15")  # by which Nora may want the money
GUESS = "2026-04-05"  # a week from now: what somebody would write who was told no day
# By bill what each wish on it can be; None where to think nothing of it is none of the others.
GUESTS = ("all", "food", "no")
CHOICES: dict[str, dict[str, tuple[str | None, ...]]] = {
    "food": {
        "guest": GUESTS,
        "drinks": (None, "mats", "oda", "maren"),
        "private_lines": (None, "coffee beans", "olive oil", "rye flour"),
    },
    "cabin": {"guest": GUESTS, "hut_rule": (None, "nights", "rent")},
    "petrol": {"guest": GUESTS, "petrol_rule": (None, "legs", "passengers", "both_ways")},
}
APART = ("meat", "beer and cider")


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """People's comings and goings, the bills and the earlier sheets."""
    shelf = csv_records(preferences.data["shelf.csv"])
    facts, lines = redraw(
        lambda: _facts(stream, preferences.p, shelf), lambda drawn: _is_telling(drawn[0]["bills"], drawn[0]["payer"])
    )
    other = _bought(stream, shelf, 11)
    tills = [{"number": stream.integer(1, 6), "minute": stream.integer(11, 59)}, {"slip": stream.integer(100, 999)}]
    tills[1] |= {"number": stream.integer(1, 6), "minute": stream.integer(11, 59)}
    halves = split_amount(sum(one["net"] for one in other), {"nora": 1, "maren": 1})
    return {
        **facts,
        "pay_days": PAY_DAYS,
        "said": keyed_texts(preferences.data["said.csv"]),
        "phones": PHONES,
        "emails": EMAILS,
        "other": _entry("", "nora", halves, FLAT),
        "other_receipt": {"lines": other, **tills[0]},
        "receipt": {"lines": lines, **tills[1]},
    }, {}


def _facts(stream: Stream, p: Any, shelf: list[dict[str, str]]) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """What happened, with the lines of the food's bill."""
    spans = ((4700, 5400), (1300, 1900), (80, 150), (28, 39))
    tank, top_up, week, toll = (stream.integer(*span) for span in spans)
    late, early, full = stream.shuffled(["mats", "maren", "kasper"])
    veg = stream.choice(["sofie", "kasper"])
    rent, cleaning = 10 * stream.integer(149, 168), 10 * stream.integer(39, 52)
    lines = _bought(stream, shelf, 16, special=True)
    pools: dict[str, dict[str, int]] = {name: {} for name in ("common", *APART)}
    for one in lines:
        pool = pools[one["group"] if one["group"] in APART else "common"]
        pool[one["whose"]] = pool.get(one["whose"], 0) + one["net"]

    def other(kind: str, name: str) -> Any:
        return stream.choice([one for one in CHOICES[kind][name][1:] if one != getattr(p, name)])

    facts = {
        "late": late, "early": early, "full": full, "veg": veg,
        "bills": {
            "nights": {name: 1 if name in (late, early) else 2 for name in PEOPLE},
            "veg": veg,
            "pools": pools,
            "rent": 200 * rent, "cleaning": 100 * cleaning,
            "petrol": 10 * tank + 10 * top_up + 200 * toll - 100 * week,
        },
        "was_sober": other("food", "drinks"),
        "payer": stream.choice(["mats", "maren"]), "moved": stream.choice(["oda", "mats"]),
        "wish": other("food", "private_lines"), "petrol_first": other("petrol", "petrol_rule"),
        "rules_first": "all" if p.rules == "hut" else "hut",
        "tank": written_amount(10 * tank), "tank_wrong": written_amount(10 * (tank + stream.integer(410, 970))),
        "top_up": written_amount(10 * top_up),
        "week": week, "toll": toll, "rent": rent, "cleaning": cleaning,
        "rent_old": 10 * stream.integer(170, 189), "cleaning_old": 10 * stream.integer(31, 37),
    }  # fmt: skip
    facts["bills"]["empties"] = 100 * stream.integer(21, 58)
    return facts, lines


def _bought(stream: Stream, shelf: list[dict[str, str]], common: int, special: bool = False) -> list[dict[str, Any]]:
    """A bill's lines, in cents, `net` after the discount on marked ones: some of everybody's, and what is special."""
    apart = [one for one in shelf if one["whose"] or one["group"] in APART]
    plain = stream.sample([one for one in shelf if one not in apart], common)
    lines = []
    for one in stream.shuffled([*plain, *(apart if special else [])]):
        count = int(one["most"]) if one["group"] in APART else stream.integer(1, int(one["most"]))
        price, marked = 100 * stream.integer(int(one["low"]), int(one["high"])) + 90, stream.integer(1, 4) == 1
        gross = price * count
        bought = {"article": one["article"] + " *" * marked, "count": count, "price": price, "gross": gross}
        lines.append(one | bought | {"net": gross - gross // 5 if marked else gross})
    return lines


def _is_telling(bills: Mapping[str, Any], payer: str) -> bool:
    """Whether each bill tells the wishes apart, and the same people owe Nora something whatever she wishes."""
    every = {kind: [*_every(bills, kind)] for kind in PAYERS}
    totals = sorted({sum(one.values()) for one in every["food"]})
    taken = {"mats": CORD, "maren": 0, "oda": max(one["nora"] for one in every["petrol"])}
    taken[payer] += 30_000
    return (
        len(totals) == 4
        and telling.amounts_apart(totals, 100)
        and all(min(one[name] for one in every["food"]) > cents + 3_500 for name, cents in taken.items())
        and max(one["sofie"] for one in every["food"]) + 2_000 < min(one["nora"] for one in every["cabin"])
    )


def _borne(bills: Mapping[str, Any], kind: str, wishes: Mapping[str, Any]) -> dict[str, int]:
    """What everybody bears of one bill, in cents."""
    heads, nights = dict.fromkeys(PEOPLE, 1), dict(bills["nights"].items())
    if kind == "food":
        away = {"own", wishes["private_lines"]} if wishes["private_lines"] else set()
        without = {"common": None, "meat": bills["veg"], "beer and cider": wishes["drinks"]}
        parts = []
        for pool, name in without.items():
            counted = sum(cents for whose, cents in bills["pools"][pool].items() if whose not in away)
            parts.append(split_amount(counted, heads | ({name: 0} if name else {})))
    elif kind == "cabin":
        by = {"nights": (nights, nights), "rent": (nights, heads)}.get(wishes["hut_rule"], (heads, heads))
        parts = [split_amount(bills["rent"], by[0]), split_amount(bills["cleaning"], by[1])]
    else:
        both_ways = {name: count - 1 for name, count in nights.items()}
        rides = {"legs": nights, "passengers": nights | {"oda": 0}, "both_ways": both_ways}
        parts = [split_amount(bills["petrol"], rides.get(wishes["petrol_rule"], heads))]
    total = {name: sum(part[name] for part in parts) for name in PEOPLE}
    if wishes["guest"] == "all" or (kind, wishes["guest"]) == ("food", "food"):
        total |= {"nora": total["nora"] + total["kasper"], "kasper": 0}
    return total


def _every(bills: Mapping[str, Any], kind: str) -> Iterator[dict[str, int]]:
    """What everybody bears of one bill for all that the wishes may be."""
    for some in product(*CHOICES[kind].values()):
        yield _borne(bills, kind, dict(zip(CHOICES[kind], some, strict=True)))


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The entries, the sheet and the texts. Who knows nothing of a wish counts the whole bill, by head."""
    believed = {name: getattr(wishes, name) for some in CHOICES.values() for name in some}
    borne = {kind: _borne(world.bills, kind, believed) for kind in PAYERS}
    entries = [_entry(SAID[kind], PAYERS[kind], parts) for kind, parts in borne.items()]
    pool, empties = world.bills["pools"]["common"], world.bills["empties"]
    home = split_amount(pool["own"] + pool.get(wishes.private_lines, 0) - empties, {"nora": 1, "maren": 1})
    owed = borne["food"] | {"sofie": borne["food"]["sofie"] - borne["cabin"]["nora"]}
    owed |= {"oda": owed["oda"] - borne["petrol"]["nora"], "mats": owed["mats"] - CORD}
    if wishes.paid_ahead:
        entries.append(_entry("Sent ahead for the food", world.payer, {"nora": 100 * wishes.paid_ahead}))
        owed[world.payer] -= 100 * wishes.paid_ahead
    day = written_day(wishes.pay_by or GUESS, "day-month")
    debtors = {name: written_amount(owed[name]) for name in PEOPLE[2:] if owed[name] > 0}
    said = "bjornbu is in splitwise: you owe me {}. by {}, please!"
    shown = [name for name in PEOPLE if any(one[name] for one in borne.values())]
    rows = [[name.capitalize(), *(borne[kind][name] for kind in COLUMNS)] for name in shown]
    rows.append(["sum", *(sum(borne[kind].values()) for kind in COLUMNS)])
    cells = [[name, *map(written_amount, [*cents, sum(cents)])] for name, *cents in rows]
    rules = {"hut": ("hut: by head", f"hut: {world.said['hut_rule'][wishes.hut_rule or 'nights']}")}
    rules["all"] = ("petrol: by head, toll too", f"petrol: {world.said['petrol_rule'][wishes.petrol_rule or 'legs']}")
    return {
        "entries": entries,
        "flat": [_entry("Torvmat, what was for home", "nora", home, FLAT)] if wishes.flat else None,
        "sheet": File("bjornbu_2026-03-29.csv", csv_text(["person", *COLUMNS, "total"], cells)),
        "texts": [
            {"to": PHONES[name], "channel": "text", "body": said.format(cents, day)} for name, cents in debtors.items()
        ],
        "rules": Change(replace=dict(rules[one] for one in ("hut", wishes.rules))) if wishes.rules else None,
        "day": day,
        "sums": debtors,
        "debtors": ", ".join(map(str.capitalize, debtors)),
        "own_debt": written_amount(-owed["sofie"]),
        "printed": "".join(f"{kind} {_told(parts)}\n" for kind, parts in borne.items()),
    }


def _told(borne: Mapping[str, int]) -> str:
    parts = ", ".join(f"{name} {written_amount(cents)}" for name, cents in borne.items() if cents)
    return f"{written_amount(sum(borne.values()))}: {parts}"


def _entry(said: str, payer: str, borne: Mapping[str, int], group: int = GROUP) -> dict[str, Any]:
    return debts.expense(said, EMAILS[payer], {EMAILS[name]: cents for name, cents in borne.items()}, group)


def _entered(evidence: Any, kind: str) -> dict[str, int]:
    """What everybody bears of the new entry with one payer, in cents by name; empty unless there is just one."""
    return debts.entered(evidence, GROUP, EMAILS[PAYERS[kind]], EMAILS)


def _owed(evidence: Any) -> dict[str, int]:
    """By name, what everybody owes Nora in the group as Splitwise has it now, in cents."""
    return debts.owed_by_name(evidence, GROUP, NORA, EMAILS)


def check_split(evidence: Any, kinds: list[str], bills: dict[str, Any]) -> bool:
    """Each bill is one entry, shared to the cent as it is right for whatever the wishes may be."""
    return all(debts.splits_as(_entered(evidence, kind), _every(bills, kind)) for kind in kinds)


def check_amounts(evidence: Any) -> bool:
    """Just those who owe something by Splitwise have a text, which says how much; one's own shares may be in it."""
    sent = messages.sent_messages(evidence, {name: [number] for name, number in PHONES.items()})
    owed, entered = _owed(evidence), [_entered(evidence, kind) for kind in PAYERS]
    own = {name: [one.get(name, 0) for one in entered] for name in PEOPLE}
    return {name for name, cents in owed.items() if cents > 0} == {*sent} and messages.tell_own_sums(sent, owed, own)


def check_sheet_agrees(evidence: Any) -> bool:
    """The new sheet holds what Splitwise holds; who bears nothing may have a row or none."""
    told = {name.split()[0]: cents for name, cents in new_csv_amounts(evidence, "bills/").items() if name}
    held = [_entered(evidence, kind) for kind in COLUMNS]
    rows = {name: [one.get(name, 0) for one in held] for name in PEOPLE}
    same = [same_amounts(told.get(name, [0] * 4), [*cents, sum(cents)]) for name, cents in rows.items()]
    return all(held) and bool(told) and all(same)


def check_tells_debt(evidence: Any) -> bool:
    """A reply has, to the cent, what Nora now owes Sofie, who paid most."""
    owed = -_owed(evidence)["sofie"]
    return owed > 0 and bool(_entered(evidence, "cabin")) and messages.reply_tells(evidence, {"sofie": owed})
