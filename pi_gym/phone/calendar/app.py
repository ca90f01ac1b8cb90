"""The app Calendar: its table, its screens, and how events are found, shown, added and changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from pi_gym.apps.columns import Column, TableSpec
from pi_gym.apps.row_search import search
from pi_gym.apps.times import moment
from pi_gym.phone.declare import PhoneApp, Screen
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

EVENTS = "events"
SEARCHED = {"title": 8, "tag": 4, "attendees": 4, "location": 2, "description": 1}
LENGTH = timedelta(hours=1)
#: What is known of an event of which nothing is said.
BLANK: Mapping[str, Any] = {"title": "Event", "tag": "", "description": "", "location": "", "attendees": []}

APP = PhoneApp(
    "Calendar",
    "the calendar",
    "The owner's events, each with its time, a tag, a place, a description and the names of those who come. The agenda"
    " shows one day, today's at first.",
    {
        EVENTS: TableSpec(
            {
                "title": Column(str, "what it is", "Event", max_chars=200),
                "start_datetime": Column(str, "when it begins, ISO 8601 with seconds"),
                "end_datetime": Column(str, "when it ends, ISO 8601 with seconds"),
                "tag": Column(str, "the kind of event, in a word", "", max_chars=100),
                "description": Column(str, "more on it", ""),
                "location": Column(str, "where it is", "", max_chars=400),
                "attendees": Column(list[str], "the names of those who come", []),
            },
            noun="event",
            find="search_events",
        )
    },
    [
        # The day is an ISO date, or empty for today.
        Screen("AgendaView", {"day": "", "tag": "", "attendee": ""}),
        Screen("EventDetail", {"event_id": None}),
        Screen("EditEvent", {"event_id": None, "start_datetime": None, "end_datetime": None, **BLANK}),
    ],
)
AGENDA, DETAIL, EDIT = "AgendaView", "EventDetail", "EditEvent"


def whole_event(event_id: int, row: Row) -> dict[str, Any]:
    """An event whole."""
    return {"event_id": event_id, **row}


def event_line(event_id: int, row: Row) -> dict[str, Any]:
    """An event as a list shows it: without its description."""
    return {"event_id": event_id, **{name: value for name, value in row.items() if name != "description"}}


def by_time(rows: Iterable[tuple[int, Row]]) -> list[tuple[int, Row]]:
    """Events in the order in which they begin."""
    return sorted(rows, key=lambda pair: (pair[1]["start_datetime"], pair[1]["end_datetime"], pair[0]))


def events_between(desk: PhoneDesk, first: str, last: str) -> list[tuple[int, Row]]:
    """The events that take place between two moments, in order, those too that begin before or end after."""
    return by_time(
        (key, row)
        for key, row in desk.table(EVENTS).rows()
        if row["start_datetime"] <= last and (row["end_datetime"] > first or row["start_datetime"] >= first)
    )


def events_on(desk: PhoneDesk, day: str) -> list[tuple[int, Row]]:
    """The events of a day, an ISO date, in order."""
    return events_between(desk, f"{day}T00:00:00", f"{day}T23:59:59")


def events_found(desk: PhoneDesk, query: str) -> list[tuple[int, Row]]:
    """The events that have a word of the query, best first."""
    if not query.strip():
        raise ToolError("query is empty; give words of a title, a place, a description, or a name.")
    return search(desk.table(EVENTS), query, SEARCHED)


def tags(desk: PhoneDesk) -> list[str]:
    """The tags of all events, sorted."""
    return sorted({row["tag"] for _, row in desk.table(EVENTS).rows()} - {""})


def tagged(desk: PhoneDesk, tag: str) -> list[tuple[int, Row]]:
    """The events with a tag, in order; ToolError where no event has it."""
    if tag not in tags(desk):
        raise ToolError(f"No event has the tag {tag[:60]!r}; there are: {', '.join(tags(desk)) or 'none'}.")
    return by_time(desk.having(EVENTS, "tag", tag))


def names(given: Iterable[str]) -> list[str]:
    """Names without blanks around them, each once."""
    return list(dict.fromkeys(one.strip() for one in given if one.strip()))


def checked(desk: PhoneDesk, given: Mapping[str, Any]) -> dict[str, Any]:
    """The columns of a whole event: without a beginning it begins now, without an end it lasts an hour.

    Args:
        desk: the app.
        given: values by column; None stands for what was left out.

    Raises:
        ToolError: the title is empty, a time is none, or the end does not lie after the beginning.
    """
    row = {**BLANK, **{name: value for name, value in given.items() if value is not None}}
    if not row["title"].strip():
        raise ToolError("title is empty; say what the event is.")
    start = moment(row.get("start_datetime", desk.now), "start_datetime")
    end = moment(row["end_datetime"], "end_datetime") if "end_datetime" in row else _later(start)
    if end <= start:
        raise ToolError(f"end_datetime ({end}) must lie after start_datetime ({start}).")
    return {**row, "start_datetime": start, "end_datetime": end, "attendees": names(row["attendees"])}


def _later(start: str) -> str:
    try:
        return (datetime.fromisoformat(start) + LENGTH).isoformat()
    except OverflowError:
        raise ToolError(f"start_datetime ({start}) is the end of time; give an earlier one.") from None


def added(desk: PhoneDesk, given: Mapping[str, Any]) -> dict[str, Any]:
    """The result of adding an event; see `checked`."""
    return {"message": "Event added.", "event_id": desk.insert(EVENTS, **checked(desk, given))}


def changed(desk: PhoneDesk, event_id: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """The result of setting what is given of an event; see `checked`."""
    row = desk.need(EVENTS, event_id)
    new = checked(desk, {**row, **{name: value for name, value in given.items() if value is not None}})
    updates = {name: value for name, value in new.items() if value != row[name]}
    if not updates:
        raise ToolError("That changes nothing; give what shall be another.")
    desk.update(EVENTS, event_id, **updates)
    return {"message": f"Event {event_id} changed.", "changed": sorted(updates)}


def removed(desk: PhoneDesk, event_id: int) -> str:
    """The result of deleting an event."""
    desk.need(EVENTS, event_id)
    desk.delete(EVENTS, event_id)
    return f"Event {event_id} deleted."
