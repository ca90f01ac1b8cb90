"""The figures of one subject, measured in a process of its own; the last line printed is JSON.

    python probe.py times|live MODULE:CLASS SIZES

Run by `bench/peers.py` with the interpreter of the subject's environment, so nothing but the standard library is
imported here. SIZES is a JSON object: `resets`, `long` sessions, `lengths` and `window` of their steps, `live` sessions
over `worlds`.
"""

from __future__ import annotations

import gc
import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import median
from time import perf_counter_ns, process_time_ns
from typing import Any, Protocol

STEPS_OF_LIVE = 5
LONG_SECONDS = 10  # no further long session is begun after that

Spent = tuple[float, float]  # wall and CPU time of the whole process, all its threads, in microseconds


class LiveSession(Protocol):
    """A session of a subject, open from its making to `close`.

    Args:
        world: the world that it opens in, by number; one that this process has not opened yet is made anew.
    """

    def __init__(self, world: int) -> None: ...

    def again(self) -> None:
        """Open the same world again, in the fastest way that the subject has."""

    def read(self) -> None:
        """Take the step that reads one record."""

    def write(self, number: int) -> None:
        """Take the step that writes one record."""

    def close(self) -> None:
        """End the session, its threads with it."""


def main() -> None:
    """Import the subject, measure it, print."""
    kind, _, sizes = sys.argv[1], sys.argv[2], json.loads(sys.argv[3])
    module, _, name = sys.argv[2].partition(":")
    found: list[Any] = []
    imported = timed(lambda: found.append(getattr(import_module(module), name)))
    measure = {"times": times, "live": live}[kind]
    print(json.dumps(measure(found[0], sizes, imported)), flush=True)


def times(session_type: type[LiveSession], sizes: dict[str, Any], imported: Spent) -> dict[str, Spent]:
    """The median times of imports, resets and steps, in microseconds."""
    found: list[LiveSession] = []
    opened = timed(lambda: found.append(session_type(0)))
    session = found[0]
    fresh = []
    for world in range(1, sizes["resets"] + 1):
        fresh.append(timed(lambda world=world: found.append(session_type(world))))  # type: ignore[misc]
        found.pop().close()
    again = [timed(session.again) for _ in range(sizes["resets"])]
    spent: dict[str, list[Spent]] = {}
    deadline = perf_counter_ns() + LONG_SECONDS * 10**9
    for _ in range(sizes["long"]):
        session.again()
        for length, kind, step in long_session(session, sizes):
            spent.setdefault(f"{kind} step after {length:,} steps", []).append(step)
        if perf_counter_ns() > deadline:
            break
    session.close()
    return {
        "import": imported,
        "import to the first session": (imported[0] + opened[0], imported[1] + opened[1]),
        "reset, fresh world": medians(fresh),
        "reset, world at hand": medians(again),
    } | {name: medians(steps) for name, steps in sorted(spent.items(), key=lambda item: len(item[0]))}


def long_session(session: LiveSession, sizes: dict[str, Any]) -> Iterator[tuple[int, str, Spent]]:
    """Writes and reads in turns: the length reached, the kind and the time of those that are within a window."""
    for number in range(max(sizes["lengths"]) + sizes["window"]):
        kind = "read" if number % 2 else "write"
        step = timed(session.read if kind == "read" else lambda number=number: session.write(number))  # type: ignore[misc]
        for length in sizes["lengths"]:
            if length <= number < length + sizes["window"]:
                yield length, kind, step


def live(session_type: type[LiveSession], sizes: dict[str, Any], imported: Spent) -> dict[str, float]:
    """What each further live session adds to this process, in kB of resident memory and in threads."""
    sessions = [played(session_type, world) for world in range(sizes["worlds"])]
    gc.collect()
    level = status("VmRSS"), status("Threads")
    sessions += [played(session_type, number % sizes["worlds"]) for number in range(sizes["live"])]
    gc.collect()
    # VmRSS is in KiB; kB here are 1,000 bytes.
    return {
        "memory per live session": (status("VmRSS") - level[0]) * 1.024 / sizes["live"],
        "threads per live session": (status("Threads") - level[1]) / sizes["live"],
    }


def played(session_type: type[LiveSession], world: int) -> LiveSession:
    """A session with a few steps behind it."""
    session = session_type(world)
    for number in range(STEPS_OF_LIVE):
        session.read() if number % 2 else session.write(number)
    return session


def timed(call: Callable[[], object]) -> Spent:
    """The time of one call."""
    wall, cpu = perf_counter_ns(), process_time_ns()
    call()
    return (perf_counter_ns() - wall) / 1e3, (process_time_ns() - cpu) / 1e3


def medians(samples: list[Spent]) -> Spent:
    """The medians of wall and of CPU time."""
    walls, cpus = zip(*samples, strict=True)
    return median(walls), median(cpus)


def status(field: str) -> int:
    """A number of this process's status (Linux)."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{field}:"))


if __name__ == "__main__":
    main()
