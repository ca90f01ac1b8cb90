"""Runs with served roles that are killed (SIGKILL, the whole process group or its first process) and go on."""

from __future__ import annotations

import json
import math
import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from process_cases import children, count, is_running, wait_for
from rollout_cases import content, keys, lines, run
from support.faulty_server import FaultyServer, Say
from support.packs import TINY
from support.served_roles import agree, served

pytestmark = pytest.mark.slow

#: What is played, five starts of three tasks, each twice.
ASKED: dict[str, Any] = {"variants": [0, 1, 2, 3, 4], "group_size": 2, "seed": 3}
SESSIONS = 30


class Gate:
    """What the server says: so many answers, each after a moment, and then none until it is opened."""

    def __init__(self) -> None:
        self._chance, self._left, self._opened = random.Random(2), math.inf, threading.Event()

    def shut_after(self, answers: int) -> None:
        """A run does not get beyond this, so that it cannot be over before it is killed."""
        self._left, self._opened = answers, threading.Event()

    def open(self) -> None:
        self._left = math.inf
        self._opened.set()

    def __call__(self, body: Mapping[str, Any]) -> Say:
        self._left -= 1
        said = agree(body, self._chance.uniform(0.0, 0.01))
        return said if self._left >= 0 else replace(said, until=self._opened)


@pytest.fixture(scope="module")
def gate() -> Gate:
    return Gate()


@pytest.fixture(scope="module")
def server(gate: Gate) -> Iterator[FaultyServer]:
    with FaultyServer(gate) as found:
        yield found


@dataclass(frozen=True)
class Whole:
    """A run in one go, and how many answers that took."""

    out: Path
    answers: int


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory, server: FaultyServer) -> Callable[[str], Whole]:
    @cache
    def play(history: str) -> Whole:
        out, before = tmp_path_factory.mktemp("whole") / history, len(server.requests)
        finish(out, server, history, 8)
        return Whole(out, len(server.requests) - before)

    return play


def finish(out: Path, server: FaultyServer, history: str, concurrency: int) -> None:
    kwargs = served(server.url, TINY, timeout_s=60.0) | {"history": history}
    summary = run(
        "rollout_agents:SlowKeeper", env_kwargs=kwargs, out=out, resume=True, concurrency=concurrency, **ASKED
    )
    assert (summary.scored, summary.unscored, summary.missing) == (SESSIONS, 0, 0)


def start(out: Path, server: FaultyServer, history: str, workers: int, concurrency: int) -> subprocess.Popen[str]:
    tests = Path(__file__).parents[1]
    options = {"url": server.url, "history": history, "workers": workers, "concurrency": concurrency, "out": str(out)}
    return subprocess.Popen(
        [sys.executable, str(tests / "rollout" / "collecting.py"), json.dumps(options | ASKED)],
        env={**os.environ, "PYTHONPATH": str(tests)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def kill(process: subprocess.Popen[str], *, group: bool) -> None:
    """Kill it, all of it or the process that writes; then nothing of it is left."""
    workers = children(process.pid) if process.poll() is None else []
    if group and process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.communicate()
    wait_for(lambda: not any(map(is_running, workers)))


def same(out: Path, whole: Whole) -> None:
    assert len(keys(out)) == len(set(keys(out))) == SESSIONS
    assert content(out) == content(whole.out)
    assert lines(out, "unscored.jsonl") == []
    one, other = (json.loads((folder / "summary.json").read_text()) for folder in (out, whole.out))
    assert {**one, "models": None} == {**other, "models": None}
    assert set(keys(out, "metrics.jsonl")) <= set(keys(out))


@pytest.mark.parametrize(
    ("history", "workers"),
    [
        ("own", 2),
        pytest.param("own", 1, marks=pytest.mark.slow),
        pytest.param("reference", 1, marks=pytest.mark.slow),
    ],
)
def test_a_killed_run_goes_on_to_what_it_would_have_been(tmp_path, gate, server, whole, history, workers):
    out, chance = tmp_path / "run", random.Random(workers)
    gate.shut_after(whole(history).answers // 2)
    process = start(out, server, history, workers, 3)
    wait_for(lambda: count(out) >= 4, process)
    time.sleep(chance.uniform(0.0, 0.03))
    kill(process, group=workers > 1)
    gate.open()
    assert 4 <= count(out) < SESSIONS
    finish(out, server, history, 3)
    same(out, whole(history))


@pytest.mark.slow
@pytest.mark.timeout(1200)
@pytest.mark.parametrize("history", ["own", "reference"])
@pytest.mark.parametrize("workers", [1, 2])
def test_a_run_killed_at_many_moments_ends_as_if_it_had_not_been(tmp_path, server, whole, history, workers):
    chance, kills, runs = random.Random(f"{history} {workers}"), 0, 0
    while kills < 20:
        out = tmp_path / str(runs)
        runs += 1
        while kills < 20 and count(out) < SESSIONS:
            process = start(out, server, history, workers, chance.randint(1, 4))
            if chance.random() < 0.25:  # at any moment of its beginning
                time.sleep(chance.uniform(0.0, 3.0))
            else:
                wait_until(out, count(out) + chance.randint(1, 6), process)
                time.sleep(chance.uniform(0.0, 0.02))
            kills += process.poll() is None
            kill(process, group=chance.random() < 0.5)
        finish(out, server, history, 3)
        same(out, whole(history))


def wait_until(out: Path, sessions: int, process: subprocess.Popen[str]) -> None:
    """Until so many are written, or it has ended by itself, as it should."""
    wait_for(lambda: count(out) >= sessions or process.poll() is not None)
    if process.poll() is not None:
        assert (process.returncode, count(out)) == (0, SESSIONS), process.communicate()[1]


@pytest.mark.slow
def test_a_worker_killed_from_outside_costs_no_session(tmp_path, gate, server, whole):
    out = tmp_path / "run"
    gate.shut_after(whole("own").answers // 2)
    process = start(out, server, "own", 2, 2)
    for at in (2, 4):
        wait_for(lambda at=at: count(out) >= at, process)
        os.kill(workers_of(process.pid)[0], signal.SIGKILL)
    gate.open()
    _, errors = process.communicate(timeout=100)
    assert process.returncode == 0, errors
    same(out, whole("own"))


def workers_of(pid: int) -> list[int]:
    """The processes that play: its children but for the one that keeps account of shared things."""
    return [one for one in children(pid) if b"spawn_main" in Path(f"/proc/{one}/cmdline").read_bytes()]
