"""The keeper of one command: it lays out the copy, starts the command in its space, watches, collects.

It is a fork of the template process (`pi_gym.shell.template_process`), so it uses the standard library only. It reads
one job from its connection (the size and then a line of JSON, then the files' bytes) and writes one answer;
`pi_gym.shell.runner` is the other end.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import socket
import struct
import time
from contextlib import suppress
from typing import Any, BinaryIO

from pi_gym.shell.collecting import collect
from pi_gym.shell.confinement import Confinement
from pi_gym.shell.counting import buffer_bytes
from pi_gym.shell.namespaces import Namespaces
from pi_gym.shell.session_clock import SessionClock

TICK_S = 0.04
COUNT_S = 0.005
#: How many times its own time a command may last on a host that has no processor for it.
PATIENCE = 5
_PIPE_SIZE = 1031


class Deserted(Exception):
    """The error that whoever asked is gone, and nobody else will clear up."""


def serve(connection: socket.socket) -> None:
    """Run one job."""
    connection.send(b"hello")
    with connection.makefile("rb") as file:
        (size,) = struct.unpack("=Q", file.read(8))
        job = json.loads(file.read(size))
        answer = _run(job, file, connection)
    told = json.dumps(answer).encode()
    with suppress(BrokenPipeError):
        connection.sendall(struct.pack("=Q", len(told)) + told)


def _run(job: dict[str, Any], source: BinaryIO, connection: socket.socket) -> dict[str, Any]:
    space = Namespaces(job) if job["backend"] == "bubblewrap" else Confinement(job)
    os.umask(0o022)
    deserted = False
    try:
        space.prepare()
        clock = SessionClock(job["now_s"])
        files = _lay_out(space.work, job, source, clock)
        space.set_clock(clock.shared_object())
        done = Watch(space, job, connection).run()
        return done | collect(space.work, files, set(job["folders"]), job["caps"])
    except Deserted:
        deserted = True
        return {}
    except (OSError, ValueError) as error:
        return {"error": f"the sandbox does not start: {error}"}
    finally:
        space.stop()
        space.remove(deserted=deserted)


def _lay_out(work: str, job: dict[str, Any], source: BinaryIO, clock: SessionClock) -> dict[str, bytes]:
    """Write the files, with the times that the session has written them; gives their contents."""
    files = {}
    for folder in job["folders"]:
        os.mkdir(os.path.join(work, folder))
    for path, size, written_s in job["files"]:
        data = files[path] = source.read(size)
        mode = 0o755 if data.startswith(b"#!") else 0o644
        fd = os.open(os.path.join(work, path), os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode)
        try:
            while data:
                data = data[os.write(fd, data) :]
            os.utime(fd, ns=(clock.host_ns(written_s),) * 2)
        finally:
            os.close(fd)
    begun = clock.host_ns(job["begun_s"])
    for folder in ("", *job["folders"]):
        os.utime(os.path.join(work, folder), ns=(begun, begun))
    return files


class Watch:
    """The watch over one command: when it ends, or has to be ended, and what it printed."""

    def __init__(self, space: Namespaces | Confinement, job: dict[str, Any], connection: socket.socket) -> None:
        self.space, self.limits, self.connection = space, job["limits"], connection
        self.most = job["output_bytes"]
        self.kept, self.total = bytearray(), 0
        self.cpu_s = self.ready_s = self.cpu_when_ready_s = 0.0
        self.opaque: set[str] = set()
        self.status = -1

    def run(self) -> dict[str, Any]:
        """Start it, and see it to its end."""
        output, child_end = os.pipe()
        os.set_blocking(output, False)
        with suppress(OSError):
            fcntl.fcntl(output, _PIPE_SIZE, 1 << 20)
        self.space.start(child_end)
        os.close(child_end)
        begin = time.monotonic()
        ended = self._until_end(output, begin)
        starved = ended == "starved"
        self.space.stop()
        if self.status < 0:
            self._bury(os.waitpid(self.space.main, 0)[1])
        while self._read(output):
            pass
        os.close(output)
        return {
            "exit": self.status,
            "ended": "timeout" if starved else ended,
            "starved": starved,
            "output": base64.b64encode(bytes(self.kept)).decode(),
            "printed": self.total,
        }

    def _bury(self, status: int) -> None:
        code = os.waitstatus_to_exitcode(status)
        self.status = 128 - code if code < 0 else code
        self.space.main = 0  # its number may be another's from now on

    def _until_end(self, output: int, begin: float) -> str:
        """The reason why it was ended; "" where it ended by itself."""
        poll = select.poll()
        main = os.pidfd_open(self.space.main)
        listener = self.space.supervisor.listener if self.space.supervisor else -1
        for fd in (output, main, self.connection.fileno()):
            poll.register(fd, select.POLLIN)
        if listener >= 0:
            poll.register(listener, select.POLLIN)
        looked = begin
        try:
            while True:
                for fd, event in poll.poll(COUNT_S * 1000):
                    if fd == main:
                        self._bury(os.waitpid(self.space.main, 0)[1])
                        return ""
                    if fd == output and not self._read(output) and event & select.POLLHUP:
                        poll.unregister(output)
                    elif fd == self.connection.fileno():
                        raise Deserted
                    elif fd == listener and event & select.POLLIN and self.space.supervisor:
                        self.space.supervisor.answer()
                    elif fd == listener:
                        poll.unregister(listener)
                # Run by root, the kernel's own limit on processes does not hold, and a bomb doubles in milliseconds.
                if len(self.space.processes()) > self.limits["processes"] + 2:
                    return "processes"
                now = time.monotonic()
                if now - looked >= TICK_S:
                    ended = self._excess(now - begin, now - looked)
                    looked = now
                    if ended:
                        return ended
        finally:
            os.close(main)

    def _read(self, fd: int) -> bool:
        """Keep the beginning of what is printed, and count the rest; False where there is nothing."""
        try:
            chunk = os.read(fd, 1 << 20)
        except BlockingIOError:
            return False
        self.total += len(chunk)
        self.kept += chunk[: max(0, self.most - len(self.kept))]
        return bool(chunk)

    def _excess(self, lasted_s: float, tick_s: float) -> str:
        limits, load = self.limits, self.space.load()
        used = max(0.0, load.cpu_s - self.cpu_s)
        self.cpu_s = max(self.cpu_s, load.cpu_s)
        if load.ready:
            self.ready_s += tick_s
            self.cpu_when_ready_s += used
        # The time in which it had work and the host no processor for it is not its own.
        waited_s = max(0.0, self.ready_s - self.cpu_when_ready_s)
        if self.cpu_s > limits["cpu_s"] or lasted_s - waited_s > limits["wall_s"]:
            return "timeout"
        if lasted_s > PATIENCE * limits["wall_s"]:
            return "starved"
        if load.threads > limits["processes"] + 2:
            return "processes"
        if load.memory > limits["memory_bytes"]:
            return "memory"
        # One that is just beginning or ending shows nothing either.
        hiding, self.opaque = len(self.opaque & load.opaque), load.opaque
        held = buffer_bytes(load, self.space.connections(), hiding * limits["open_files"])
        if held > limits["buffer_bytes"]:
            return "memory"
        return self.space.disk_excess()
