"""Counting what the processes of a command hold, as /proc tells it."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field

_TICKS_PER_S = os.sysconf("SC_CLK_TCK")
#: What one end can hold, in bytes: a pipe's pages; what a socket queues, one message beyond its limit; a connection's
#: largest windows. Those of sockets are the kernel's defaults where it does not tell.
_PIPE_BYTES, _SOCKET_BYTES, _TCP_BYTES = 65_536, 212_992 + 65_536, 6_291_456 + 4_194_304
_TIME_WAIT = "06"


@dataclass(slots=True)
class ProcessLoad:
    """The load of some processes at one time.

    Args:
        threads: how many there are.
        memory: bytes that are theirs alone, and of the tables of their pages.
        cpu_s: processor time since they began, of those that they have buried too.
        ready: whether one has work and only waits for a processor or a disk, or has it.
        pipes: pipes that are open, each counted once.
        sockets: sockets that are open, each counted once.
        opaque: processes that do not show what they have open.
    """

    threads: int = 0
    memory: int = 0
    cpu_s: float = 0.0
    ready: bool = False
    pipes: set[str] = field(default_factory=set)
    sockets: set[str] = field(default_factory=set)
    opaque: set[str] = field(default_factory=set)


def measure(proc: str, pids: list[str]) -> ProcessLoad:
    """The load of these processes together; one that has ended meanwhile holds nothing."""
    load = ProcessLoad()
    for pid in pids:
        folder = os.path.join(proc, pid)
        with suppress(OSError, ValueError, IndexError):
            _add_times(load, folder)
        with suppress(OSError, ValueError, IndexError):
            _add_memory(load, folder)
        _add_descriptors(load, folder, pid)
    return load


def _stat(folder: str) -> list[bytes]:
    with open(os.path.join(folder, "stat"), "rb") as file:
        return file.read().rpartition(b")")[2].split()


def _add_times(load: ProcessLoad, folder: str) -> None:
    fields = _stat(folder)
    load.cpu_s += sum(map(int, fields[11:15])) / _TICKS_PER_S
    states = [fields[0]]
    if int(fields[17]) > 1 and not load.ready:
        for thread in os.listdir(os.path.join(folder, "task")):
            with suppress(OSError, IndexError):
                states.append(_stat(os.path.join(folder, "task", thread))[0])
    load.ready = load.ready or any(state in (b"R", b"D") for state in states)


def _add_memory(load: ProcessLoad, folder: str) -> None:
    with open(os.path.join(folder, "status"), "rb") as file:
        for line in file:
            if line.startswith((b"RssAnon:", b"RssShmem:", b"VmPTE:")):
                load.memory += int(line.split()[1]) * 1024
            elif line.startswith(b"Threads:"):
                load.threads += int(line.split()[1])


def _add_descriptors(load: ProcessLoad, folder: str, pid: str) -> None:
    place = os.path.join(folder, "fd")
    try:
        names = os.listdir(place)
    except PermissionError:
        load.opaque.add(pid)
        return
    except OSError:
        return
    for name in names:
        with suppress(OSError):
            target = os.readlink(os.path.join(place, name))
            if target.startswith("pipe:"):
                load.pipes.add(target)
            elif target.startswith("socket:"):
                load.sockets.add(target)


def buffer_bytes(load: ProcessLoad, connections: int, unseen: int) -> int:
    """The most that pipes and sockets could hold.

    Args:
        load: with those that are known.
        connections: how many of the sockets are connections of a network.
        unseen: how many more there may be.
    """
    held = _PIPE_BYTES * (len(load.pipes) + unseen)
    return held + _SOCKET_BYTES * len(load.sockets) + _TCP_BYTES * connections


def tcp_connections(net: str) -> int:
    """The number of connections in a network namespace that can hold something.

    Args:
        net: its folder in /proc.
    """
    count = 0
    for name in ("tcp", "tcp6"):
        with suppress(OSError), open(os.path.join(net, name)) as file:
            next(file, "")
            count += sum(line.split()[3] not in (_TIME_WAIT, "0A") for line in file)
    return count
