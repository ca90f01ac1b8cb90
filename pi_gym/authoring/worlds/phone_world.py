"""The seed world of the phone: contacts, alarms, and text messages, told one by one and coming back by routine."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from typing import NamedTuple

from pydantic import Field, model_validator

from pi_gym.authoring.worlds.circle import Circle, PersonSeed, stream_of
from pi_gym.authoring.worlds.seed_rows import Day, Known, Moment, Row, Tables, number_rows
from pi_gym.errors import SpecError
from pi_gym.schema.specs import Spec
from pi_gym.seeding import Stream

LINE = re.compile(r"([<>])(?:(\d{4}-\d\d-\d\d) )?(?:(\d\d:\d\d) )? ?(.+)")
SLOT = re.compile(r"\{(\w+)\}")
HOURS = re.compile(r"@(\d+)-(\d+) (.+)", re.DOTALL)
ROUNDS = 3


class DaySpan(NamedTuple):
    """Days from the first to the last."""

    first: Day
    last: Day


class ContactSeed(Spec):
    """The details that a phone adds to one of people.yaml.

    Args:
        relationships: what they are to whose phone it is.
        birthday: if it is noted.
        work: a key of `places`.
        shop: their address is where they work.
        unnamed: without the last name.
    """

    relationships: list[str]
    birthday: Day | None = None
    work: str | None = None
    shop: bool = False
    unnamed: bool = False


class OthersContactSeed(ContactSeed):
    """A contact in somebody else's phone."""

    owner: str
    key: str


class LooseContactSeed(Spec):
    """A contact that is nobody of people.yaml, or an old entry of somebody."""

    first_name: str
    last_name: str
    phone_number: str
    relationships: list[str]
    email: str = ""
    birthday: str = ""
    home_address: str = ""
    work_address: str = ""


class AlarmSeed(Spec):
    """An alarm."""

    owner: str
    time: str
    repeat_days: list[str]
    label: str
    enabled: bool = True
    snooze_minutes: int
    vibration: bool = True


class ConversationSeed(Spec):
    """A conversation, from the side of one person, the owner where `from` is left out.

    A line each: `>` for what that person wrote, `<` for what the other did; `<18:40` sets the time, `<2025-06-12 18:40`
    the day too; otherwise some minutes pass.
    """

    other: str = Field(alias="with")
    at: Moment
    text: str
    mine: str | None = Field(default=None, alias="from")


class TextRoutineSeed(Spec):
    """Conversations that come back.

    Args:
        key: its name.
        other: with whom (`with`).
        first: the first day on which there may be one.
        last: the last one.
        days: how many lie between two such days.
        months: instead, the last day of every so many months.
        workdays: moves such a day to the next one outside weekends and `holidays`.
        hours: between which full hours it begins; `@10-12` before a dialogue says other ones.
        skip: spans without any.
        words: what is drawn for words in braces.
        ordered: what is taken for them in order.
        dialogues: the texts; one without words in braces is told once, one with them up to three times.
    """

    key: str
    other: str = Field(alias="with")
    first: Day
    last: Day | None = None
    days: int | None = Field(default=None, ge=1)
    months: int | None = Field(default=None, ge=1)
    workdays: bool = False
    hours: tuple[int, int]
    skip: list[DaySpan] = Field(default_factory=list)
    words: dict[str, list[str]] = Field(default_factory=dict)
    ordered: dict[str, list[str]] = Field(default_factory=dict)
    dialogues: list[str] = Field(min_length=1)

    @model_validator(mode="after")
    def _one_rhythm(self) -> TextRoutineSeed:
        if (self.days is None) == (self.months is None):
            raise ValueError("expected exactly one of days and months")
        return self


