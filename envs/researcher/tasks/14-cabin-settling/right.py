"""A weekend's bills: what the till printed, what the texts tell, and who bears how much for which wishes."""

from collections.abc import Iterator, Mapping
from itertools import pairwise, product
from typing import Any

from pi_gym.authoring import (
    File,
    Stream,
    amounts_in,
    count_words,
    csv_text,
    fixed,
    made_rows,
    new_csv_rows,
    written_day,
)  # fmt: skip

EMAILS = {"nora": "nora.lindqvist@halden-it.example"} | {
    one.partition(".")[0]: f"{one}@postbox.example"
    for one in ("sofie.dahl", "oda.lien", "mats.brekke", "maren.solberg", "kasper.nygaard")
}
PEOPLE = (*EMAILS,)
PHONES = dict(zip(PEOPLE, ("5550142001", *(f"55501420{end}" for end in (33, 39, 40, 30, 38))), strict=True))
GROUP, CORD = 5, 2580  # CORD: what Nora has owed Mats in the group since August, in cents
PAYERS = {"food": EMAILS["nora"], "cabin": EMAILS["sofie"], "petrol": EMAILS["oda"]}
SAID = {
    "food": "Food, Bjornbu in March",
    "cabin": "Cabin fee, two nights",
    "petrol": "Petrol and toll, Bjornbu in March",
}
COLUMNS = ("person", "cabin", "petrol", "food", "total")
DAYS = ("2026-04-08", "2026-04-09", "2026-04-10", "2026-04-13", "2026-04-15")  # by which Nora may want the money
GUESS = "2026-04-05"  # a week from now: what somebody would write who was told no day
# What each wish can be; None where to think nothing of it is none of the others.
CHOICES: dict[str, tuple[str | None, ...]] = {
    "own_share": ("both", "wood", "none"),
    "guest": ("all", "food", "no"),
    "drinks": (None, "mats", "oda", "maren"),
    "private_lines": (None, "coffee beans", "olive oil", "rye flour"),
    "hut_rule": (None, "nights", "rent"),
    "petrol_rule": (None, "legs", "passengers", "both_ways"),
}
MATTERS = {"food": [*CHOICES][:4], "cabin": ["guest", "hut_rule"], "petrol": ["guest", "petrol_rule"]}
OLD_SHEETS = {"2024-09-01": (4, 120_000, 49_700, 74_250), "2025-08-24": (5, 150_000, 54_000, 131_835)}
# By group of the till: article, most pieces, lowest and highest price in whole kroner, and whose it is.
SHELF = {
    "dairy": "Oat milk 1 l|4|22|28, Whole milk 1 l|3|20|25, Brown cheese 500 g|1|84|99, Salted butter 500 g|2|49|58,"
    " Free range eggs x 18|2|69|79, Sour cream 300 g|3|24|29, Sliced cheese 400 g|2|72|86",
    "greens": "Potatoes 2 kg|2|42|52, Leeks|2|29|36, Apples 1.5 kg|2|45|55, Oranges 2 kg|1|49|59, Cabbage|1|34|44",
    "dry": "Sourdough loaf|3|58|66, Waffle mix 800 g|2|47|55, Spaghetti 1 kg|2|29|36, Tinned tomatoes x 4|2|52|60,"
    " Ground coffee 500 g|2|79|94, Coffee beans 1 kg|1|189|219|coffee beans, Olive oil 1 l|1|139|169|olive oil,"
    " Rye flour 5 kg|1|104|124|rye flour, Milk chocolate 200 g|4|44|49, Cinnamon buns x 6|2|54|62",
    "meat": "Lamb sausages 600 g|2|94|109, Bacon 2 x 140 g|3|52|59",
    "beer and cider": "Lager 6 x 0.5 l|3|159|179, Pear cider 4 x 0.5 l|2|119|134",
    "household": "Shampoo 250 ml|1|59|79|own, Tights 40 den|1|79|99|own, AA batteries|1|89|109|own, Matches|1|29|35",
    "outdoor": "Birch wood 40 l sack|3|109|129|wood, Gas cartridge 450 g|2|99|119|gas",
}
APART = ("meat", "beer and cider")


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """People's comings and goings, the bills and the earlier sheets."""
    facts = _facts(stream, preferences.p)
    while not _is_telling(facts["bills"], facts["payer"]):
        facts = _facts(stream, preferences.p)
    lines, empties, naming = facts.pop("lines"), facts.pop("empties"), preferences.persona.naming
    other, files = _bought(stream, 11, ()), {}
    for day, some, back in (("2026-03-21", other, 0), ("2026-03-27", lines, empties)):
        files[f"bills/torvmat_{day}.csv"] = _receipt(some, day, stream, back)
    for when, (count, *amounts) in OLD_SHEETS.items():
        old = [split(amount, dict.fromkeys(PEOPLE[:count], 1)) for amount in amounts]
        files[f"bills/{naming.format(topic='bjornbu', date=when)}.csv"] = _sheet(old)
    halves = split(sum(one["net"] for one in other), {"n": 1, "m": 1})
    return {
        **facts,
        "days": DAYS,
        "phones": PHONES,
        "emails": EMAILS,
        "other_shares": [part / 100 for part in halves.values()],
    }, files


