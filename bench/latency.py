"""Sessions that wait together: wall time over the critical path, and what a request costs client and server.

A server of known latency answers as policy and as user. The critical path is the longest session's: what it would take
if nothing but the server took time. All tasks are played, those with the long lists of app tools among them.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Case:
    """One measurement.

    Args:
        name: of the figure.
        sessions: how many, all at one time.
        latency: the server's arguments, in seconds.
    """

    name: str
    sessions: int
    latency: tuple[float, ...]


CASES = (
    Case("256 sessions, 1 s", 256, (1.0,)),
    Case("32 sessions, 200 ms", 32, (0.2,)),
    Case("64 sessions, 200 ms, one in twenty 2 s", 64, (0.2, 2.0, 0.05)),
)
QUICK_CASES = (Case("8 sessions, 20 ms", 8, (0.02,)),)


def measure(subject: Subject) -> list[Figure]:
    """Wall time over the critical path, and the CPU time per request of this process and of the server's."""
    _collected(subject, Case("what is made once", 8, (0.0,)))
    figures: list[Figure] = []
    for case in QUICK_CASES if subject.quick else CASES:
        found = [_collected(subject, case) for _ in range(subject.size(3, 1))]
        note = (
            f"{found[0].requests} requests to a local server in its own process, as policy and as user;"
            f" the longest session waits {found[0].critical_s:.1f} s"
        )
        ratios = tuple(one.wall_s / one.critical_s for one in found)
        costs = tuple(1000 * one.cpu_s / one.requests for one in found)
        served = tuple(1000 * one.server_cpu_s / one.requests for one in found)
        figures += [
            Figure("latency", f"wall over critical path: {case.name}", "ratio", ratios, TARGET, note=note),
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
    with _server(case.latency) as url, TemporaryDirectory() as folder:
        model = pi_gym.ModelConfig(url, "bench", cache=None, max_concurrency=case.sessions)
        kwargs: dict[str, Any] = {"pack": subject.source, "user": model, "max_steps": MAX_STEPS}
        begin_s, begin_cpu_s = perf_counter(), process_time()
        summary = pi_gym.collect(
            "pi_gym:PiBench-v0",
            f"bench@{url}",
            sessions=case.sessions,
            concurrency=case.sessions,
            tasks=subject.pack.task_ids,
            variants=[0],
            out=Path(folder) / "run",
            env_kwargs=kwargs,
            policy_kwargs={"max_concurrency": case.sessions},
        )
        wall_s, cpu_s = perf_counter() - begin_s, process_time() - begin_cpu_s
        if summary.unscored:
            raise RuntimeError(f"{summary.unscored} sessions have no score: {summary.first_error}")
        lines = [json.loads(line) for line in (Path(folder) / "run" / "metrics.jsonl").read_text().splitlines()]
    paths = [_counts(line, "completion_tokens") / 1000 for line in lines]
    server_cpu_s = _cpu_of_children() - before_s
    return _Collected(wall_s, cpu_s, server_cpu_s, max(paths), int(sum(_counts(line, "requests") for line in lines)))


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
