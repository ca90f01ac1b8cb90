"""The operations on the calendar that an agent has, some of them its owner too."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.times import between
from pi_gym.phone.calendar.app import (
    AGENDA,
    APP,
    EVENTS,
    added,
    changed,
    event_line,
    events_between,
    events_found,
    events_on,
    removed,
    tagged,
    tags,
    whole_event,
)
from pi_gym.phone.declare import USER
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import MAX_PAGE, page


@APP.operation("read")
def get_calendar_event(desk: PhoneDesk, event_id: int) -> Any:
    """Show an event whole.

    Args:
        event_id: the event's id.
    """
    return whole_event(event_id, desk.need(EVENTS, event_id))


@APP.operation("read")
def get_calendar_events_from_to(
    desk: PhoneDesk, start_datetime: str, end_datetime: str, offset: int = 0, limit: int = 10
) -> Any:
    """List the events between two moments, in order, those too that begin before or end after.

    Args:
        start_datetime: the first moment, like 2026-03-09 14:00:00.
        end_datetime: the last moment; a date alone counts to its end.
        offset: how many to skip.
        limit: the most to list, 1 to 100.
    """
    first, last = between(start_datetime, end_datetime, ("start_datetime", "end_datetime"))
    return page(events_between(desk, first, last), offset, limit, EVENTS, event_line)


@APP.operation("read", USER, on=AGENDA)
@APP.operation("read")
def read_today_calendar_events(desk: PhoneDesk) -> Any:
    """List the events of today, in order."""
    return page(events_on(desk, desk.now[:10]), 0, MAX_PAGE, EVENTS, event_line)


@APP.operation("read", USER, on=AGENDA)
@APP.operation("read")
def get_all_tags(desk: PhoneDesk) -> Any:
    """List the tags that events have."""
    return {"tags": tags(desk)}


@APP.operation("read", USER, on=AGENDA)
@APP.operation("read")
def get_calendar_events_by_tag(desk: PhoneDesk, tag: str) -> Any:
    """List the events with a tag, in order, whatever their day.

    Args:
        tag: the tag.
    """
    return page(tagged(desk, tag), 0, MAX_PAGE, EVENTS, event_line)


@APP.operation("read", USER, on=AGENDA)
@APP.operation("read")
def search_events(desk: PhoneDesk, query: str) -> Any:
    """Search the events by words of titles, tags, names, places and descriptions, best first.

    Args:
        query: words to look for.
    """
    return page(events_found(desk, query), 0, MAX_PAGE, EVENTS, event_line)


@APP.operation("write")
def add_calendar_event(
    desk: PhoneDesk,
    title: str = "Event",
    start_datetime: str | None = None,
    end_datetime: str | None = None,
    tag: str | None = None,
    description: str | None = None,
    location: str | None = None,
    attendees: list[str] | None = None,
) -> Any:
    """Add an event.

    Args:
        title: what it is.
        start_datetime: when it begins, like 2026-03-09 14:00:00; null for now.
        end_datetime: when it ends; null for an hour later.
        tag: the kind of event, in a word.
        description: more on it.
        location: where it is.
        attendees: the names of those who come.
    """
    return added(desk, {name: value for name, value in locals().items() if name != "desk"})


@APP.operation("write")
def edit_calendar_event(
    desk: PhoneDesk,
    event_id: int,
    title: str | None = None,
    start_datetime: str | None = None,
    end_datetime: str | None = None,
    tag: str | None = None,
    description: str | None = None,
    location: str | None = None,
    attendees: list[str] | None = None,
) -> Any:
    """Change an event. What is null stays as it is, so an event that moves needs both its times.

    Args:
        event_id: the event's id.
        title: what it is.
        start_datetime: when it begins, like 2026-03-09 14:00:00.
        end_datetime: when it ends.
        tag: the kind of event, in a word.
        description: more on it.
        location: where it is.
        attendees: the names of those who come, instead of those before.
    """
    given = {name: value for name, value in locals().items() if name not in ("desk", "event_id")}
    return changed(desk, event_id, given)


@APP.operation("write")
def delete_calendar_event(desk: PhoneDesk, event_id: int) -> Any:
    """Delete an event.

    Args:
        event_id: the event's id.
    """
    return removed(desk, event_id)