def _facts(stream: Stream, p: Any) -> dict[str, Any]:
    spans = ((4700, 5400), (1300, 1900), (80, 150), (28, 39))
    tank, top_up, week, toll = (stream.integer(*span) for span in spans)
    who = dict(zip(("late", "early", "full"), stream.shuffled(["mats", "maren", "kasper"]), strict=True))
    veg = stream.choice(["sofie", "kasper"])
    rent, cleaning = 10 * stream.integer(149, 168), 10 * stream.integer(39, 52)
    lines = _bought(stream, 16, ("own", "wood", "gas", *CHOICES["private_lines"][1:]), APART)
    pools: dict[str, dict[str, int]] = {name: {} for name in ("common", *APART)}
    for one in lines:
        pool = pools[one["group"] if one["group"] in APART else "common"]
        pool[one["whose"]] = pool.get(one["whose"], 0) + one["net"]
    petrol = 10 * tank + 10 * top_up + 200 * toll - 100 * week
    return {
        **who,
        "bills": {
            "nights": {name: 1 if name in (who["late"], who["early"]) else 2 for name in PEOPLE},
            "veg": veg, "pools": pools, "rent": 200 * rent, "cleaning": 100 * cleaning, "petrol": petrol,
        },
        "veg": veg,
        "was_sober": stream.choice([name for name in CHOICES["drinks"][1:] if name != p.drinks]),
        "payer": stream.choice(["mats", "maren"]),
        "moved": stream.choice(["oda", "mats"]),
        "wish": stream.choice([name for name in CHOICES["private_lines"][1:] if name != p.private_lines]),
        "petrol_first": stream.choice([name for name in CHOICES["petrol_rule"][1:] if name != p.petrol_rule]),
        "tank": _money(10 * tank),
        "tank_wrong": _money(10 * tank + 10 * stream.integer(410, 970)),
        "top_up": _money(10 * top_up),
        "week": week,
        "toll": toll,
        "rent": rent,
        "rent_old": 10 * stream.integer(170, 189),
        "cleaning": cleaning,
        "cleaning_old": 10 * stream.integer(31, 37),
        "empties": 100 * stream.integer(21, 58),
        "lines": lines,
    }  # fmt: skip


