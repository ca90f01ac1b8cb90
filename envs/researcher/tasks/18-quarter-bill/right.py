"""A quarter's electricity: what the meter and the prices make of it, and who of two bears how much by which rule."""

from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from itertools import product
from typing import Any

from pi_gym.authoring import (
    Change,
    File,
    Stream,
    csv_records,
    csv_text,
    debts,
    fixed,
    keyed_texts,
    messages,
    new_csv_amounts,
    redraw,
    same_amounts,
    telling,
    written_amount,
    written_day,
)

NORA, MAREN = "nora.lindqvist@halden-it.example", "maren.solberg@postbox.example"
HENRIK = "henrik.aas@aas-utleie.example"
FLAT, WINTER = 4, 9
BEFORE, FIRST, DAYS = 47_602, date(2026, 1, 1), 90
PAY_DAYS = ("2026-04-08", "2026-04-09", "2026-04-10", "2026-04-13", "2026-04-15")  # by which Nora may want money
GUESS = "2026-04-16"  # two weeks from now: what somebody would write who knows of no day
BANDS = ((20, 45), (55, 95), (105, 145), (155, 195), (230, 290), (310, 420), (240, 330))  # the winter's debts, kroner
RULES = {"away_rule": (None, "usage", "third", "base"), "support": ("half", "usage")}
AWAY_SHARES = {"usage": Fraction(0), "third": Fraction(1, 3), "base": Fraction(0)}  # what Maren bears of days away
HALF = Fraction(1, 2)
NET = 54_900
NET_HERS = {"half": 27_450, "upgrade": 22_450, "sixty": 21_960}  # what Maren bears of a month's internet
TEXT_UP_TO = 20_000
MOST_LET_GO = 15_000  # from here on everybody is reminded, whatever Nora lets go


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The meter, the prices, the days that Maren was away, and what the winter left open."""
    data = preferences.data
    facts, daily = redraw(lambda: _quarter(stream), lambda drawn: _is_telling(drawn[0]["quarter"]))
    people = {one["name"]: (one["email"], one["number"]) for one in csv_records(data["people.csv"])}
    names = stream.shuffled([*people])
    owed = {name: 100 * stream.integer(*band) + stream.integer(1, 99) for name, band in zip(names, BANDS, strict=True)}
    skate, cinema, lent = (100 * stream.integer(*span) + 50 for span in ((38, 52), (14, 18), (30, 48)))
    emails = {name: email for name, (email, _) in people.items()} | {"nora": NORA}
    bills = {
        "cinema": dict.fromkeys(("nora", *names[:4]), cinema),
        "skating": dict.fromkeys(("nora", *names[4:]), skate),
        "order": {name: cents - (cinema if name in names[:4] else skate) for name, cents in owed.items()},
    }
    bills["order"][names[5]] += lent
    winter = {
        title: debts.expense("", NORA, {emails[name]: cents for name, cents in shares.items()}, WINTER)
        for title, shares in bills.items()
    }
    return {
        **facts,
        "planned": facts["returns"] - stream.integer(2, 3),
        "people": people,
        "pay_days": PAY_DAYS,
        "said": keyed_texts(data["said.csv"]),
        "turns": data["turns.txt"].strip(),
        "support_first": "usage" if preferences.p.support == "half" else "half",
        "cash": names[6],
        "cash_said": written_amount(owed.pop(names[6])),
        "lender": names[5],
        "lent": lent / 100,
        "owed": owed,
        "winter": winter,
    }, {"bills/halden-kraft_2026-q1_daily.csv": data["daily_head.txt"] + daily}


def _quarter(stream: Stream) -> tuple[dict[str, Any], str]:
    """One quarter, its days counted from 0, and the supplier's list of kWh by day, which lacks some."""
    leaves = stream.integer(11, 15)
    returns = leaves + stream.integer(10, 13)
    gap = stream.integer(56, 62)
    gaps = {gap, gap + 1, gap + 2, stream.integer(72, 86)}
    tenths = [stream.integer(150, 245) - at // 2 - 70 * (leaves < at < returns) for at in range(DAYS)]
    rows = [[_day(at), fixed(kwh / 10, 1), "ok"] for at, kwh in enumerate(tenths)]
    for at in gaps:
        rows[at][1:] = ["", "no data"]
    resent = stream.integer(2, 7)
    for at in range(resent, resent + 3):
        rows[at][1] = fixed((tenths[at] + stream.integer(21, 60)) / 10, 1)
        rows.append([_day(at), fixed(tenths[at] / 10, 1), "corrected"])
    change = stream.integer(38, 52)
    first_change = change - stream.integer(9, 14)
    over, prices = stream.integer(90, 180), (stream.integer(162, 179), stream.integer(128, 146))
    standing, support = 100 * stream.integer(49, 64), 100 * stream.integer(180, 265) + stream.integer(1, 99)
    used = -(-sum(tenths) // 10)  # the meter shows whole kWh
    hidden = 10 * used - sum(kwh for at, kwh in enumerate(tenths) if at not in gaps)
    kwh = [Fraction(hidden, 10 * len(gaps)) if at in gaps else Fraction(tenths[at], 10) for at in range(DAYS)]
    cost = [kwh[at] * prices[at >= change] for at in range(DAYS)]
    reading = BEFORE + used
    return {
        "quarter": {
            "whole": sum(cost), "apart": sum(cost[leaves:returns]), "days": returns - leaves,
            "standing": 3 * standing, "support": support,
        },
        "reading": _spaced(reading),
        "readings": [_spaced(reading, mark) for mark in (" ", "", ",", ".")],
        "misread": _spaced(reading + (50 if reading // 10 % 10 < 5 else -50)),
        "estimate": reading + over,
        "billed": written_amount((used + over) * prices[0] + 3 * standing),
        "prices": [written_amount(price) for price in prices],
        "standing": standing, "support": support, "change": _day(change), "first_change": _day(first_change),
        "leaves": leaves + 1, "returns": returns + 1,
    }, csv_text(["day", "kWh", "status"], rows, delimiter=";")  # fmt: skip


def _day(at: int) -> str:
    return (FIRST + timedelta(at)).isoformat()


def _spaced(number: int, mark: str = " ") -> str:
    return f"{number:,}".replace(",", mark)


def _is_telling(quarter: Mapping[str, Any]) -> bool:
    """Whether every rule shows in what Maren bears."""
    hers = {*_every_share(quarter)}
    # Who knows of no rule for the days away halves all, the support too.
    return len(hers) == 7 and telling.amounts_apart(hers, 150)


def _parts(quarter: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Energy, standing charge and support in cents: the whole, and what Maren bears; who knows no rule, halves."""
    whole = quarter["whole"]
    energy = HALF * whole + (AWAY_SHARES.get(rules["away_rule"], HALF) - HALF) * quarter["apart"]
    paid_days = DAYS - (quarter["days"] if rules["away_rule"] == "base" else 0)
    back = energy / whole if rules["support"] == "usage" else HALF
    parts = {
        "energy": (whole, energy),
        "standing charge": (quarter["standing"], Fraction(quarter["standing"] * paid_days, 2 * DAYS)),
        "support": (quarter["support"], back * quarter["support"]),
    }
    cents = {name: (int(whole + HALF), int(hers + HALF)) for name, (whole, hers) in parts.items()}
    return cents | {"support": (-cents["support"][0], -cents["support"][1])}


def _every_share(quarter: Mapping[str, Any]) -> list[int]:
    """What Maren bears of the quarter by all that the rules may be."""
    every = [_parts(quarter, dict(zip(RULES, one, strict=True))) for one in product(*RULES.values())]
    return [sum(hers for _, hers in parts.values()) for parts in every]


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The entries, the sheet, the answer and the reminders. Who knows nothing of a wish halves, and reminds all."""
    items = _parts(world.quarter, {name: getattr(wishes, name) for name in RULES})
    total, hers = (sum(pair[at] for pair in items.values()) for at in (0, 1))
    months = ["February", "March"] if wishes.net_entries == "monthly" else ["February and March"]
    net, net_hers = 2 * NET // len(months), 2 * NET_HERS[wishes.internet or "half"] // len(months)
    rows = [(name, whole, whole - part, part) for name, (whole, part) in [*items.items(), ("sum", (total, hers))]]
    sheet = csv_text(["item", "total", "nora", "maren"], [[name, *map(written_amount, cents)] for name, *cents in rows])
    day = written_day(wishes.same_day or GUESS, "day-month")
    owed = {name: cents for name, cents in world.owed.items() if cents >= 100 * (wishes.worth or 0)}
    reminders = []
    for name, cents in owed.items():
        said = f"the winter group is still open, you owe me {written_amount(cents)} kroner there. by {day}, please!"
        by_size = "text" if cents <= TEXT_UP_TO else "mail"
        channel = by_size if wishes.remind_how == "size" else wishes.remind_how or "text"
        reminders.append(messages.message(channel, *world.people[name], "Winter odds and ends", said))
    paid = {NORA: round(100 * float(world.cash_said))}
    cash = debts.expense("The winter, in cash", world.people[world.cash][0], paid, WINTER)
    turns = world.turns.replace("q2 2026: nora", f"q2 2026: {wishes.turns}").replace("q1 2026: maren", "q1 2026: nora")
    return {
        "power": [_entry("Electricity, first quarter", total, hers)],
        "net": [_entry(f"Fjordnett, internet, {month}", net, net_hers) for month in months],
        "cash": [cash] if wishes.cash else None,
        "turns": [{"id": 852, "content": turns}] if wishes.turns else None,
        "noted": [{"note_id": 852, "content": turns}] if wishes.turns else [],
        "sheet": File("electricity_2026-03-31.csv", sheet),
        "meter": Change(replace={world.misread: world.reading}) if wishes.meter else None,
        "answer": {"to": HENRIK, "body": f"{world.reading}: {written_amount(total)}"},
        "reminders": reminders,
        "parts": {name: whole for name, (whole, _) in items.items()},
        "total": written_amount(total),
        "hers": written_amount(hers + net_hers * len(months)),
        "day": day,
        "reminded": ", ".join(map(str.capitalize, owed)),
        "printed": sheet.partition("\n")[2],
    }


def _entry(said: str, whole: int, hers: int) -> dict[str, Any]:
    return debts.expense(said, NORA, {NORA: whole - hers, MAREN: hers}, FLAT)


def _entries(evidence: Any) -> list[tuple[int, int]]:
    """The new entries of the flat that Nora paid, smallest first: the amount and Maren's share, in cents."""
    made = debts.made_here(evidence, FLAT, NORA)
    return sorted((round(100 * row["paid_amount"]), debts.shares(row).get(MAREN, 0)) for row in made)


def check_sent(evidence: Any) -> bool:
    """Somebody but Henrik and Maren got a text or a mail."""
    return bool({*messages.sent_messages(evidence)} - {HENRIK, MAREN})


def check_bills(evidence: Any, quarter: dict[str, Any]) -> bool:
    """Maren's part of the quarter follows from some rules, and of the internet two months are in, and only these."""
    *net, (_, hers) = _entries(evidence) or [(0, 0)]
    return sum(whole for whole, _ in net) == 2 * NET and any(abs(one - hers) <= 5 for one in _every_share(quarter))


def check_amounts(evidence: Any, owed: dict[str, int], people: dict[str, Any]) -> bool:
    """Who was reminded owes something, and reads that, to the cent, and nobody else's sum."""
    sent = {to: said for to, said in messages.sent_messages(evidence, people).items() if to not in (HENRIK, MAREN)}
    due = {name for name, cents in owed.items() if cents >= MOST_LET_GO}
    return due <= {*sent} and messages.tell_own_sums(sent, owed)


def check_sheet_agrees(evidence: Any, items: dict[str, int]) -> bool:
    """The new sheet has the quarter's items, and the sum with the shares that Splitwise has."""
    told = new_csv_amounts(evidence, "bills/")
    *_, (paid, hers) = _entries(evidence) or [(0, 0)]
    found = [*(told.get("sum") or told.get("total") or []), *(one for name in items for one in told.get(name, [])[:1])]
    return paid > 0 and same_amounts(found, [paid, paid - hers, hers, *map(abs, items.values())])


def check_tells(evidence: Any) -> bool:
    """A reply says what Maren owes for all new entries of the flat together."""
    hers = sum(hers for _, hers in _entries(evidence))
    return hers > 0 and messages.reply_tells(evidence, {"maren": hers})
