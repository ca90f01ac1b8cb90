"""A month's bank statement against what is open: who paid what, and who is reminded of how much."""

from __future__ import annotations

from datetime import date, timedelta

from pi_gym.authoring import (
    amounts_in,
    count_words,
    csv_text,
    fixed,
    made_rows,
    message_call,
    name_day,
    reached,
    sent_messages,
    written_day,
)

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
OPEN, FLAT = 20, 4
TEXT_UP_TO = 20_000
SUMMER = ("ingrid", "thea", "elias", "filip", "silje", "priya", "camille")
MAY_WAIT = ("elias", "silje", "priya")  # who may have been given more time
OLD_LINES = (
    "2026-01-16 | in 2 | reminded Kasper, Thea | open 579.62",
    "2026-02-20 | in 2 | reminded Ingrid | open 178.58",
    "2026-03-20 | in 3 | reminded Silje, Kasper | open 390.44",
)


def world(stream, preferences):
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
        "roles": roles,
        "rest": _bill({name: owed[name] for name in ("oda", "mats", "maren")}),
        "deposit": _bill({"nora": facts["own"]} | {name: owed[name] for name in summer}),
        "linddalen": _bill(facts["later"]),
        "stray_said": _money(facts["stray"]),
    }, {
        "bank/fjordkant_2026-04-16.csv": facts["statement"],
        "routine/log.md": _log(OLD_LINES, preferences.p.log_place),
    }


def _bill(cents):
    mails = [NORA if name == "nora" else FRIENDS[name][0] for name in cents]
    return {"paid": sum(cents.values()) / 100, "mails": mails, "shares": [part / 100 for part in cents.values()]}


def _cents(stream, low, high):
    return 100 * stream.integer(low, high) + stream.integer(1, 99)


def _facts(stream, p):
    sure = stream.shuffled([name for name in SUMMER if name not in MAY_WAIT])
    others = stream.shuffled([sure.pop(), *(name for name in MAY_WAIT if name != p.extended)])
    roles = dict(zip([p.extended, *sure, *others], p.roles, strict=True))
    owed = {name: _cents(stream, 180, 330) for name in ("oda", "mats", "maren")}
    left = {"oda": 0, "mats": _cents(stream, 105, 144), "maren": 0}
    for name in stream.shuffled([*SUMMER]):
        span, rest = p.roles[roles[name]]
        owed[name] = _cents(stream, *span)
        left[name] = owed[name] if rest is None else rest[1] and _cents(stream, *rest)
    days = {key: f"2026-04-{stream.choice([*one['days']]):02d}" for key, one in p.transfers.items()}
    came, holder = {}, {}
    for name in ("oda", "maren", *(name for name in SUMMER if owed[name] > left[name])):
        key = roles.get(name, name)
        came[name] = {"cents": owed[name] - left[name], "day": days[key], "words": p.transfers[key]["words"]}
        holder[name] = p.transfers[key].get("holder") or p.accounts[name]
    came["mats"] = came["oda"] | {"cents": owed["mats"] - left["mats"]}
    stray, flat = _cents(stream, 430, 470), _cents(stream, 500, 620)
    paid = {name: one["cents"] for name, one in came.items()} | {"oda": came["oda"]["cents"] + came["mats"]["cents"]}
    rows = [[came[name]["day"], "booked", came[name]["words"], holder[name], paid[name]] for name in holder]
    for key, cents in (("stray", stray), ("flat", flat)):
        rows.append([days[key], "booked", p.transfers[key]["words"], p.transfers[key]["holder"], cents])
    rows += [[day, "booked", *more] for day, *more in p.regular]
    for party, said, count, low, high in p.shops:
        for _ in range(count):
            day = date(2026, 3, 20) + timedelta(stream.integer(0, 26))
            rows.append([day.isoformat(), "booked", said, party, 10 * stream.integer(10 * low, 10 * high)])
    rows = sorted(stream.shuffled(rows), key=lambda row: row[0])
    waiting = next(name for name, role in roles.items() if role == "reserved")
    rows.append(["2026-04-16", "reserved", "hut july", p.accounts[waiting], owed[waiting]])
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


def _is_telling(facts):
    """Whether no two amounts are the same."""
    came, owed = facts["came"], facts["owed"]
    every = [*owed.values(), *facts["later"].values(), *(facts[name] for name in ("food", "hut", "stray", "flat"))]
    every += [owed[name] - one["cents"] for name, one in came.items() if owed[name] > one["cents"]]
    every += [facts["food"] + facts["hut"]]
    return len({*every}) == len(every)