def _bought(
    stream: Stream, common: int, kept: tuple[str | None, ...], groups: tuple[str, ...] = ()
) -> list[dict[str, Any]]:
    """A bill's lines, in cents, `net` after the discount on marked ones: some of everybody's, and all that is named."""
    shelf = [(group, *one.split("|"), "") for group, row in SHELF.items() for one in row.split(", ") if one]
    plain = [row for row in shelf if not row[5] and row[0] not in APART]
    special = [row for row in shelf if row[5] in kept or row[0] in groups]
    lines = []
    for group, name, most, low, high, whose, *_ in stream.shuffled([*stream.sample(plain, common), *special]):
        count = int(most) if group in APART else stream.integer(1, int(most))
        price, marked = 100 * stream.integer(int(low), int(high)) + 90, stream.integer(1, 4) == 1
        gross = price * count
        till = {"name": name + " *" * marked, "group": group, "count": count, "price": price, "gross": gross}
        lines.append(till | {"whose": whose, "net": gross - gross // 5 if marked else gross})
    return lines


def _receipt(lines: list[dict[str, Any]], day: str, stream: Stream, empties: int) -> str:
    rows = [[one["name"], one["group"], one["count"], _money(one["price"]), _money(one["gross"])] for one in lines]
    net = sum(one["net"] for one in lines)
    off = net - sum(one["gross"] for one in lines)
    rows.append(["Members' discount, 20 % on articles with *", "discount", "", "", _money(off)])
    if empties:
        rows.append([f"Empties, slip {stream.integer(100, 999)}", "deposit", 1, "", _money(-empties)])
    rows.append(["TO PAY", "", "", "", _money(net - empties)])
    head = f"# Torvmat Halden, till {stream.integer(1, 6)}, {day} 15:{stream.integer(11, 59)}\n"
    return head + csv_text(["article", "group", "pieces", "price", "amount"], rows, delimiter=";")


def _is_telling(bills: Mapping[str, Any], payer: str) -> bool:
    """Whether each bill tells the wishes apart, and the same people owe Nora something whatever she wishes."""
    every = {kind: [dict(zip(PEOPLE, one, strict=True)) for one in _every(bills, kind)] for kind in PAYERS}
    totals = sorted({sum(one.values()) for one in every["food"]})
    lowest = {name: min(one[name] for one in every["food"]) for name in PEOPLE}
    taken = {"mats": CORD, "maren": 0, "oda": max(one["nora"] for one in every["petrol"])}
    taken[payer] += 30_000
    most = max(one["sofie"] for one in every["food"])
    return (
        len(totals) == 12
        and all(two - one >= 100 for one, two in pairwise(totals))
        and all(lowest[name] > amount + 3_500 for name, amount in taken.items())
        and most + 2_000 < min(one["nora"] for one in every["cabin"])
    )


# -- who bears how much ------------------------------------------------------------------------------------------------


def split(total: int, weights: Mapping[str, int]) -> dict[str, int]:
    """A total in cents by whole weights; cents left over go to the first ones."""
    parts = {name: total * weight // sum(weights.values()) for name, weight in weights.items()}
    for name in [name for name in parts if weights[name]][: total - sum(parts.values())]:
        parts[name] += 1
    return parts


def _shares(bills: Mapping[str, Any], kind: str, wishes: Mapping[str, Any]) -> list[int]:
    """What everybody bears of one bill, in cents and in the order of PEOPLE."""
    heads, nights = dict.fromkeys(PEOPLE, 1), dict(bills["nights"].items())
    if kind == "food":
        away = {"own", wishes["private_lines"]} if wishes["private_lines"] else set()
        away |= {"wood": {"gas"}, "none": {"wood", "gas"}}.get(wishes["own_share"], set())
        without = {"common": None, "meat": bills["veg"], "beer and cider": wishes["drinks"]}
        parts = [
            split(
                sum(cents for whose, cents in bills["pools"][pool].items() if whose not in away),
                heads | ({name: 0} if name else {}),
            )
            for pool, name in without.items()
        ]
    elif kind == "cabin":
        by = {"nights": (nights, nights), "rent": (nights, heads)}.get(wishes["hut_rule"], (heads, heads))
        parts = [split(bills["rent"], by[0]), split(bills["cleaning"], by[1])]
    else:
        both_ways = {name: count - 1 for name, count in nights.items()}
        rides = {"legs": nights, "passengers": nights | {"oda": 0}, "both_ways": both_ways}
        parts = [split(bills["petrol"], rides.get(wishes["petrol_rule"], heads))]
    total = {name: sum(part[name] for part in parts) for name in PEOPLE}
    if wishes["guest"] == "all" or (kind, wishes["guest"]) == ("food", "food"):
        total |= {"nora": total["nora"] + total["kasper"], "kasper": 0}
    return [*total.values()]


def _every(bills: Mapping[str, Any], kind: str) -> Iterator[list[int]]:
    """The shares of one bill for all that the wishes may be."""
    for some in product(*(CHOICES[name] for name in MATTERS[kind])):
        yield _shares(bills, kind, dict(zip(MATTERS[kind], some, strict=True)))


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The entries, the sheet and the texts. Who knows nothing of a wish counts the whole bill, by head."""
    believed = {name: getattr(wishes, name) for name in CHOICES}
    borne = {kind: dict(zip(PEOPLE, _shares(world.bills, kind, believed), strict=True)) for kind in PAYERS}
    entries = [_entry(SAID[kind], PAYERS[kind], parts) for kind, parts in borne.items()]
    owed = borne["food"] | {"sofie": borne["food"]["sofie"] - borne["cabin"]["nora"]}
    owed |= {"oda": owed["oda"] - borne["petrol"]["nora"], "mats": owed["mats"] - CORD}
    if wishes.paid_ahead:
        entries.append(_entry("Sent ahead for the food", EMAILS[world.payer], {"nora": 100 * wishes.paid_ahead}))
        owed[world.payer] -= 100 * wishes.paid_ahead
    day = written_day(wishes.pay_by or GUESS, wishes.date_style or "day-month")
    debtors = {name: _money(owed[name]) for name in PEOPLE[2:] if owed[name] > 0}
    told = {kind: ", ".join(f"{name} {_money(part)}" for name, part in borne[kind].items() if part) for kind in PAYERS}
    name = (wishes.sheet_name or "{topic}").format(topic="bjornbu", date="2026-03-29")
    return {
        "entries": entries,
        "sheet": File(f"{name}.csv", _sheet([borne[kind] for kind in COLUMNS[1:4]])),
        "texts": [
            {
                "to": PHONES[name],
                "channel": "text",
                "body": f"bjornbu is in splitwise: you owe me {amount}. by {day}, please!",
            }
            for name, amount in debtors.items()
        ],
        "day": day,
        "sums": debtors,
        "debtors": ", ".join(map(str.capitalize, debtors)),
        "own_debt": _money(-owed["sofie"]),
        "printed": "".join(f"{kind} {_money(sum(borne[kind].values()))}: {line}\n" for kind, line in told.items()),
    }


def _entry(said: str, payer: str, borne: Mapping[str, int]) -> dict[str, Any]:
    parts = {EMAILS[name]: part / 100 for name, part in borne.items() if part}
    whole = sum(borne.values()) / 100
    debts = {"debtor_emails": [*parts], "debt_amounts": [*parts.values()]}
    return {"description": said, "paid_amount": whole, "payer_email": payer, **debts, "group_id": GROUP}


def _sheet(parts: list[dict[str, int]]) -> str:
    rows = [[name.capitalize(), *(part[name] for part in parts)] for name in parts[0]]
    rows = [[name, *cents, sum(cents)] for name, *cents in rows if sum(cents)]
    rows.append(["sum", *(sum(row[at] for row in rows) for at in range(1, 5))])
    return csv_text(COLUMNS, [[name, *map(_money, cents)] for name, *cents in rows])


def _money(cents: int) -> str:
    return fixed(cents / 100, 2)


def read_texts(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Read the texts of the last weeks, and look for older ones."""
    search: dict[str, Any] = {"tool": "phone__search_text_messages", "page_limit": 20}
    pages = [{**search, "page_index": page} for page in range(4)]
    asked = [{**search, "query": query} for query in ("meat", "cabin money")]
    contacts = {"tool": "phone__search_contacts", "relationship": "climbing", "page_limit": 20}
    return [*pages, *asked, contacts, {"tool": "phone__show_text_message_window", "phone_number": "5550142139"}]


def enter(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Record the entries."""
    made = [{"tool": "splitwise__record_expense", **one} for one in right(world, wishes)["entries"]]
    return [*made, {"tool": "splitwise__show_group_balance", "group_id": GROUP}]


def text(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Text those who owe something."""
    sent = right(world, wishes)["texts"]
    return [{"tool": "phone__send_text_message", "phone_number": one["to"], "message": one["body"]} for one in sent]


# -- what a session left -----------------------------------------------------------------------------------------------


def _borne(evidence: Any, kind: str) -> dict[str, int]:
    """What everybody bears of the new entries with one payer, in cents by name; empty unless there is just one."""
    made = [row for row in made_rows(evidence, "splitwise", "expenses") if row["payer_email"] == PAYERS[kind]]
    made = [row for row in made if row["group_id"] == GROUP and not row["deleted"]]
    shares = dict(zip(made[0]["debtor_emails"], made[0]["debt_amounts"], strict=True)) if len(made) == 1 else {}
    return {name: round(100 * shares[email]) for name, email in EMAILS.items() if email in shares}


def _balances(evidence: Any) -> dict[str, int]:
    """By name, what everybody owes Nora in the group as Splitwise has it now, in cents."""
    owed = dict.fromkeys(PEOPLE, 0)
    for _, row in evidence.apps["splitwise"].table("expenses").rows():
        if row["group_id"] == GROUP and not row["deleted"]:
            for email, share in zip(row["debtor_emails"], row["debt_amounts"], strict=True):
                for name in PEOPLE[1:]:
                    owed[name] += round(100 * share) * ((row["payer_email"], email) == (EMAILS["nora"], EMAILS[name]))
                    owed[name] -= round(100 * share) * ((row["payer_email"], email) == (EMAILS[name], EMAILS["nora"]))
    return owed


def check_split(evidence: Any, kinds: list[str], bills: dict[str, Any]) -> bool:
    """Each bill is one entry, shared to the cent as it is right for whatever the wishes may be."""
    for kind in kinds:
        borne = _borne(evidence, kind)
        wanted = (zip(PEOPLE, one, strict=True) for one in _every(bills, kind))
        if not any(all(abs(borne.get(name, 0) - cents) <= 5 for name, cents in one) for one in wanted):
            return False
    return True


def check_amounts(evidence: Any) -> bool:
    """Just those who owe something by Splitwise have a text, which says how much; one's own shares may be in it."""
    texts: dict[str, list[str]] = {}
    for row in made_rows(evidence, "phone", "messages"):
        texts.setdefault(row["receiver"], []).append(row["message"])
    owed, borne = _balances(evidence), [_borne(evidence, kind) for kind in PAYERS]
    sums = {name: owed[name] for name in PEOPLE[1:] if PHONES[name] in texts}
    for name, mine in sums.items():
        read = amounts_in(" ".join(texts[PHONES[name]]))
        known = [mine, *(one.get(name, 0) for one in borne)]
        if mine not in read or any(all(abs(one - two) > 5 for two in known) for one in read & {*sums.values()}):
            return False
    return {PHONES[name] for name, cents in owed.items() if cents > 0} == {*texts}


def check_sheet_agrees(evidence: Any) -> bool:
    """The new sheet holds what Splitwise holds; who bears nothing may have a row or none."""
    held = [_borne(evidence, kind) for kind in COLUMNS[1:4]]
    rows = [row for row in new_csv_rows(evidence, "bills/")[1:] if len(row) == 5 and row[0]]
    told = {row[0].split()[0]: [amounts_in(cell) for cell in row[1:]] for row in rows}
    for name in PEOPLE:
        cents = [one.get(name, 0) for one in held]
        cells = told.get(name, [{0}] * 4)
        if any(
            len(cell) != 1 or abs(min(cell) - one) > 5 for cell, one in zip(cells, (*cents, sum(cents)), strict=True)
        ):
            return False
    return all(held) and bool(told)


def check_tells_debt(evidence: Any) -> bool:
    """A reply has, to the cent, what Nora now owes Sofie, who paid most."""
    owed = -_balances(evidence)["sofie"]
    short = [said for said in evidence.replies if count_words(said) <= 500 and "sofie" in said.lower()]
    return owed > 0 and bool(_borne(evidence, "cabin")) and any(owed in amounts_in(said) for said in short)
