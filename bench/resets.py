"""The cost of a reset: of a variant that is known, and of one that is new."""

from __future__ import annotations

from measure import Figure, timed_us
from subject import Subject

from pi_gym.pibench.history import earlier_sessions

CACHED_US = 1_000.0
COLD_MS = 50.0
FIRST_FRESH = 50_000


def measure(subject: Subject) -> list[Figure]:
    """Cached resets over all tasks; cold ones of the task with the longest history, by session of that history."""
    env = subject.env()
    warm = [{"task": name, "variant": 0} for name in subject.task_ids]
    for options in warm:
        env.reset(options=options)
    cached = [
        timed_us(lambda options=options: env.reset(options=options))  # type: ignore[misc]
        for _ in range(subject.size(100, 2))
        for options in warm
    ]
    task_id = max(subject.task_ids, key=lambda name: len(earlier_sessions(subject.pack, name, FIRST_FRESH)))
    length = len(earlier_sessions(subject.pack, task_id, FIRST_FRESH)) + 1
    cold: list[float] = []
    for variant in range(FIRST_FRESH, FIRST_FRESH + subject.size(20, 2)):
        options = {"task": task_id, "variant": variant}
        cold.append(timed_us(lambda options=options: env.reset(options=options)) / 1e3 / length)  # type: ignore[misc]
    return [
        Figure("reset", "reset, variant cached", "us", tuple(cached), CACHED_US),
        Figure(
            "reset",
            "reset, variant new, per session of history",
            "ms",
            tuple(cold),
            COLD_MS,
            note=f"{task_id}: {length} sessions, itself included, divide the time",
        ),
    ]
