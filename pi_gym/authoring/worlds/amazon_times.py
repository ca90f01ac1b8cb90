"""The times at which strangers write something in the shop."""

from __future__ import annotations

from datetime import date, datetime, timedelta

from pi_gym.authoring.worlds.seed_rows import draw_day, moment
from pi_gym.seeding import Stream


def any_moment(begin: str, end: str, own: Stream) -> str:
    """A time on a day from the first on and before the last one."""
    return moment(draw_day(begin, (date.fromisoformat(end) - timedelta(days=1)).isoformat(), own), own)


def later_moment(moment: str, end: str, own: Stream) -> str:
    """Some hours to twelve days later, and no later than in the evening of the last day."""
    found = datetime.fromisoformat(moment) + timedelta(minutes=own.integer(50, 12 * 24 * 60))
    return min(found, datetime.fromisoformat(f"{end}T21:30:00")).isoformat(timespec="seconds")
