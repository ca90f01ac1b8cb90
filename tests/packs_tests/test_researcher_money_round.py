"""The money round of the Researcher: its right answer from what an agent can see, and plays right and wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from support.play import call, opened, play
from support.researcher import NORA, NOTHING, Lost, again, prepared, result, shortfall, sign_in, task_of

from pi_gym.pibench.session import PiSession

TASK = "20-money-round"
BANK = "notice@fjordkant-bank.example"
QUESTION = "Kristoffer Nygaard's money for a garage: whom should I write to about it?"


# -- what an agent can see -------------------------------------------------------------------------------------------


def in_cents(text: str) -> int:
    return round(100 * float(text.replace(",", ".")))


def kroner(amount: int) -> str:
    return f"{amount / 100:.2f}"


@dataclass(frozen=True)
class Payment:
    """What one person paid: cents, the day it was booked, the transfer's words."""

    who: str
    cents: int
    day: str
    words: str


@dataclass
class Seen:
    """What the group, the statement, the rules and the texts tell."""

    owed: dict[str, int]
    emails: dict[str, str]
    expenses: list[dict[str, Any]]
    rows: list[dict[str, str]]
    rules: str
    texts: list[dict[str, Any]]

    def sender(self, words: str) -> str:
        found = [text["sender"]["name"].split()[0] for text in self.texts if words in text["message"]]
        assert len(found) == 1, words
        return str(found[0])

    def incoming(self, party: str, words: str = "") -> list[dict[str, str]]:
        rows = [row for row in self.rows if row["Status"] == "booked" and row["Amount"].startswith("+")]
        return [row for row in rows if row["Counterparty"].startswith(party) and words in row["Text"]]

    def payments(self) -> list[Payment]:
        """Who paid how much for the group."""
        (both,) = self.incoming("LIEN BREKKE")
        odas, said = self.owed["Oda"], (both["Booked"], both["Text"])
        found = [Payment("Oda", odas, *said), Payment("Mats", in_cents(both["Amount"]) - odas, *said)]
        parties = {"HAUG": "Ingrid", "WINTHER": "Thea", "LINDQVIST E": "Elias", "EK F": "Filip", "BRUN": "Silje"}
        parties |= {"RAMAN": "Priya", "ROUX": "Camille", "HAGEN TORE": self.sender("so tore sends the july money")}
        for party, who in parties.items():
            found += [Payment(who, in_cents(r["Amount"]), r["Booked"], r["Text"]) for r in self.incoming(party)]
        (row,) = self.incoming("SOLBERG", "electricity")
        return [*found, Payment("Maren", in_cents(row["Amount"]), row["Booked"], row["Text"])]

    def flat(self) -> int:
        (row,) = self.incoming("SOLBERG", "fyrgata")
        return in_cents(row["Amount"])

    def stray(self) -> int:
        (row,) = self.incoming("NYGAARD KRISTOFFER")
        return in_cents(row["Amount"])

    def kaspers(self, guest: str) -> list[int]:
        """Which of Kasper's two entries come out."""
        food, hut = (
            next(one["expense_id"] for one in self.expenses if f"Kasper's part of {what}" in one["description"])
            for what in ("the food", "hut")
        )
        return {"all": [food, hut], "food": [food], "no": []}[guest]

    def spared(self) -> set[str]:
        """Who is not reminded although past the day: more time was given, or a transfer is on its way."""
        given = next(text for text in self.texts if "take until the end of the month" in text["message"])
        waiting = [row for row in self.rows if row["Status"] == "reserved" and row["Amount"].startswith("+")]
        names = {given["receiver"]["name"].split()[0]}
        if "only reserved is not reminded" in self.rules:
            (row,) = waiting
            parties = {"HAUG": "Ingrid", "WINTHER": "Thea", "LINDQVIST": "Elias", "EK": "Filip", "BRUN-HOLM": "Silje"}
            names.add((parties | {"RAMAN": "Priya", "ROUX": "Camille"})[row["Counterparty"].split()[0]])
        return names


