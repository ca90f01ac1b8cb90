"""Times of day for dated rows, and dates that nobody fixed."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from pi_gym.seeding import Stream

OLDEST, NEWEST = date(2023, 5, 2), date(2026, 2, 26)


def moment(day: str, own: Stream) -> str:
    """A day at a drawn time between seven and eleven."""
    return f"{day}T{own.integer(7, 22):02d}:{own.integer(0, 59):02d}:{own.integer(0, 59):02d}"


def any_moment(own: Stream) -> str:
    """A time on a drawn day of the catalogue's years."""
    return moment((OLDEST + timedelta(days=own.integer(0, (NEWEST - OLDEST).days))).isoformat(), own)


def later(moment: str, own: Stream) -> str:
    """Some hours to twelve days later, and before the first session."""
    found = datetime.fromisoformat(moment) + timedelta(minutes=own.integer(50, 12 * 24 * 60))
    return min(found, datetime(2026, 2, 27, 21, 30)).isoformat(timespec="seconds")
