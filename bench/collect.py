"""Collecting: sessions a second in one process, in two, and with two workers on Ray, and what the second one brings."""

from __future__ import annotations

import logging
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec
from time import perf_counter, process_time
from typing import Any

from measure import Figure, ratios
from subject import Subject

import pi_gym
from pi_gym.rollout import Progress

#: Sessions up to here warm up: workers begin, and build the histories of the variants.
WARM_SHARE = 0.25
#: As many as there are workers: each keeps one, and builds its history at the beginning. One that begins another later
#: builds that history first, which the rate after the warm-up would then contain.
VARIANTS = (1, 2)
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
    with _ray() as has_ray:
        if has_ray:
            ways["two Ray workers"] = {"engine": "ray", "workers": 2}
        rates: dict[str, list[float]] = {name: [] for name in ways}
        firsts: dict[str, list[float]] = {name: [] for name in ways}
        costs: dict[str, list[float]] = {name: [] for name in ways}
        for _ in range(subject.size(3, 1)):
            for name, arguments in ways.items():
                clock = _Clock()
                _collect(subject, clock, arguments)
                rates[name].append(clock.rate)
                firsts[name].append(clock.first_s)
                costs[name].append(clock.cpu_ms)
    count = _sessions(subject)
    note = f"reference agent, user by rules, {count} sessions of {len(subject.task_ids)} tasks; after the first quarter"
    figures = [Figure("collect", f"sessions, {name}", "1/s", tuple(found), note=note) for name, found in rates.items()]
    for name, found in firsts.items():
        figures.append(Figure("collect", f"first session, {name}", "s", tuple(found), note="from the call of collect"))
    for name, found in costs.items():
        note = "of the process that called collect, all its threads: what bounds the workers that one driver can feed"
        figures.append(Figure("collect", f"CPU of the driver a session, {name}", "ms", tuple(found), note=note))
    for name in list(ways)[1:]:
        share = tuple(ratio / 2 for ratio in ratios(rates[name], rates["one process"]))
        note = "rate over twice that of one process; 1 is perfect, where two cores are free"
        figures.append(Figure("collect", f"scaling efficiency, {name}", "ratio", share, note=note))
    machine = tuple(_machine_efficiency() for _ in range(subject.size(3, 1)))
    note = "the same of a plain Python program that shares nothing: what this machine's second core brings"
    figures.append(Figure("collect", "scaling efficiency, two plain programs", "ratio", machine, note=note))
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
    return len(VARIANTS) * len(subject.task_ids) * subject.size(24, 4)


def _collect(subject: Subject, watch: Callable[[Progress], None], arguments: Mapping[str, Any]) -> None:
    summary = pi_gym.collect(
        "PiBench-v0",
        "reference",
        tasks=subject.task_ids,
        variants=VARIANTS,
        sessions=_sessions(subject),
        env_kwargs={"pack": subject.source},
        progress=watch,
        **arguments,
    )
    assert summary.unscored == 0


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
