"""Evaluations where something stands in the way: folders, disks, other processes."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from support.packs import TINY
from typer.testing import CliRunner

import pi_gym
from pi_gym.cli.main import app

pytestmark = pytest.mark.slow

ENV = "PiBench-v0"
WAIT_S = 100.0


def command(out: Path, *more: str) -> list[str]:
    options = ["--pack", str(TINY), "--agent", "silent", "--agent", "reference", "--quiet", "--out", str(out), *more]
    return [sys.executable, "-m", "pi_gym", "evaluate", ENV, *options]


def told(done: subprocess.CompletedProcess[str]) -> str:
    """The one line that a refused command says."""
    assert done.returncode == 1, done
    assert len(done.stderr.splitlines()) == 1, done.stderr
    return done.stderr


def require_whole(out: Path, sessions: int) -> None:
    """Every session of both agents is there once, and the results are those of an evaluation that nothing stopped."""
    for label in ("silent", "reference"):
        lines = (out / label / "history-reference" / "trajectories.jsonl").read_text().splitlines()
        keys = [(one["task_id"], one["sample"]) for one in map(json.loads, lines)]
        assert len(keys) == len(set(keys)) == sessions
    whole = pi_gym.evaluate(
        ENV,
        ["silent", "reference"],
        out=out.with_name("undisturbed"),
        runs=sessions // 3,
        env_kwargs={"pack": str(TINY)},
    )
    record = json.loads((out / "evaluation.json").read_text())
    assert {label: one["overall"] for label, one in record["results"].items()} == {
        label: one["overall"] for label, one in whole.to_json().items()
    }


def wait_for(found: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + WAIT_S
    while not found():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < limit, "nothing happened"
        time.sleep(0.01)


def test_an_agent_named_twice_is_refused_with_what_to_write(tmp_path: Path) -> None:
    done = CliRunner().invoke(app, [*command(tmp_path / "e")[3:], "--agent", "silent"])
    assert done.exit_code == 2
    assert "would share a folder; write NAME=" in done.stderr
    assert not (tmp_path / "e").exists()


@pytest.mark.parametrize("place", [".", "deeper/e"])
def test_a_folder_that_cannot_be_written_is_refused_in_a_line(tmp_path: Path, place: str) -> None:
    closed = tmp_path / "closed"
    closed.mkdir()
    closed.chmod(0o555)
    # Root may write anywhere, unless it gives that up.
    without = ["setpriv", "--bounding-set=-all", "--inh-caps=-all"] if os.geteuid() == 0 else []
    if without and shutil.which("setpriv") is None:
        pytest.skip("root without setpriv (util-linux): run as somebody else")
    try:
        done = subprocess.run([*without, *command(closed / place)], capture_output=True, text=True, check=False)
    finally:
        closed.chmod(0o755)
    assert "cannot be written: Permission denied" in told(done)
    assert [*closed.iterdir()] == []


def test_a_second_process_on_the_folder_is_refused_and_the_first_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "e"
    first = subprocess.Popen(command(out, "--runs", "4"), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    wait_for((out / "evaluation.json").exists, first)
    os.kill(first.pid, signal.SIGSTOP)
    try:
        second = subprocess.run(command(out, "--runs", "4", "--resume"), capture_output=True, text=True, check=False)
    finally:
        os.kill(first.pid, signal.SIGCONT)
    assert f"another process (pid {first.pid}) is writing this evaluation" in told(second)
    _, complaint = first.communicate(timeout=WAIT_S)
    assert first.returncode == 0, complaint
    require_whole(out, 12)


@pytest.mark.parametrize("limit", [3_000, *(pytest.param(size, marks=pytest.mark.slow) for size in (0, 40_000))])
def test_a_full_disk_stops_it_in_a_line_and_a_resume_loses_nothing(tmp_path: Path, limit: int) -> None:
    out = tmp_path / "e"

    def limited() -> None:
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    done = subprocess.run(command(out, "--runs", "4"), capture_output=True, text=True, preexec_fn=limited, check=False)
    assert "cannot be written: File too large" in told(done)
    done = subprocess.run(command(out, "--runs", "4", "--resume"), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    require_whole(out, 12)
