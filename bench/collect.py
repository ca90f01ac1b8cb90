"""Collecting: sessions a second in one process, in two, and with two workers on Ray, and what the second one brings.

Every world is fresh: its history is made in the process that opens it first.
"""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from measure import Figure, ratios
from subject import Subject

import pi_gym
from pi_gym.rollout import Progress
from pi_gym.runs.run_files import TRAJECTORIES

#: Sessions up to here warm up: workers begin, compile templates and index tables.
WARM_SHARE = 0.1
SESSIONS = 2_000
FIRST_FRESH = 100_000
TARGET = 0.95
_RUNS = count()
#: A program of texts and dicts in some megabytes, as a session is.
PLAIN = """
from time import perf_counter
begin = perf_counter()
for turn in range(60):
    rows = {f"{number}-{turn}": [number, str(number) * 3] for number in range(20_000)}
    text = "".join(name + row[1] for name, row in rows.items())
    assert text.count("99") and len(sorted(rows, key=lambda name: rows[name][1]))
print(perf_counter() - begin)
"""


def measure(subject: Subject) -> list[Figure]:
    """Rates after the warm-up, and their ratios, taken in turns within one run."""
    ways: dict[str, Mapping[str, Any]] = {"one process": {}, "two processes": {"workers": 2}}
    machine: list[float] = []
    with _ray() as has_ray:
        if has_ray:
            ways["two Ray workers"] = {"engine": "ray", "workers": 2}
        clocks: dict[str, list[_Clock]] = {name: [] for name in ways}
        for _ in range(subject.size(3, 1)):
            machine.append(_machine_efficiency())
            for name, arguments in ways.items():
                clock = _Clock()
                _collect(subject, {"progress": clock, **arguments})
                clocks[name].append(clock)
    sessions, tasks = _sessions(subject), len(subject.task_ids)
    note = f"reference agent, user by rules, {sessions} sessions of {tasks} tasks in fresh worlds"
    figures = []
    for name, found in clocks.items():
        rates = tuple(clock.rate for clock in found)
        figures += [
            Figure("collect", f"sessions, {name}", "1/s", rates, note=f"{note}; after the first tenth"),
            Figure("collect", f"first session, {name}", "s", tuple(one.first_s for one in found), note="from the call"),
            Figure(
                "collect",
                f"CPU of the driver a session, {name}",
                "ms",
                tuple(one.cpu_ms for one in found),
                note="of the process that called collect, all its threads: what bounds the workers that it can feed",
            ),
        ]
    alone = [clock.rate for clock in clocks["one process"]]
    note = "the same of two plain Python programs that share nothing, in the same run: what the second core brings"
    figures.append(Figure("collect", "scaling efficiency, two plain programs", "ratio", tuple(machine), note=note))
    for name in list(ways)[1:]:
        share = tuple(ratio / 2 for ratio in ratios([clock.rate for clock in clocks[name]], alone))
        note = "rate over twice that of one process; 1 is perfect, where two cores are free"
        figures.append(Figure("collect", f"scaling efficiency, {name}", "ratio", share, note=note))
        of_plain = tuple(ratios(share, machine))
        figures.append(Figure("collect", f"of two plain programs, {name}", "ratio", of_plain, TARGET, least=True))
    sizes = _line_bytes(subject)
    figures.append(Figure("collect", "record of a session", "kB", sizes, note="its line in trajectories.jsonl"))
    return figures


def _machine_efficiency() -> float:
    """The time of one program over that of two at a time."""
    return _plain_s(1) / _plain_s(2)


def _plain_s(count: int) -> float:
    """The seconds that the slowest of several programs takes, each by its own clock, without its start."""
    command = [sys.executable, "-c", PLAIN]
    programs = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(count)]
    return max(float(program.communicate()[0]) for program in programs)


class _Clock:
    """Watches a run."""

    def __init__(self) -> None:
        self._began = perf_counter()
        self.first_s = 0.0
        self._warm: tuple[int, float, float] | None = None
        self._last = (0, 0.0, 0.0)

    def __call__(self, now: Progress) -> None:
        at = perf_counter() - self._began
        if now.done and not self.first_s:
            self.first_s = at
        if self._warm is None and now.done >= WARM_SHARE * now.total:
            self._warm = (now.done, at, process_time())
        self._last = (now.done, at, process_time())

    @property
    def rate(self) -> float:
        """Sessions a second after the warm-up."""
        assert self._warm is not None
        return (self._last[0] - self._warm[0]) / (self._last[1] - self._warm[1])

    @property
    def cpu_ms(self) -> float:
        """CPU time of this process a session after the warm-up, in milliseconds."""
        assert self._warm is not None
        return 1e3 * (self._last[2] - self._warm[2]) / (self._last[0] - self._warm[0])


def _sessions(subject: Subject) -> int:
    return subject.size(SESSIONS, 4 * len(subject.task_ids))


def _collect(subject: Subject, arguments: Mapping[str, Any]) -> None:
    """Play every task once in each world; no two calls share a world."""
    sessions = _sessions(subject)
    worlds = -(-sessions // len(subject.task_ids))
    first = FIRST_FRESH + next(_RUNS) * worlds
    summary = pi_gym.collect(
        "PiBench-v0",
        "reference",
        tasks=subject.task_ids,
        variants=range(first, first + worlds),
        sessions=sessions,
        env_kwargs={"pack": subject.source},
        **arguments,
    )
    assert summary.unscored == 0


def _line_bytes(subject: Subject) -> tuple[float, ...]:
    """The length of each line of a run's trajectories, in kB."""
    with TemporaryDirectory() as folder:
        _collect(replace(subject, quick=True), {"out": folder})
        lines = (Path(folder) / TRAJECTORIES).read_bytes().splitlines()
    return tuple(len(line) / 1e3 for line in lines)


@contextmanager
def _ray() -> Iterator[bool]:
    """A cluster of two processors on this machine, where Ray is installed."""
    found = find_spec("ray")
    if found is None or found.origin is None:
        yield False
        return
    ray: Any = import_module("ray")
    options = {"include_dashboard": False, "log_to_driver": False, "logging_level": logging.ERROR}
    ray.init(address="local", num_cpus=2, **options)
    try:
        yield True
    finally:
        ray.shutdown()