def seen(session: PiSession) -> Seen:
    members = result(session, "splitwise__show_group_balance", group_id=20)["members"]
    listed = result(session, "splitwise__show_group_expenses", group_id=20, page_limit=20)["expenses"]
    files = session.world.workspace
    lines = (files.text("bank/fjordkant_2026-04-16.csv") or "").splitlines()
    texts: list[dict[str, Any]] = []
    for page in range(3):
        texts += result(session, "phone__search_text_messages", page_limit=20, page_index=page)["text_messages"]
    return Seen(
        {one["name"].split()[0]: round(100 * one["balance"]) for one in members if one["balance"]},
        {one["name"].split()[0]: one["email"] for one in members},
        listed,
        list(csv.DictReader(lines[1:], delimiter=";")),
        files.text("routine/money.md") or "",
        [text for text in texts if text["sent_at"] > "2026-03-30"],
    )


# -- plays -----------------------------------------------------------------------------------------------------------


@dataclass
class Work:
    """What one agent does; a test changes what it likes."""

    payments: list[Payment]
    out: list[int]
    left: dict[str, int]
    nudges: dict[str, str]  # by name: "text" or "mail"
    stray_to: str
    flat: int
    by_day: bool
    said: str = "still open in the bjornbu group: {amount}. the day was {day}"
    line: str = "2026-04-17 | in {count} | reminded {names} | open {sum}"
    final: str = "Open: {listed}. Not placed: {stray} from a K. Nygaard."
    place: str = ""
    amounts: dict[str, int] = field(default_factory=dict)


