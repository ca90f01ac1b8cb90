"""The quarter's bill of the Researcher: its right answer from what an agent can see, and plays right and wrong."""

from __future__ import annotations

import copy
import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from fractions import Fraction
from typing import Any

import pytest
from support.play import call, opened, play
from support.researcher import NORA, NOTHING, Lost, again, drawing, prepared, result, shortfall, sign_in, task_of

from pi_gym.pibench.session import PiSession

TASK = "18-quarter-bill"
MAREN = "maren.solberg@postbox.example"
QUESTION = "From what amount on is a reminder worth it? And should the reminders go out by text or by mail?"


# -- what an agent can see -------------------------------------------------------------------------------------------


def texts(session: PiSession) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for page in range(30):
        found += result(session, "phone__search_text_messages", page_limit=20, page_index=page)["text_messages"]
        if found[-1]["sent_at"] < "2025-12-31":
            break
    return [text for text in found if text["sent_at"] > "2025-12-31"]


def one(lines: list[str], pattern: str) -> re.Match[str]:
    found = [hit for line in lines if (hit := re.search(pattern, line))]
    assert len(found) == 1, pattern
    return found[0]


def usage(text: str, total: int) -> dict[date, Fraction]:
    """kWh by day: later lines replace earlier ones, the rest of the total is shared by the days without data."""
    rows = csv.DictReader([line for line in text.splitlines() if not line.startswith("#")], delimiter=";")
    days = {date.fromisoformat(row["day"]): row["kWh"] for row in rows}
    known = {day: Fraction(kwh) for day, kwh in days.items() if kwh}
    gap = (total - sum(known.values())) / (len(days) - len(known))
    return {day: known.get(day, gap) for day in days}


@dataclass
class Seen:
    """What files, texts and mails tell of the quarter; whole numbers are cents."""

    lines: list[str]
    mails: list[str]
    note: str
    daily: str
    reading: int = 0
    lower_from: date = date(2026, 1, 1)
    prices: tuple[Fraction, Fraction] = (Fraction(0), Fraction(0))
    back: str = ""

    def __post_init__(self) -> None:
        self.reading = int(one(self.lines, r"with a torch it is ([\d ]+)\.")[1].replace(" ", ""))
        hit = one(self.mails, r"comes into force on (\d+) (\w+) only")
        self.lower_from = date(2026, {"February": 2, "March": 3}[hit[2]], int(hit[1]))
        new, old = one(self.mails, r"you pay ([\d.]+) kroner a kWh, all taxes in it, instead of ([\d.]+)\.").groups()
        self.prices = (Fraction(old) * 100, Fraction(new) * 100)
        self.back = one(self.lines, r"I come on january (\d+), not")[1]

    def gone(self) -> list[date]:
        leaves = int(one(self.lines, r"I leave on january (\d+)")[1])
        rule = one(self.lines, r"and the days I travel: (.*)")[1]
        days = [date(2026, 1, day) for day in range(leaves, int(self.back) + 1)]
        return days if "gone on both" in rule else days[:-1] if rule.startswith("by nights") else days[1:-1]

    def parts(self) -> dict[str, tuple[Fraction, Fraction]]:
        """Energy, standing charge and support: the whole, and Maren's."""
        days, gone = usage(self.daily, self.reading - 47602), self.gone()
        cost = {day: kwh * self.prices[day >= self.lower_from] for day, kwh in days.items()}
        said = one(self.lines, r"let us say it so: (.*)")[1]
        away = Fraction(1, 3) if "a third for me" in said else Fraction(0)
        energy = sum((cents * (away if day in gone else Fraction(1, 2)) for day, cents in cost.items()), Fraction(0))
        month = Fraction(one(self.mails, r"standing charge stays at ([\d.]+) a month")[1]) * 100
        nobody = len(gone) if "standing charge are yours for those days" in said else 0
        support = Fraction(one(self.mails, r"support for meter 7714-03 is ([\d.]+)")[1]) * 100
        whole = sum(cost.values(), Fraction(0))
        half = "the support we halve" in " ".join(self.lines)
        return {
            "energy": (whole, energy),
            "standing charge": (3 * month, 3 * month * (90 - nobody) / 180),
            "support": (-support, -support * (Fraction(1, 2) if half else energy / whole)),
        }

    def net(self) -> tuple[int, int]:
        """Maren's part of 549.00, and how many entries February and March are."""
        hers = 27450 if "half and half, she watches" in self.note else 22450 if "100 on top" in self.note else 21960
        return hers, 2 if "one entry a month" in self.note else 1


def cents(amount: Fraction) -> int:
    return round(amount)


def kroner(amount: int) -> str:
    return f"{amount / 100:.2f}"


