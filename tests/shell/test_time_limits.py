"""Limits of time: a command's own, and those of a host that has none for it."""

from __future__ import annotations

import socket
import time
from typing import Any

import pytest
from support.shell import SANDBOXES, need, run

from pi_gym.shell import ShellLimits
from pi_gym.shell.counting import ProcessLoad
from pi_gym.shell.inside import PATIENCE, Watch

pytestmark = pytest.mark.slow


@pytest.fixture(params=SANDBOXES)
def backend(request: pytest.FixtureRequest) -> str:
    need(request.param)
    return str(request.param)


class Space:
    """A space whose processes do what a test says."""

    def __init__(self, ready: bool, share: float) -> None:
        self.ready, self.share, self.seconds = ready, share, 0.0

    def load(self) -> ProcessLoad:
        self.seconds += 0.1
        return ProcessLoad(threads=1, ready=self.ready, cpu_s=self.share * self.seconds)

    def connections(self) -> int:
        return 0

    def disk_excess(self) -> str:
        return ""


def watched(ready: bool, share: float, **limits: Any) -> tuple[str, float]:
    """How a command ends whose processes are ready or not, and get a share of a processor; and after how long."""
    job = {"limits": ShellLimits(**({"wall_s": 10.0, "cpu_s": 20} | limits)).to_json(), "output_bytes": 10}
    ours, theirs = socket.socketpair()
    with ours, theirs:
        watch = Watch(Space(ready, share), job, theirs)  # type: ignore[arg-type]
        for number in range(1, 10_000):
            ended = watch._excess(number / 10, 0.1)
            if ended:
                return ended, round(number / 10)
    raise AssertionError("it never ends")


def test_one_that_sleeps_ends_at_its_time() -> None:
    assert watched(ready=False, share=0.0) == ("timeout", 10)


def test_one_that_computes_ends_at_its_time() -> None:
    assert watched(ready=True, share=1.0) == ("timeout", 10)


def test_one_that_computes_on_many_processors_ends_by_their_sum() -> None:
    assert watched(ready=True, share=4.0) == ("timeout", 5)


def test_one_that_gets_a_third_of_a_processor_has_three_times_as_long() -> None:
    assert watched(ready=True, share=1 / 3) == ("timeout", 30)


def test_one_that_gets_no_processor_is_starved() -> None:
    assert watched(ready=True, share=0.01) == ("starved", 10 * PATIENCE)


def test_processor_time_of_all_processes_counts_together(backend: str) -> None:
    begin = time.monotonic()
    burn = "for i in 1 2 3 4; do (while :; do :; done) & done; wait"
    result = run(burn, backend=backend, wall_s=30.0, cpu_s=2)
    assert (result.ended, result.starved) == ("timeout", False)
    assert time.monotonic() - begin < 12


def test_those_who_are_gone_count_too(backend: str) -> None:
    burn = "while :; do timeout 0.2 sh -c 'while :; do :; done'; done"
    result = run(burn, backend=backend, wall_s=30.0, cpu_s=1)
    assert (result.ended, result.starved) == ("timeout", False)
