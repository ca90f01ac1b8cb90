"""Processes of runs, as a test sees them from outside."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from pathlib import Path

#: How long a test waits for something to happen; on a loaded machine nearly everything takes long.
WAIT_S = 100.0


def count(out: Path) -> int:
    """The scored sessions that a run has written."""
    path = out / "trajectories.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something holds; a process that ends meanwhile fails the test with what it printed."""
    limit = time.monotonic() + WAIT_S
    while not condition():
        assert time.monotonic() < limit, "nothing happened"
        assert process is None or process.poll() is None, process.communicate()[1]
        time.sleep(0.002)


def children(pid: int) -> list[int]:
    """The processes that a process has begun."""
    return [int(text) for text in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def is_running(pid: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except FileNotFoundError:
        return False
