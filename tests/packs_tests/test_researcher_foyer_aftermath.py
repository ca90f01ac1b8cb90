"""Task 15-foyer-aftermath: the sheet as an agent can work it out, other right ways to close, plausible wrong ones."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any

import pytest
from support.play import call, opened
from support.researcher import result, shortfall, sign_in, task_of

from pi_gym.pibench.session import PiSession

TASK = "15-foyer-aftermath"
LOTTE = "lotte.brandt@halden-it.example"
ADDRESS = {
    "Tomasz": "tomasz.wieczorek@halden-it.example",
    "Priya": "priya.raman@halden-it.example",
    "Jonas": "jonas.beck@halden-it.example",
    "Wei-Lin": "wei-lin.zhao@halden-it.example",
    "Anders": "anders.moe@halden-it.example",
    "Hanne": "hanne.vik@halden-it.example",
    "Linnea": "linnea.strand@student-halden.example",
    "Aisha": "aisha.karimi@student-halden.example",
    "Sander": "sander.moen@student-halden.example",
    "Amara": "amara.okafor@halden-it.example",
    "Camille": "camille.roux@halden-it.example",
    "Gunnar": "gunnar.holte@halden-it.example",
}
TREATS = {"cake": "cake on Thursday the 9th", "waffles": "waffles on Friday the 10th", "soup": "soup on Wednesday"}
VARIANTS = (0, 4)


def started(variant: int) -> PiSession:
    session = opened(task_of(TASK, variant))
    sign_in(session, "amazon", "gmail", "simple_note", "todoist")
    return session


def first(pattern: str, text: str) -> str:
    match = re.search(pattern, text)
    assert match is not None, (pattern, text)
    return match[1]


def money(text: str) -> Decimal:
    return Decimal(first(r"(\d+(?:[.,]\d\d)?)", text).replace(",", "."))


@dataclass(frozen=True)
class Line:
    """One line of the sheet."""

    day: str
    what: str
    payer: str
    shirts: bool
    kroner: Decimal


@dataclass(frozen=True)
class Close:
    """What is written where, as found out by somebody who reads everything; the user's own wishes come from `told`."""

    lines: tuple[Line, ...]
    centres: tuple[str, str]
    path: str
    style: str
    helpers: tuple[str, ...]
    treat: str
    keeper: str
    left: int
    photo: str

    def sums(self) -> dict[str, Decimal]:
        found: Counter[str] = Counter()
        for line in self.lines:
            found[self.centres[line.shirts]] += line.kroner  # type: ignore[assignment]
            if line.payer != "institute":
                found[line.payer] += line.kroner  # type: ignore[assignment]
        return {key: Decimal(value) for key, value in found.items()}

    def total(self) -> Decimal:
        return sum((line.kroner for line in self.lines), Decimal(0))

    def day(self, iso: str) -> str:
        number, month = int(iso[8:]), {"03": "March", "04": "April"}[iso[5:7]]
        texts = {"day-month": f"{number} {month} 2026", "month-day": f"{month} {number}, 2026"}
        return texts.get(self.style, iso)

    def sheet(self, mark: str = ",") -> str:
        buffer = io.StringIO()
        writer = csv.writer(buffer, delimiter=mark, lineterminator="\n")
        writer.writerow(("date", "what", "paid by", "centre", "kroner"))
        for one in self.lines:
            writer.writerow((self.day(one.day), one.what, one.payer, self.centres[one.shirts], f"{one.kroner:.2f}"))
        return buffer.getvalue()


def mails(session: PiSession) -> dict[str, list[str]]:
    threads = result(session, "gmail__show_inbox_threads", min_created_at="2026-03-18", page_limit=20)
    assert threads["total"] <= 20
    found: dict[str, list[str]] = {}
    for thread in threads["email_threads"]:
        shown = result(session, "gmail__show_thread", email_thread_id=thread["email_thread_id"])
        found[shown["subject"]] = [mail["body"] for mail in shown["emails"]]
    return found


def orders(session: PiSession) -> dict[int, dict[str, Any]]:
    listed = result(session, "amazon__show_orders", page_limit=10)["orders"]
    new = [one["order_id"] for one in listed if one["placed_at"] >= "2026-03-18"]
    return {key: result(session, "amazon__show_order", order_id=key) for key in new}


