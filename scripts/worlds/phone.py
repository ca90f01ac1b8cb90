"""The seed world of the phone: contacts, alarms, and two years of text messages with the people around Nora."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any

from pi_gym.seeding import Stream

Seeds = Mapping[str, Any]
People = Mapping[str, Mapping[str, Any]]
Row = dict[str, Any]

LINE = re.compile(r"([<>])(?:(\d{4}-\d\d-\d\d) )?(?:(\d\d:\d\d) )? ?(.+)")
SLOT = re.compile(r"\{(\w+)\}")
HOURS = re.compile(r"@(\d+)-(\d+) (.+)", re.DOTALL)
ROUNDS = 3


def tables(seeds: Seeds, people: People, life: Mapping[str, Any], stream: Stream) -> dict[str, list[Row]]:
    """The tables of the app.

    Args:
        seeds: the content of seeds/phone.yaml.
        people: by key, from seeds/people.yaml; all have an account.
        life: from seeds/life.yaml; the conversations tell of its events in their own words and dates.
        stream: for passwords, days, words and times.
    """
    numbers = {key: one["phone_number"] for key, one in people.items()}
    accounts = {key: number for number, key in enumerate(people, start=1)}
    messages = [*_conversations(seeds, numbers, stream), *_routines(seeds, numbers, stream)]
    messages.sort(key=lambda row: (row["sent_at"], row["sender"], row["message"]))
    return {
        "accounts": list(_accounts(seeds, people, stream)),
        "contacts": _numbered(_contacts(seeds, people, accounts)),
        "messages": _numbered(messages),
        "alarms": _numbered(_alarms(seeds, accounts)),
    }


def _numbered(rows: Iterator[Row] | list[Row]) -> list[Row]:
    return [{"id": number, **row} for number, row in enumerate(rows, start=1)]


def _accounts(seeds: Seeds, people: People, stream: Stream) -> Iterator[Row]:
    for number, (key, one) in enumerate(people.items(), start=1):
        own = stream.child("password", key)
        drawn = f"{own.choice(seeds['words'])}{own.integer(100, 999)}"
        yield {
            "id": number,
            **{name: one[name] for name in ("first_name", "last_name", "email", "phone_number")},
            "password": seeds["accounts"].get(key, drawn),
        }


def _contacts(seeds: Seeds, people: People, accounts: Mapping[str, int]) -> Iterator[Row]:
    """Nora's contacts, oldest entries in between, then what others have."""
    for key, more in seeds["contacts"].items():
        yield _contact(accounts["nora"], people[key], more, seeds["places"])
    for more in seeds["more_contacts"]:
        blank = dict.fromkeys(("email", "birthday", "home_address", "work_address"), "")
        yield {"account": accounts["nora"], **{name: more.get(name, blank.get(name)) for name in _COLUMNS}}
    for more in seeds["others_contacts"]:
        yield _contact(accounts[more["owner"]], people[more["key"]], more, seeds["places"])


_COLUMNS = (
    "first_name", "last_name", "phone_number", "email", "relationships", "birthday", "home_address", "work_address",
)  # fmt: skip


def _contact(account: int, one: Mapping[str, Any], more: Mapping[str, Any], places: Mapping[str, str]) -> Row:
    shop = more.get("shop", False)
    return {
        "account": account,
        "first_name": one["first_name"],
        "last_name": "" if more.get("unnamed") else one["last_name"],
        "phone_number": one["phone_number"],
        "email": one["email"],
        "relationships": more["relationships"],
        "birthday": more.get("birthday", ""),
        "home_address": "" if shop else one["home"],
        "work_address": one["home"] if shop else places.get(more.get("work", ""), ""),
    }


def _alarms(seeds: Seeds, accounts: Mapping[str, int]) -> Iterator[Row]:
    for alarm in seeds["alarms"]:
        yield {
            "account": accounts[alarm["owner"]],
            **{name: alarm[name] for name in ("time", "repeat_days", "label")},
            "enabled": alarm.get("enabled", True),
            "snooze_minutes": alarm["snooze_minutes"],
            "vibration": alarm.get("vibration", True),
        }


def _conversations(seeds: Seeds, numbers: Mapping[str, str], stream: Stream) -> Iterator[Row]:
    for thread in (*seeds["threads"], *seeds["others_threads"]):
        start = datetime.fromisoformat(thread["at"])
        own = stream.child("thread", thread["with"], thread["at"])
        yield from _lines(thread["text"], numbers[thread.get("from", "nora")], numbers[thread["with"]], start, own)


