"""The cabin weekend of the Researcher: its right answer from what an agent can see, and plays right and wrong."""

from __future__ import annotations

import copy
import csv
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import pytest
from support.play import call, opened, play
from support.researcher import NORA, NOTHING, Lost, again, drawing, result, shortfall, sign_in, task_of

from pi_gym.pibench.session import PiSession

TASK = "14-cabin-settling"
OWN = {"wood and gas both": "both", "the wood goes": "wood", "neither": "none"}
QUESTION = "Is Kasper your guest or does he pay too? By when do you want the money?"


# -- what an agent can see -------------------------------------------------------------------------------------------


@dataclass
class Seen:
    """What the texts, the mail and the bill tell: whole numbers are cents."""

    texts: list[dict[str, Any]]
    mail: list[str]
    bill: list[dict[str, str]]
    people: list[str] = field(default_factory=lambda: ["nora", "sofie", "oda", "mats", "maren", "kasper"])

    def one(self, pattern: str) -> re.Match[str]:
        """The only text of March that matches."""
        found = [hit for text in self.texts if (hit := re.search(pattern, text["message"]))]
        assert len(found) == 1, pattern
        return found[0]

    def sender(self, words: str) -> str:
        found = [text["sender"]["name"] for text in self.texts if words in text["message"]]
        assert len(found) == 1, words
        return str(found[0].split()[0].lower())

    def rides(self) -> tuple[dict[str, int], dict[str, int]]:
        """Who sat in the car on the way there, and on the way back."""
        late = self.sender("taking the bus up on saturday morning")
        early = self.one(r"(\w+) has left for the six o'clock bus")[1].lower()
        return {n: int(n != late) for n in self.people}, {n: int(n != early) for n in self.people}

    def cabin(self, guest: str) -> dict[str, Fraction]:
        there, back = self.rides()
        nights = {name: there[name] + back[name] for name in self.people}
        rent, cleaning = map(int, re.findall(r"(\d+) a night now, final cleaning (\d+)", self.mail[-1])[0])
        rule = self.one(r"the hut from now on: (.*?)\.")[1]
        shares = parted(200 * rent, nights)
        more = parted(100 * cleaning, nights if "cleaning too" in rule else dict.fromkeys(self.people, 1))
        return hosted({name: shares[name] + more[name] for name in self.people}, guest == "all")

    def own(self) -> str:
        """Which of the wood and the gas count."""
        said = self.one("what I said at the stove stands: (.*)")[1]
        return next(own for words, own in OWN.items() if said.startswith(words))

    def petrol_total(self) -> int:
        tank = float(self.one(r"mine was ([\d.]+)")[1])
        hit = self.one(r"topped up ([\d.]+) at the bridge, toll (\d+) each way. and (\d+) of thursday")
        return round(100 * (tank + float(hit[1]) + 2 * int(hit[2]) - int(hit[3])))

    def petrol(self, guest: str) -> dict[str, Fraction]:
        ways, total, rule = self.rides(), self.petrol_total(), self.one("the others said yes: (.*)")[1]
        if rule.startswith("only"):
            shares = parted(total, {name: ways[0][name] * ways[1][name] for name in self.people})
        else:
            free = {"oda": 0} if "driver goes free" in rule else {}
            each = [parted(Fraction(total, 2), way | free) for way in ways]
            shares = {name: each[0][name] + each[1][name] for name in self.people}
        return hosted(shares, guest == "all")

    def lines(self) -> list[tuple[str, str, int]]:
        """Article, group and price after the discount."""
        rows = [row for row in self.bill if row["group"] not in ("", "discount", "deposit")]
        cents = [(row, round(100 * float(row["amount"]))) for row in rows]
        return [(r["article"], r["group"], c * 4 // 5 if r["article"].endswith("*") else c) for r, c in cents]

    def food(self, own: str, guest: str) -> dict[str, Fraction]:
        off = [self.one("I got (.*?) for home instead")[1].capitalize(), "Shampoo", "Tights", "AA batteries"]
        off += {"both": [], "wood": ["Gas"], "none": ["Gas", "Birch wood"]}[own]
        dry = self.sender("no beer and no cider before midsummer")
        veg = self.sender("no meat for me any more")
        total = dict.fromkeys(self.people, Fraction(0))
        for article, group, cents in self.lines():
            if not article.startswith(tuple(off)):
                out = {"meat": veg, "beer and cider": dry}.get(group, "")
                for name, part in parted(cents, {n: int(n != out) for n in self.people}).items():
                    total[name] += part
        return hosted(total, guest != "no")


def parted(total: int | Fraction, weights: dict[str, int]) -> dict[str, Fraction]:
    return {name: Fraction(total) * weight / sum(weights.values()) for name, weight in weights.items()}


def hosted(shares: dict[str, Fraction], hosted_whole: bool) -> dict[str, Fraction]:
    return shares | {"nora": shares["nora"] + shares["kasper"], "kasper": Fraction(0)} if hosted_whole else shares


def seen(session: PiSession) -> Seen:
    texts: list[dict[str, Any]] = []
    for page in range(30):
        found = result(session, "phone__search_text_messages", page_limit=20, page_index=page)["text_messages"]
        texts += found
        if found[-1]["sent_at"] < "2026-01-01":
            break
    thread = result(session, "gmail__show_inbox_threads", query="bjornbu march", from_email="sofie.dahl")[
        "email_threads"
    ][0]
    mails = result(session, "gmail__show_thread", email_thread_id=thread["email_thread_id"])["emails"]
    text = session.world.workspace.text("bills/torvmat_2026-03-27.csv") or ""
    bill = list(csv.DictReader(text.splitlines()[1:], delimiter=";"))
    return Seen(texts, [one["body"] for one in mails if one["from"].startswith("Sofie")], bill)


def rounded(shares: dict[str, Fraction]) -> dict[str, int]:
    """Whole cents that add up: each rounded down, what is left to the last ones."""
    down = {name: int(part) for name, part in shares.items() if part}
    left = int(sum(shares.values())) - sum(down.values())
    for name in list(down)[::-1][:left]:
        down[name] += 1
    return down


# -- plays -----------------------------------------------------------------------------------------------------------


@dataclass
class Work:
    """What one agent does after it has its answers; a test changes what it likes."""

    bills: dict[str, dict[str, int]]
    day: str
    sheet: str
    payer: str
    ahead: int
    payers: dict[str, str] = field(default_factory=lambda: {"food": "nora", "cabin": "sofie", "petrol": "oda"})
    numbers: dict[str, str] = field(default_factory=dict)
    said: dict[str, str] = field(default_factory=dict)
    final: str = ""

    def owed(self) -> dict[str, int]:
        food, off = self.bills["food"], {self.payer: 100 * self.ahead}
        off["mats"] = off.get("mats", 0) + 2580
        off |= {"sofie": self.bills["cabin"]["nora"], "oda": self.bills["petrol"].get("nora", 0)}
        return {name: food.get(name, 0) - off.get(name, 0) for name in ("sofie", "oda", "mats", "maren", "kasper")}


def kroners(parts: dict[str, int]) -> list[float]:
    return [cents / 100 for cents in parts.values()]


def kroner(cents: int) -> str:
    return f"{cents / 100:.2f}"


class Cabin:
    """A variant opened, read and asked, with the right work for it."""

    def __init__(self, variant: int) -> None:
        self.task = task_of(TASK, variant)
        self.values = self.task.values
        self.session = opened(self.task)
        sign_in(self.session, "phone", "splitwise", "gmail")
        self.seen = seen(self.session)
        own, guest = self.seen.own(), self.values["persona.cabin_guest"]
        shares = {
            "food": self.seen.food(own, guest),
            "cabin": self.seen.cabin(guest),
            "petrol": self.seen.petrol(guest),
        }
        old = next(p for p, _ in self.session.world.workspace.walk() if p.startswith("bills/") and "2025-08-24" in p)
        hit = self.seen.one(r"sent you (\d+) ahead for my part of the food")
        self.work = Work(
            {kind: rounded(parts) for kind, parts in shares.items()},
            self.written(),
            old.replace("2025-08-24", "2026-03-29"),
            self.seen.sender("ahead for my part of the food"),
            int(hit[1]),
        )
        self.emails = {"nora": NORA}
        self.phones: dict[str, str] = {}
        users = result(self.session, "splitwise__show_group", group_id=5)["members"]
        self.emails |= {one["name"].split()[0].lower(): one["email"] for one in users}
        for one in self.seen.texts:
            side = one["sender"]
            if side["name"] and one["sent_at"] > "2026":
                self.phones[side["name"].split()[0].lower()] = side["phone_number"]
        play(self.session, QUESTION)

    def written(self) -> str:
        """The day for the texts, as Nora wrote one last year."""
        asked = next(t["message"] for t in self._texts("cabin money") if "on purpose" in t["message"])
        sample, day = asked.split("by ")[1].split(", please")[0], int(self.values["persona.cabin_money_by"][-2:])
        if sample.startswith("2025-"):
            return f"2026-04-{day:02d}"
        return f"{day} April 2026" if sample[0].isdecimal() else f"April {day}, 2026"

    def _texts(self, query: str) -> Any:
        return result(self.session, "phone__search_text_messages", query=query)["text_messages"]

    def record(self, kind: str, payer: str, parts: dict[str, int], **more: Any) -> int:
        about = {"description": kind, "group_id": 5, "paid_amount": sum(parts.values()) / 100, **more}
        debts = {"debtor_emails": [self.emails[name] for name in parts], "debt_amounts": kroners(parts)}
        made = result(self.session, "splitwise__record_expense", payer_email=self.emails[payer], **about, **debts)
        return int(made["expense_id"])

    def pay_ahead(self, work: Work) -> None:
        self.record("ahead", work.payer, {"nora": 100 * work.ahead})

    def text(self, work: Work) -> None:
        for name, cents in work.owed().items():
            if cents > 0:
                said = work.said.get(name, work.said.get("all", "you owe me {amount} for bjornbu, by {day} please"))
                number = work.numbers.get(name, self.phones[name])
                for part in said.format(amount=kroner(cents), day=work.day).split("|"):
                    result(self.session, "phone__send_text_message", phone_number=number, message=part)

    def put_sheet(self, work: Work) -> None:
        rows = [["person", "cabin", "petrol", "food", "total"]]
        for name in self.seen.people:
            parts = [work.bills[kind].get(name, 0) for kind in ("cabin", "petrol", "food")]
            rows.append([name.capitalize(), *map(kroner, parts), kroner(sum(parts))])
        play(self.session, call("write_file", path=work.sheet, content="\n".join(map(",".join, rows)) + "\n"))

    def the_rest(self) -> None:
        self.pay_ahead(self.work)
        self.put_sheet(self.work)
        self.text(self.work)

    def seen_contact(self, number: str) -> str:
        (found,) = result(self.session, "phone__search_contacts", query=number)["contacts"]
        return str(found["first_name"]).lower()

    def finish(self, work: Work) -> Lost:
        """The last reply, and what is not right then: open intents (or provided ones) and failed items."""
        final = work.final or "All settled. You owe Sofie {amount} for the hut."
        play(self.session, final.format(amount=kroner(-work.owed()["sofie"])))
        return shortfall(self.session)

    def whole(self, work: Work) -> Lost:
        self.pay_ahead(work)
        for kind, parts in work.bills.items():
            self.record(kind, work.payers[kind], parts)
        self.put_sheet(work)
        self.text(work)
        return self.finish(work)


Play = Callable[[Cabin], Lost]
Wrong = tuple[Play, tuple[str, ...], tuple[str, ...]]


@pytest.mark.parametrize("variant", range(5))
def test_what_an_agent_can_see_gives_the_right_answer(variant: int) -> None:
    one = again(Cabin, variant)
    assert one.whole(one.work) == NOTHING
    assert (one.session.proc, one.session.comp) == (1.0, 1.0)


def test_the_group_is_square_but_for_the_stove_cord() -> None:
    found = result(again(Cabin, 0).session, "splitwise__show_group_balance", group_id=5)
    assert {one["name"]: one["balance"] for one in found["members"] if one["balance"]} == {"Mats Brekke": -25.8}


def worded(text: str, final: str = "") -> Play:
    def one(c: Cabin) -> Lost:
        return c.whole(replace(c.work, said={"all": text}, final=final))

    return one


def with_comma(c: Cabin) -> Lost:
    said = {n: f"{kroner(v).replace('.', ',')} kr for the weekend, by {{day}}" for n, v in c.work.owed().items()}
    return c.whole(replace(c.work, said=said))


def with_reasons(c: Cabin) -> Lost:
    food = c.work.bills["food"]
    said = {n: f"{kroner(food.get(n, 0))} food, less what I owe you: {{amount}}, by {{day}}" for n in ("oda", "mats")}
    return c.whole(replace(c.work, said=said))


def mended(c: Cabin) -> Lost:
    """Everything by head at first, then each expense put right."""
    right, keys = c.work.bills, {}
    for kind, parts in right.items():
        keys[kind] = c.record(kind, c.work.payers[kind], {"sofie": sum(parts.values()) - 100, "oda": 100})
    for kind, parts in right.items():
        debts = {"debtor_emails": [c.emails[name] for name in parts], "debt_amounts": kroners(parts)}
        result(c.session, "splitwise__update_expense", expense_id=keys[kind], **debts)
    c.the_rest()
    return c.finish(c.work)


def deleted_and_new(c: Cabin) -> Lost:
    wrong = c.record("food", "nora", {"oda": 1000, "nora": 1000})
    result(c.session, "splitwise__delete_expense", expense_id=wrong)
    return c.whole(c.work)


def read_more(c: Cabin) -> Lost:
    result(c.session, "gmail__mark_thread_read", email_thread_id=14001)
    result(c.session, "phone__search_contacts", query="oda")
    return c.whole(c.work)


def sheet_twice(c: Cabin) -> Lost:
    """A sheet under another name is given up."""
    play(
        c.session, call("write_file", path="bills/draft.csv", content="person,cabin,petrol,food,total\nNora,1,1,1,3\n")
    )
    play(c.session, call("write_file", path="bills/draft.csv", content=""))
    return c.whole(c.work)


def with_receipt(c: Cabin) -> Lost:
    c.record("food", "nora", c.work.bills["food"], receipt_file_path="~/bills/torvmat_2026-03-27.csv")
    for kind in ("cabin", "petrol"):
        c.record(kind, c.work.payers[kind], c.work.bills[kind])
    c.the_rest()
    return c.finish(c.work)


RIGHT: dict[str, Play] = {
    "friendly": worded("Hi! Bjornbu comes to kr {amount} for you. Could you send it by {day}? Thanks!"),
    "two texts each": worded("you owe me {amount} for bjornbu, 27 to 29 march|by {day} please"),
    "decimal comma": with_comma,
    "with reasons": with_reasons,
    "mended afterwards": mended,
    "deleted and new": deleted_and_new,
    "reads more": read_more,
    "an emptied draft": sheet_twice,
    "with the receipt": with_receipt,
    "a longer last word": worded(
        "{amount} by {day}", "Three entries, a sheet, the texts. To Sofie you owe **{amount} kr**, net."
    ),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("variant", [0, 1])
def test_a_right_play_is_paid_in_full(name: str, variant: int) -> None:
    assert RIGHT[name](again(Cabin, variant)) == NOTHING


def drawn_intents(c: Cabin, *names: str) -> set[str]:
    return {one.name for one in c.task.intents} & set(names)


def drawn(c: Cabin, *names: str) -> set[str]:
    """Those of some items that this variant has."""
    return {one.name for one in c.task.checklist} & set(names)


def billed(
    kind: str, *, intents: tuple[str, ...], items: tuple[str, ...], change: Callable[[Cabin], dict[str, Fraction]]
) -> Wrong:
    def one(c: Cabin) -> Lost:
        return c.whole(replace(c.work, bills=c.work.bills | {kind: rounded(change(c))}))

    return one, intents, items


def by_head(kind: str) -> Callable[[Cabin], dict[str, Fraction]]:
    def shares(c: Cabin) -> dict[str, Fraction]:
        whole = sum(c.work.bills[kind].values())
        return hosted(parted(whole, dict.fromkeys(c.seen.people, 1)), c.values["persona.cabin_guest"] == "all")

    return shares


def whole_bill(c: Cabin) -> dict[str, Fraction]:
    """What the till wanted, by head."""
    paid = round(100 * float(c.seen.bill[-1]["amount"]))
    return hosted(parted(paid, dict.fromkeys(c.seen.people, 1)), c.values["persona.cabin_guest"] != "no")


def undiscounted(c: Cabin) -> dict[str, Fraction]:
    dear = copy.deepcopy(c.seen)
    for row in dear.bill:
        row["article"] = row["article"].removesuffix(" *")
    return dear.food(c.seen.own(), c.values["persona.cabin_guest"])


def drinks_for_all(c: Cabin) -> dict[str, Fraction]:
    plain = copy.deepcopy(c.seen)
    for row in plain.bill:
        row["group"] = row["group"].replace("beer and cider", "dry")
    return plain.food(c.seen.own(), c.values["persona.cabin_guest"])


def first_booking(c: Cabin) -> dict[str, Fraction]:
    early = copy.deepcopy(c.seen)
    rent, cleaning = map(int, re.findall(r"nights at (\d+) each, final cleaning (\d+)", early.mail[0])[0])
    early.mail[-1] = f"{3 * rent // 2} a night now, final cleaning {cleaning}"
    return early.cabin(c.values["persona.cabin_guest"])


def old_number(c: Cabin) -> Lost:
    moved = c.seen_contact("5550142139")
    return c.whole(replace(c.work, numbers={moved: "5550142139"}))


def to_sofie_too(c: Cabin) -> Lost:
    result(c.session, "phone__send_text_message", phone_number=c.phones["sofie"], message="I owe you, soon")
    return c.whole(c.work)


def everybodys_amounts(c: Cabin) -> Lost:
    blast = ", ".join(f"{n} {kroner(v)}" for n, v in c.work.owed().items() if v > 0) + " by {day}"
    return c.whole(replace(c.work, said={"all": blast}))


def not_taken_off(c: Cabin) -> Lost:
    """The payment ahead is forgotten."""
    for kind, parts in c.work.bills.items():
        c.record(kind, c.work.payers[kind], parts)
    c.put_sheet(c.work)
    c.text(replace(c.work, ahead=0))
    return c.finish(c.work)


def old_one_changed(c: Cabin) -> Lost:
    old = result(c.session, "splitwise__show_group_expenses", group_id=5, query="blueberry")["expenses"][0]
    result(c.session, "splitwise__update_expense", expense_id=old["expense_id"], description="Food, blueberries")
    return c.whole(c.work)


def own_sheet_name(c: Cabin) -> Lost:
    return c.whole(replace(c.work, sheet="bills/march.csv"))


def alarm_set(c: Cabin) -> Lost:
    result(c.session, "phone__create_alarm", time="09:00", label="money")
    return c.whole(c.work)


def stranger_added(c: Cabin) -> Lost:
    result(c.session, "splitwise__add_member_to_group", group_id=5, user_email="ingrid.haug@postbox.example")
    c.emails["ingrid"] = "ingrid.haug@postbox.example"
    c.record("tea", "nora", {"ingrid": 100, "nora": 100})
    return c.whole(c.work)


FOOD = ("drinks", "private-lines")
WRONG: dict[str, Wrong] = {
    "hut by head": billed("cabin", intents=("hut-rule",), items=("cabin", "told"), change=by_head("cabin")),
    "petrol by head": billed("petrol", intents=("petrol-rule",), items=("petrol",), change=by_head("petrol")),
    "three nights": billed("cabin", intents=("hut-rule",), items=("cabin", "told"), change=first_booking),
    "the whole bill": billed("food", intents=FOOD, items=("food", "amounts", "sheet"), change=whole_bill),
    "no discount": billed("food", intents=FOOD, items=("food", "amounts", "sheet"), change=undiscounted),
    "drinks for all": billed("food", intents=FOOD, items=("food", "amounts", "sheet"), change=drinks_for_all),
    "old number": (old_number, ("date-style",), ("texted", "amounts", "pay-by", "date-style", "nothing-else")),
    "sofie too": (to_sofie_too, ("date-style",), ("texted", "amounts", "pay-by", "date-style", "nothing-else")),
    "everybody's amounts": (everybodys_amounts, ("date-style",), ("amounts", "pay-by", "date-style")),
    "no day": (worded("you owe me {amount}"), ("date-style",), ("pay-by", "date-style")),
    "whole kroner": (worded("you owe me some 300, by {day}"), ("date-style",), ("amounts", "pay-by", "date-style")),
    "ahead forgotten": (not_taken_off, ("paid-ahead",), ("payment",)),
    "old one changed": (old_one_changed, (), ("nothing-else",)),
    "stranger added": (stranger_added, ("sheet-name",), ("food", "sheet", "sheet-name", "nothing-else")),
    "alarm": (alarm_set, (), ("nothing-else",)),
    "sheet's name": (own_sheet_name, ("sheet-name",), ("sheet-name",)),
    "figure not told": (worded("{amount} by {day}", "All settled."), (), ("told",)),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_play_loses_what_it_got_wrong_and_no_more(name: str) -> None:
    run, intents, items = WRONG[name]
    one = again(Cabin, drawing(TASK, *intents[:1]))
    assert run(one) == (drawn_intents(one, *intents), drawn(one, *items))