def receipts(session: PiSession, rate: Decimal) -> list[Line]:
    text = result(session, "read_file", path="demo/after/receipts.csv")
    skipped = ("on the group's bill", "T. paid", "canteen card", "no charge")
    found = []
    for row in csv.DictReader(io.StringIO(text), delimiter=";"):
        if any(part in row["remark"] for part in skipped):
            continue
        kroner = money(row["amount"])
        if "SEK" in row["amount"]:
            kroner = (kroner * rate / 100).quantize(Decimal("0.01"), ROUND_HALF_UP)
        day = int(first(r"(\d+)", row["when"]))
        found.append(Line(f"2026-03-{day:02d}", row["what"], row["who"], "shirts" in row["what"], kroner))
    return found


def find_close(session: PiSession, told: dict[str, Any]) -> Close:
    mail, shop = mails(session), orders(session)
    rate = Decimal(first(r"100 SEK were ([\d.]+) NOK", mail["Closing the foyer demo"][-1]))
    lines = receipts(session, rate)
    note = result(session, "simple_note__show_note", note_id=15002)["content"]
    assert "stand and charger are the demo's" in note
    own = [one for one in shop[15002]["order_items"] if "chalk" not in one["product_name"].lower()]
    cost = sum(Decimal(str(one["price"])) * one["quantity"] for one in own)
    lines.append(Line("2026-03-19", "stand, charger", "Nora", False, Decimal(cost)))
    lines.append(Line("2026-03-18", "power banks, cables", "institute", False, Decimal(str(shop[15001]["total"]))))
    back = first(
        r"paid back ([\d.]+) kroner",
        mail["We have received your return"][-1],
    )
    lines.append(Line("2026-03-27", "cables back", "institute", False, -Decimal(back)))
    bill = mail["Invoice 2207, print on shirts"][-1]
    printed = 5 * Decimal(first(r"5 shirts, ([\d.]+) each", bill)) + Decimal(first(r"once: ([\d.]+)", bill))
    lines.append(Line("2026-03-24", "print", "institute", True, printed))
    plates = mail["Plates"][0]
    broken = (60 - int(first(r"(\d+) came back whole", plates))) * Decimal(first(r"plate is ([\d.]+)", plates))
    lines.append(Line("2026-03-26", "plates", "institute", False, broken))
    jonas = mail["Headphones counted, and people"][-1]
    absent, stand_in = first(r"never came is (\w+)", jonas), first(r"and (\w+) took that hour", jonas)
    roster = (
        result(session, "read_file", path="demo/after/roster.md").partition("Visitors")[0].replace("~~Camille~~", "")
    )
    there = [name for name in ADDRESS if re.search(rf"\| +{name}\b", roster) or f" {name} |" in roster]
    old = next(one for one in result(session, "list_dir", path="costs").split() if "2025-06-20" in one)
    head = result(session, "read_file", path=f"costs/{old}")
    style = "iso" if "2025-06-11" in head else "day-month" if "11 June" in head else "month-day"
    name = old.replace("2025-06-20", "2026-03-30").replace("porto", "foyer")
    photo = first(r"take it again on \w+ (\d+) April", mail["The list, and what I would do with it"][0])
    return Close(
        lines=tuple(sorted(lines, key=lambda one: one.day)),
        centres=(told["persona.foyer_centre"], told["persona.foyer_shirts"]),
        path=f"costs/{name}",
        style=style,
        helpers=tuple(ADDRESS[one] for one in [*(n for n in there if n != absent), stand_in]),
        treat=told.get("treat", "cake"),
        keeper=told.get("keeper", "priya"),
        left={"stand": 15001, "lamp": 15002, "sign": 15003}[told["persona.foyer_wish"]],
        photo=f"2026-04-{int(photo):02d}",
    )


@lru_cache(maxsize=64)
def close_of(variant: int) -> Close:
    task = task_of(TASK, variant)
    return find_close(started(variant), dict(task.values))


QUESTIONS = {
    "treat": "Cake, waffles or soup?",
    "headphones": "Who gets the headphones, Tomasz, Priya or Gunnar?",
}


@dataclass
class Way:
    """How the parts are played; what is left out is played plainly."""

    sheet: str = ""
    mail: Callable[[Close], str] | None = None
    thanks: Callable[[Close], str] | None = None
    done: tuple[int, ...] = (308, 313, 15004, 15007, 15008)
    more: str = ""
    reply: str = ""


