"""Launching a command's program in a process that was just made: its limits, its descriptors, its start."""

from __future__ import annotations

import os
import resource
import signal
from contextlib import suppress
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Launch:
    """A program to start.

    Args:
        argv: the program and its arguments.
        env: its environment.
        output: the descriptor that it prints to.
        told: the descriptor by which a failure is told; it is closed when the program starts.
    """

    argv: list[str]
    env: dict[str, str]
    output: int
    told: int


def limit(limits: dict[str, Any], most_processes: int) -> None:
    """Set what this process, and all that it starts, may take."""
    os.nice(5)
    os.umask(0o022)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    wanted = {
        resource.RLIMIT_AS: limits["process_bytes"],
        resource.RLIMIT_FSIZE: limits["file_bytes"],
        resource.RLIMIT_CPU: limits["cpu_s"] + 1,
        resource.RLIMIT_NOFILE: limits["open_files"],
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_NPROC: most_processes,
    }
    for name, value in wanted.items():
        hard = resource.getrlimit(name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (value, value))


def execute(launch: Launch) -> None:
    """Let the program take this process's place; it has no descriptor but the first three."""
    for number in (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGTERM, signal.SIGCHLD):
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(launch.output, 1)
    os.dup2(launch.output, 2)
    close_all_but(launch.told)
    os.set_inheritable(launch.told, False)
    os.execve(launch.argv[0], launch.argv, launch.env)


def close_all_but(*kept: int) -> None:
    """Close every descriptor above the first three that is not named."""
    begin = 3
    for fd in sorted(kept):
        os.closerange(begin, fd)
        begin = fd + 1
    os.closerange(begin, 4096)
