"""Working days, counted from a day, and weekdays."""

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
    return _moved(day, back, -1, shut)


def working_day_after(day: date | str, on: int, shut: Collection[date] = ()) -> date:
    """The working day so many working days after a day; arguments as of `working_day_before`.

    >>> str(working_day_after("2026-05-13", 1, [date(2026, 5, 14), date(2026, 5, 15)]))
    '2026-05-18'
    """
    return _moved(day, on, 1, shut)


def next_weekday(day: date | str, weekdays: Collection[int], shut: Collection[date] = ()) -> date:
    """The first working day from a day on, that day included, that is one of some weekdays.

    Args:
        day: the day, or its ISO date.
        weekdays: 0 is Monday, 4 Friday.
        shut: days of the week on which nobody works.

    Raises:
        ValueError: none of the weekdays is one of Monday to Friday.

    >>> str(next_weekday("2026-05-08", [1])), str(next_weekday("2026-05-08", [4]))
    ('2026-05-12', '2026-05-08')
    """
    if not {*weekdays} & {*range(5)}:
        raise ValueError(f"expected weekdays from 0 (Monday) to 4 (Friday), got {[*weekdays]}")
    found = date.fromisoformat(day) if isinstance(day, str) else day
    while found.weekday() not in weekdays or not is_working_day(found, shut):
        found += timedelta(days=1)
    return found


def is_working_day(day: date, shut: Collection[date] = ()) -> bool:
    """Whether it is a day from Monday to Friday on which people work."""
    return day.weekday() < 5 and day not in shut


def _moved(day: date | str, count: int, step: int, shut: Collection[date]) -> date:
    found = date.fromisoformat(day) if isinstance(day, str) else day
    while count > 0:
        found += timedelta(days=step)
        count -= is_working_day(found, shut)
    return found