class PhoneSeeds(Spec):
    """phone.yaml.

    Args:
        accounts: passwords by person; everybody has a phone, and the other passwords are drawn.
        words: what drawn passwords begin with.
        contacts: the person's contacts among the people.
        places: addresses of work by key.
        more_contacts: the person's other contacts.
        others_contacts: what others have in their phones.
        alarms: everybody's alarms.
        threads: conversations of the person.
        others_threads: conversations that the person does not see.
        away: spans without ordinary days.
        holidays: spans without workdays.
        routines: conversations that come back.
    """

    accounts: dict[str, str]
    words: list[str] = Field(min_length=1)
    contacts: dict[str, ContactSeed] = Field(default_factory=dict)
    places: dict[str, str] = Field(default_factory=dict)
    more_contacts: list[LooseContactSeed] = Field(default_factory=list)
    others_contacts: list[OthersContactSeed] = Field(default_factory=list)
    alarms: list[AlarmSeed] = Field(default_factory=list)
    threads: list[ConversationSeed] = Field(default_factory=list)
    others_threads: list[ConversationSeed] = Field(default_factory=list)
    away: list[DaySpan] = Field(default_factory=list)
    holidays: list[DaySpan] = Field(default_factory=list)
    routines: list[TextRoutineSeed] = Field(default_factory=list)


def person_tables(circle: Circle) -> Tables:
    """The tables of a person's world."""
    seeds, stream = circle.seeds(PhoneSeeds, "phone"), stream_of("phone")
    messages = [*_conversations(seeds, circle, stream), *_routines(seeds, circle, stream)]
    messages.sort(key=lambda row: (row["sent_at"], row["sender"], row["message"]))
    numbers = Known("person of world/people.yaml", {key: at for at, key in enumerate(circle.people, start=1)})
    return {
        "accounts": list(_accounts(seeds, circle, stream)),
        "contacts": number_rows(list(_contacts(seeds, circle, numbers))),
        "messages": number_rows(messages),
        "alarms": number_rows(
            [{"account": numbers[one.owner], **one.model_dump(exclude={"owner"})} for one in seeds.alarms]
        ),
    }


def _accounts(seeds: PhoneSeeds, circle: Circle, stream: Stream) -> Iterator[Row]:
    for number, (key, one) in enumerate(circle.people.items(), start=1):
        own = stream.child("password", key)
        drawn = f"{own.choice(seeds.words)}{own.integer(100, 999)}"
        yield {"id": number, **one.columns, "password": seeds.accounts.get(key, drawn)}


def _contacts(seeds: PhoneSeeds, circle: Circle, numbers: Mapping[str, int]) -> Iterator[Row]:
    """The person's contacts, then what others have."""
    places = Known("place", seeds.places)
    for key, more in seeds.contacts.items():
        yield _contact(circle.owner_number, circle.people[key], more, places)
    for loose in seeds.more_contacts:
        given = loose.model_dump()
        yield {"account": circle.owner_number, **{name: given[name] for name in _COLUMNS}}
    for one in seeds.others_contacts:
        yield _contact(numbers[one.owner], circle.people[one.key], one, places)


_COLUMNS = (
    "first_name", "last_name", "phone_number", "email", "relationships", "birthday", "home_address", "work_address",
)  # fmt: skip


def _contact(account: int, one: PersonSeed, more: ContactSeed, places: Mapping[str, str]) -> Row:
    work = places[more.work] if more.work else ""
    return {
        "account": account,
        "first_name": one.first_name,
        "last_name": "" if more.unnamed else one.last_name,
        "phone_number": one.phone_number,
        "email": one.email,
        "relationships": more.relationships,
        "birthday": more.birthday or "",
        "home_address": "" if more.shop else one.home,
        "work_address": one.home if more.shop else work,
    }


def _conversations(seeds: PhoneSeeds, circle: Circle, stream: Stream) -> Iterator[Row]:
    for thread in (*seeds.threads, *seeds.others_threads):
        start = datetime.fromisoformat(thread.at)
        own = stream.child("thread", thread.other, thread.at)
        mine, other = circle.people[thread.mine or circle.owner], circle.people[thread.other]
        yield from _lines(thread.text, mine.phone_number, other.phone_number, start, own)


