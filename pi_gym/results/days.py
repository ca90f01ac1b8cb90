"""The days and times that a text names, in any usual way of writing them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from pi_gym.predicates.patterns import Match, regex

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS)
_DAY = regex(
    r"(?P<iso>\b(?P<y1>[0-9]{4})-(?P<m1>[0-9]{2})-(?P<d1>[0-9]{2})\b)"
    rf"|(?P<dm>\b(?P<d2>[0-9]{{1,2}})(?:st|nd|rd|th|\.)?(?:\s+of)?\s+(?P<n2>{_MONTH})\b\.?(?:,?\s+(?P<y2>[0-9]{{4}})\b)?)"
    rf"|(?P<md>\b(?P<n3>{_MONTH})\.?\s+(?P<d3>[0-9]{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(?P<y3>[0-9]{{4}})\b)?)"
    r"|(?P<fig>\b(?P<d4>[0-9]{1,2})(?P<sep>[./])(?P<m4>[0-9]{1,2})(?:\.?|/)(?P<y4>[0-9]{4})?\b)",
    case=False,
)
_TIME = regex(
    r"\b(?:(?P<h>[01]?[0-9]|2[0-3])[:.h](?P<m>[0-5][0-9])|(?P<h12>1[0-2]|0?[1-9]))\s*(?P<half>[ap]\.?m\b\.?)?",
    case=False,
)
MAX_DAYS = 400


@dataclass(frozen=True, slots=True)
class WrittenDay:
    """A day as it stands in a text.

    Args:
        month, day: which.
        year: None where it is not written.
        style: "iso" (2026-04-09), "day-month" (9 April 2026), "month-day" (April 9, 2026) or "figures" (9.4.).
        start, end: where it stands.
    """

    month: int
    day: int
    year: int | None
    style: str
    start: int
    end: int

    def is_day(self, iso: str) -> bool:
        """Whether it is this day; a year that is not written is any."""
        year, month, day = map(int, iso[:10].split("-"))
        return (self.month, self.day) == (month, day) and self.year in (None, year)


@lru_cache(maxsize=64)
def written_days(text: str) -> tuple[WrittenDay, ...]:
    """The days that a text names, in order; at most `MAX_DAYS`.

    >>> [(one.month, one.day, one.style) for one in written_days("by 9 April, or on 2026-05-02; not May 3rd")]
    [(4, 9, 'day-month'), (5, 2, 'iso'), (5, 3, 'month-day')]
    """
    found = []
    for match in _DAY.finditer(text):
        one = _read(match)
        if one is not None:
            found.append(one)
            if len(found) == MAX_DAYS:
                break
    return tuple(found)


def _read(match: Match) -> WrittenDay | None:
    for style, place in (("iso", "1"), ("day-month", "2"), ("month-day", "3"), ("figures", "4")):
        if match.group({"1": "iso", "2": "dm", "3": "md", "4": "fig"}[place]) is None:
            continue
        day, year = int(match.group(f"d{place}") or 0), match.group(f"y{place}")
        if place in "14":
            month = int(match.group(f"m{place}") or 0)
        else:
            month = 1 + [name[:3] for name in _MONTHS].index((match.group(f"n{place}") or "")[:3].lower())
        # "3.4" is a number more often than a day; figures are a day with a point behind them, a slash or a year.
        if style == "figures" and not year and match.group("sep") == "." and not (match.group(0) or "").endswith("."):
            return None
        if style == "figures" and match.group("sep") == "/" and month > 12:
            month, day = day, month
        if not (1 <= month <= 12 and 1 <= day <= 31):
            return None
        return WrittenDay(month, day, int(year) if year else None, style, match.start(), match.end())
    return None


@lru_cache(maxsize=64)
def written_times(text: str) -> tuple[int, ...]:
    """The times of day that a text names, in minutes, in order.

    >>> written_times("at 14:45, or 2:45 pm; 9 am")
    (885, 885, 540)
    """
    found = []
    for match in _TIME.finditer(text):
        half = (match.group("half") or "").lower()[:1]
        hour, minute = match.group("h"), match.group("m")
        if hour is None and not half:
            continue
        value = int(hour or match.group("h12") or 0)
        if half and value <= 12:
            value = value % 12 + (12 if half == "p" else 0)
        found.append(value * 60 + int(minute or 0))
    return tuple(found)


def one_day(text: str) -> tuple[int, int] | None:
    """Month and day of a text that is a day and little else, such as a cell; None where it is none."""
    found = written_days(text)
    return (found[0].month, found[0].day) if len(found) == 1 and len(text) <= 32 else None
