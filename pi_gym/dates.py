"""Days as people write them: one rule for files, references and templates."""

from __future__ import annotations

from datetime import date


def written_day(day: date | str, style: str) -> str:
    """A day in one of four styles.

    Args:
        day: the day, or its ISO date.
        style: "iso" (2026-03-05), "day-month" (5 March 2026), "month-day" (March 5, 2026) or "weekday" (Thursday, 5
            March).

    >>> written_day("2026-03-05", "day-month"), written_day(date(2026, 3, 5), "weekday")
    ('5 March 2026', 'Thursday, 5 March')
    """
    found = date.fromisoformat(day) if isinstance(day, str) else day
    if style == "iso":
        return found.isoformat()
    month = _MONTHS[found.month - 1]
    if style == "weekday":
        return f"{_WEEKDAYS[found.weekday()]}, {found.day} {month}"
    return f"{found.day} {month} {found.year}" if style == "day-month" else f"{month} {found.day}, {found.year}"


# Not the locale's.
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
