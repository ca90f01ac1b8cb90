"""The seed world of Simple Note: notes written by hand, and meetings and shopping lists drawn over the years."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from datetime import date, timedelta

from pydantic import Field

from pi_gym.authoring.worlds.circle import Circle, LifeSeeds, stream_of
from pi_gym.authoring.worlds.seed_rows import Day, Known, Row, Tables, days, draw_day, moment
from pi_gym.errors import SpecError
from pi_gym.schema.specs import Spec
from pi_gym.seeding import Stream


class NoteSeed(Spec):
    """A note; its day is drawn where it has none, and it is the person's own where it names no account."""

    title: str
    content: str
    tags: list[str]
    date: Day | None = None
    updated: Day | None = None
    pinned: bool = False
    account: str | None = None


class MeetingSeriesSeed(Spec):
    """Meetings that come back; `about` names the list of subjects that it goes through."""

    title: str
    tags: list[str]
    every_days: int = Field(ge=1)
    first: Day
    to: Day | None = None
    about: str | None = None


class PeriodSeed(Spec):
    """The subjects of meetings before a day, two each."""

    until: Day
    about: list[str] = Field(min_length=2)


class MeetingsSeed(Spec):
    """Notes of meetings.

    Args:
        series: the meetings.
        talked: subjects by period, the periods in order.
        turns: lists of subjects, meeting by meeting, for series that name one.
        todo: what is to be done after a meeting, one to three of them.
    """

    series: list[MeetingSeriesSeed]
    talked: list[PeriodSeed] = Field(default_factory=list)
    turns: dict[str, list[list[str]]] = Field(default_factory=dict)
    todo: list[str] = Field(min_length=3)


class ShoppingSeed(Spec):
    """Shopping lists, five to nine items each."""

    every_days: int = Field(ge=1)
    first: Day
    items: list[str] = Field(min_length=9)


class SimpleNoteSeeds(Spec):
    """simple_note.yaml.

    Args:
        accounts: passwords by person.
        explicit: the person's notes that are written by hand.
        meetings: notes of meetings.
        groceries: shopping lists.
        others: what others have noted, which nobody else sees.
    """

    accounts: dict[str, str]
    explicit: list[NoteSeed] = Field(default_factory=list)
    meetings: MeetingsSeed | None = None
    groceries: ShoppingSeed | None = None
    others: list[NoteSeed] = Field(default_factory=list)


def person_tables(circle: Circle) -> Tables:
    """The tables of a person's world."""
    seeds, stream, life = circle.seeds(SimpleNoteSeeds, "simple_note"), stream_of("simple_note"), circle.life
    numbers = circle.numbers(seeds.accounts)
    notes = [_note(note, life, stream) for note in (*seeds.explicit, *seeds.others)]
    if seeds.meetings:
        notes += _meetings(seeds.meetings, life, stream)
    if seeds.groceries:
        notes += _groceries(seeds.groceries, life, stream)
    notes.sort(key=lambda note: (note["created_at"], note["title"]))
    rows = [
        {
            "id": number,
            "account": numbers[note.get("account") or circle.owner],
            "title": note["title"],
            "content": note["content"],
            "tags": note["tags"],
            "pinned": note.get("pinned", False),
            "created_at": note["created_at"],
            "updated_at": note.get("updated_at", note["created_at"]),
        }
        for number, note in enumerate(notes, start=1)
    ]
    return {"accounts": circle.accounts(seeds.accounts), "notes": rows}


def _note(note: NoteSeed, life: LifeSeeds, stream: Stream) -> Row:
    """A note with its times: on a given day or on a drawn one; one in five of those was changed later."""
    own = stream.child("date", note.title)
    day = note.date or draw_day(life.begin, life.end, own)
    row = {**note.model_dump(), "created_at": moment(day, own)}
    if note.date is None and own.integer(1, 5) == 1 and day < life.end:
        left = (date.fromisoformat(life.end) - date.fromisoformat(day)).days
        later = date.fromisoformat(day) + timedelta(days=own.integer(1, left))
        row["updated_at"] = moment(later.isoformat(), own)
    if note.updated:
        row["updated_at"] = moment(note.updated, stream.child("updated", note.title))
    return row


def _meetings(plan: MeetingsSeed, life: LifeSeeds, stream: Stream) -> Iterator[Row]:
    turns, held = Known("list of meetings.turns", plan.turns), Counter[str]()
    for series in plan.series:
        for day in days(series.first, series.to or life.end, series.every_days):
            own = stream.child("meeting", series.title, day.isoformat())
            if series.about:
                about = turns[series.about][held[series.title] % len(turns[series.about])]
            else:
                about = own.sample(_subjects(plan, day.isoformat()), 2)
            todo = own.sample(plan.todo, own.integer(1, 3))
            lines = ["Talked about " + " and about ".join(about) + ".", "To do:", *(f"- {one}" for one in todo)]
            yield {
                "title": f"{series.title} {day.isoformat()}",
                "content": "\n".join(lines),
                "tags": series.tags,
                "created_at": moment(day.isoformat(), own, 11, 16),
            }
            held[series.title] += 1


def _subjects(plan: MeetingsSeed, day: str) -> list[str]:
    for period in plan.talked:
        if day < period.until:
            return period.about
    raise SpecError("meetings.talked", f"there is a meeting on {day}, and no period that lasts until after it")


def _groceries(plan: ShoppingSeed, life: LifeSeeds, stream: Stream) -> Iterator[Row]:
    for day in days(plan.first, life.end, plan.every_days):
        own = stream.child("groceries", day.isoformat())
        items = own.sample(plan.items, own.integer(5, 9))
        yield {
            "title": f"Shopping {day.isoformat()}",
            "content": "\n".join(f"- {item}" for item in items),
            "tags": ["shopping", "lists"],
            "created_at": moment(day.isoformat(), own, 9, 19),
        }
