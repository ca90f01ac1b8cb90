"""Blocking calls in threads that keep no program from ending."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from rollout_agents import MARKS
from support.packs import TINY

from pi_gym.driving.calls import BlockingCalls


def test_calls_run_at_one_time_and_give_their_results():
    pool, all_there = BlockingCalls(3, "calls"), threading.Barrier(3, timeout=20)
    futures = [pool.submit(lambda n: (all_there.wait(), n)[1], n) for n in range(3)]
    assert [future.result(20) for future in futures] == [0, 1, 2]
    pool.close()


def test_what_a_call_raises_is_its_futures():
    pool = BlockingCalls(1, "calls")
    with pytest.raises(SystemExit):
        pool.submit(sys.exit, 3).result(20)
    assert pool.submit(len, "four").result(20) == 4
    pool.close()


def test_no_more_threads_are_begun_than_are_needed_and_they_end():
    pool = BlockingCalls(8, "few-calls")

    def named():
        return [thread for thread in threading.enumerate() if thread.name.startswith("few-calls")]

    release = threading.Event()
    futures = [pool.submit(release.wait, 20) for _ in range(2)]
    assert len(named()) == 2
    release.set()
    assert all(future.result(20) for future in futures)
    threads = named()
    pool.close()
    for thread in threads:
        thread.join(20)
    assert named() == []


def test_a_call_that_was_cancelled_before_it_began_is_not_made():
    pool, made, release = BlockingCalls(1, "calls"), [], threading.Event()
    first = pool.submit(release.wait, 20)
    second = pool.submit(made.append, 1)
    assert second.cancel()
    release.set()
    assert first.result(20)
    pool.submit(len, "").result(20)
    assert made == []
    pool.close()


@pytest.mark.slow
@pytest.mark.parametrize("num_envs", [1, 2])
def test_a_run_whose_agents_hang_ends_when_it_is_interrupted(tmp_path, num_envs):
    command = [sys.executable, "-m", "pi_gym", "rollout", "PiBench-v0", "--pack", str(TINY), "--quiet"]
    command += ["--agent", "rollout_agents:Hanging", "--concurrency", "3", "--num-envs", str(num_envs)]
    command += ["--out", str(tmp_path / "run")]
    process = subprocess.Popen(
        command,
        cwd=Path(__file__).parent,
        env={**os.environ, MARKS: str(tmp_path)},
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    with process:
        try:
            until = time.monotonic() + 60
            while not all((tmp_path / name).exists() for name in ("01-list", "02-memo", "03-ping")):
                assert time.monotonic() < until, "the agents did not begin"
                assert process.poll() is None
                time.sleep(0.01)
            os.killpg(process.pid, signal.SIGINT)
            _, errors = process.communicate(timeout=60)
        finally:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
    assert process.returncode == 130
    assert "--resume goes on" in errors
    assert "Traceback" not in errors