def send(to: list[str], subject: str, body: str, files: list[str] | None = None) -> str:
    return call("gmail__send_email", email_addresses=to, subject=subject, body=body, attachment_file_paths=files or [])


def said(close: Close) -> str:
    return "; ".join(f"{key}: {value:.2f}" for key, value in close.sums().items())


def plain_mail(close: Close) -> str:
    return send([LOTTE], "foyer", f"Here it is. {said(close)}. Nora", [close.path])


def plain_thanks(close: Close) -> str:
    return send(list(close.helpers), "thank you", f"Thank you all! There is {TREATS[close.treat]}. Nora")


def each_thanked(close: Close) -> str:
    text = f"hi, many thanks for the hour at the table. {TREATS[close.treat]}, kitchen by C102"
    return "\n".join(send([one], "foyer", text) for one in close.helpers)


def drafted_mail(close: Close) -> str:
    return call(
        "gmail__create_draft",
        recipient_email_addresses=[LOTTE],
        subject="Foyer, closed",
        body=said(close).replace("; ", "\n"),
        belongs_to_email_thread_id=15001,
        response_to_email_id=15002,
        attachment_file_paths=[f"~/{close.path}"],
    )


def due(task: int, day: str) -> str:
    return call("todoist__update_task", task_id=task, due_date=day)


def play(variant: int, way: Way, close: Close | None = None) -> tuple[PiSession, set[str], set[str]]:
    """A session; the names of the intents that are neither completed nor asked for, and of the items that failed."""
    task, close = task_of(TASK, variant), close or close_of(variant)
    session = started(variant)
    asked = [QUESTIONS[one.name] for one in task.intents if one.name in QUESTIONS]
    if asked:
        session.apply("\n".join(asked))
    session.apply(call("write_file", path=close.path, content=way.sheet or close.sheet()))
    session.apply((way.mail or plain_mail)(close))
    for draft in result(session, "gmail__show_drafts", query="Foyer, closed", page_limit=1)["drafts"]:
        if draft["subject"].startswith("Foyer, closed"):
            session.apply(call("gmail__send_email_from_draft", draft_id=draft["draft_id"]))
    wishes = [one for one in (15001, 15002, 15003) if one != close.left]
    ticks = [call("todoist__update_task", task_id=one, is_completed=True) for one in (*way.done, *wishes)]
    keeper = ADDRESS[close.keeper.capitalize()]
    moves = [due(15005, "2026-04-08"), due(close.left, "2026-06-01"), due(315, close.photo)]
    give = call("todoist__assign_or_unassign_task", task_id=15006, assignee_email=keeper)
    line = f"foyer demo, March 2026: {close.total():.2f}"
    noted = call("simple_note__add_content_to_note", note_id=15001, added_content=line)
    session.apply("\n".join([*ticks, *moves, give, noted, (way.thanks or plain_thanks)(close), way.more]))
    session.apply(way.reply or f"Closed. On top of the order: {close.total():.2f} kroner.")
    return session, *shortfall(session, "That is all.")


RIGHT: dict[str, Callable[[Close], Way]] = {
    "plain": lambda close: Way(),
    "semicolons": lambda close: Way(sheet=close.sheet(";")),
    "a mail to each": lambda close: Way(thanks=each_thanked),
    "by a draft in Lotte's thread": lambda close: Way(mail=drafted_mail),
    "backwards": lambda close: Way(sheet=replace(close, lines=close.lines[::-1]).sheet()),
    "the day with a time": lambda close: Way(more=due(15005, "2026-04-08T09:00")),
}


@pytest.mark.parametrize("name", RIGHT)
@pytest.mark.parametrize("variant", VARIANTS)
def test_right_ways_are_paid_in_full(name: str, variant: int) -> None:
    session, missed, failed = play(variant, RIGHT[name](close_of(variant)))
    assert (missed, failed, session.proc, session.comp) == (set(), set(), 1.0, 1.0)


def changed(close: Close, what: str, **other: Any) -> Close:
    lines = tuple(replace(one, **other) if what in one.what else one for one in close.lines)
    return replace(close, lines=lines)