def work(world, values, draw):
    """Who owes what after this morning, and who is reminded of it, for the wishes at hand."""
    left = {name: cents - world.came.get(name, {"cents": 0})["cents"] for name, cents in world.owed.items()}
    left["kasper"] = {"all": 0, "food": world.hut, "no": world.food + world.hut}[values.persona.cabin_guest]
    waiting, least = world.roles["reserved"], 100 * values.persona.remind_from
    spared = {values.p.extended} | ({waiting} if values.p.reserved == "wait" else set())
    optional = {*MAY_WAIT} if "extended" not in draw else set()
    optional |= {waiting} if "reserved" not in draw else set()
    day = written_day(date.fromisoformat(values.persona.cabin_money_by), values.persona.date_style)
    due = [_nudge(name, cents, values.persona.remind_by, day) for name, cents in left.items() if cents >= least]
    told = [one for one in due if one["who"] not in spared]
    payments = [
        {
            "email": FRIENDS[name][0],
            "amount": one["cents"] / 100,
            "text": f"bank {one['day']}" if values.p.describe == "day" else f"bank: {one['words']}",
        }
        for name, one in world.came.items()
    ]
    still = {**{name: cents for name, cents in left.items() if cents}, **world.later}
    line = f"{TODAY} | in {len(payments) + (values.p.flat_money == 'book')}"
    line += f" | reminded {', '.join(one['name'] for one in told)} | open {_money(sum(still.values()))}"
    return {
        "left": left | world.later,
        "cents": [cents for cents in left.values() if cents],
        "kasper": left["kasper"],
        "kaspers": [world.food, world.hut, world.food + world.hut],
        "nudges": told,
        "must": [one for one in told if one["who"] not in optional],
        "may": [one for one in due if one["who"] in optional],
        "payments": payments,
        "log": _log([*OLD_LINES, line], values.p.log_place),
        "listed": ", ".join(f"{name.capitalize()} {_money(cents)}" for name, cents in still.items()),
        "printed": "".join(
            f"{name} {_money(cents)}\n" for name, cents in [*still.items(), ("open", sum(still.values()))]
        ),
    }


def _nudge(name, cents, by, day):
    """One reminder: to whom, how much, and the call that sends it."""
    (email, number), amount = FRIENDS[name], _money(cents)
    how = ("text" if cents <= TEXT_UP_TO else "mail") if by == "size" else by
    said = f"a reminder from the bjornbu group: {amount} kroner to me are still open, the day was {day}."
    about = {"who": name, "name": name.capitalize(), "by": how, "email": email, "number": number, "cents": cents}
    return about | {"call": message_call(how, number, email, "Bjornbu, what is open", said)}


def _log(lines, place):
    head = f"# Rounds, newest line {'on top' if place == 'top' else 'at the end'}\n\n"
    head += "day | in: how many payments I entered | whom I reminded | what is open after that, due or not\n\n"
    return head + "".join(f"{line}\n" for line in (lines[::-1] if place == "top" else lines))


def _money(cents):
    return fixed(cents / 100, 2)


def _bank(cents):
    return ("+" if cents > 0 else "") + _money(cents).replace(".", ",")


# -- what a session left ---------------------------------------------------------------------------------------------


def _balances(evidence):
    """By address, what everybody owes Nora in the open group as Splitwise has it now, in cents."""
    owed = {}
    for _, row in evidence.apps["splitwise"].table("expenses").rows():
        if row["group_id"] == OPEN and not row["deleted"]:
            for email, share in zip(row["debtor_emails"], row["debt_amounts"], strict=True):
                who = email if row["payer_email"] == NORA else row["payer_email"] if email == NORA else ""
                owed[who] = owed.get(who, 0) + round(100 * share) * (1 if row["payer_email"] == NORA else -1)
    return {email: cents for email, cents in owed.items() if email not in ("", NORA)}


def _paid_in(evidence, group):
    """The new payments to Nora in a group that were not taken back."""
    rows = made_rows(evidence, "splitwise", "expenses")
    return [r for r in rows if r["group_id"] == group and not r["deleted"] and r["debtor_emails"] == [NORA]]


def _reminders(evidence, stray):
    """What was sent in this session but for what is about the stray amount and what the bank got."""
    sent = {
        to: [text for text in texts if stray not in amounts_in(text)] for to, texts in sent_messages(evidence).items()
    }
    return {to: texts for to, texts in sent.items() if texts and to != BANK}


