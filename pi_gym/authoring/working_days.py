"""Working days, counted back from a day."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date, timedelta


def working_day_before(day: date | str, back: int, shut: Collection[date] = ()) -> date:
    """The working day so many working days before a day; the day itself, whatever it is, where that is none.

    Args:
        day: the day, or its ISO date.
        back: how many working days.
        shut: days of the week on which nobody works.

    >>> str(working_day_before("2026-04-07", 2, [date(2026, 4, 6)]))
    '2026-04-02'
    """
    found = date.fromisoformat(day) if isinstance(day, str) else day
    while back > 0:
        found -= timedelta(days=1)
        back -= found.weekday() < 5 and found not in shut
    return found
