"""The due times and durations of tasks."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.times import day, moment
from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MAX_DURATION = 10_000.0
_DATE_CHARS = len("2026-03-09")


def due(text: str) -> str | None:
    """A due date as it is kept: a date, or a time with seconds; None for an empty text.

    Raises:
        ToolError: it is neither.
    """
    cleaned = text.strip()
    if not cleaned:
        return None
    # Whatever is longer than a date is meant as a time, and its message names both forms.
    return day(cleaned, "due_date") if _is_day(cleaned) else moment(cleaned, "due_date")


def is_due_on(row: Row, today: str) -> bool:
    """Whether a task is due on a day, whatever the time."""
    return row["due_date"] is not None and row["due_date"][:_DATE_CHARS] == today


def is_overdue(row: Row, now: str) -> bool:
    """Whether an open task should have been done: its day, or its time where it has one, is over."""
    if row["due_date"] is None or row["is_completed"]:
        return False
    # A date is a prefix of the times of its day, so it is only overdue against the date of now.
    overdue: bool = row["due_date"] < (now[:_DATE_CHARS] if _is_day(row["due_date"]) else now)
    return overdue


def is_due_between(row: Row, first: str, last: str) -> bool:
    """Whether a task is due in a span of times; one with a date alone is due from its first second to its last."""
    when = row["due_date"]
    if when is None:
        return False
    start, end = (f"{when}T00:00:00", f"{when}T23:59:59") if _is_day(when) else (when, when)
    between: bool = end >= first and start <= last
    return between


def lasting(duration: float | None, unit: str | None, old: Row | None = None) -> dict[str, Any]:
    """The columns of a duration that was given, none where nothing was.

    Args:
        duration: how long; 0 takes an old duration away.
        unit: in which unit.
        old: the task as it is; what it has need not be given again.

    Raises:
        ToolError: one is given without the other, or the duration is no length of time.
    """
    if duration is None and unit is None:
        return {}
    if old is not None and duration == 0:
        return {"duration": None, "duration_unit": None}
    if duration is None and old is not None:
        duration = old["duration"]
    if unit is None and old is not None:
        unit = old["duration_unit"]
    if duration is None:
        raise ToolError(f"duration_unit {unit!r} needs a duration; give both or none.")
    if unit is None:
        raise ToolError(f"duration {duration:g} needs a duration_unit: minutes, hours or days; give both or none.")
    if not 0 < duration <= MAX_DURATION:
        raise ToolError(f"duration must be above 0 and at most {MAX_DURATION:g} {unit}, not {duration:g}.")
    return {"duration": float(duration), "duration_unit": unit}


def _is_day(text: str) -> bool:
    return len(text) <= _DATE_CHARS
