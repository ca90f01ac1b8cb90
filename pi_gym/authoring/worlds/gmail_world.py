"""The seed world of Gmail: threads written by hand, what life.yaml tells of orders and bills, and ordinary days."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any, Literal, NamedTuple

from pydantic import Field, model_validator

from pi_gym.authoring.worlds.circle import BoughtSeed, Circle, stream_of
from pi_gym.authoring.worlds.seed_rows import (
    Cycle,
    Day,
    Known,
    Moment,
    Row,
    Tables,
    fill,
    number_rows,
    text_file,
)
from pi_gym.errors import SpecError
from pi_gym.schema.specs import Spec
from pi_gym.seeding import Stream

FIRST_SENDER, FIRST_EMAIL = 101, 2_001
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
BULK_UNREAD = ("updates", "promotions", "social", "forums")
#: For so many days before the last one a mailbox is hardly tidied; what is older than so many is mostly archived.
RECENT_DAYS, OLD_DAYS = 11, 179
Category = Literal["primary", "updates", "promotions", "social", "forums"]


class MailSeed(NamedTuple):
    """A mail: when, who, to whom (keys with blanks between), the text, and files by name."""

    at: Moment
    sender: str
    to: str
    body: str
    files: Mapping[str, str] | None = None


class ThreadSeed(Spec):
    """A thread: `s` its subject, `m` its mails, `l` the person's label, `f` what they made of it, `c` its category."""

    subject: str = Field(alias="s")
    mails: list[MailSeed] = Field(alias="m", min_length=1)
    label: str = Field(default="", alias="l")
    flags: list[Literal["star", "unread", "inbox", "spam"]] = Field(default_factory=list, alias="f")
    category: Category = Field(default="primary", alias="c")


class SeriesMailSeed(NamedTuple):
    """A mail of a series: hours after the first one, who, to whom, texts to draw from, and how often of ten."""

    hours: int
    sender: str
    to: str
    texts: list[str]
    in_ten: int = 10


class SeriesSeed(Spec):
    """Threads that come back.

    Args:
        key: its name.
        subject: with words in braces (`s`).
        first: the first day on which there may be one.
        every: days from one to the next.
        before_first_fridays: instead, three days before the first Friday of each month.
        until: the last day.
        quiet: two days between which there is none (`not`).
        at: the time of the first mail; up to 40 minutes pass.
        draw: the words in braces. Each list is gone through in random order, again and again; those of an entry of
            `case` come together. `{n}` is the thread's number and `{month_name}` its month.
        turns: which of them are gone through in their own order.
        mails: `m`. `label`, `flags` and `category` are as in a thread.
    """

    key: str
    subject: str = Field(alias="s")
    first: Day
    every: int | None = Field(default=None, ge=1)
    before_first_fridays: bool = False
    until: Day | None = None
    quiet: tuple[Day, Day] | None = Field(default=None, alias="not")
    at: str = Field(pattern=r"^\d\d:\d\d$")
    draw: dict[str, list[Any]] = Field(default_factory=dict)
    turns: list[str] = Field(default_factory=list)
    mails: list[SeriesMailSeed] = Field(alias="m", min_length=1)
    label: str = Field(default="", alias="l")
    flags: list[Literal["star", "unread", "inbox", "spam"]] = Field(default_factory=list, alias="f")
    category: Category = Field(default="primary", alias="c")

    @model_validator(mode="after")
    def _one_rhythm(self) -> SeriesSeed:
        if (self.every is None) != self.before_first_fridays:
            raise ValueError("expected exactly one of every and before_first_fridays")
        return self


class DraftSeed(Spec):
    """A draft, with a subject or in answer to the thread of one."""

    to: str
    body: str
    at: Moment
    subject: str = ""
    answers: str | None = None
    send: Moment | None = None
    file: dict[str, str] = Field(default_factory=dict)


class ShopMailSeed(Spec):
    """The two mails of an order; {lines}, {total}, {names} and {date} are filled in."""

    sender: str
    label: str
    confirmed: str
    sent: list[str] = Field(min_length=1)


class ElectricitySeed(Spec):
    """A thread for each expense of life.yaml that begins with `what`: reading, bill, and a word of who paid.

    {reading} and {amount} are filled in; `paid` has the texts by payer.
    """

    what: str
    label: str
    landlord: str
    flatmate: str
    reading: list[str] = Field(min_length=1)
    bill: list[str] = Field(min_length=1)
    paid: dict[str, list[str]]