def more(close: Close, day: str, what: str, payer: str, kroner: str) -> Close:
    return replace(close, lines=(*close.lines, Line(day, what, payer, False, Decimal(kroner))))


SHEET = {"sheet", "centres", "lotte-has-it", "name", "days", "told", "nothing-else"}
WRONG: dict[str, tuple[Callable[[Close], Close], Callable[[Close], Way], set[str]]] = {
    "the microphone too": (lambda c: more(c, "2026-03-23", "mic", "institute", "1290.00"), lambda c: Way(), SHEET),
    "the cancelled order": (lambda c: more(c, "2026-03-20", "stand", "institute", "299.00"), lambda c: Way(), SHEET),
    "a taxi twice": (
        lambda c: more(c, "2026-03-18", "taxi", "Priya", next(str(x.kroner) for x in c.lines if "taxi" in x.what)),
        lambda c: Way(),
        SHEET,
    ),
    "kronor as kroner": (lambda c: changed(c, "Strömstad", kroner=Decimal("151.00")), lambda c: Way(), SHEET),
    "without the money back": (
        lambda c: replace(c, lines=tuple(one for one in c.lines if one.kroner > 0)),
        lambda c: Way(),
        SHEET,
    ),
    "a sum line": (
        lambda c: c,
        lambda c: Way(sheet=c.sheet() + f",sum,,,{c.total():.2f}\n"),
        SHEET,
    ),
    "Nora's order on the institute": (lambda c: changed(c, "charger", payer="institute"), lambda c: Way(), SHEET),
    "shirts with the rest": (
        lambda c: replace(c, centres=(c.centres[0],) * 2),
        lambda c: Way(),
        {"centres", "lotte-has-it"},
    ),
    "the closed centre": (lambda c: replace(c, centres=("21088", c.centres[1])), lambda c: Way(), {"centres"}),
    "to Gunnar too": (
        lambda c: c,
        lambda c: Way(mail=lambda c: send([LOTTE, ADDRESS["Gunnar"]], "x", said(c), [c.path])),
        {"lotte-has-it"},
    ),
    "without the sheet": (
        lambda c: c,
        lambda c: Way(mail=lambda c: send([LOTTE], "x", said(c))),
        {"lotte-has-it"},
    ),
    "no sums by name": (
        lambda c: c,
        lambda c: Way(mail=lambda c: send([LOTTE], "x", f"{c.total():.2f} in all", [c.path])),
        {"lotte-has-it"},
    ),
    "the whole roster": (
        lambda c: replace(c, helpers=tuple(ADDRESS[one] for one in [*ADDRESS][:7])),
        lambda c: Way(),
        {"those-who-came"},
    ),
    "all treats": (
        lambda c: c,
        lambda c: Way(thanks=lambda c: send(list(c.helpers), "x", "Thank you: " + ", ".join(TREATS.values()))),
        {"invited"},
    ),
    "everything ticked off": (
        lambda c: c,
        lambda c: Way(done=(308, 313, 15004, 15007, 15008, 15009)),
        {"to-dos", "nothing-else"},
    ),
    "another thing waits": (
        lambda c: replace(c, left=next(one for one in (15001, 15002, 15003) if one != c.left)),
        lambda c: Way(),
        {"what-waits"},
    ),
    "a to-do deleted": (lambda c: c, lambda c: Way(more=call("todoist__delete_task", task_id=311)), {"nothing-else"}),
    "a mail to the shop": (
        lambda c: c,
        lambda c: Way(more=send(["orders@amazon.example"], "x", "why did you keep it?")),
        {"those-who-came"},
    ),
    "another name": (lambda c: replace(c, path="costs/foyer.csv"), lambda c: Way(), {"name"}),
    "no figure told": (lambda c: c, lambda c: Way(reply="All closed."), {"told"}),
}


@pytest.mark.parametrize("name", WRONG)
def test_plausible_mistakes_cost_their_items_and_no_other(name: str) -> None:
    change, way, items = WRONG[name]
    listed = {number: {item.name for item in task_of(TASK, number).checklist} for number in range(12)}
    variant = max(listed, key=lambda number: len(listed[number] & items))
    wrong = change(close_of(variant))
    _, _, failed = play(variant, way(wrong), wrong)
    # Where the sum is wrong, so is the line in the note.
    assert items & listed[variant] == failed - ({"ledger"} if items is SHEET else set())
