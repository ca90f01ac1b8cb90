"""Days as people write them: one rule for files, references and templates."""

from __future__ import annotations

from datetime import date


def written_day(day: date | str, style: str) -> str:
    """A day in one of three styles.

    Args:
        day: the day, or its ISO date.
        style: "iso" (2026-03-05), "day-month" (5 March 2026) or "month-day" (March 5, 2026).

    >>> written_day("2026-03-05", "day-month"), written_day(date(2026, 3, 5), "month-day")
    ('5 March 2026', 'March 5, 2026')
    """
    found = date.fromisoformat(day) if isinstance(day, str) else day
    if style == "iso":
        return found.isoformat()
    month = _MONTHS[found.month - 1]
    return f"{found.day} {month} {found.year}" if style == "day-month" else f"{month} {found.day}, {found.year}"


# Not the locale's.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