class Round:
    """A variant opened and read, with the right work for it."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.session = opened(self.task)
        sign_in(self.session, "phone", "splitwise", "gmail")
        self.seen = seen(self.session)
        self.numbers: dict[str, str] = {}
        for name, email in self.seen.emails.items():
            found = result(self.session, "phone__search_contacts", query=name)["contacts"]
            self.numbers[name] = next(str(one["phone_number"]) for one in found if one.get("email") == email)
        self.work = self.right()

    def value(self, name: str) -> Any:
        """What earlier sessions or the user told."""
        return self.task.values.get(name, {"stray": ""}.get(name))

    def right(self) -> Work:
        seen, guest = self.seen, self.value("persona.cabin_guest")
        payments, left = seen.payments(), dict(seen.owed)
        for one in payments:
            left[one.who] -= one.cents
        out = seen.kaspers(guest)
        for entry in seen.expenses:
            if entry["expense_id"] in out:
                left["Kasper"] -= round(100 * entry["paid_amount"])
        later = next(one for one in seen.expenses if "due in May" in one["description"])["debtor_emails"]
        spared = seen.spared() | {name for name, email in seen.emails.items() if email in later}
        least, how = 100 * self.value("persona.remind_from"), self.value("persona.remind_by")
        nudges = {
            name: {"size": "text" if cents <= 20000 else "mail"}.get(how, how)
            for name, cents in left.items()
            if cents >= least and name not in spared
        }
        flat = seen.flat() if 'goes into "Fyrgata 14"' in seen.rules else 0
        return Work(payments, out, left, nudges, self.value("stray") or "", flat, '"bank" and the day' in seen.rules)

    def pay(self, who: str, cents: int, text: str, group: int = 20) -> None:
        about = {"description": text, "paid_amount": cents / 100, "payer_email": self.seen.emails[who]}
        result(self.session, "splitwise__record_expense", **about, debtor_emails=[NORA], group_id=group)

    def book(self, work: Work) -> None:
        for one in work.payments:
            self.pay(one.who, one.cents, f"bank {one.day}" if work.by_day else f"bank: {one.words}")
        if work.flat:
            self.pay("Maren", work.flat, "bank, flat", 4)
        for key in work.out:
            result(self.session, "splitwise__delete_expense", expense_id=key)

    def send(self, how: str, who: str, text: str) -> None:
        if how == "text":
            result(self.session, "phone__send_text_message", phone_number=self.numbers[who], message=text)
        else:
            email = [self.seen.emails.get(who, who)]
            result(self.session, "gmail__send_email", email_addresses=email, subject="Bjornbu", body=text)

    def remind(self, work: Work) -> None:
        day = f"{int(self.value('persona.cabin_money_by')[-2:])} April"
        for who, how in work.nudges.items():
            self.send(how, who, work.said.format(amount=kroner(work.amounts.get(who, work.left[who])), day=day))

    def log(self, work: Work) -> None:
        old = self.session.world.workspace.text("routine/log.md") or ""
        head, *lines = re.split(r"(?m)^(?=20)", old)
        new = work.line.format(
            count=len(work.payments) + bool(work.flat),
            names=", ".join(work.nudges),
            sum=kroner(sum(cents for cents in work.left.values() if cents > 0)),
        )
        top = "on top" in head if not work.place else work.place == "top"
        lines = [f"{new}\n", *lines] if top else [*lines, f"{new}\n"]
        play(self.session, call("write_file", path="routine/log.md", content=head + "".join(lines)))

    def tell_stray(self, work: Work) -> None:
        text = f"{kroner(self.seen.stray())} for a garage came to me from Kristoffer Nygaard by mistake"
        if work.stray_to == "bank":
            self.send("mail", BANK, text)
        elif work.stray_to:
            self.send("text", work.stray_to.capitalize(), text)

    def whole(self, work: Work) -> Lost:
        for act in (self.book, self.remind, self.log):
            act(work)
        return self.finish(work)

    def finish(self, work: Work) -> Lost:
        """The question and the last reply, and what is not right then: open or provided intents, failed items."""
        listed = ", ".join(f"{name} {kroner(cents)}" for name, cents in work.left.items() if cents)
        if any(intent.name == "stray" for intent in self.task.intents):
            play(self.session, QUESTION)
            self.tell_stray(work)
        play(self.session, work.final.format(listed=listed, stray=kroner(self.seen.stray())))
        return shortfall(self.session)


Play = Callable[[Round], Lost]


@pytest.mark.parametrize("variant", range(6))
def test_what_an_agent_can_see_gives_the_right_answer(variant: int) -> None:
    one = again(Round, variant)
    assert one.whole(one.work) == NOTHING
    assert (one.session.proc, one.session.comp) == (1.0, 1.0)


def friendly(c: Round) -> Lost:
    said = "Hi, could you send me the {amount} kr for Bjornbu? They were due on {day}. Thank you!"
    return c.whole(replace(c.work, said=said))


def in_other_order(c: Round) -> Lost:
    c.remind(c.work)
    c.book(c.work)
    c.log(c.work)
    return c.finish(c.work)


def mended(c: Round) -> Lost:
    """A payment typed wrongly, deleted, and entered anew."""
    made = result(
        c.session, "splitwise__record_expense", description="bank", paid_amount=1.0,
        payer_email=c.seen.emails["Oda"], debtor_emails=[NORA], group_id=20,
    )  # fmt: skip
    result(c.session, "splitwise__delete_expense", expense_id=made["expense_id"])
    return c.whole(c.work)


RIGHT: dict[str, Play] = {
    "friendly": friendly,
    "other order": in_other_order,
    "mended": mended,
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("variant", [0, 1])
def test_a_right_play_is_paid_in_full(name: str, variant: int) -> None:
    assert RIGHT[name](again(Round, variant)) == NOTHING


def paid(change: Callable[[Round, list[Payment]], list[Payment]]) -> Play:
    """The work of somebody who reads the statement otherwise; reminders follow from it."""

    def run(c: Round) -> Lost:
        payments, left = change(c, c.work.payments), dict(c.work.left)
        for one in c.work.payments:
            left[one.who] += one.cents
        for one in payments:
            left[one.who] -= one.cents
        return c.whole(replace(c.work, payments=payments, left=left))

    return run


def without(who: str) -> Callable[[Round, list[Payment]], list[Payment]]:
    return lambda c, payments: [one for one in payments if one.who != who]


def all_to_oda(c: Round, payments: list[Payment]) -> list[Payment]:
    both = sum(one.cents for one in payments if one.who in ("Oda", "Mats"))
    odas = next(one for one in payments if one.who == "Oda")
    return [*without("Mats")(c, without("Oda")(c, payments)), replace(odas, cents=both)]


def strangers_to_kasper(c: Round, payments: list[Payment]) -> list[Payment]:
    return [*payments, Payment("Kasper", c.seen.stray(), "2026-04-09", "garage april")]


def reminded_too(pick: Callable[[Round], str]) -> Play:
    def run(c: Round) -> Lost:
        return c.whole(replace(c.work, nudges=c.work.nudges | {pick(c): next(iter(c.work.nudges.values()))}))

    return run


def not_due(c: Round) -> str:
    return "Tomasz"


def old_amounts(c: Round) -> Lost:
    """Reminded of what was owed before the payments."""
    return c.whole(replace(c.work, amounts={name: c.seen.owed[name] for name in c.work.nudges}))


def no_day(c: Round) -> Lost:
    return c.whole(replace(c.work, said="you still owe me {amount}"))


def another_day(c: Round) -> Lost:
    return c.whole(replace(c.work, said="you still owe me {amount}, by 30 April please"))


def log_rewritten(c: Round) -> Lost:
    c.book(c.work)
    c.remind(c.work)
    play(c.session, call("write_file", path="routine/log.md", content="# Rounds\n\n2026-04-17 | done\n"))
    return c.finish(c.work)


def short_report(c: Round) -> Lost:
    return c.whole(replace(c.work, final="All done, see the log."))


def rules_changed(c: Round) -> Lost:
    play(c.session, call("write_file", path="routine/money.md", content="later\n"))
    return c.whole(c.work)


def last_done(c: Round) -> Lost:
    """An alarm for May is not asked for."""
    result(c.session, "phone__create_alarm", time="08:00", label="money round")
    return c.whole(c.work)


def kasper_kept(c: Round) -> Lost:
    """Nobody remembers what was said of the guest."""
    left = c.work.left | {"Kasper": c.seen.owed["Kasper"]}
    how = {"size": "mail"}.get(c.value("persona.remind_by"), c.value("persona.remind_by"))
    return c.whole(replace(c.work, out=[], left=left, nudges=c.work.nudges | {"Kasper": how}))


REMINDED = ("reminded", "by-channel")
WRONG: dict[str, tuple[Play, tuple[str, ...], tuple[str, ...]]] = {
    "maren's electricity": (paid(without("Maren")), (), ("booked", "described", "nothing-else", "told")),
    "joint to one": (paid(all_to_oda), (), ("booked", "nothing-else", "told", "past-day", *REMINDED)),
    "stranger as kasper": (paid(strangers_to_kasper), ("guest",), ("kasper", "reminded", "by-channel", "past-day")),
    "guest forgotten": (kasper_kept, ("guest", "worth", "remind-how"), ("kasper", *REMINDED)),
    "not due": (reminded_too(not_due), ("worth", "remind-how"), REMINDED),
    "old amounts": (old_amounts, (), REMINDED),
    "no day": (no_day, ("past-day",), ("past-day",)),
    "another day": (another_day, ("past-day",), ("past-day",)),
    "log rewritten": (log_rewritten, ("log-place",), ("log", "log-place")),
    "short report": (short_report, (), ("told",)),
    "rules changed": (rules_changed, (), ("nothing-else",)),
    "an alarm": (last_done, (), ("nothing-else",)),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_play_loses_what_it_got_wrong(name: str) -> None:
    """These are lost at least, and a right one is not thrown away with them."""
    run, intents, items = WRONG[name]
    needed = {"guest forgotten": {"all", "food"}}.get(name, {"all", "food", "no"})
    one = next(again(Round, v) for v in range(20) if task_of(TASK, v).values["persona.cabin_guest"] in needed)
    lost, failed = run(one)
    assert {i.name for i in one.task.intents} & {*intents} <= lost
    assert failed & {*items}
    assert len(failed - {*items}) <= 2


def test_whom_the_day_was_given_is_not_reminded() -> None:
    """Somebody with more time, and somebody whose transfer is under way as the rules have it, are left in peace."""
    for variant in range(3):
        one = prepared(Round, variant)
        assert not one.seen.spared() & {*one.work.nudges}
        assert len(one.work.nudges) >= 2


def test_the_rule_for_reserved_transfers_differs() -> None:
    rules = {"only reserved is not reminded" in prepared(Round, variant).seen.rules for variant in range(6)}
    assert rules == {True, False}
