"""Launching a command's program in a process that was just made: its limits, its descriptors, its start."""

from __future__ import annotations

import os
import resource
import signal
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

#: Signals that Python, the template process, or whoever started them takes in another way than programs expect.
_OWN = (signal.SIGPIPE, signal.SIGXFSZ, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM, signal.SIGCHLD)


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


def give_away(folder: str, uid: int) -> None:
    """Make a folder, and all that is in it, another user's."""
    os.chown(folder, uid, uid)
    for place, folders, files in os.walk(folder):
        for entry in (*folders, *files):
            os.chown(os.path.join(place, entry), uid, uid)


def limit_processes(most: int) -> None:
    """Limit the processes of this process's user, as far as the kernel counts them together."""
    _set_limits({resource.RLIMIT_NPROC: most})


def limit(limits: dict[str, Any]) -> None:
    """Set what this process, and all that it starts, may take."""
    os.nice(5)
    os.umask(0o022)
    with suppress(OSError), open("/proc/self/oom_score_adj", "w") as file:
        file.write("1000")
    _set_limits(
        {
            resource.RLIMIT_AS: limits["process_bytes"],
            resource.RLIMIT_FSIZE: limits["file_bytes"],
            resource.RLIMIT_CPU: limits["cpu_s"] + 1,
            resource.RLIMIT_NOFILE: limits["open_files"],
            resource.RLIMIT_CORE: 0,
        }
    )


def _set_limits(wanted: dict[int, int]) -> None:
    for name, value in wanted.items():
        hard = resource.getrlimit(name)[1]
        value = value if hard == resource.RLIM_INFINITY else min(value, hard)
        resource.setrlimit(name, (value, value))


def execute(launch: Launch) -> None:
    """Let the program take this process's place; it has no descriptor but the first three."""
    for number in _OWN:
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open("/dev/null", os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(launch.output, 1)
    os.dup2(launch.output, 2)
    close_all_but(launch.told)
    os.set_inheritable(launch.told, False)
    os.execve(launch.argv[0], launch.argv, launch.env)


def spawn(argv: list[str], env: dict[str, str], output: int) -> int:
    """Start the program in a process of its own, with no descriptor but the first three; OSError if it does not."""
    first = [(os.POSIX_SPAWN_OPEN, 0, "/dev/null", os.O_RDWR, 0)]
    first += [(os.POSIX_SPAWN_DUP2, output, fd) for fd in (1, 2)]  # type: ignore[misc]
    return os.posix_spawn(argv[0], argv, env, file_actions=first, setsigdef=_OWN)


def close_all_but(*kept: int) -> None:
    """Close every descriptor above the first three that is not named."""
    begin = 3
    for fd in sorted({fd for fd in kept if fd >= begin}):
        os.closerange(begin, fd)
        begin = fd + 1
    os.closerange(begin, 4096)