def _lines(text: str, mine: str, other: str, start: datetime, stream: Stream) -> Iterator[Row]:
    """The messages of a conversation: each some minutes after the one before, or when it says."""
    now = start.replace(second=stream.integer(0, 59))
    for number, line in enumerate(text.splitlines()):
        found = LINE.fullmatch(line)
        if not found:
            raise SpecError("", f"expected a line of a conversation, < or > before its text, got {line!r}")
        mark, day, time, message = found.groups()
        if time:
            then = datetime.fromisoformat(f"{day or now.date().isoformat()}T{time}:{stream.integer(0, 59):02d}")
            if then <= now:
                raise SpecError("", f"the line {line!r} is not later than the one before it, of {now:%Y-%m-%d %H:%M}")
            now = then
        elif number:
            # Most answers come at once, some when one looks at the phone again.
            pause = stream.integer(15, 190) if stream.integer(1, 5) > 1 else stream.integer(200, 900)
            now += timedelta(seconds=pause)
        sender, receiver = (other, mine) if mark == "<" else (mine, other)
        yield {"sender": sender, "receiver": receiver, "message": message, "sent_at": now.isoformat()}


def _routines(seeds: PhoneSeeds, circle: Circle, stream: Stream) -> Iterator[Row]:
    """Ordinary days: none on which a conversation of its own is told."""
    told: dict[str, set[str]] = defaultdict(set)
    for thread in seeds.threads:
        told[thread.other].add(thread.at[:10])
    for routine in seeds.routines:
        own = stream.child("routine", routine.key)
        free = [day for day in _days(routine, seeds, circle.life.end) if day.isoformat() not in told[routine.other]]
        dialogues = list(_dialogues(routine.dialogues, own))[: len(free)]
        words = {name: _endless_turns(listed, own.child(name)) for name, listed in routine.words.items()}
        words |= {name: iter(listed) for name, listed in routine.ordered.items()}
        known = Known("word in braces", words)
        for day, text in zip(sorted(own.sample(free, len(dialogues))), dialogues, strict=True):
            that_day, own_hours = own.child(day.isoformat()), HOURS.fullmatch(text)
            (first, last), text = routine.hours, _fill(own_hours[3] if own_hours else text, known)
            if own_hours:
                first, last = int(own_hours[1]), int(own_hours[2])
            start = datetime(day.year, day.month, day.day, that_day.integer(first, last - 1), that_day.integer(0, 59))
            if not _is_within(day, seeds.away):
                mine, other = circle.people[circle.owner], circle.people[routine.other]
                yield from _lines(text, mine.phone_number, other.phone_number, start, that_day)


def _dialogues(options: list[str], stream: Stream) -> Iterator[str]:
    """All of them in a drawn order, then again those in which words change: a joke is told once."""
    yield from stream.shuffled(options)
    changing = [text for text in options if SLOT.search(text)]
    for _ in range(ROUNDS - 1):
        yield from stream.shuffled(changing)


def _fill(text: str, words: Mapping[str, Iterator[str]]) -> str:
    """A dialogue with its words drawn; the same word wherever it says the same name."""
    drawn = {}
    for name in dict.fromkeys(SLOT.findall(text)):
        word = next(words[name], None)
        if word is None:
            raise SpecError("routines", f"there are not enough words for {{{name}}} of {text!r}")
        drawn[name] = word
    return SLOT.sub(lambda found: drawn[found[1]], text)


def _endless_turns(options: list[str], stream: Stream) -> Iterator[str]:
    """The options again and again in new orders, so that none comes back before the others were there."""
    while True:
        yield from stream.shuffled(options)


def _days(routine: TextRoutineSeed, seeds: PhoneSeeds, end: str) -> Iterator[date]:
    """The days on which a routine may be told, each once."""
    day, until, last = date.fromisoformat(routine.first), routine.last or end, date.min
    while day.isoformat() <= until:
        found = _workday(day, seeds.holidays) if routine.workdays else day
        if last < found and found.isoformat() <= until and not _is_within(found, routine.skip):
            yield found
            last = found
        day = _months_later(day, routine.months) if routine.months else day + timedelta(days=routine.days or 1)


def _workday(day: date, holidays: Sequence[DaySpan]) -> date:
    while day.weekday() >= 5 or _is_within(day, holidays):
        day += timedelta(days=1)
    return day


def _is_within(day: date, spans: Sequence[DaySpan]) -> bool:
    return any(span.first <= day.isoformat() <= span.last for span in spans)


def _months_later(day: date, months: int) -> date:
    """The last day of the month that many months later."""
    years, month = divmod(day.month + months, 12)
    return date(day.year + years, month + 1, 1) - timedelta(days=1)