class GmailSeeds(Spec):
    """gmail.yaml.

    Args:
        accounts: passwords by person; everybody has a mailbox, and the other passwords are drawn.
        senders: other addresses by key, as [name, rest of the name, address].
        explicit: threads of the person.
        drafts: what the person began to write.
        lists: keys that stand for several people in the `to` of a series, with the day on which each joined.
        series: threads of the person that come back.
        shop: the mails of the orders of life.yaml.
        electricity: the mails of its electricity bills.
        others: threads that the person does not see.
    """

    accounts: dict[str, str]
    senders: dict[str, tuple[str, str, str]] = Field(default_factory=dict)
    explicit: list[ThreadSeed] = Field(default_factory=list)
    drafts: list[DraftSeed] = Field(default_factory=list)
    lists: dict[str, dict[str, Day]] = Field(default_factory=dict)
    series: list[SeriesSeed] = Field(default_factory=list)
    shop: ShopMailSeed | None = None
    electricity: ElectricitySeed | None = None
    others: list[ThreadSeed] = Field(default_factory=list)


@dataclass
class _Mail:
    at: str
    sender: str
    to: Sequence[str]
    body: str
    files: Mapping[str, str] = field(default_factory=dict)
    id: int = 0

    def __post_init__(self) -> None:
        self.to = [one for one in self.to if one != self.sender] or self.to


@dataclass
class _Thread:
    subject: str
    mails: list[_Mail]
    label: str = ""
    flags: Sequence[str] = ()
    category: str = "primary"
    foreign: bool = False
    drawn: bool = False

    def __post_init__(self) -> None:
        self.mails.sort(key=lambda mail: mail.at)


def person_tables(circle: Circle) -> Tables:
    """The tables of a person's world."""
    seeds, stream = circle.seeds(GmailSeeds, "gmail"), stream_of("gmail")
    accounts = dict(_accounts(seeds, circle, stream))
    emails = Known("person or sender", {key: one["email"] for key, one in accounts.items()})
    threads = [_thread(one) for one in seeds.explicit] + [_thread(one, foreign=True) for one in seeds.others]
    threads += [*_ordinary_threads(seeds, circle, stream), *_orders(seeds, circle, stream)]
    threads += _electricity(seeds, circle, stream)
    threads.sort(key=lambda thread: (thread.mails[0].at, thread.subject))
    mails, files = _mails(threads, emails)
    drafts, draft_files = _drafts(seeds, circle, threads, emails)
    return {
        "accounts": list(accounts.values()),
        "emails": mails,
        "thread_states": [
            _state(number, one, circle, stream) for number, one in enumerate(threads, 1) if not one.foreign
        ],
        "drafts": drafts,
        "attachments": files,
        "draft_attachments": draft_files,
    }


def _accounts(seeds: GmailSeeds, circle: Circle, stream: Stream) -> Iterator[tuple[str, Row]]:
    """Everybody's mailbox by key: people from 1 on, the other senders after them."""

    def password(key: str) -> str:
        own = stream.child("password", key)
        return seeds.accounts.get(key, "".join(own.choice("abcdefghkmnpqrstuvwxyz23456789") for _ in range(10)))

    for number, (key, one) in enumerate(circle.people.items(), start=1):
        yield key, {"id": number, **one.columns, "password": password(key)}
    for number, (key, (first, rest, email)) in enumerate(seeds.senders.items(), start=FIRST_SENDER):
        columns = {"first_name": first, "last_name": rest, "email": email, "phone_number": ""}
        yield key, {"id": number, **columns, "password": password(key)}


def _thread(given: ThreadSeed, foreign: bool = False) -> _Thread:
    """A thread as the seeds have it."""
    mails = [_Mail(_iso(one.at), one.sender, one.to.split(), one.body, one.files or {}) for one in given.mails]
    return _Thread(given.subject, mails, given.label, given.flags, given.category, foreign)


def _iso(at: str) -> str:
    return at.replace(" ", "T") + ":00"


# -- ordinary days -----------------------------------------------------------------------------------------------------


def _ordinary_threads(seeds: GmailSeeds, circle: Circle, stream: Stream) -> Iterator[_Thread]:
    """The threads of the series."""
    for series in seeds.series:
        own = stream.child("series", series.key)
        drawn = {
            name: Cycle(options, own.child("draw", name), name in series.turns) for name, options in series.draw.items()
        }
        texts = [Cycle(mail.texts, own.child("text", at)) for at, mail in enumerate(series.mails)]
        for number, day in enumerate(_days(series, circle.life.end), start=1):
            words = {name: cycle.next() for name, cycle in drawn.items()}
            words |= words.get("case", {})
            words |= {"n": number, "month_name": f"{MONTHS[day.month - 1]} {day.year}"}
            mails = list(_series_mails(seeds, series, day, words, texts, own.child("thread", number), circle.life.end))
            flags, category = series.flags, series.category
            yield _Thread(fill(series.subject, words), mails, series.label, flags, category, drawn=True)


