"""The seed world of Simple Note: what Nora wrote down herself, and meetings and shopping lists drawn over two years."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, timedelta
from typing import Any

from pi_gym.seeding import Stream

Seeds = Mapping[str, Any]
Row = dict[str, Any]


def tables(
    seeds: Seeds, people: Mapping[str, Mapping[str, Any]], life: Mapping[str, Any], stream: Stream
) -> dict[str, list[Row]]:
    """The tables of the app.

    Args:
        seeds: the content of seeds/simple_note.yaml.
        people: by key, from seeds/people.yaml.
        life: from seeds/life.yaml; the notes have their own dates.
        stream: for everything that is drawn.
    """
    accounts = [
        {"id": number, **{name: people[key][name] for name in ("first_name", "last_name", "email", "phone_number")},
         "password": password}
        for number, (key, password) in enumerate(seeds["accounts"].items(), start=1)
    ]  # fmt: skip
    numbers = {key: number for number, key in enumerate(seeds["accounts"], start=1)}
    notes = [*_explicit(seeds, stream), *_meetings(seeds, stream), *_groceries(seeds, stream)]
    notes += [{**note, **_dated(seeds, stream, note["title"])} for note in seeds["others"]]
    notes.sort(key=lambda note: (note["created_at"], note["title"]))
    rows = [
        {
            "id": number,
            "account": numbers[note.get("account", "nora")],
            "title": note["title"],
            "content": note.get("content", ""),
            "tags": note["tags"],
            "pinned": note.get("pinned", False),
            "created_at": note["created_at"],
            "updated_at": note.get("updated_at", note["created_at"]),
        }
        for number, note in enumerate(notes, start=1)
    ]
    return {"accounts": accounts, "notes": rows}


def _explicit(seeds: Seeds, stream: Stream) -> Iterator[Row]:
    for note in seeds["explicit"]:
        dated = _dated(seeds, stream, note["title"], note.get("date"))
        if "updated" in note:
            own = stream.child("updated", note["title"])
            dated["updated_at"] = _moment(date.fromisoformat(note["updated"]), own, 7, 22)
        yield {**note, **dated}


def _dated(seeds: Seeds, stream: Stream, title: str, day: str | None = None) -> Row:
    """When a note was written and last changed: on a given day or on a drawn one; one in five was changed later."""
    own, last = stream.child("date", title), date.fromisoformat(seeds["to"])
    first = date.fromisoformat(seeds["from"])
    written = date.fromisoformat(day) if day else first + timedelta(days=own.integer(0, (last - first).days))
    moment = _moment(written, own, 7, 22)
    if day is None and own.integer(1, 5) == 1 and written < last:
        later = written + timedelta(days=own.integer(1, (last - written).days))
        return {"created_at": moment, "updated_at": _moment(later, own, 7, 22)}
    return {"created_at": moment}


def _moment(day: date, stream: Stream, first: int, last: int) -> str:
    return (
        f"{day.isoformat()}T{stream.integer(first, last):02d}:{stream.integer(0, 59):02d}:{stream.integer(0, 59):02d}"
    )


def _days(first: str, last: str, every: int) -> Iterator[date]:
    day = date.fromisoformat(first)
    while day <= date.fromisoformat(last):
        yield day
        day += timedelta(days=every)


def _meetings(seeds: Seeds, stream: Stream) -> Iterator[Row]:
    plan = seeds["meetings"]
    held: Counter[str] = Counter()
    for series in plan["series"]:
        for day in _days(series["first"], series.get("to", seeds["to"]), series["every_days"]):
            own = stream.child("meeting", series["title"], day.isoformat())
            if "jonas" in series["tags"]:
                about = plan["talked_student"][held[series["title"]] % len(plan["talked_student"])]
            else:
                period = next(part for part in plan["talked"] if day.isoformat() < part["until"])
                about = own.sample(period["about"], 2)
            todo = own.sample(plan["todo"], own.integer(1, 3))
            lines = ["Talked about " + " and about ".join(about) + ".", "To do:", *(f"- {one}" for one in todo)]
            yield {
                "title": f"{series['title']} {day.isoformat()}",
                "content": "\n".join(lines),
                "tags": series["tags"],
                "created_at": _moment(day, own, 11, 16),
            }
            held[series["title"]] += 1


def _groceries(seeds: Seeds, stream: Stream) -> Iterator[Row]:
    plan = seeds["groceries"]
    for day in _days(plan["first"], seeds["to"], plan["every_days"]):
        own = stream.child("groceries", day.isoformat())
        items = own.sample(plan["items"], own.integer(5, 9))
        yield {
            "title": f"Shopping {day.isoformat()}",
            "content": "\n".join(f"- {item}" for item in items),
            "tags": ["shopping", "lists"],
            "created_at": _moment(day, own, 9, 19),
        }
