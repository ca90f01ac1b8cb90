"""Logs of runs: what repeats measure, and when each of them ended."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from pi_gym.seeding import Stream


def repeated_values(stream: Stream, mean: int, spread: int, warm_up: tuple[int, int]) -> list[int]:
    """The values of a warm-up and of five repeats, which have exactly this mean.

    Args:
        stream: for everything that is drawn.
        mean: of the five, in the unit of the last digit that is kept.
        spread: by how much four of them may be off.
        warm_up: by how much the warm-up is too high, least and most.

    >>> warm_up, *repeats = repeated_values(Stream("runs"), 1200, 14, (35, 60))
    >>> sum(repeats), warm_up - 1200 in range(35, 61)
    (6000, True)
    """
    around = [stream.integer(-spread, spread) for _ in range(4)]
    shifts = [stream.integer(*warm_up), *stream.shuffled([*around, -sum(around)])]
    return [mean + shift for shift in shifts]


def ends_of_runs(stream: Stream, begin: datetime, minutes: tuple[int, int]) -> Iterator[datetime]:
    """The moments at which runs end that are made one after the other, without end.

    Args:
        stream: for everything that is drawn.
        begin: when the first one begins.
        minutes: of one run, least and most.

    >>> next(ends_of_runs(Stream("runs"), datetime(2026, 3, 3, 18, 20), (7, 7))).isoformat()
    '2026-03-03T18:27:00'
    """
    while True:
        begin += timedelta(minutes=stream.integer(*minutes))
        yield begin
