"""A quarter's electricity: what the meter and the prices make of it, and who of two bears how much by which rule."""

from collections.abc import Mapping
from datetime import date, timedelta
from fractions import Fraction
from itertools import combinations, product
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
    sent_messages,
    written_day,
)  # fmt: skip

NORA, MAREN, HENRIK = (
    "nora.lindqvist@halden-it.example",
    "maren.solberg@postbox.example",
    "henrik.aas@aas-utleie.example",
)
FLAT, WINTER, THREAD = 4, 18, 18001
BEFORE, FIRST, DAYS = 47_602, date(2026, 1, 1), 90
PAY_DAYS = ("2026-04-08", "2026-04-09", "2026-04-10", "2026-04-13", "2026-04-15")  # by which Nora may want money
GUESS = "2026-04-16"  # two weeks from now: what somebody would write who knows of no day
# Address and number of those in the winter's group, and what they owe in whole kroner; the last one has paid in cash.
PEOPLE = {
    "ingrid": ("ingrid.haug@postbox.example", "5550142037"),
    "thea": ("thea.winther@postbox.example", "5550142042"),
    "elias": ("elias.lindqvist@postbox.example", "5550142031"),
    "filip": ("filip.ek@postbox.example", "5550142036"),
    "silje": ("silje.brun@postbox.example", "5550142041"),
    "priya": ("priya.raman@halden-it.example", "5550142012"),
    "camille": ("camille.roux@halden-it.example", "5550142015"),
}
BANDS = ((20, 45), (55, 95), (105, 145), (155, 195), (230, 290), (310, 420), (240, 330))
RULES = {
    "away_rule": (None, "usage", "third", "base"),
    "travel_days": ("nights", "home", "away"),
    "support": ("half", "usage"),
}
NET = 54_900
NET_HERS = {"half": 27_450, "upgrade": 22_450, "sixty": 21_960}  # what Maren bears of a month's internet
OLD_SHEETS = {
    "2025-09-30": {"energy": (92_500, 46_250), "standing charge": (17_700, 8_850), "support": (0, 0)},
    "2025-12-31": {"energy": (231_190, 115_595), "standing charge": (17_700, 8_850), "support": (0, 0)},
}
COLUMNS = ("item", "total", "nora", "maren")
TEXT_UP_TO = 20_000
MOST_LET_GO = 15_000  # from here on everybody is reminded, whatever Nora lets go


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """The meter, the prices, the days that Maren was away, and what the winter left open."""
    facts = _facts(stream)
    while not _is_telling(facts["quarter"]):
        facts = _facts(stream)
    names = stream.shuffled([*PEOPLE])
    owed = {name: 100 * stream.integer(*band) + stream.integer(1, 99) for name, band in zip(names, BANDS, strict=True)}
    skate, cinema, lent = (100 * stream.integer(*span) + 50 for span in ((38, 52), (14, 18), (30, 48)))
    extra = {name: cents - (cinema if name in names[:4] else skate) for name, cents in owed.items()}
    extra[names[5]] += lent
    csv, naming = facts.pop("csv"), preferences.persona.naming
    estimate = facts["reading"] + facts.pop("over")
    due = {name: cents for name, cents in owed.items() if name != names[6]}
    return {
        **facts,
        "people": PEOPLE,
        "things": {name: [*PEOPLE[name]] for name in due},
        "pay_days": PAY_DAYS,
        "support_first": "usage" if preferences.p.support == "half" else "half",
        "prices": [fixed(price / 100, 2) for price in facts["prices"]],
        "change": facts["change"].isoformat(),
        "change_said": f"{facts['change'].day} {facts['change']:%B}",
        "first_said": f"{facts['first_change'].day} {facts['first_change']:%B}",
        "reading": _spaced(facts["reading"]),
        "misread": _spaced(facts["reading"] + (50 if facts["reading"] // 10 % 10 < 5 else -50)),
        "estimate": estimate,
        "billed": _money((estimate - BEFORE) * facts["prices"][0] + 3 * facts["standing"]),
        "leaves": facts["away"][0].day,
        "returns": facts["away"][1].day,
        "planned": facts["away"][1].day - stream.integer(2, 3),
        "cash": names[6],
        "cash_said": _money(owed[names[6]]),
        "lender": names[5],
        "owed": due,
        "winter": {
            "cinema": _bill(dict.fromkeys(names[:4], cinema), cinema),
            "skating": _bill(dict.fromkeys(names[4:], skate), skate),
            "order": _bill(extra),
        },
        "lent": lent / 100,
    }, {
        "bills/halden-kraft_2026-q1_daily.csv": csv,
        **{f"bills/{naming.format(topic='electricity', date=day)}.csv": _sheet(old) for day, old in OLD_SHEETS.items()},
    }


def _bill(cents: Mapping[str, int], own: int = 0) -> dict[str, Any]:
    """One entry of the winter's group: who bears what of it, Nora first where she has a part."""
    mails = [NORA] * bool(own) + [PEOPLE[name][0] for name in cents]
    parts = [own] * bool(own) + [*cents.values()]
    return {"paid": sum(parts) / 100, "mails": mails, "shares": [part / 100 for part in parts]}


def _facts(stream: Stream) -> dict[str, Any]:
    """One quarter: kWh by day in tenths (None where the supplier has none), and the file that says so."""
    leaves = FIRST + timedelta(stream.integer(11, 15))
    returns = leaves + timedelta(stream.integer(10, 13))
    gap = stream.integer(56, 62)
    gaps = {gap, gap + 1, gap + 2, stream.integer(72, 86)}
    tenths, rows = [], []
    for at in range(DAYS):
        day = FIRST + timedelta(at)
        usual = stream.integer(150, 245) - at // 2 - 70 * (leaves < day < returns)
        tenths.append(usual)
        rows.append([day.isoformat(), "" if at in gaps else fixed(usual / 10, 1), "no data" if at in gaps else "ok"])
    first_resent = stream.integer(2, 7)
    for at in range(first_resent, first_resent + 3):
        rows[at][1:] = [fixed((tenths[at] + stream.integer(21, 60)) / 10, 1), "ok"]
        rows.append([rows[at][0], fixed(tenths[at] / 10, 1), "corrected"])
    hidden = sum(tenths[at] for at in gaps)
    hidden += -sum(tenths) % 10  # the meter shows whole kWh
    used = (sum(tenths) + -sum(tenths) % 10) // 10
    head = (
        "# Halden Kraft, meter 7714-03, Fyrgata 14, 3rd floor, kWh by day\n"
        "# A line 'corrected' takes the place of the day's earlier one. Days without data share\n"
        "# in equal parts what the meter shows beyond the other days.\n"
    )
    change = FIRST + timedelta(stream.integer(38, 52))
    kwh = [Fraction(hidden, 10 * len(gaps)) if at in gaps else Fraction(tenths[at], 10) for at in range(DAYS)]
    first_change = change - timedelta(stream.integer(9, 14))
    over, prices = stream.integer(90, 180), (stream.integer(162, 179), stream.integer(128, 146))
    standing, support = 100 * stream.integer(49, 64), 100 * stream.integer(180, 265) + stream.integer(1, 99)
    cost = {day: kwh[at] * prices[day >= change] for at in range(DAYS) for day in [FIRST + timedelta(at)]}
    gone = {
        "nights": [day for day in cost if leaves <= day < returns],
        "home": [day for day in cost if leaves < day < returns],
        "away": [day for day in cost if leaves <= day <= returns],
    }
    quarter = {
        "whole": sum(cost.values()),
        "apart": {rule: sum(cost[day] for day in days) for rule, days in gone.items()},
        "days": {rule: len(days) for rule, days in gone.items()},
        "standing": 3 * standing,
        "support": support,
    }
    return {
        "quarter": quarter,
        "reading": BEFORE + used,
        "over": over,
        "change": change,
        "first_change": first_change,
        "prices": prices,
        "standing": standing,
        "support": support,
        "away": (leaves, returns),
        "csv": head + csv_text(["day", "kWh", "status"], rows, delimiter=";"),
    }


def _is_telling(quarter: Mapping[str, Any]) -> bool:
    """Whether every rule shows in what Maren bears."""
    hers = {_hers(quarter, dict(zip(RULES, one, strict=True))) for one in product(*RULES.values())}
    # Who knows of no rule for the days away halves all, however these are counted.
    return len(hers) == 19 and all(abs(one - two) >= 150 for one, two in combinations(hers, 2))


# -- the quarter by the rules ------------------------------------------------------------------------------------------


def _parts(quarter: Mapping[str, Any], rules: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Energy, standing charge and support in cents: the whole, and what Maren bears; who knows no rule, halves."""
    whole, standing, support = quarter["whole"], quarter["standing"], quarter["support"]
    travel = rules["travel_days"] or "nights"
    apart, gone = quarter["apart"][travel], quarter["days"][travel]
    share = {"usage": Fraction(0), "third": Fraction(1, 3), "base": Fraction(0)}.get(rules["away_rule"], Fraction(1, 2))
    energy = share * apart + (whole - apart) / 2
    paid_days = DAYS - (gone if rules["away_rule"] == "base" else 0)
    back = energy / whole if rules["support"] == "usage" else Fraction(1, 2)
    return {
        "energy": (_whole(whole), _whole(energy)),
        "standing charge": (standing, _whole(Fraction(standing * paid_days, 2 * DAYS))),
        "support": (-support, -_whole(back * support)),
    }


def _whole(cents: Fraction) -> int:
    return int(cents + Fraction(1, 2))


def _hers(quarter: Mapping[str, Any], rules: Mapping[str, Any]) -> int:
    return sum(hers for _, hers in _parts(quarter, rules).values())


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """The entries, the sheet, the answer and the reminders. Who knows nothing of a wish halves, and reminds all."""
    items = _parts(world.quarter, {name: getattr(wishes, name) for name in RULES})
    total, hers = (sum(pair[at] for pair in items.values()) for at in (0, 1))
    months = ["February", "March"] if wishes.net_entries == "monthly" else ["February and March"]
    net, net_hers = 2 * NET // len(months), 2 * NET_HERS[wishes.internet or "half"] // len(months)
    name = (wishes.sheet_name or "{topic}").format(topic="electricity", date="2026-03-31")
    day = written_day(wishes.same_day or GUESS, wishes.date_style or "day-month")
    email = PEOPLE[world.cash][0]
    cash = {"description": "The winter, in cash", "paid_amount": float(world.cash_said), "payer_email": email}
    cash |= {"debtor_emails": [NORA], "debt_amounts": [float(world.cash_said)], "group_id": WINTER}
    owed = {name: cents for name, cents in world.owed.items() if cents >= 100 * (wishes.worth or 0)}
    return {
        "power": [_entry("Electricity, first quarter", total, hers)],
        "net": [_entry(f"Fjordnett, internet, {month}", net, net_hers) for month in months],
        "cash": [cash] if wishes.cash else None,
        "sheet": File(f"{name}.csv", _sheet(items)),
        "answer": {"to": HENRIK, "body": f"{world.reading}: {_money(total)}"},
        "reminders": [_reminder(name, cents, wishes.remind_how or "text", day) for name, cents in owed.items()],
        "parts": {name: whole for name, (whole, _) in items.items()},
        "total": _money(total),
        "hers": _money(hers + 2 * NET_HERS[wishes.internet or "half"]),
        "day": day,
        "reminded": ", ".join(map(str.capitalize, owed)),
        "printed": "".join(f"{row}\n" for row in _sheet(items).splitlines()[1:]),
    }


def _entry(said: str, whole: int, hers: int) -> dict[str, Any]:
    debts = {"debtor_emails": [NORA, MAREN], "debt_amounts": [(whole - hers) / 100, hers / 100]}
    return {"description": said, "paid_amount": whole / 100, "payer_email": NORA, **debts, "group_id": FLAT}


def _reminder(name: str, cents: int, by: str, day: str) -> dict[str, Any]:
    (email, number), text = PEOPLE[name], by == "text" or (by == "size" and cents <= TEXT_UP_TO)
    said = f"the winter group is still open, you owe me {_money(cents)} kroner there. by {day}, please!"
    about = {"to": number, "channel": "text"} if text else {"to": email, "subject": "Winter odds and ends"}
    return {**about, "body": said}


def _sheet(items: Mapping[str, tuple[int, int]]) -> str:
    rows = [(name, whole, whole - hers, hers) for name, (whole, hers) in items.items()]
    rows.append(("sum", *(sum(row[at] for row in rows) for at in (1, 2, 3))))
    return csv_text(COLUMNS, [[name, *map(_money, cents)] for name, *cents in rows])


def _money(cents: int) -> str:
    return fixed(cents / 100, 2)


def _spaced(number: int) -> str:
    return f"{number:,}".replace(",", " ")


def enter(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Record the entries."""
    made = right(world, wishes)
    rows = [*made["power"], *made["net"], *(made["cash"] or ())]
    return [{"tool": "splitwise__record_expense", **one} for one in rows]


def remind(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Send the reminders."""
    calls: list[dict[str, Any]] = []
    for one in right(world, wishes)["reminders"]:
        if one.get("channel") == "text":
            calls.append({"tool": "phone__send_text_message", "phone_number": one["to"], "message": one["body"]})
        else:
            mail = {"email_addresses": [one["to"]], "subject": one["subject"], "body": one["body"]}
            calls.append({"tool": "gmail__send_email", **mail})
    return calls


# -- what a session left -----------------------------------------------------------------------------------------------


def _entries(evidence: Any) -> list[tuple[int, int]]:
    """The new entries of the flat that Nora paid, smallest first: the amount and Maren's share, in cents."""
    found = []
    for row in made_rows(evidence, "splitwise", "expenses"):
        shares = dict(zip(row["debtor_emails"], row["debt_amounts"], strict=True))
        if row["group_id"] == FLAT and not row["deleted"] and row["payer_email"] == NORA:
            found.append((round(100 * row["paid_amount"]), round(100 * shares.get(MAREN, 0))))
    return sorted(found)


def check_sent(evidence: Any) -> bool:
    """Somebody but Henrik got a text or a mail."""
    return bool(set(sent_messages(evidence)) - {HENRIK, MAREN})


def check_bills(evidence: Any, quarter: dict[str, Any]) -> bool:
    """Maren's part of the quarter follows from some rules, and of the internet two months are in, and only these."""
    *net, (_, hers) = _entries(evidence) or [(0, 0)]
    rules = [dict(zip(RULES, one, strict=True)) for one in product(*RULES.values())]
    return sum(whole for whole, _ in net) == 2 * NET and any(abs(_hers(quarter, one) - hers) <= 5 for one in rules)


def check_amounts(evidence: Any, owed: dict[str, int]) -> bool:
    """Who was reminded owes something, and reads that, to the cent, and nobody else's sum."""
    sent = sent_messages(evidence)
    told = {name: [text for place in PEOPLE[name] for text in sent.get(place, [])] for name in owed}
    read = {name: amounts_in(" ".join(texts)) & {*owed.values()} for name, texts in told.items() if texts}
    strangers = set(sent) - {HENRIK, MAREN} - {place for name in owed for place in PEOPLE[name]}
    least = {name for name, cents in owed.items() if cents >= MOST_LET_GO}
    return least <= {*read} and not strangers and all(found == {owed[name]} for name, found in read.items())


def check_sheet_agrees(evidence: Any, items: dict[str, int]) -> bool:
    """The new sheet has the quarter's items, and the sum with the shares that Splitwise has."""
    rows = new_csv_rows(evidence, "bills/")
    told = {row[0]: [sum(amounts_in(cell)) for cell in row[1:]] for row in rows[1:] if len(row) == 4}
    *_, (paid, hers) = _entries(evidence) or [(0, 0)]
    whole = told.get("sum") or told.get("total") or [0, 0, 0]
    return (
        paid > 0
        and all(abs(told.get(name, [0])[0] - abs(cents)) <= 5 for name, cents in items.items())
        and all(abs(one - two) <= 5 for one, two in zip(whole, (paid, paid - hers, hers), strict=True))
    )


def check_tells(evidence: Any) -> bool:
    """A reply says what Maren owes for all new entries of the flat together."""
    hers = sum(hers for _, hers in _entries(evidence))
    short = [text for text in evidence.replies if count_words(text) <= 500 and "maren" in text.lower()]
    return hers > 0 and any(hers in amounts_in(text) for text in short)