def _days(series: SeriesSeed, end: str) -> Iterator[date]:
    """The days on which a series has a thread."""
    day, last = date.fromisoformat(series.first), series.until or end
    quiet = series.quiet or ("9999-12-31", "9999-12-31")
    while day.isoformat() <= last:
        friday = day + timedelta(days=3)
        due = series.every is not None or (friday.weekday() == 4 and friday.day <= 7)
        if due and not quiet[0] <= day.isoformat() <= quiet[1]:
            yield day
        day += timedelta(days=series.every or 1)


def _series_mails(
    seeds: GmailSeeds, series: SeriesSeed, day: date, words: Row, texts: Sequence[Cycle], own: Stream, end: str
) -> Iterator[_Mail]:
    start = datetime.fromisoformat(f"{day.isoformat()}T{series.at}:00") + timedelta(minutes=own.integer(0, 40))
    for mail, text in zip(series.mails, texts, strict=True):
        late = mail.hours > 0
        at = start + timedelta(hours=mail.hours, minutes=own.integer(0, 50) if late else 0, seconds=own.integer(0, 59))
        at = _wake(at) if late else at
        happens = own.integer(1, 10) <= mail.in_ten
        sender, to = fill(mail.sender, words), fill(mail.to, words).split()
        # Nobody writes to themselves where it was drawn who answers.
        if happens and at.date().isoformat() <= end and not ("{" in mail.to and sender == to[0]):
            yield _Mail(at.isoformat(), sender, _members(seeds, to, day), fill(text.next(), words))


def _wake(at: datetime) -> datetime:
    """A time at which people answer, which is not at night; the machines' first mails may come early."""
    return at.replace(hour=8) if at.hour < 7 else at


def _members(seeds: GmailSeeds, to: Sequence[str], day: date) -> list[str]:
    """Recipients, a list standing for those who have joined it by then."""
    found: dict[str, None] = {}
    for key in to:
        joined = seeds.lists.get(key)
        names = [key] if joined is None else [one for one, since in joined.items() if since <= day.isoformat()]
        found |= dict.fromkeys(names)
    return list(found)


# -- what life.yaml tells ----------------------------------------------------------------------------------------------


def _orders(seeds: GmailSeeds, circle: Circle, stream: Stream) -> Iterator[_Thread]:
    """Confirmation and delivery of what the person bought."""
    if not seeds.shop:
        return
    plan, sent = seeds.shop, Cycle(seeds.shop.sent, stream.child("sent"))
    for order in circle.life.orders:
        own, day = stream.child("order", order.date), date.fromisoformat(order.date)
        words = {
            "date": f"{day.day} {MONTHS[day.month - 1]} {day.year}",
            "names": ", ".join(item.product for item in order.items),
            "lines": "\n".join(map(_line, order.items)),
            "total": f"{sum(round(item.price * 100) * item.quantity for item in order.items) / 100:.2f}",
        }
        # Behind the order itself, whenever on that day it was placed, and before the first possible delivery.
        first = f"{day.isoformat()}T23:{own.integer(10, 59)}:{own.integer(10, 59)}"
        later = f"{(day + timedelta(days=1)).isoformat()}T06:{own.integer(10, 59)}:00"
        bodies = [(first, fill(plan.confirmed, words)), (later, fill(sent.next(), words))]
        mails = [_Mail(at, plan.sender, [circle.owner], body) for at, body in bodies]
        yield _Thread(f"Your order of {words['date']}", mails, plan.label, category="updates", drawn=True)


def _line(item: BoughtSeed) -> str:
    size = f", size {item.size}" if item.size else ""
    return f"{item.quantity} x {item.product}{size}: {item.price:.2f}"


