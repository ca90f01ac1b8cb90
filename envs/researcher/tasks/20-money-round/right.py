"""A month's bank statement against what is open: who paid what, and who is reminded of how much."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import (
    Change,
    Stream,
    amounts_in,
    count_words,
    csv_text,
    fixed,
    made_rows,
    sent_messages,
    written_day,
)  # fmt: skip

NORA, BANK, TODAY = "nora.lindqvist@halden-it.example", "notice@fjordkant-bank.example", "2026-04-17"
_ADDRESSES = {
    "postbox.example": "oda.lien 39, mats.brekke 40, maren.solberg 30, kasper.nygaard 38, ingrid.haug 37,"
    " thea.winther 42, elias.lindqvist 31, filip.ek 36, silje.brun 41, sofie.dahl 33",
    "halden-it.example": "priya.raman 12, camille.roux 15, tomasz.wieczorek 11",
}
FRIENDS = {
    name.partition(".")[0]: (f"{name}@{domain}", f"55501420{end}")
    for domain, some in _ADDRESSES.items()
    for name, end in (one.split() for one in some.split(", "))
}
PAY_DAYS = ("2026-04-08", "2026-04-09", "2026-04-10", "2026-04-13", "2026-04-15")  # by which Nora may have wanted it
GUESS = "2026-03-31"  # the end of the month of the weekend: what somebody would write who knows of no day
OPEN, FLAT = 20, 4
ENTRIES = {"food": 20002, "hut": 20003}  # Kasper's
TEXT_UP_TO = 20_000
MOST_LET_GO = 15_000  # from here on everybody is reminded, whatever Nora lets go
SUMMER = ("ingrid", "thea", "elias", "filip", "silje", "priya", "camille")
MAY_WAIT = ("elias", "silje", "priya")  # who may have been given more time
OLD_LINES = (
    "2026-01-16 | in 2 | reminded Kasper, Thea | open 579.62",
    "2026-02-20 | in 2 | reminded Ingrid | open 178.58",
    "2026-03-20 | in 3 | reminded Silje, Kasper | open 390.44",
)
# Of the summer week: what somebody owes in whole kroner, and what stays open after what came in (None: all).
ROLES: dict[str, tuple[tuple[int, int], tuple[int, int] | None]] = {
    "more_time": ((230, 290), None),
    "part": ((180, 300), (55, 95)),
    "nothing": ((155, 195), None),
    "nothing_big": ((310, 420), None),
    "short": ((180, 300), (4, 45)),
    "reserved": ((155, 195), None),
    "other_account": ((180, 300), (0, 0)),
}
# The words of a transfer, on which days of April it may have been booked, and an account's owner.
TRANSFERS = {
    "oda": ("bjornbu, both of us", (9, 10, 13), "LIEN BREKKE FELLES"),
    "maren": ("electricity", (7, 8), "SOLBERG MAREN"),
    "part": ("first half", (7, 8), ""),
    "short": ("hut", (1, 7, 8, 9, 10, 13, 14, 15), ""),
    "other_account": ("july, from tore", (7, 8, 9), "HAGEN TORE"),
    "stray": ("garage april", (9, 10, 13, 14), "NYGAARD KRISTOFFER"),
    "flat": ("fyrgata, first quarter", (9, 10, 13), "SOLBERG MAREN"),
}
ACCOUNTS = dict(
    zip(
        SUMMER,
        ["HAUG I M", "WINTHER THEA", "LINDQVIST ELIAS", "EK FILIP J", "BRUN-HOLM S", "RAMAN P", "ROUX CAMILLE"],
        strict=True,
    )
)
# What else passes the account: counterparty, words, how often, a range in kroner; day, words, counterparty, øre.
SHOPS = (
    ("TORVMAT HALDEN", "", 10, -420, -60),
    ("KAFE BRYGGA", "", 8, -96, -34),
    ("GRENSER RAIL", "", 3, -520, -90),
    ("KINO SAGBRUKET", "", 2, -290, -130),
    ("BOKSTUA", "", 2, -340, -99),
    ("APOTEK TORVET", "", 1, -260, -70),
    ("SOLBERG MAREN", "fyrgata, washing powder", 1, -98, -61),
    ("HALDEN INSTITUTE OF TECHNOLOGY", "travel, march", 1, 612, 940),
    ("BECK JONAS", "soup on friday", 1, 48, 62),
    ("DAHL SOFIE", "for the rope, my half", 1, 260, 330),
)
REGULAR = (
    ("2026-04-01", "salary", "HALDEN INSTITUTE OF TECHNOLOGY", 2894117),
    ("2026-04-01", "april", "HALDEN KLATREKLUBB", -39000),
    ("2026-04-01", "rent april", "AAS UTLEIE", -510000),
    ("2026-04-07", "from savings", "LINDQVIST NORA", 150000),
    ("2026-04-14", "26-040 918", "FJORDNETT", -54900),
)


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is open, what came in, and the statement and log that say so."""
    facts = _facts(stream, preferences.p)
    while not _is_telling(facts):
        facts = _facts(stream, preferences.p)
    owed = facts["owed"]
    roles = {role: name for name, role in facts["roles"].items()}
    summer = [name for name in owed if name in SUMMER]
    return {
        **{name: facts[name] for name in ("owed", "came", "food", "hut", "stray", "flat", "later")},
        "friends": FRIENDS,
        "things": {name: [*FRIENDS[name]] for name in (*owed, "kasper")},
        "told_of": {"ingrid": [*FRIENDS["ingrid"]], "bank": [BANK], "kasper": [*FRIENDS["kasper"]]},
        "days": {line[:10]: line[:10] for line in (*OLD_LINES, TODAY)},
        "pay_days": PAY_DAYS,
        "roles": roles,
        "rest": _bill({name: owed[name] for name in ("oda", "mats", "maren")}),
        "deposit": _bill({"nora": facts["own"]} | {name: owed[name] for name in summer}),
        "linddalen": _bill(facts["later"]),
        "stray_said": _money(facts["stray"]),
    }, {
        "bank/fjordkant_2026-04-16.csv": facts["statement"],
        "routine/log.md": _log(OLD_LINES, preferences.p.log_place),
    }


