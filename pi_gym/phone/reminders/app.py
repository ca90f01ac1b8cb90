"""The app Reminders: its table, its screens, and how reminders are listed, shown and saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeAlias

from pi_gym.apps.columns import Column, TableSpec
from pi_gym.apps.times import moment
from pi_gym.phone.declare import PhoneApp, Screen
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

RepetitionUnit: TypeAlias = Literal["second", "minute", "hour", "day", "week", "month"]
MAX_REPETITION = 1_000
REMINDERS = "reminders"
#: What is set of a reminder, with the values of a draft in which nothing was written.
EMPTY_DRAFT: Mapping[str, Any] = {
    "title": "",
    "description": "",
    "due_datetime": "",
    "repetition_unit": None,
    "repetition_value": 1,
}

APP = PhoneApp(
    "Reminders",
    "the reminders",
    "Reminders with a due time, at which the phone tells its owner of them. One that repeats gets its next due time"
    " then; the others stay until they are deleted.",
    {
        REMINDERS: TableSpec(
            {
                "title": Column(str, "what it reminds of", max_chars=200),
                "description": Column(str, "more on it", ""),
                "due_datetime": Column(str, "when it is due, or due next, ISO 8601 with seconds"),
                "repetition_unit": Column(
                    RepetitionUnit | None, "second, minute, hour, day, week or month; null where it is due once", None
                ),
                "repetition_value": Column(int, "after how many units it is due again", 1),
                "time_notified": Column(str | None, "when its owner was last told of it, ISO 8601", None),
                # Months are counted from it, so that the 31st comes back after February.
                "repeats_from": Column(str, "its first due time, once it was repeated; else empty", ""),
            },
            noun="reminder",
            find="get_all_reminders",
        )
    },
    [
        Screen("ReminderList"),
        Screen("ReminderDetail", {"reminder_id": None}),
        Screen("EditReminder", {"reminder_id": None, **EMPTY_DRAFT}),
    ],
)
LIST, DETAIL, EDIT = "ReminderList", "ReminderDetail", "EditReminder"


def shown_reminder(reminder_id: int, row: Row) -> dict[str, Any]:
    """A reminder whole."""
    return {"reminder_id": reminder_id, **{name: value for name, value in row.items() if name != "repeats_from"}}


def listed(desk: PhoneDesk, keep: Callable[[Row], bool] = lambda _: True) -> dict[str, Any]:
    """The reminders that are kept, the one that is due first in front."""
    found = [pair for pair in desk.table(REMINDERS).rows() if keep(pair[1])]
    found.sort(key=lambda pair: (pair[1]["due_datetime"], pair[0]))
    return {REMINDERS: [shown_reminder(*pair) for pair in found], "total": len(found)}


def checked_repetition(unit: str | None, value: int | None) -> dict[str, Any]:
    """The columns of a repetition; ToolError where the count is out of range."""
    if unit is None:
        return {"repetition_unit": None, "repetition_value": 1}
    count = 1 if value is None else value
    if not 1 <= count <= MAX_REPETITION:
        raise ToolError(f"A reminder repeats after 1 to {MAX_REPETITION} units, not after {count}.")
    return {"repetition_unit": unit, "repetition_value": count}


def saved(desk: PhoneDesk, reminder_id: int | None, draft: Mapping[str, Any]) -> dict[str, Any]:
    """The result of saving a reminder.

    Args:
        desk: the app.
        reminder_id: which one changes; None for a new one.
        draft: the columns of `EMPTY_DRAFT`.

    Raises:
        ToolError: the title is empty, or the due time or the repetition is none.
    """
    if not draft["title"].strip():
        raise ToolError("title is empty; say what the reminder is for.")
    columns = {
        "title": draft["title"],
        "description": draft["description"],
        "due_datetime": moment(draft["due_datetime"], "due_datetime"),
        **checked_repetition(draft["repetition_unit"], draft["repetition_value"]),
    }
    if reminder_id is None:
        return {"message": "Reminder added.", "reminder_id": desk.insert(REMINDERS, **columns)}
    row = desk.need(REMINDERS, reminder_id)
    timing = ("due_datetime", "repetition_unit", "repetition_value")
    if any(columns[name] != row[name] for name in timing):
        columns["repeats_from"] = ""
    desk.update(REMINDERS, reminder_id, **columns)
    return {"message": f"Reminder {reminder_id} changed.", "reminder_id": reminder_id}


def removed(desk: PhoneDesk, reminder_id: int) -> str:
    """The result of deleting a reminder."""
    desk.need(REMINDERS, reminder_id)
    desk.delete(REMINDERS, reminder_id)
    return f"Reminder {reminder_id} deleted."
