"""Sessions that wait together: wall time over the critical path, and what a request costs client and server.

A server of known latency answers as policy and as user. The critical path is what a run would take if nothing but the
server took time: the longest session's waits, or all waits over the sessions that are played at a time, where that is
more. All tasks are played, those with the long lists of app tools among them; in worlds that are at hand, and in fresh
ones, where making them stands beside the waiting.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import Any

from measure import Figure
from subject import Subject

import pi_gym

SERVER = Path(__file__).with_name("latency_server.py")
#: The greatest ratio of wall time to the critical path.
TARGET = 1.15
MAX_STEPS = 6
#: Fresh worlds have variants from here on; no two runs share one.
FIRST_FRESH = 300_000
_FRESH = count(FIRST_FRESH)


@dataclass(frozen=True)
class Case:
    """One measurement.

    Args:
        name: of the figure.
        sessions: how many.
        latency: the server's arguments, in seconds.
        group: how many sessions play each fresh world (`group_size`); 0: all play worlds at hand.
        workers: the processes that play.
        at_once: how many sessions are played at a time; 0: all of them.
    """

    name: str
    sessions: int
    latency: tuple[float, ...]
    group: int = 0
    workers: int = 1
    at_once: int = 0


CASES = (
    Case("256 sessions, 1 s", 256, (1.0,)),
    Case("32 sessions, 200 ms", 32, (0.2,)),
    Case("64 sessions, 200 ms, one in twenty 2 s", 64, (0.2, 2.0, 0.05)),
    Case("256 in 32 fresh worlds, 1 s", 256, (1.0,), group=8),
    Case("256 in 256 fresh worlds, 1 s", 256, (1.0,), group=1),
    Case("256 in 256 by two processes, 1 s", 256, (1.0,), group=1, workers=2),
    Case("1,024 in 1,024 by 256 at a time, 1 s", 1_024, (1.0,), group=1, at_once=256),
)
QUICK_CASES = (
    Case("8 sessions, 20 ms", 8, (0.02,)),
    Case("8 in 4 fresh worlds, 20 ms", 8, (0.02,), group=2),
)


def measure(subject: Subject) -> list[Figure]:
    """Wall time over the critical path, and the CPU time per request of this process and of the server's."""
    _collected(subject, Case("what is made once", 8, (0.0,)))
    figures: list[Figure] = []
    for case in QUICK_CASES if subject.quick else CASES:
        found = [_collected(subject, case) for _ in range(subject.size(3, 1))]
        note = (
            f"{found[0].requests} requests to a local server in its own process, as policy and as user;"
            f" the critical path is {found[0].critical_s:.1f} s"
        )
        ratios = tuple(one.wall_s / one.critical_s for one in found)
        costs = tuple(1000 * one.cpu_s / one.requests for one in found)
        served = tuple(1000 * one.server_cpu_s / one.requests for one in found)
        figures.append(Figure("latency", f"wall over critical path: {case.name}", "ratio", ratios, TARGET, note=note))
        if case.workers > 1:
            continue  # their CPU time cannot be told from the server's
        figures += [
            Figure("latency", f"client's CPU per request: {case.name}", "ms", costs, note="the sessions' own included"),
            Figure("latency", f"server's CPU per request: {case.name}", "ms", served, note="its start included"),
        ]
    return figures


@dataclass(frozen=True)
class _Collected:
    wall_s: float
    cpu_s: float
    server_cpu_s: float
    critical_s: float
    requests: int


def _collected(subject: Subject, case: Case) -> _Collected:
    before_s = _cpu_of_children()
    at_once = case.at_once or case.sessions
    with _server(case.latency) as url, TemporaryDirectory() as folder:
        model = pi_gym.ModelConfig(url, "bench", cache=None, max_concurrency=at_once)
        kwargs: dict[str, Any] = {"pack": subject.source, "user": model, "max_steps": MAX_STEPS}
        begin_s, begin_cpu_s = perf_counter(), process_time()
        summary = pi_gym.collect(
            "pi_gym:PiBench-v0",
            f"bench@{url}",
            sessions=case.sessions,
            concurrency=-(-at_once // case.workers),
            tasks=subject.pack.task_ids,
            variants=_variants(case, len(subject.pack.task_ids)),
            group_size=case.group or 1,
            workers=case.workers,
            out=Path(folder) / "run",
            env_kwargs=kwargs,
            policy_kwargs={"max_concurrency": at_once},
        )
        wall_s, cpu_s = perf_counter() - begin_s, process_time() - begin_cpu_s
        if summary.unscored:
            raise RuntimeError(f"{summary.unscored} sessions have no score: {summary.first_error}")
        lines = [json.loads(line) for line in (Path(folder) / "run" / "metrics.jsonl").read_text().splitlines()]
    paths = [_counts(line, "completion_tokens") / 1000 for line in lines]
    server_cpu_s = _cpu_of_children() - before_s
    critical_s = max(*paths, sum(paths) / at_once)
    return _Collected(wall_s, cpu_s, server_cpu_s, critical_s, int(sum(_counts(line, "requests") for line in lines)))


def _variants(case: Case, tasks: int) -> list[int]:
    """The variants of a run: one that is at hand, or as many new ones as its rounds over the tasks need."""
    if not case.group:
        return [0]
    return [next(_FRESH) for _ in range(-(-case.sessions // case.group // tasks))]


def _counts(line: dict[str, Any], name: str) -> float:
    """The sum of one figure over a session's policy and user; their requests come one after the other."""
    return float(line["agent_metadata"][name] + line["models"]["user"][name])


def _cpu_of_children() -> float:
    """CPU time of the processes that were started and have ended, in seconds."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextmanager
def _server(latency: tuple[float, ...]) -> Iterator[str]:
    command = [sys.executable, str(SERVER), *map(str, latency)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(10)