def _bill(cents: Mapping[str, int]) -> dict[str, Any]:
    mails = [NORA if name == "nora" else FRIENDS[name][0] for name in cents]
    return {"paid": sum(cents.values()) / 100, "mails": mails, "shares": [part / 100 for part in cents.values()]}


def _cents(stream: Stream, low: int, high: int) -> int:
    return 100 * stream.integer(low, high) + stream.integer(1, 99)


def _facts(stream: Stream, p: Any) -> dict[str, Any]:
    sure = stream.shuffled([name for name in SUMMER if name not in MAY_WAIT])
    others = stream.shuffled([sure.pop(), *(name for name in MAY_WAIT if name != p.extended)])
    roles = dict(zip([p.extended, *sure, *others], ROLES, strict=True))
    owed = {name: _cents(stream, 180, 330) for name in ("oda", "mats", "maren")}
    left = {"oda": 0, "mats": _cents(stream, 105, 144), "maren": 0}
    for name in stream.shuffled([*SUMMER]):
        span, rest = ROLES[roles[name]]
        owed[name] = _cents(stream, *span)
        left[name] = owed[name] if rest is None else (rest[1] and _cents(stream, *rest))
    days = {key: f"2026-04-{stream.choice([*some]):02d}" for key, (_, some, _) in TRANSFERS.items()}
    came: dict[str, dict[str, Any]] = {}
    holder: dict[str, str] = {}
    for name in ("oda", "maren", *(name for name in SUMMER if owed[name] > left[name])):
        key = roles.get(name, name)
        came[name] = {"cents": owed[name] - left[name], "day": days[key], "words": TRANSFERS[key][0]}
        holder[name] = TRANSFERS[key][2] or ACCOUNTS[name]
    came["mats"] = came["oda"] | {"cents": owed["mats"] - left["mats"]}
    stray, flat = _cents(stream, 430, 470), _cents(stream, 500, 620)
    paid = {name: one["cents"] for name, one in came.items()} | {"oda": came["oda"]["cents"] + came["mats"]["cents"]}
    rows: list[list[Any]] = [
        [came[name]["day"], "booked", came[name]["words"], holder[name], paid[name]] for name in holder
    ]
    for key, cents in (("stray", stray), ("flat", flat)):
        rows.append([days[key], "booked", TRANSFERS[key][0], TRANSFERS[key][2], cents])
    rows += [[day, "booked", *more] for day, *more in REGULAR]
    for party, said, count, low, high in SHOPS:
        for _ in range(count):
            day = date(2026, 3, 20) + timedelta(stream.integer(0, 26))
            rows.append([day.isoformat(), "booked", said, party, 10 * stream.integer(10 * low, 10 * high)])
    rows = sorted(stream.shuffled(rows), key=lambda row: row[0])
    waiting = next(name for name, role in roles.items() if role == "reserved")
    rows.append(["2026-04-16", "reserved", "hut july", ACCOUNTS[waiting], owed[waiting]])
    rows.append(["2026-04-16", "reserved", "", "TORVMAT HALDEN", -100 * stream.integer(60, 240)])
    return {
        "roles": roles,
        "owed": owed,
        "came": came,
        "own": _cents(stream, 180, 300),
        "food": _cents(stream, 155, 195),
        "hut": _cents(stream, 156, 194),
        "later": {name: _cents(stream, 205, 240) for name in ("sofie", "tomasz")},
        "stray": stray,
        "flat": flat,
        "statement": "Fjordkant Bank;Statement;Nora Lindqvist;account ending 4471;until 2026-04-16\n"
        + csv_text(["Booked", "Status", "Text", "Counterparty", "Amount"], [[*r[:4], _bank(r[4])] for r in rows], ";"),
    }


