"""The operations on the reminders: an agent's, and the owner's by screen."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.times import moment
from pi_gym.phone.declare import USER
from pi_gym.phone.navigation import BACK, ROOT
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.reminders.app import (
    APP,
    DETAIL,
    EDIT,
    EMPTY_DRAFT,
    LIST,
    REMINDERS,
    RepetitionUnit,
    checked_repetition,
    listed,
    removed,
    saved,
    shown_reminder,
)
from pi_gym.tools.declare import ToolError


@APP.operation("read", USER, on=LIST, name="list_all_reminders")
@APP.operation("read")
def get_all_reminders(desk: PhoneDesk) -> Any:
    """List all reminders, the one that is due first in front."""
    return listed(desk)


@APP.operation("read", USER, on=LIST, name="list_due_reminders")
@APP.operation("read")
def get_due_reminders(desk: PhoneDesk) -> Any:
    """List the reminders whose due time has come; one that repeats stands at its next due time."""
    return listed(desk, lambda row: row["due_datetime"] <= desk.now)


@APP.operation("write")
def add_reminder(
    desk: PhoneDesk,
    title: str,
    due_datetime: str,
    description: str,
    repetition_unit: RepetitionUnit | None = None,
    repetition_value: int | None = 1,
) -> Any:
    """Add a reminder.

    Args:
        title: what it reminds of.
        due_datetime: when it is due, like 2026-03-09 14:00:00.
        description: more on it; may be empty.
        repetition_unit: the unit after which it is due again; null where it is due once.
        repetition_value: after how many units it is due again, 1 to 1000.
    """
    return saved(desk, None, {name: value for name, value in locals().items() if name != "desk"})


@APP.operation("write")
def update_reminder(
    desk: PhoneDesk,
    reminder_id: int,
    title: str,
    description: str,
    due_datetime: str,
    repetition_unit: RepetitionUnit | None,
    repetition_value: int | None,
) -> Any:
    """Change a reminder; everything is set anew.

    Args:
        reminder_id: the reminder's id.
        title: what it reminds of.
        description: more on it; may be empty.
        due_datetime: when it is due, like 2026-03-09 14:00:00.
        repetition_unit: the unit after which it is due again; null where it is due once.
        repetition_value: after how many units it is due again, 1 to 1000; null for 1.
    """
    return saved(desk, reminder_id, {name: value for name, value in locals().items() if name != "desk"})


@APP.operation("write")
def delete_reminder(desk: PhoneDesk, reminder_id: int) -> Any:
    """Delete a reminder.

    Args:
        reminder_id: the reminder's id.
    """
    return removed(desk, reminder_id)


@APP.operation("write")
def delete_all_reminders(desk: PhoneDesk) -> Any:
    """Delete all reminders."""
    numbers = [number for number, _ in desk.table(REMINDERS).rows()]
    for number in numbers:
        desk.delete(REMINDERS, number)
    return {"message": "All reminders deleted.", "deleted": len(numbers)}


@APP.operation("read", USER, on=LIST)
def list_upcoming_reminders(desk: PhoneDesk) -> Any:
    """List the reminders whose due time is still to come."""
    return listed(desk, lambda row: row["due_datetime"] > desk.now)


@APP.operation("read", USER, on=LIST, goto=DETAIL)
def open_reminder(desk: PhoneDesk, reminder_id: int) -> Any:
    """Open a reminder.

    Args:
        reminder_id: the reminder's id.
    """
    row = desk.need(REMINDERS, reminder_id)
    desk.show(DETAIL, reminder_id=reminder_id)
    return shown_reminder(reminder_id, row)


@APP.operation("read", USER, on=LIST, goto=EDIT)
def create_new(desk: PhoneDesk) -> Any:
    """Begin a new reminder, as a draft."""
    desk.show(EDIT, reminder_id=None, **EMPTY_DRAFT)
    return "An empty draft."


@APP.operation("read", USER, on=DETAIL, goto=EDIT)
def edit(desk: PhoneDesk) -> Any:
    """Change the reminder that is open, as a draft."""
    number = desk.shown["reminder_id"]
    row = desk.need(REMINDERS, number)
    draft = {"reminder_id": number, **{name: row[name] for name in EMPTY_DRAFT}}
    desk.show(EDIT, **draft)
    return draft


@APP.operation("write", USER, on=DETAIL, goto=ROOT)
def delete(desk: PhoneDesk) -> Any:
    """Delete the reminder that is open, and go to the list."""
    told = removed(desk, desk.shown["reminder_id"])
    desk.close()
    return told


@APP.operation("read", USER, on=EDIT)
def set_title(desk: PhoneDesk, title: str) -> Any:
    """Set the title of the draft.

    Args:
        title: what it reminds of.
    """
    if not title.strip():
        raise ToolError("title is empty; say what the reminder is for.")
    return _with(desk, title=title)


@APP.operation("read", USER, on=EDIT)
def set_description(desk: PhoneDesk, description: str) -> Any:
    """Set the description of the draft.

    Args:
        description: more on it; may be empty.
    """
    return _with(desk, description=description)


@APP.operation("read", USER, on=EDIT)
def set_due_datetime(desk: PhoneDesk, due_datetime: str) -> Any:
    """Set the due time of the draft.

    Args:
        due_datetime: when it is due, like 2026-03-09 14:00:00.
    """
    return _with(desk, due_datetime=moment(due_datetime, "due_datetime"))


@APP.operation("read", USER, on=EDIT)
def set_repetition(desk: PhoneDesk, unit: RepetitionUnit | None, value: int | None = None) -> Any:
    """Set when the draft is due again.

    Args:
        unit: the unit after which it is due again; null where it is due once.
        value: after how many units, 1 to 1000; null for 1.
    """
    return _with(desk, **checked_repetition(unit, value))


@APP.operation("write", USER, on=EDIT, goto=(BACK, DETAIL))
def save(desk: PhoneDesk) -> Any:
    """Save the draft, and look at the reminder."""
    draft = desk.shown
    told = saved(desk, draft["reminder_id"], draft)
    desk.leave()
    if draft["reminder_id"] is None:
        desk.show(DETAIL, reminder_id=told["reminder_id"])
    return told


@APP.operation("read", USER, on=EDIT, goto=BACK)
def cancel(desk: PhoneDesk) -> Any:
    """Throw the draft away, and go back."""
    desk.leave()
    return "Nothing was saved."


def _with(desk: PhoneDesk, **changed: Any) -> dict[str, Any]:
    """The draft with something changed, as it is then."""
    desk.revise(**changed)
    return dict(desk.shown)