def check_booked(evidence, left):
    """Everybody but Kasper owes what is left after what came in, and something was recorded."""
    owed = _balances(evidence)
    wanted = {FRIENDS[name][0]: cents for name, cents in left.items() if name != "kasper"}
    return bool(_paid_in(evidence, OPEN)) and all(owed.get(email, 0) == cents for email, cents in wanted.items())


def check_kasper(evidence, cents, others, stray):
    """Kasper owes what his host leaves him, and was reminded of that and of nothing else, as others were."""
    sent, (email, number) = _reminders(evidence, stray), FRIENDS["kasper"]
    his = [amounts_in(text) for place in (email, number) for text in sent.get(place, [])]
    told = [found & {*others} == {cents} for found in his]
    return len(sent) > (cents > 0) and _balances(evidence).get(email, 0) == cents and told == [True] * (cents > 0)


def check_reminded(evidence, must, may, stray, by="any"):
    """Those who must be reminded were, once each, as asked, of their own amount; nobody else but those who may be."""
    return reached(_reminders(evidence, stray), must, may, by)


def check_whether(evidence, name, reminded, cents, stray):
    """Some were reminded of what they owe, and this one was, or was not."""
    sent = _reminders(evidence, stray)
    texts = [" ".join(some) for some in sent.values()]
    return (
        len(sent) > 1
        and all(amounts_in(text) & {*cents} for text in texts)
        and any(place in sent for place in FRIENDS[name]) == reminded
    )


def check_day(evidence, day, cents, stray):
    """All reminders name an amount that is open, and the day that was given and no other."""
    return name_day(_reminders(evidence, stray), day, cents)


def check_described(evidence, came, how):
    """The payments that were recorded say when they were booked, or with which words they came."""
    rows = {row["payer_email"]: row["description"].lower() for row in _paid_in(evidence, OPEN)}
    return all(came[name][how] in rows.get(FRIENDS[name][0], "") for name in came)


def check_flat(evidence, wish, cents):
    """What Maren sent for the flat is in its group as her payment, or is left, as wished; the rest is booked."""
    found = [(row["payer_email"], round(100 * row["paid_amount"])) for row in _paid_in(evidence, FLAT)]
    wanted = [(FRIENDS["maren"][0], cents)] if wish == "book" else []
    return found == wanted and len(_paid_in(evidence, OPEN)) > 1


def check_stray(evidence, whom, cents):
    """The stranger's money is told by message to one only: the bank, Kasper or Ingrid, as wished."""
    to = {place for place, texts in sent_messages(evidence).items() for text in texts if cents in amounts_in(text)}
    return len(to) == 1 and to <= ({BANK} if whom == "bank" else {*FRIENDS[whom]})


def check_log(evidence, stray, place="any"):
    """The log has one more line of the old form, true of this session, where lines are put; others are kept."""
    lines = [line.strip() for line in (evidence.text("routine/log.md") or "").splitlines() if line.strip()[:2] == "20"]
    kept, new = ([line for line in lines if (line in OLD_LINES) == known] for known in (True, False))
    ends = {"top": (lines[:1], [*OLD_LINES[::-1]]), "end": (lines[-1:], [*OLD_LINES])}
    if len(new) != 1 or (new, kept) not in [ends[one] for one in ends if place in (one, "any")]:
        return False
    day, *cells = [cell.strip().lower() for cell in new[0].split("|")]
    sent = _reminders(evidence, stray)
    names = sorted(name for name, places in FRIENDS.items() if any(one in sent for one in places))
    count = len(_paid_in(evidence, OPEN)) + len(_paid_in(evidence, FLAT))
    still = sum(cents for cents in _balances(evidence).values() if cents > 0)
    return (
        (day, cells[0]) == (TODAY, f"in {count}")
        and count > 0
        and len(cells) == 3
        and sorted(cells[1].removeprefix("reminded").replace(",", " ").split()) == names
        and amounts_in(cells[2]) == {still}
    )


def check_told(evidence):
    """A reply names everybody who still owes something in the open group, with the amount."""
    owed = {email.partition(".")[0]: cents for email, cents in _balances(evidence).items() if cents > 0}
    short = [text.lower() for text in evidence.replies if count_words(text) <= 500]
    return bool(_paid_in(evidence, OPEN)) and any(
        all(name in text and cents in amounts_in(text) for name, cents in owed.items()) for text in short
    )
