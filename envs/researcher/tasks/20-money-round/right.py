"""A month's bank statement against what is open: who paid what, and who is reminded of how much."""

from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.authoring import (
    Change,
    Stream,
    added_lines,
    amounts_in,
    csv_records,
    debts,
    keyed_rows,
    keyed_texts,
    messages,
    written_amount,
    written_day,
)

NORA, BANK, TODAY = "nora.lindqvist@halden-it.example", "notice@fjordkant-bank.example", "2026-04-17"
PAY_DAYS = ("2026-04-08", "2026-04-09", "2026-04-10", "2026-04-13", "2026-04-15")  # by which Nora may have wanted it
GUESS = "2026-03-31"  # the end of the month of the weekend: what somebody would write who knows of no day
OPEN, FLAT = 851, 4
ENTRIES = {"food": 852, "hut": 853}  # Kasper's
TEXT_UP_TO = 20_000
MOST_LET_GO = 15_000  # from here on everybody is reminded, whatever Nora lets go
MARCH = ("oda", "mats", "maren")
SUMMER = ("ingrid", "thea", "elias", "filip", "silje", "priya", "camille")
MAY_WAIT = ("elias", "silje", "priya")  # who may have been given more time


def world(stream: Stream, preferences: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """What is open, what came in, and the statement and log that say so."""
    data, log = preferences.data, preferences.data["log.md"]
    people = {one["name"]: one for one in csv_records(data["friends.csv"])}
    facts = _month(stream, preferences.p.extended, data, people)
    while len({*facts["amounts"]}) < len(facts["amounts"]):  # no two are the same
        facts = _month(stream, preferences.p.extended, data, people)
    friends = {name: (one["email"], one["number"]) for name, one in people.items()}
    return facts | {
        "friends": friends,
        "told_of": {"bank": [BANK], **{name: friends[name] for name in ("ingrid", "kasper")}},
        "days": {line[:10]: line[:10] for line in (*log.splitlines(), TODAY) if line[:2] == "20"},
        "pay_days": PAY_DAYS,
        "said": keyed_texts(data["said.csv"]),
        "stray_said": written_amount(facts["stray"]),
    }, {"routine/log.md": log}


def _cents(stream: Stream, low: int, high: int) -> int:
    return 100 * stream.integer(low, high) + stream.integer(1, 99)


def _month(stream: Stream, extended: str, data: Mapping[str, str], people: Mapping[str, Any]) -> dict[str, Any]:
    """Who owes what, what of it came in and what stays open, and the rows of the bank's statement."""
    spans, transfers = keyed_rows(data["roles.csv"]), keyed_rows(data["transfers.csv"])
    sure = stream.shuffled([name for name in SUMMER if name not in MAY_WAIT])
    others = stream.shuffled([sure.pop(), *(name for name in MAY_WAIT if name != extended)])
    names = dict(zip(spans, [extended, *sure, *others], strict=True))
    roles = {name: role for role, name in names.items()}
    owed = {name: _cents(stream, 180, 330) for name in MARCH}
    left = {"oda": 0, "mats": _cents(stream, 105, 144), "maren": 0}
    for name in stream.shuffled([*SUMMER]):
        least, most, open_least, open_most = spans[roles[name]].values()
        owed[name] = _cents(stream, least, most)
        left[name] = owed[name] if open_most == "" else (open_most and _cents(stream, open_least, open_most))

    days = {of: f"2026-04-{stream.choice(one['days'].split()):0>2}" for of, one in transfers.items()}
    came, rows = {}, []
    for name in ("oda", "maren", *(name for name in SUMMER if owed[name] > left[name])):
        of, paid = roles.get(name, name), owed[name] - left[name]
        words, _, holder = transfers[of].values()
        came[name] = {"cents": paid, "day": days[of], "words": words}
        both = owed["mats"] - left["mats"] if name == "oda" else 0  # one transfer for both
        rows.append([days[of], "booked", words, holder or people[name]["account"], paid + both])
    came["mats"] = came["oda"] | {"cents": owed["mats"] - left["mats"]}
    stray, flat = _cents(stream, 430, 470), _cents(stream, 500, 620)
    for of, cents in (("stray", stray), ("flat", flat)):
        rows.append([days[of], "booked", transfers[of]["words"], transfers[of]["holder"], cents])
    for day, words, party, cents in map(dict.values, csv_records(data["regular.csv"])):
        rows.append([day, "booked", words, party, int(cents)])
    for party, one in keyed_rows(data["shops.csv"]).items():
        for _ in range(one["times"]):
            day = date(2026, 3, 20) + timedelta(stream.integer(0, 26))
            cents = 10 * stream.integer(10 * one["low"], 10 * one["high"])
            rows.append([day.isoformat(), "booked", one["words"], party, cents])
    rows = sorted(stream.shuffled(rows), key=lambda row: row[0])
    rows.append(["2026-04-16", "reserved", "hut july", people[names["reserved"]]["account"], owed[names["reserved"]]])
    rows.append(["2026-04-16", "reserved", "", "TORVMAT HALDEN", -100 * stream.integer(60, 240)])

    own, food, hut = (_cents(stream, *span) for span in ((180, 300), (155, 195), (156, 194)))
    later = {name: _cents(stream, 205, 240) for name in ("sofie", "tomasz")}

    def bill(shares: Mapping[str, int], hers: int = 0) -> dict[str, Any]:
        return debts.expense("", NORA, {NORA: hers} | {people[one]["email"]: shares[one] for one in shares}, OPEN)

    rests = [left[name] for name in came if left[name]]
    return {
        "rest": bill({name: owed[name] for name in MARCH}), "linddalen": bill(later),
        "deposit": bill({name: cents for name, cents in owed.items() if name in SUMMER}, own),
        "roles": names, "owed": owed, "left": left, "came": came, "later": later,
        "food": food, "hut": hut, "stray": stray, "flat": flat,
        "amounts": [*owed.values(), *later.values(), food, hut, food + hut, stray, flat, *rests],
        "statement": rows,
    }  # fmt: skip


def right(world: Any, wishes: Any) -> dict[str, Any]:
    """What is booked, deleted, sent and noted. Who knows nothing of a wish reminds all who owe something, by text."""
    left, came = dict(world.left.items()), world.came
    gone = {"all": ("food", "hut"), "food": ("food",)}.get(wishes.guest, ())
    left["kasper"] = sum(getattr(world, part) for part in ENTRIES if part not in gone)
    waiting = world.roles["reserved"]  # of whom the rules decide, whoever has more time
    spared = {wishes.extended} - {waiting} | ({waiting} if wishes.reserved == "wait" else set())
    due = {name: cents for name, cents in left.items() if cents and cents >= 100 * (wishes.worth or 0)}
    day, reminders = written_day(wishes.past_day or GUESS, "day-month"), {}
    for name, cents in due.items():
        if name not in spared:
            by_mail = wishes.remind_how == "mail" or (wishes.remind_how == "size" and cents > TEXT_UP_TO)
            said = f"a reminder from the bjornbu group: {written_amount(cents)} kroner to me are still open,"
            to = ("mail" if by_mail else "text", *world.friends[name])
            reminders[name] = messages.message(*to, "Bjornbu, what is open", f"{said} the day was {day}.")
    payments = []
    for name, one in came.items():
        source = f"bank: {one['words']}" if wishes.described == "words" else f"bank {one['day']}"
        payments.append(debts.expense(source, world.friends[name][0], {NORA: one["cents"]}, OPEN))
    of_flat = debts.expense("bank: fyrgata, first quarter", world.friends["maren"][0], {NORA: world.flat}, FLAT)
    flat = [of_flat] if wishes.flat_money == "book" else []
    still = {name: cents for name, cents in left.items() if cents} | dict(world.later.items())
    total, names = written_amount(sum(still.values())), ", ".join(map(str.capitalize, reminders))
    arrived = f"your {written_amount(came['oda']['cents'] + came['mats']['cents'])} have arrived."
    said = f"kristoffer nygaard has sent {world.stray_said} for a garage to my account. please have it sent back."
    where = {"bank": ("mail", BANK, "")} | {name: ("text", *world.friends[name]) for name in ("ingrid", "kasper")}
    return {
        "payments": payments, "flat": flat or None, "guests": [{"id": ENTRIES[part]} for part in gone] or None,
        "reminders": [*reminders.values()], "reminded": names, "day": day, "kasper": left["kasper"],
        "stray": messages.message(*where[wishes.stray], "Not for me", said) if wishes.stray else None,
        "receipt": messages.message("text", *world.friends["oda"], "", arrived) if wishes.receipt else None,
        "log": Change(append=f"{TODAY} | in {len(payments + flat)} | reminded {names} | open {total}\n"),
        "must": [one for one in reminders if due[one] >= MOST_LET_GO and one not in ("kasper", waiting)],
        "listed": ", ".join(f"{name.capitalize()} {written_amount(cents)}" for name, cents in still.items()),
        "printed": "".join(f"{name} {written_amount(cents)}\n" for name, cents in still.items()) + f"open {total}\n",
    }  # fmt: skip


def tell_others(world: Any, wishes: Any) -> list[dict[str, Any]]:
    """Write about the stranger's money, where it is known to whom, and to Oda."""
    made = right(world, wishes)
    return messages.send_calls(*(made[name] for name in ("stray", "receipt") if made[name]))


# -- what a session left -----------------------------------------------------------------------------------------------


def _owed(evidence: Any, people: Mapping[str, Any]) -> dict[str, int]:
    """By name, what somebody still owes Nora in the open group as Splitwise has it now, in cents."""
    owed = debts.owed_by_name(evidence, OPEN, NORA, {name: email for name, (email, _) in people.items()})
    return {name: cents for name, cents in owed.items() if cents > 0}


def _paid_in(evidence: Any, group: int) -> list[dict[str, Any]]:
    """The new payments to Nora in a group that were not taken back."""
    return [row for row in debts.made_here(evidence, group) if row["debtor_emails"] == [NORA]]


def _reminders(evidence: Any, stray: int, people: Mapping[str, Iterable[str]]) -> dict[str, list[str]]:
    """By name or else address, what was sent but for what is about the stray amount, to the bank or to Oda."""
    sent = messages.sent_messages(evidence, people)
    told = {to: [text for text in texts if stray not in amounts_in(text)] for to, texts in sent.items()}
    return {to: texts for to, texts in told.items() if texts and to not in (BANK, "oda")}


def check_amounts(evidence: Any, stray: int, must: list[str], people: dict[str, Any]) -> bool:
    """These at least, and only people past the day, were reminded of what is open of them, and of nobody else's sum."""
    sent = _reminders(evidence, stray, people)
    return {*must} <= {*sent} <= {"kasper", *MARCH, *SUMMER} and messages.tell_own_sums(sent, _owed(evidence, people))


def check_described(evidence: Any, came: dict[str, dict[str, Any]], how: str, people: dict[str, Any]) -> bool:
    """The payments that were recorded say when they were booked, or with which words they came."""
    said = {row["payer_email"]: row["description"].lower() for row in _paid_in(evidence, OPEN)}
    mine = {name: said.get(people[name][0]) for name in came}
    return bool(said) and all(text is None or str(came[name][how]) in text for name, text in mine.items())


def check_log_true(evidence: Any, stray: int, people: dict[str, Any]) -> bool:
    """The log has one more line of the old form, true of this session."""
    new = [line for line in added_lines(evidence, "routine/log.md") if line[:2] == "20"]
    day, *cells = [cell.strip() for cell in (new[0] if len(new) == 1 else "").split("|")]
    paid_in = len(_paid_in(evidence, OPEN)) + len(_paid_in(evidence, FLAT))
    reminded = _reminders(evidence, stray, people)
    return (
        [day, *cells[:1]] == [TODAY, f"in {paid_in}"]
        and len(cells) == 3
        and sorted(cells[1].removeprefix("reminded").replace(",", " ").split()) == sorted(reminded)
        and amounts_in(cells[2]) == {sum(_owed(evidence, people).values())}
    )


def check_tells(evidence: Any, people: dict[str, Any]) -> bool:
    """A reply names everybody who still owes something in the open group, with the amount."""
    return bool(_paid_in(evidence, OPEN)) and messages.reply_tells(evidence, _owed(evidence, people))


def check_told_oda(evidence: Any, people: dict[str, Any]) -> bool:
    """Oda, who has paid all, was written to; her money is in."""
    paid = any(row["payer_email"] == people["oda"][0] for row in _paid_in(evidence, OPEN))
    return paid and "oda" in messages.sent_messages(evidence, people)