def _electricity(seeds: GmailSeeds, circle: Circle, stream: Stream) -> Iterator[_Thread]:
    """Reading, bill and payment of each electricity bill of life.yaml."""
    if not seeds.electricity:
        return
    plan, meter = seeds.electricity, Known("day of life.yaml's meter", circle.life.meter)
    texts = {"reading": plan.reading, "bill": plan.bill}
    texts |= {f"paid_{payer}": options for payer, options in plan.paid.items()}
    cycles = Known(
        "text of electricity",
        {name: Cycle(options, stream.child("electricity", name)) for name, options in texts.items()},
    )
    home = (circle.owner, plan.flatmate)
    for expense in circle.life.expenses:
        if not expense.what.startswith(plan.what):
            continue
        words = {"reading": meter[expense.date], "amount": f"{expense.amount:.2f}"}
        payer, other = home[:: -1 if expense.paid_by == plan.flatmate else 1]
        mails = [
            ("08:12:00", circle.owner, [plan.landlord, plan.flatmate], "reading"),
            ("14:30:00", plan.landlord, list(home), "bill"),
            ("19:45:00", payer, [other], f"paid_{payer}"),
        ]
        yield _Thread(
            expense.what,
            [_Mail(f"{expense.date}T{at}", who, to, fill(cycles[text].next(), words)) for at, who, to, text in mails],
            plan.label,
            drawn=True,
        )


# -- rows --------------------------------------------------------------------------------------------------------------


def _mails(threads: Sequence[_Thread], emails: Mapping[str, str]) -> tuple[list[Row], list[Row]]:
    """The rows of mails and their files, mails by time; each mail gets its id, for the drafts that answer it."""
    listed = [(mail, number, thread) for number, thread in enumerate(threads, 1) for mail in thread.mails]
    listed.sort(key=lambda one: (one[0].at, one[1]))
    for number, (mail, _, _) in enumerate(listed, FIRST_EMAIL):
        mail.id = number
    rows, files = [], []
    for mail, number, thread in listed:
        before = [one for one in thread.mails if one.id < mail.id and one.sender != mail.sender]
        seen = [one for one in before if mail.sender in one.to]
        rows.append(
            {
                "id": mail.id,
                "thread": number,
                "sender": emails[mail.sender],
                "recipients": [emails[key] for key in mail.to],
                "subject": f"Re: {thread.subject}" if before else thread.subject,
                "body": mail.body,
                "response_to": seen[-1].id if seen else None,
                "category": thread.category,
                "created_at": mail.at,
            }
        )
        files += [{"record": mail.id, **text_file(name, text)} for name, text in mail.files.items()]
    return rows, number_rows(files)


def _state(number: int, thread: _Thread, circle: Circle, stream: Stream) -> Row:
    """The person's state of a thread; its id is the thread's. What is long past is more often archived."""
    end = date.fromisoformat(circle.life.end)
    recent, old = ((end - timedelta(days=back)).isoformat() for back in (RECENT_DAYS, OLD_DAYS))
    own, last = stream.child("state", thread.subject, thread.mails[0].at), thread.mails[-1].at
    flags, bulk = thread.flags, thread.category in BULK_UNREAD
    archived = own.integer(1, 10) <= (1 if last >= recent else 6 if last < old else 3)
    unread = bulk and own.integer(1, 10) <= (7 if last >= recent else 2)
    return {
        "id": number,
        "account": circle.owner_number,
        "thread": number,
        "read": "unread" not in flags and not unread,
        "starred": "star" in flags or (thread.drawn and not bulk and own.integer(1, 60) == 1),
        "archived": not {"unread", "inbox", "spam"} & set(flags) and archived and not unread,
        "spam": "spam" in flags,
        "label": thread.label,
    }


def _drafts(
    seeds: GmailSeeds, circle: Circle, threads: Sequence[_Thread], emails: Mapping[str, str]
) -> tuple[list[Row], list[Row]]:
    rows, files = [], []
    numbers = {thread.subject: number for number, thread in enumerate(threads, 1)}
    for number, draft in enumerate(sorted(seeds.drafts, key=lambda draft: draft.at), 1):
        thread = numbers.get(draft.answers) if draft.answers else None
        if draft.answers and thread is None:
            raise SpecError("drafts", f"{draft.answers!r} is the subject of no thread, so nothing answers it")
        mails = [] if thread is None else [one for one in threads[thread - 1].mails if one.sender != circle.owner]
        rows.append(
            {
                "id": number,
                "account": circle.owner_number,
                "recipients": [emails[key] for key in draft.to.split()],
                "subject": f"Re: {draft.answers}" if thread else draft.subject,
                "body": draft.body,
                "thread": thread,
                "response_to": mails[-1].id if mails else None,
                "scheduled_send_at": _iso(draft.send) if draft.send else None,
                "created_at": _iso(draft.at),
                "updated_at": _iso(draft.at),
            }
        )
        files += [{"record": number, **text_file(name, text)} for name, text in draft.file.items()]
    return rows, number_rows(files)
