"""The app Phone: its tables, signing in, and the clock."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal, TypeAlias

from pi_gym.apps.columns import ACCOUNTS, Column, TableSpec
from pi_gym.apps.declare import App
from pi_gym.apps.desk import Desk

Weekday: TypeAlias = Literal["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

_FIELD_CHARS = 200
CONTACTS = TableSpec(
    {
        "account": Column(int, "the id of the account whose address book it stands in", 1, ACCOUNTS),
        "first_name": Column(str, "the first name, or that of a business", max_chars=_FIELD_CHARS),
        "last_name": Column(str, "the last name; empty where it is not known", "", max_chars=_FIELD_CHARS),
        "phone_number": Column(str, "the number, digits only; one contact an account has it"),
        "email": Column(str, "the e-mail address; empty where it is not known", "", max_chars=_FIELD_CHARS),
        "relationships": Column(list[str], "what they are to the account's holder", []),
        "birthday": Column(str, "date of birth, ISO 8601; empty where it is not known", ""),
        "home_address": Column(str, "where they live; empty where it is not known", "", max_chars=_FIELD_CHARS),
        "work_address": Column(str, "where they work; empty where it is not known", "", max_chars=_FIELD_CHARS),
    },
    noun="contact",
    find="search_contacts",
    owner="account",
)
MESSAGES = TableSpec(
    {
        "sender": Column(str, "the number that sent it, digits only"),
        "receiver": Column(str, "the number that it was sent to, digits only"),
        "message": Column(str, "its text", max_chars=500),
        "sent_at": Column(str, "when, ISO 8601", "2026-01-01T09:00:00"),
    },
    noun="text message",
    find="search_text_messages",
)
ALARMS = TableSpec(
    {
        "account": Column(int, "the id of the account whose phone rings", 1, ACCOUNTS),
        "time": Column(str, "when it rings, HH:MM"),
        "repeat_days": Column(list[Weekday], "on which days; none for an alarm that rings once", []),
        "label": Column(str, "what it says", "", max_chars=200),
        "enabled": Column(bool, "whether it is on", True),
        "snooze_minutes": Column(int, "how long it waits after snoozing, 0 to 60; 0 for no snoozing", 5),
        "vibration": Column(bool, "whether it vibrates", True),
    },
    noun="alarm",
    owner="account",
)

APP = App(
    "phone",
    "Phone",
    "Contacts, text messages and alarms. One signs in with the phone number. A text message goes to any number that has"
    " a phone account or stands in the contacts, and lies with both sides; numbers are compared by their digits. Every"
    " account sees its own contacts, alarms and conversations only.",
    {"contacts": CONTACTS, "messages": MESSAGES, "alarms": ALARMS},
    username="phone_number",
    service="the phone",
)


@APP.operation("read", open=False)
def get_current_date_and_time(desk: Desk) -> Any:
    """Show what day and time it is now; this works without signing in.

    The result has date (like 2026-03-09), time (24 hours, like 14:05:00), weekday, and both as datetime, in the form
    that show_text_message_window takes.
    """
    now = datetime.fromisoformat(desk.now)
    return {
        "datetime": now.isoformat(timespec="seconds"),
        "date": now.date().isoformat(),
        "time": now.time().isoformat(timespec="seconds"),
        # Not by strftime: names of days must not depend on the locale.
        "weekday": WEEKDAYS[now.weekday()].capitalize(),
    }


WEEKDAYS: tuple[Weekday, ...] = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