def _is_telling(facts: Mapping[str, Any]) -> bool:
    """Whether no two amounts are the same."""
    came, owed = facts["came"], facts["owed"]
    every = [*owed.values(), *facts["later"].values(), *(facts[name] for name in ("food", "hut", "stray", "flat"))]
    every += [owed[name] - one["cents"] for name, one in came.items() if owed[name] > one["cents"]]
    every += [facts["food"] + facts["hut"]]
    return len({*every}) == len(every)


def _log(lines: Iterable[str], place: str) -> str:
    head = f"# Rounds, newest line {'on top' if place == 'top' else 'at the end'}\n\n"
    head += "day | in: how many payments I entered | whom I reminded | what is open after that, due or not\n\n"
    return head + "".join(f"{line}\n" for line in ([*lines][::-1] if place == "top" else lines))


def _money(cents: int) -> str:
    return fixed(cents / 100, 2)


def _bank(cents: int) -> str:
    return ("+" if cents > 0 else "") + _money(cents).replace(".", ",")


# -- the right round ---------------------------------------------------------------------------------------------------


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """What is booked, deleted, sent and noted. Who knows nothing of a wish reminds all who owe something, by text."""
    left = {
        name: cents - (world.came[name]["cents"] if name in world.came else 0) for name, cents in world.owed.items()
    }
    gone = {"all": ("food", "hut"), "food": ("food",)}.get(wishes.guest, ())
    left["kasper"] = sum(world.food if part == "food" else world.hut for part in ENTRIES if part not in gone)
    waiting = world.roles["reserved"]  # of whom the rules decide, whoever has more time
    spared = {wishes.extended} - {waiting} | ({waiting} if wishes.reserved == "wait" else set())
    due = {name: cents for name, cents in left.items() if cents and cents >= 100 * (wishes.worth or 0)}
    day = written_day(wishes.past_day or GUESS, "day-month")
    told = {name: _reminder(name, cents, wishes.remind_how, day) for name, cents in due.items() if name not in spared}
    payments = [
        _payment(
            name, one["cents"], OPEN, f"bank: {one['words']}" if wishes.described == "words" else f"bank {one['day']}"
        )
        for name, one in world.came.items()
    ]
    flat = [_payment("maren", world.flat, FLAT, "bank: fyrgata, first quarter")] if wishes.flat_money == "book" else []
    still = {name: cents for name, cents in left.items() if cents} | dict(world.later.items())
    names = ", ".join(map(str.capitalize, told))
    line = f"{TODAY} | in {len(payments) + len(flat)} | reminded {names} | open {_money(sum(still.values()))}\n"
    first = f"{OLD_LINES[-1]}\n"
    where = {"ingrid": FRIENDS["ingrid"][1], "kasper": FRIENDS["kasper"][1], "bank": BANK}
    said = f"kristoffer nygaard has sent {world.stray_said} for a garage to my account. please have it sent back."
    return {
        "payments": payments,
        "flat": flat or None,
        "guests": [{"id": ENTRIES[part]} for part in gone] or None,
        "reminders": [*told.values()],
        "stray": {"to": where[wishes.stray], "subject": "Not for me", "body": said} if wishes.stray else None,
        "log": Change({first: f"{line}{first}"}) if wishes.log_place == "top" else Change(append=line),
        "kasper": left["kasper"],
        "must": [one for one in told if due[one] >= MOST_LET_GO and one not in ("kasper", waiting)],
        "day": day,
        "reminded": names,
        "listed": ", ".join(f"{name.capitalize()} {_money(cents)}" for name, cents in still.items()),
        "printed": "".join(
            f"{name} {_money(cents)}\n" for name, cents in [*still.items(), ("open", sum(still.values()))]
        ),
    }


def _payment(name: str, cents: int, group: int, said: str) -> dict[str, Any]:
    debts = {"debtor_emails": [NORA], "debt_amounts": [cents / 100]}
    return {
        "description": said,
        "paid_amount": cents / 100,
        "payer_email": FRIENDS[name][0],
        **debts,
        "group_id": group,
    }


def _reminder(name: str, cents: int, by: str | None, day: str) -> dict[str, Any]:
    email, number = FRIENDS[name]
    said = f"a reminder from the bjornbu group: {_money(cents)} kroner to me are still open, the day was {day}."
    if by == "mail" or (by == "size" and cents > TEXT_UP_TO):
        return {"to": email, "subject": "Bjornbu, what is open", "body": said}
    return {"to": number, "channel": "text", "body": said}


