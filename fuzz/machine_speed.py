"""How fast this machine is now, for limits in seconds that are meant for a quiet one."""

from __future__ import annotations

from time import process_time

#: Seconds in which the machine that the limits are meant for counts to a million.
MILLION_S = 0.03


def slowness() -> float:
    """The factor by which this machine is slower now than the one that the limits are meant for; 1 at least."""
    taken = []
    for _ in range(3):
        begin, total = process_time(), 0
        for number in range(1_000_000):
            total += number
        taken.append(process_time() - begin)
    return max(1.0, min(taken) / MILLION_S)