def _lines(text: str, mine: str, other: str, start: datetime, stream: Stream) -> Iterator[Row]:
    """The messages of a conversation: each some minutes after the one before, or when it says."""
    now = start.replace(second=stream.integer(0, 59))
    for number, line in enumerate(text.splitlines()):
        found = LINE.fullmatch(line)
        assert found, line
        mark, day, time, message = found.groups()
        if time:
            moment = datetime.fromisoformat(f"{day or now.date().isoformat()}T{time}:{stream.integer(0, 59):02d}")
            assert moment > now, line
            now = moment
        elif number:
            # Most answers come at once, some when one looks at the phone again.
            pause = stream.integer(15, 190) if stream.integer(1, 5) > 1 else stream.integer(200, 900)
            now += timedelta(seconds=pause)
        sender, receiver = (other, mine) if mark == "<" else (mine, other)
        yield {"sender": sender, "receiver": receiver, "message": message, "sent_at": now.isoformat()}


def _routines(seeds: Seeds, numbers: Mapping[str, str], stream: Stream) -> Iterator[Row]:
    """Ordinary days: none on which a conversation of its own is told."""
    told: dict[str, set[str]] = defaultdict(set)
    for thread in seeds["threads"]:
        told[thread["with"]].add(thread["at"][:10])
    for routine in seeds["routines"]:
        own = stream.child("routine", routine["key"])
        free = [day for day in _days(routine, seeds) if day.isoformat() not in told[routine["with"]]]
        dialogues = list(_dialogues(routine["dialogues"], own))[: len(free)]
        words = {name: _in_turns(listed, own.child(name)) for name, listed in routine.get("words", {}).items()}
        words |= {name: iter(listed) for name, listed in routine.get("ordered", {}).items()}
        for day, text in zip(sorted(own.sample(free, len(dialogues))), dialogues, strict=True):
            that_day, own_hours = own.child(day.isoformat()), HOURS.fullmatch(text)
            (first, last), text = routine["hours"], _filled(own_hours[3] if own_hours else text, words)
            if own_hours:
                first, last = int(own_hours[1]), int(own_hours[2])
            start = datetime(day.year, day.month, day.day, that_day.integer(first, last - 1), that_day.integer(0, 59))
            if not _within(day, seeds["away"]):
                yield from _lines(text, numbers["nora"], numbers[routine["with"]], start, that_day)


def _dialogues(options: list[str], stream: Stream) -> Iterator[str]:
    """All of them in a drawn order, then again those in which words change: a joke is told once."""
    yield from stream.shuffled(options)
    changing = [text for text in options if SLOT.search(text)]
    for _ in range(ROUNDS - 1):
        yield from stream.shuffled(changing)


def _filled(text: str, words: Mapping[str, Iterator[str]]) -> str:
    """A dialogue with its words drawn; the same word wherever it says the same name."""
    drawn = {name: next(words[name]) for name in dict.fromkeys(SLOT.findall(text))}
    return SLOT.sub(lambda found: drawn[found[1]], text)


def _in_turns(options: list[str], stream: Stream) -> Iterator[str]:
    """The options again and again in new orders, so that none comes back before the others were there."""
    while True:
        yield from stream.shuffled(options)


def _days(routine: Mapping[str, Any], seeds: Seeds) -> Iterator[date]:
    """The days on which a routine may be told, each once."""
    day, end, last = date.fromisoformat(routine["first"]), routine.get("last", seeds["to"]), date.min
    while day.isoformat() <= end:
        found = _workday(day, seeds["holidays"]) if routine.get("workdays") else day
        if last < found and found.isoformat() <= end and not _within(found, routine.get("skip", [])):
            yield found
            last = found
        day = _months_later(day, routine["months"]) if "months" in routine else day + timedelta(days=routine["days"])


def _workday(day: date, holidays: list[list[str]]) -> date:
    while day.weekday() >= 5 or _within(day, holidays):
        day += timedelta(days=1)
    return day


def _within(day: date, spans: list[list[str]]) -> bool:
    return any(first <= day.isoformat() <= last for first, last in spans)


def _months_later(day: date, months: int) -> date:
    """The last day of the month that many months later."""
    years, month = divmod(day.month + months, 12)
    return date(day.year + years, month + 1, 1) - timedelta(days=1)
