"""Events that somebody else puts into the calendar, or takes out of it; the owner can do it in their name."""

from __future__ import annotations

from typing import Any

from pi_gym.phone.calendar.app import AGENDA, APP, DETAIL, EVENTS, added, names, removed
from pi_gym.phone.declare import EVENT, USER
from pi_gym.phone.navigation import BACK
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import in_lines, named
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


@APP.operation("write", USER, on=AGENDA)
@APP.operation("write", EVENT)
def add_calendar_event_by_attendee(
    desk: PhoneDesk,
    who_add: str,
    title: str = "Event",
    start_datetime: str | None = None,
    end_datetime: str | None = None,
    tag: str | None = None,
    description: str | None = None,
    location: str | None = None,
    attendees: list[str] | None = None,
) -> Any:
    """Add an event in the name of somebody who comes, such as an invitation of theirs.

    Args:
        who_add: their name; it is added to the attendees.
        title: what it is.
        start_datetime: when it begins, like 2026-03-09 14:00:00; null for now.
        end_datetime: when it ends; null for an hour later.
        tag: the kind of event, in a word.
        description: more on it.
        location: where it is.
        attendees: the names of those who come.
    """
    given = {name: value for name, value in locals().items() if name not in ("desk", "who_add")}
    if not who_add.strip():
        raise ToolError("who_add is empty; give the name of who adds the event.")
    told = added(desk, {**given, "attendees": names([*(attendees or ()), who_add])})
    row = desk.need(EVENTS, told["event_id"])
    _tell(desk, f"{who_add.strip()} added an event", told["event_id"], row)
    return told


@APP.operation("write", EVENT)
def delete_calendar_event_by_attendee(desk: PhoneDesk, event_id: int, who_delete: str) -> Any:
    """Delete an event in the name of somebody who would have come.

    Args:
        event_id: the event's id.
        who_delete: their name, one of the attendees.
    """
    return _removed_by(desk, event_id, who_delete)


@APP.operation("write", USER, on=DETAIL, goto=BACK)
def delete_by_attendee(desk: PhoneDesk, who_delete: str) -> Any:
    """Delete the event that is open in the name of somebody who would have come, and go back.

    Args:
        who_delete: their name, one of the attendees.
    """
    told = _removed_by(desk, desk.shown["event_id"], who_delete)
    desk.leave()
    return told


def _removed_by(desk: PhoneDesk, event_id: int, who: str) -> str:
    row = desk.need(EVENTS, event_id)
    if who.strip() not in row["attendees"]:
        known = ", ".join(row["attendees"]) or "none"
        raise ToolError(f"{who[:60]!r} is no attendee of the event {event_id}; attendees are: {known}.")
    _tell(desk, f"{who.strip()} deleted an event", event_id, row)
    return removed(desk, event_id)


def _tell(desk: PhoneDesk, act: str, event_id: int, row: Row) -> None:
    head = f"{act}: {row['title']}, {row['start_datetime']}"
    facts = named(
        event_id=str(event_id),
        ends=row["end_datetime"],
        tag=row["tag"],
        location=row["location"],
        attendees=row["attendees"],
        description=row["description"],
    )
    desk.notify(head, in_lines(head, facts))
