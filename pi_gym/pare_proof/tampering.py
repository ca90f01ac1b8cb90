"""Tampering with a model solution: calls left out, made twice or changed, and harm done beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from pi_gym.pare.agent_tools import all_agent_tools
from pi_gym.pare.scenario import Scenario
from pi_gym.seeding import Stream
from pi_gym.types import ToolCall

#: What harms a row, by app and table: the operation, and the parameter that gets the row's id.
HARMS = {
    ("Apartment", "apartments"): ("Apartment__save_apartment", "apartment_id"),
    ("Calendar", "events"): ("Calendar__delete_calendar_event", "event_id"),
    ("Contacts", "contacts"): ("Contacts__delete_contact", "contact_id"),
    ("Emails", "emails"): ("Emails__delete_email", "email_id"),
    ("Notes", "notes"): ("Notes__delete_note", "note_id"),
    ("Reminders", "reminders"): ("Reminders__delete_reminder", "reminder_id"),
    ("Shopping", "cart"): ("Shopping__remove_from_cart", "item_id"),
    ("Shopping", "orders"): ("Shopping__cancel_order", "order_id"),
}
_OWN_CARD = ("Contacts", 1)
_OTHER_TEXT = "Hello."
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?")


def writes(call: ToolCall) -> bool:
    """Whether a call of the agent's changes something."""
    return all_agent_tools().get(call.name).effect == "write"


def is_moment(text: str) -> bool:
    """Whether a text is a moment, as rows and arguments have them."""
    return _MOMENT.fullmatch(text) is not None


def changed_calls(call: ToolCall) -> Iterator[tuple[str, ToolCall]]:
    """The same call with one argument changed, each with the argument's name and its new value as text."""
    for name, value in call.arguments.items():
        for other in _others(value):
            yield f"{name} = {other!r}", ToolCall(call.name, {**call.arguments, name: other})


def _others(value: Any) -> Iterator[Any]:
    if isinstance(value, bool):
        yield not value
    elif isinstance(value, int):
        yield from (value + 1, value - 1)
    elif isinstance(value, float):
        yield value + 1
    elif isinstance(value, str) and is_moment(value):
        moment = datetime.fromisoformat(value)
        for step in (timedelta(days=1), timedelta(hours=-1)):
            yield (moment + step).strftime("%Y-%m-%d %H:%M:%S")
    elif isinstance(value, str) and value:
        yield _OTHER_TEXT
    elif isinstance(value, list) and value:
        yield value[1:] or [_OTHER_TEXT]


def harms(scenario: Scenario, stream: Stream) -> Iterator[ToolCall]:
    """Calls each of which harms what is none of the scenario's business: of each table a row, and new ones."""
    for (app, table), (name, parameter) in HARMS.items():
        kept = scenario.keep.get((app, table), frozenset())
        if kept is None:
            continue
        rows = [
            (key, row)
            for key, row in scenario.world.apps[app].table(table).rows()
            if key not in kept and (app, key) != _OWN_CARD and _can_be_harmed(table, row)
        ]
        if rows:
            key, row = rows[stream.child(app, table).integer(0, len(rows) - 1)]
            yield ToolCall(name, {parameter: row["item"] if table == "cart" else key})
    yield from (call for key, call in _MORE.items() if not _may_create(scenario, *key))


def _can_be_harmed(table: str, row: Any) -> bool:
    if table == "apartments":
        return not row["saved"]
    if table == "orders":
        return str(row["status"]) == "processed"
    return True


def _may_create(scenario: Scenario, app: str, table: str) -> bool:
    kept = scenario.keep.get((app, table), frozenset())
    return kept is None or "created" in kept


#: Calls that make a row where none is to be made.
_MORE = {
    ("Reminders", "reminders"): ToolCall(
        "Reminders__add_reminder", {"title": "More", "due_datetime": "2026-06-01 10:00:00", "description": ""}
    ),
    ("Messages", "messages"): ToolCall("Messages__send_message", {"user_id": 2, "content": "By the way!"}),
    ("Emails", "emails"): ToolCall(
        "Emails__send_email", {"recipients": ["news@kulturbrief.example"], "subject": "Hello", "content": "By the way!"}
    ),
    ("Cab", "rides"): ToolCall(
        "Cab__order_ride", {"start_location": "Home", "end_location": "Central Station", "service_type": "Default"}
    ),
    ("Notes", "notes"): ToolCall("Notes__create_note", {"title": "More", "content": "By the way!"}),
}