def book(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Record what came in, and delete what Nora bears for her guest."""
    made = right(world, wishes)
    calls = [{"tool": "splitwise__record_expense", **one} for one in (*made["payments"], *(made["flat"] or ()))]
    return [*calls, *({"tool": "splitwise__delete_expense", "expense_id": one["id"]} for one in made["guests"] or ())]


def remind(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Send the reminders."""
    return [_call(one) for one in right(world, wishes)["reminders"]]


def tell_stray(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Write about the stranger's money, where it is known to whom."""
    one = right(world, wishes)["stray"]
    return [_call(one)] if one else []


def _call(one: Mapping[str, str]) -> dict[str, Any]:
    if "@" not in one["to"]:
        return {"tool": "phone__send_text_message", "phone_number": one["to"], "message": one["body"]}
    mail = {"email_addresses": [one["to"]], "subject": one["subject"], "body": one["body"]}
    return {"tool": "gmail__send_email", **mail}


# -- what a session left -----------------------------------------------------------------------------------------------


def _balances(evidence: Any) -> dict[str, int]:
    """By name, what everybody owes Nora in the open group as Splitwise has it now, in cents."""
    owed = dict.fromkeys(FRIENDS, 0)
    names = {email: name for name, (email, _) in FRIENDS.items()}
    for _, row in evidence.apps["splitwise"].table("expenses").rows():
        if row["group_id"] == OPEN and not row["deleted"]:
            for email, share in zip(row["debtor_emails"], row["debt_amounts"], strict=True):
                if row["payer_email"] == NORA and email in names:
                    owed[names[email]] += round(100 * share)
                elif email == NORA and row["payer_email"] in names:
                    owed[names[row["payer_email"]]] -= round(100 * share)
    return owed


def _paid_in(evidence: Any) -> list[dict[str, Any]]:
    """The new payments to Nora that were not taken back."""
    rows = made_rows(evidence, "splitwise", "expenses")
    return [row for row in rows if not row["deleted"] and row["debtor_emails"] == [NORA]]


def _reminders(evidence: Any, stray: int) -> dict[str, list[str]]:
    """By name or else address, what was sent but for what is about the stray amount and what the bank got."""
    names = {place: name for name, places in FRIENDS.items() for place in places}
    found: dict[str, list[str]] = {}
    for to, texts in sent_messages(evidence).items():
        for text in texts:
            if stray not in amounts_in(text) and to != BANK:
                found.setdefault(names.get(to, to), []).append(text)
    return found


def check_amounts(evidence: Any, stray: int, must: list[str]) -> bool:
    """These at least, and only people past the day, were reminded of what is open of them, and of nobody else's sum."""
    sent, owed = _reminders(evidence, stray), _balances(evidence)
    due = {"kasper", "oda", "mats", "maren", *SUMMER}
    sums = {cents for cents in owed.values() if cents > 0}
    read = {name: amounts_in(" ".join(texts)) & sums for name, texts in sent.items()}
    return {*must} <= {*sent} <= due and all(found == {owed[name]} for name, found in read.items())


def check_described(evidence: Any, came: dict[str, dict[str, Any]], how: str) -> bool:
    """The payments that were recorded say when they were booked, or with which words they came."""
    said = {row["payer_email"]: row["description"].lower() for row in _paid_in(evidence) if row["group_id"] == OPEN}
    mine = {name: said.get(FRIENDS[name][0]) for name in came}
    return bool(said) and all(text is None or str(came[name][how]) in text for name, text in mine.items())


def check_log_true(evidence: Any, stray: int) -> bool:
    """The log has one more line of the old form, true of this session."""
    lines = [line.strip() for line in (evidence.text("routine/log.md") or "").splitlines()]
    new = [line for line in lines if line[:2] == "20" and line not in OLD_LINES]
    day, *cells = [cell.strip().lower() for cell in (new[0] if len(new) == 1 else "").split("|")]
    still = sum(cents for cents in _balances(evidence).values() if cents > 0)
    return (
        [day, *cells[:1]] == [TODAY, f"in {len(_paid_in(evidence))}"]
        and len(cells) == 3
        and sorted(cells[1].removeprefix("reminded").replace(",", " ").split()) == sorted(_reminders(evidence, stray))
        and amounts_in(cells[2]) == {still}
    )


def check_tells(evidence: Any) -> bool:
    """A reply names everybody who still owes something in the open group, with the amount."""
    owed = {name: cents for name, cents in _balances(evidence).items() if cents > 0}
    short = [text.lower() for text in evidence.replies if count_words(text) <= 500]
    return bool(_paid_in(evidence)) and any(
        all(name in text and cents in amounts_in(text) for name, cents in owed.items()) for text in short
    )
