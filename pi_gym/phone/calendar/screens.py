"""The owner's actions on the agenda, on the event that is open, and on the draft of one."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.times import moment
from pi_gym.phone.calendar.app import (
    AGENDA,
    APP,
    DETAIL,
    EDIT,
    EVENTS,
    added,
    changed,
    checked,
    event_line,
    events_on,
    removed,
    tagged,
    whole_event,
)
from pi_gym.phone.declare import USER
from pi_gym.phone.navigation import BACK
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.showing import at_index, page
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError


@APP.operation("read", USER, on=AGENDA)
def list_events(desk: PhoneDesk, offset: int = 0, limit: int = 10) -> Any:
    """List the events of the agenda, in order.

    Args:
        offset: how many to skip.
        limit: the most to list, 1 to 100.
    """
    return page(_agenda(desk), offset, limit, EVENTS, event_line)


@APP.operation("read", USER, on=AGENDA, goto=AGENDA)
def set_day(desk: PhoneDesk, date: str) -> Any:
    """Show the agenda of another day.

    Args:
        date: the day, like 2026-03-09.
    """
    return _turned(desk, day=moment(date, "date")[:10])


@APP.operation("read", USER, on=AGENDA, goto=AGENDA)
def filter_by_tag(desk: PhoneDesk, tag: str) -> Any:
    """Show of the agenda only the events with a tag.

    Args:
        tag: the tag.
    """
    tagged(desk, tag)
    return _turned(desk, tag=tag)


@APP.operation("read", USER, on=AGENDA, goto=AGENDA)
def filter_by_attendee(desk: PhoneDesk, attendee: str) -> Any:
    """Show of the agenda only the events to which somebody comes.

    Args:
        attendee: their name, as events have it.
    """
    if not desk.having(EVENTS, "attendees", attendee.strip()):
        raise ToolError(f"Nobody comes to an event as {attendee[:60]!r}; give the name as events have it.")
    return _turned(desk, attendee=attendee.strip())


@APP.operation("read", USER, on=AGENDA, goto=DETAIL)
def open_event_by_id(desk: PhoneDesk, event_id: int) -> Any:
    """Open an event, whatever its day.

    Args:
        event_id: the event's id.
    """
    return _opened(desk, event_id, desk.need(EVENTS, event_id))


@APP.operation("read", USER, on=AGENDA, goto=DETAIL)
def open_event_by_index(desk: PhoneDesk, index: int) -> Any:
    """Open an event of the agenda by its place.

    Args:
        index: its place, from 0.
    """
    return _opened(desk, *at_index(_agenda(desk), index, "events"))


@APP.operation("read", USER, on=AGENDA, goto=EDIT)
def start_create_event(desk: PhoneDesk) -> Any:
    """Begin a new event, as a draft."""
    desk.show(EDIT, **APP.screens[EDIT].holds)
    return "An empty draft."


@APP.operation("read", USER, on=DETAIL)
def refresh(desk: PhoneDesk) -> Any:
    """Show the event that is open as it is now."""
    return whole_event(*_open_event(desk))


@APP.operation("read", USER, on=DETAIL)
def list_attendees(desk: PhoneDesk) -> Any:
    """List who comes to the event that is open."""
    return {"attendees": _open_event(desk)[1]["attendees"]}


@APP.operation("read", USER, on=DETAIL, goto=EDIT)
def edit_event(desk: PhoneDesk) -> Any:
    """Change the event that is open, as a draft."""
    draft = whole_event(*_open_event(desk))
    desk.show(EDIT, **draft)
    return draft


@APP.operation("write", USER, on=DETAIL, goto=BACK)
def delete(desk: PhoneDesk) -> Any:
    """Delete the event that is open, and go back."""
    told = removed(desk, desk.shown["event_id"])
    desk.leave()
    return told


@APP.operation("read", USER, on=EDIT)
def set_title(desk: PhoneDesk, title: str) -> Any:
    """Set the title of the draft.

    Args:
        title: what the event is.
    """
    return _with(desk, title=title)


@APP.operation("read", USER, on=EDIT)
def set_time_range(desk: PhoneDesk, start_datetime: str, end_datetime: str) -> Any:
    """Set the times of the draft.

    Args:
        start_datetime: when the event begins, like 2026-03-09 14:00:00.
        end_datetime: when it ends.
    """
    return _with(desk, start_datetime=start_datetime, end_datetime=end_datetime)


@APP.operation("read", USER, on=EDIT)
def set_tag(desk: PhoneDesk, tag: str) -> Any:
    """Set the tag of the draft.

    Args:
        tag: the kind of event, in a word; empty for none.
    """
    return _with(desk, tag=tag)


@APP.operation("read", USER, on=EDIT)
def set_description(desk: PhoneDesk, description: str) -> Any:
    """Set the description of the draft.

    Args:
        description: more on the event; empty for nothing.
    """
    return _with(desk, description=description)


@APP.operation("read", USER, on=EDIT)
def set_location(desk: PhoneDesk, location: str) -> Any:
    """Set the place of the draft.

    Args:
        location: where the event is; empty for nowhere.
    """
    return _with(desk, location=location)


@APP.operation("read", USER, on=EDIT)
def set_attendees(desk: PhoneDesk, attendees: list[str]) -> Any:
    """Set who comes.

    Args:
        attendees: their names, instead of those before.
    """
    return _with(desk, attendees=attendees)


@APP.operation("read", USER, on=EDIT)
def add_attendee(desk: PhoneDesk, attendee: str) -> Any:
    """Add somebody who comes.

    Args:
        attendee: their name.
    """
    return _with(desk, attendees=[*desk.shown["attendees"], attendee])


@APP.operation("read", USER, on=EDIT)
def remove_attendee(desk: PhoneDesk, attendee: str) -> Any:
    """Take somebody from those who come.

    Args:
        attendee: their name, as the draft has it.
    """
    there = desk.shown["attendees"]
    if attendee.strip() not in there:
        raise ToolError(f"{attendee[:60]!r} is no attendee; attendees are: {', '.join(there) or 'none'}.")
    return _with(desk, attendees=[one for one in there if one != attendee.strip()])


@APP.operation("write", USER, on=EDIT, goto=BACK)
def save(desk: PhoneDesk) -> Any:
    """Save the draft as an event, and go back."""
    draft = {**desk.shown}
    number = draft.pop("event_id")
    told = added(desk, draft) if number is None else changed(desk, number, draft)
    desk.leave()
    return told


@APP.operation("read", USER, on=EDIT, goto=BACK)
def discard(desk: PhoneDesk) -> Any:
    """Throw the draft away, and go back."""
    desk.leave()
    return "Draft discarded."


def _agenda(desk: PhoneDesk) -> list[tuple[int, Row]]:
    """The events of the day that is shown, as its filters let them through."""
    shown = desk.shown
    return [
        (key, row)
        for key, row in events_on(desk, shown["day"] or desk.now[:10])
        if shown["tag"] in ("", row["tag"]) and (not shown["attendee"] or shown["attendee"] in row["attendees"])
    ]


def _turned(desk: PhoneDesk, **seen: str) -> dict[str, Any]:
    """The agenda seen otherwise: its first page."""
    desk.show(AGENDA, **{**desk.shown, **seen})
    return page(_agenda(desk), 0, 10, EVENTS, event_line)


def _opened(desk: PhoneDesk, event_id: int, row: Row) -> dict[str, Any]:
    desk.show(DETAIL, event_id=event_id)
    return whole_event(event_id, row)


def _open_event(desk: PhoneDesk) -> tuple[int, Row]:
    number: int = desk.shown["event_id"]
    return number, desk.need(EVENTS, number)


def _with(desk: PhoneDesk, **given: Any) -> dict[str, Any]:
    """The draft with something changed, as it is then; its times stay open until they were set."""
    draft = {**desk.shown, **given}
    known = checked(desk, {name: value for name, value in draft.items() if name != "event_id"})
    desk.revise(**{name: known[name] for name in given})
    return dict(desk.shown)
