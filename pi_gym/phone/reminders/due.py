"""Reminders that fall due: which ones, what the phone shows of them, and when they are due again."""

from __future__ import annotations

from calendar import monthrange
from datetime import datetime, timedelta
from typing import Any

from pi_gym.phone.declare import EVENT
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.phone.reminders.app import APP, REMINDERS
from pi_gym.phone.showing import in_lines, named
from pi_gym.state.tables import Row, Table
from pi_gym.tools.declare import ToolError


def due_reminders(table: Table, until: str) -> list[tuple[str, int]]:
    """The reminders of whose due time the owner has not been told, as (due time, id), in order.

    Args:
        table: the reminders. One that repeats stands with its next due time only; the one after that is known when
            `fall_due` has happened.
        until: the last due time that counts, ISO 8601 with seconds.
    """
    return sorted(
        (row["due_datetime"], key)
        for key, row in table.rows()
        if row["due_datetime"] <= until and (row["time_notified"] or "") < row["due_datetime"]
    )


@APP.operation("write", EVENT)
def fall_due(desk: PhoneDesk, reminder_id: int) -> Any:
    """A reminder falls due: its owner is told of it, and one that repeats gets its next due time.

    Args:
        reminder_id: the reminder's id.
    """
    row = desk.need(REMINDERS, reminder_id)
    if row["due_datetime"] > desk.now:
        raise ToolError(f"The reminder {reminder_id} is due at {row['due_datetime']}; it is {desk.now} now.")
    changes = {"time_notified": desk.now}
    if row["repetition_unit"] is not None:
        changes["repeats_from"] = row["repeats_from"] or row["due_datetime"]
        changes["due_datetime"] = next_due(row, desk.now)
    desk.update(REMINDERS, reminder_id, **changes)
    facts = named(
        reminder_id=str(reminder_id),
        due=row["due_datetime"],
        next_due=changes.get("due_datetime", ""),
        description=row["description"],
    )
    head = f"Reminder: {row['title']}"
    desk.notify(head, in_lines(head, facts))
    return {"message": f"Reminder {reminder_id} has fallen due.", "due_datetime": changes.get("due_datetime")}


def next_due(row: Row, now: str) -> str:
    """The first due time of a repeating reminder that lies after a moment, ISO 8601 with seconds.

    Months are counted from the first due time, so a reminder of the 31st is due on the last day of a shorter month,
    and on the 31st again after it.

    Args:
        row: the reminder.
        now: the moment, not before its due time.
    """
    first, after = datetime.fromisoformat(row["repeats_from"] or row["due_datetime"]), datetime.fromisoformat(now)
    unit, value = row["repetition_unit"], row["repetition_value"]
    if unit != "month":
        step = timedelta(**{f"{unit}s": value})
        return (first + ((after - first) // step + 1) * step).isoformat(timespec="seconds")
    passed = (after.year - first.year) * 12 + after.month - first.month
    count = passed // value * value
    due = _months_later(first, count)
    return (due if due > after else _months_later(first, count + value)).isoformat(timespec="seconds")


def _months_later(first: datetime, months: int) -> datetime:
    year, month = divmod(first.year * 12 + first.month - 1 + months, 12)
    return first.replace(year=year, month=month + 1, day=min(first.day, monthrange(year, month + 1)[1]))
