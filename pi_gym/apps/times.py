"""Dates and times that agents write: bounds of lists, due dates, birthdays."""

from __future__ import annotations

from datetime import date, datetime, time

from pi_gym.tools.declare import ToolError

_DAY, _MOMENT = "a date like 2026-03-09", "a time like 2026-03-09T14:05"


def day(text: str, name: str) -> str:
    """A date, ISO 8601; ToolError where it is none."""
    try:
        return date.fromisoformat(text.strip()).isoformat()
    except ValueError:
        raise ToolError(f"{name} must be {_DAY}, not {text[:60]!r}.") from None


def moment(text: str, name: str, *, end_of_day: bool = False) -> str:
    """A time of the session's clock, ISO 8601 with seconds.

    Args:
        text: a time, or a date alone, which stands for its first second.
        name: the parameter, for the message.
        end_of_day: a date alone stands for its last second instead.

    Raises:
        ToolError: it is neither, or has a time zone.
    """
    cleaned = text.strip().replace(" ", "T", 1)
    try:
        found = datetime.fromisoformat(cleaned)
        alone = _is_date(cleaned)
        if not alone and "T" not in cleaned:  # Python takes any letter between date and time
            raise ValueError
    except ValueError:
        raise ToolError(f"{name} must be {_DAY} or {_MOMENT}, not {text[:60]!r}.") from None
    if found.tzinfo is not None:
        raise ToolError(f"{name} must be a local time without a zone, like 2026-03-09T14:05, not {text[:60]!r}.")
    if end_of_day and alone:
        found = datetime.combine(found.date(), time(23, 59, 59))
    return found.isoformat(timespec="seconds")


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def between(low: str, high: str, names: tuple[str, str]) -> tuple[str, str]:
    """Bounds of a list as times that compare as texts; an empty one, or one far away, bounds nothing.

    Args:
        low: the first moment that counts.
        high: the last one; a date alone counts to its end.
        names: the two parameters, for messages.

    Raises:
        ToolError: a bound is neither date nor time, or the first lies behind the last.
    """
    first = moment(low, names[0]) if low.strip() else ""
    last = moment(high, names[1], end_of_day=True) if high.strip() else "9999-12-31T23:59:59"
    if first > last:
        raise ToolError(f"{names[0]} ({low}) lies behind {names[1]} ({high}); nothing can be between them.")
    return first, last