@dataclass
class Work:
    """What one agent does; a test changes what it likes."""

    total: int
    hers: int
    items: dict[str, tuple[int, int]]
    net: tuple[int, int]
    sheet: str
    nudges: dict[str, tuple[str, str, int]]  # by name: how, where to, how much
    day: str
    cash: tuple[str, int]
    to_henrik: str
    said: str = "you still owe me {amount} for the winter, by {day} please"
    final: str = "Maren owes you {amount}."
    more: list[str] = field(default_factory=list)


class Flat:
    """A variant opened, read and asked, with the right work for it."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task)
        sign_in(self.session, "phone", "splitwise", "gmail", "simple_note")
        self.texts = texts(self.session)
        listed = result(
            self.session, "gmail__show_inbox_threads", from_email="meter@halden-kraft", min_created_at="2026-01-01"
        )
        ids = [thread["email_thread_id"] for thread in listed["email_threads"]]
        mails = [result(self.session, "gmail__show_thread", email_thread_id=key)["emails"][-1]["body"] for key in ids]
        found = result(self.session, "simple_note__search_notes", query="flat: internet")["notes"]
        key = next(note["note_id"] for note in found if note["title"] == "Flat: internet")
        note = result(self.session, "simple_note__show_note", note_id=key)["content"]
        daily = self.session.world.workspace.text("bills/halden-kraft_2026-q1_daily.csv") or ""
        self.seen = Seen([text["message"] for text in self.texts], mails, note, daily)
        self.work = self.right()
        play(self.session, QUESTION)

    def right(self) -> Work:
        values, session = self.task.values, self.session
        items = {name: (cents(whole), cents(hers)) for name, (whole, hers) in self.seen.parts().items()}
        total, hers = (sum(pair[at] for pair in items.values()) for at in (0, 1))
        old = next(p for p, _ in session.world.workspace.walk() if p.startswith("bills/") and "2025-12-31" in p)
        members = result(session, "splitwise__show_group_balance", group_id=18)["members"]
        paid = next(t for t in self.texts if "left pocket, in cash" in t["message"])
        payer = paid["sender"]["name"].split()[0]
        nudges = {}
        for member in members:
            name, owed = member["name"].split()[0], round(100 * member["balance"])
            if owed >= 100 * values["persona.remind_from"] and name != payer:
                number = self.number(member["name"], member["email"])
                how = {"text": "text", "mail": "mail", "size": "text" if owed <= 20000 else "mail"}
                nudges[name] = (how[values["persona.remind_by"]], number, owed)
                nudges[name] = (nudges[name][0], number if nudges[name][0] == "text" else member["email"], owed)
        sample = one([t["message"] for t in self.ferry()], r"for the ferry: by (.*?), please")[1]
        number = int(values["persona.cabin_money_by"][-2:])
        day = f"{number} April" if sample[0].isdecimal() else f"April {number}"
        return Work(
            total, hers, items, self.seen.net(), old.replace("2025-12-31", "2026-03-31"), nudges,
            f"2026-04-{number:02d}" if sample.startswith("2025-") else day,
            (next(m["email"] for m in members if m["name"].startswith(payer)),
             round(100 * next(m["balance"] for m in members if m["name"].startswith(payer)))),
            f"Dear Henrik, the meter says {self.seen.reading} and the quarter comes to {kroner(total)}.",
        )  # fmt: skip

    def ferry(self) -> Any:
        return result(self.session, "phone__search_text_messages", query="ferry how I write a day")["text_messages"]

    def number(self, name: str, email: str) -> str:
        """The number of the contact that has the address."""
        found = result(self.session, "phone__search_contacts", query=name)["contacts"]
        return str(next(one["phone_number"] for one in found if one.get("email") == email))

    def record(self, what: str, paid: int, hers: int, **more: Any) -> int:
        about = {"description": what, "paid_amount": paid / 100, "payer_email": NORA, "group_id": 4, **more}
        shares = {"debtor_emails": [NORA, MAREN], "debt_amounts": [(paid - hers) / 100, hers / 100]}
        return int(result(self.session, "splitwise__record_expense", **about, **shares)["expense_id"])

    def enter(self, work: Work) -> None:
        self.record("power", work.total, work.hers)
        hers, count = work.net
        for _ in range(count):
            self.record("net", 109800 // count, 2 * hers // count)

    def pay_cash(self, work: Work) -> None:
        email, owed = work.cash
        about = {"description": "cash", "paid_amount": owed / 100, "payer_email": email, "debtor_emails": [NORA]}
        result(self.session, "splitwise__record_expense", **about, group_id=18)

    def answer(self, work: Work) -> None:
        result(self.session, "gmail__reply_to_email", email_thread_id=18001, email_id=18001, body=work.to_henrik)

    def put_sheet(self, work: Work) -> None:
        rows = [[name, whole, whole - hers, hers] for name, (whole, hers) in work.items.items()]
        rows.append(["sum", work.total, work.total - work.hers, work.hers])
        lines = ["item,total,nora,maren", *(",".join([name, *map(kroner, some)]) for name, *some in rows)]
        play(self.session, call("write_file", path=work.sheet, content="\n".join(lines) + "\n"))

    def remind(self, work: Work) -> None:
        for how, where, owed in work.nudges.values():
            said = work.said.format(amount=kroner(owed), day=work.day)
            if how == "text":
                result(self.session, "phone__send_text_message", phone_number=where, message=said)
            else:
                result(self.session, "gmail__send_email", email_addresses=[where], subject="Winter", body=said)

    def whole(self, work: Work) -> Lost:
        self.enter(work)
        self.pay_cash(work)
        self.answer(work)
        self.put_sheet(work)
        self.remind(work)
        return self.finish(work)

    def finish(self, work: Work) -> Lost:
        """The last reply, and what is not right then: open intents (or provided ones) and failed items."""
        play(self.session, *work.more, work.final.format(amount=kroner(work.hers + 2 * work.net[0])))
        return shortfall(self.session)


Play = Callable[[Flat], Lost]


@pytest.mark.parametrize("variant", range(5))
def test_what_an_agent_can_see_gives_the_right_answer(variant: int) -> None:
    found = again(Flat, variant)
    assert found.whole(found.work) == NOTHING
    assert (found.session.proc, found.session.comp) == (1.0, 1.0)


def friendly(c: Flat) -> Lost:
    said = "Hi! The winter group says {amount} kr from you to me. Would {day} work for you at the latest? Thanks!"
    return c.whole(replace(c.work, said=said))


def in_other_order(c: Flat) -> Lost:
    c.remind(c.work)
    c.answer(c.work)
    c.pay_cash(c.work)
    c.put_sheet(c.work)
    c.enter(c.work)
    return c.finish(c.work)


def mended(c: Flat) -> Lost:
    """In halves at first, then put right."""
    c.session.fork()
    key = c.record("power", c.work.total, c.work.total // 2)
    shares = [(c.work.total - c.work.hers) / 100, c.work.hers / 100]
    result(c.session, "splitwise__update_expense", expense_id=key, debt_amounts=shares, debtor_emails=[NORA, MAREN])
    hers, count = c.work.net
    for _ in range(count):
        c.record("net", 109800 // count, 2 * hers // count)
    for act in (c.pay_cash, c.answer, c.put_sheet, c.remind):
        act(c.work)
    return c.finish(c.work)


def formal_numbers(c: Flat) -> Lost:
    body = f"Reading on 31 March: {c.seen.reading:,} kWh.\nAmount: kr {c.work.total / 100:,.2f}."
    return c.whole(replace(c.work, to_henrik=body, final="All in. From Maren you get **{amount} kr**."))


RIGHT: dict[str, Play] = {
    "friendly": friendly,
    "other order": in_other_order,
    "mended": mended,
    "formal numbers": formal_numbers,
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("variant", [0, 1])
def test_a_right_play_is_paid_in_full(name: str, variant: int) -> None:
    assert RIGHT[name](again(Flat, variant)) == NOTHING


def computed(change: Callable[[Seen], None]) -> Play:
    """The work of somebody who took something about the quarter for something else."""

    def run(c: Flat) -> Lost:
        seen = copy.deepcopy(c.seen)
        change(seen)
        items = {name: (cents(whole), cents(hers)) for name, (whole, hers) in seen.parts().items()}
        total, hers = (sum(pair[at] for pair in items.values()) for at in (0, 1))
        told = f"The meter says {seen.reading}, the quarter comes to {kroner(total)}."
        return c.whole(replace(c.work, total=total, hers=hers, items=items, to_henrik=told))

    return run


def misread(seen: Seen) -> None:
    seen.reading = int(one(seen.lines, r"read the meter, ([\d ]+)\.")[1].replace(" ", ""))


def first_letter(seen: Seen) -> None:
    day, month = one(seen.mails, r"announced for (\d+) (\w+) comes")[1], one(seen.mails, r"announced for \d+ (\w+)")[1]
    seen.lower_from = date(2026, {"January": 1, "February": 2}[month], int(day))


def first_plan(seen: Seen) -> None:
    seen.back = one(seen.lines, r"back on january (\d+)\. who waters")[1]


def resent_ignored(seen: Seen) -> None:
    seen.daily = "\n".join(line for line in seen.daily.splitlines() if "corrected" not in line or line[0] == "#")


def no_support(seen: Seen) -> None:
    seen.mails = [re.sub(r"7714-03 is [\d.]+", "7714-03 is 0.00", mail) for mail in seen.mails]


def halved(c: Flat) -> Lost:
    return c.whole(replace(c.work, hers=c.work.total // 2))


def as_billed(c: Flat) -> Lost:
    mail = result(c.session, "gmail__show_thread", email_thread_id=18001)["emails"][0]["body"]
    billed = round(100 * float(re.findall(r"quarter is ([\d.]+),", mail)[0]))
    return c.whole(replace(c.work, total=billed, hers=billed // 2))


def cash_forgotten(c: Flat) -> Lost:
    for act in (c.enter, c.answer, c.put_sheet, c.remind):
        act(c.work)
    return c.finish(c.work)


def cash_reminded(c: Flat) -> Lost:
    email, owed = c.work.cash
    return c.whole(replace(c.work, nudges=c.work.nudges | {"cash": ("mail", email, owed)}))


def everybody(c: Flat) -> Lost:
    """The one below the threshold is reminded too."""
    members = result(c.session, "splitwise__show_group_balance", group_id=18)["members"]
    low = min((m for m in members if m["balance"] > 0), key=lambda m: m["balance"])
    return c.whole(replace(c.work, nudges=c.work.nudges | {"low": ("mail", low["email"], round(100 * low["balance"]))}))


def both_ways(c: Flat) -> Lost:
    """Everybody gets a text and a mail."""
    c.remind(c.work)
    other = {"text": "mail", "mail": "text"}
    members = result(c.session, "splitwise__show_group_balance", group_id=18)["members"]
    twice = {}
    for member in members:
        name = member["name"].split()[0]
        if name in c.work.nudges:
            how, _, owed = c.work.nudges[name]
            where = member["email"] if how == "text" else c.number(member["name"], member["email"])
            twice[name] = (other[how], where, owed)
    return c.whole(replace(c.work, nudges=twice))


def january_again(c: Flat) -> Lost:
    c.record("net, january", 44900, 22450)
    return c.whole(c.work)


def old_name(c: Flat) -> Lost:
    return c.whole(replace(c.work, sheet="bills/q1.csv"))


def no_day(c: Flat) -> Lost:
    return c.whole(replace(c.work, said="you owe me {amount} for the winter"))


def note_changed(c: Flat) -> Lost:
    result(c.session, "simple_note__create_note", title="done", content="done")
    return c.whole(c.work)


SHARES = ("away-rule", "travel-days", "support")
POWER = ("electricity", "nothing-else", "told")
DAY = ("same-day", "date-style")
WRONG: dict[str, tuple[Play, tuple[str, ...], tuple[str, ...]]] = {
    "misread": (computed(misread), SHARES, (*POWER, "answered", "sheet", "sheet-name")),
    "first letter": (computed(first_letter), SHARES, (*POWER, "answered", "sheet", "sheet-name")),
    "first plan": (computed(first_plan), SHARES, POWER),
    "no support": (computed(no_support), SHARES, (*POWER, "answered", "sheet", "sheet-name")),
    "resent days ignored": (computed(resent_ignored), SHARES, (*POWER, "answered", "sheet", "sheet-name")),
    "halved": (halved, SHARES, POWER),
    "as billed": (as_billed, SHARES, (*POWER, "sheet", "sheet-name")),
    "cash forgotten": (cash_forgotten, (), ("cash",)),
    "cash reminded": (cash_reminded, DAY, ("reminded", "by-channel", "pay-by", "date-style")),
    "everybody": (everybody, (), ("reminded", "by-channel")),
    "both ways": (both_ways, (), ("reminded", "by-channel")),
    "january again": (january_again, ("internet", "net-entries"), ("internet", "told")),
    "sheet's name": (old_name, ("sheet-name",), ("sheet-name",)),
    "no day": (no_day, DAY, ("pay-by", "date-style")),
    "a note": (note_changed, (), ("nothing-else",)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_play_loses_what_it_got_wrong(name: str) -> None:
    run, intents, items = WRONG[name]
    found = again(Flat, drawing(TASK, *intents[:1]))
    lost, failed = run(found)
    asked = {"worth", "remind-how"}
    assert lost - asked == {one.name for one in found.task.intents} & {*intents}
    assert failed == {one.name for one in found.task.checklist} & {*items}


def test_the_days_away_are_counted_as_agreed() -> None:
    """The three ways of counting differ by the travel days alone."""
    seen = copy.deepcopy(prepared(Flat, 0).seen)
    counts = set()
    for rule in ("by nights. x", "I am here on both", "I am gone on both"):
        seen.lines = [re.sub("the days I travel: .*", f"the days I travel: {rule}", line) for line in seen.lines]
        counts.add(len(seen.gone()))
    assert len(counts) == 3
    assert max(counts) - min(counts) == 2
    assert all(seen.gone()[0] + timedelta(at) == day for at, day in enumerate(seen.gone()))
