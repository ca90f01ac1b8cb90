"""Sessions in fresh worlds: resets to variants that were never opened, and whole sessions in them, reset included.

    python bench/fresh.py                                   # this environment
    python bench/fresh.py --against OTHER/.venv/bin/python  # beside another version's, in turns, with ratios

The worlds are drawn as training draws them: seeded resets of the train split, history by references; no world is opened
twice. All is CPU time of one process. Commands are answered with what the reference declares of them, so that no
sandbox is in the figures.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from statistics import mean
from time import process_time

import against
from measure import Figure
from subject import Subject, play_reference

FIRST_SEED = 7
SESSIONS = 60
PARTS = ("reset in a fresh world", "steps of the session", "session, reset included")


def measure(subject: Subject) -> list[Figure]:
    """CPU time of resets and of whole sessions in fresh worlds, and how many of them a CPU second holds."""
    times = _sessions_of(subject)(subject.size(240, 3))
    note = "seeded resets of the train split, history by references, no world opened twice; CPU time"
    figures = [
        Figure("fresh", name, "ms", tuple(value * 1e3 for value in values), note=note) for name, values in times.items()
    ]
    for name, part in (("fresh worlds", PARTS[0]), ("sessions in fresh worlds, reset included", PARTS[2])):
        figures.append(Figure("fresh", name, "1/s", (1 / mean(times[part]),), note=note))
    return figures


def prepare(pack: str) -> against.Round:
    """An environment in which every task was played; a round plays sessions in worlds that no other round opens."""
    play = _sessions_of(Subject(pack))

    def measured() -> Mapping[str, float]:
        return {f"{name}, mean, ms": 1e3 * mean(values) for name, values in play(SESSIONS).items()}

    return measured


def _sessions_of(subject: Subject) -> Callable[[int], dict[str, list[float]]]:
    """A function that plays so many sessions more, and gives the CPU seconds of each by part."""
    env = subject.env_for_references(split="train")
    for task_id in subject.pack.task_ids:  # templates are compiled and tables indexed once a process
        env.reset(seed=FIRST_SEED, options={"task": task_id, "variant": 0})
        play_reference(env)

    def play(count: int) -> dict[str, list[float]]:
        times: dict[str, list[float]] = {name: [] for name in PARTS}
        for _ in range(count):
            begin = process_time()
            env.reset()
            opened = process_time()
            play_reference(env)
            ended = process_time()
            for name, value in zip(PARTS, (opened - begin, ended - opened, ended - begin), strict=True):
                times[name].append(value)
        return times

    return play


if __name__ == "__main__":
    against.main(__file__, __doc__, prepare, rounds=5)
