"""The template process seen from here: it is started when the first command comes, and replaced where it is gone."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import socket
import struct
import subprocess
import tempfile
import threading
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from pi_gym.shell import bubblewrap, landlock

#: How long a template process may take to start, and to fork, on a busy machine.
START_S, FORK_S = 30.0, 10.0
_ATTEMPTS = 3


class SandboxFailed(Exception):
    """The error that the sandbox did not do its work: a failure of ours, not the command's."""


def _user_namespace() -> int:
    """A namespace with root and one user who is nobody on the host; -1 where only root can be had.

    The kernel's limit on processes does not hold for root, so root's commands get that user.
    """
    if not landlock.as_root():
        return -1
    code = "import ctypes, sys; ctypes.CDLL(None).unshare(0x10000000); print(flush=True); sys.stdin.read()"
    with subprocess.Popen(
        [bubblewrap.base_python(), "-I", "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as helper:
        assert helper.stdout is not None
        helper.stdout.readline()
        one = f"0 0 1\n{bubblewrap.UID} {landlock.own_user(255)} 1\n"
        try:
            for name in ("uid_map", "gid_map"):
                Path(f"/proc/{helper.pid}/{name}").write_text(one)
            return os.open(f"/proc/{helper.pid}/ns/user", os.O_RDONLY | os.O_CLOEXEC)
        except OSError:
            return -1


class CommandTemplate:
    """A template process of one sandbox.

    Args:
        backend: "bubblewrap" or "landlock".

    Raises:
        SandboxFailed: it does not start.
    """

    def __init__(self, backend: str) -> None:
        self.folder, self.uid, users = "", 0, -1
        if backend == "landlock":
            self.folder = tempfile.mkdtemp(prefix="pi_gym-python-")
            Path(self.folder).chmod(0o755)  # commands of root have other users
            landlock.lay_out_python(self.folder)
            argv = bubblewrap.template_program(bubblewrap.base_python())
        else:
            users = _user_namespace()
            argv = bubblewrap.template_command(users)
            self.uid = int(bubblewrap.UID) if users >= 0 else 0
        self.control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        env = {"PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"} | bubblewrap.loader_path(backend)
        try:
            with theirs:
                self.process = subprocess.Popen(
                    argv,
                    stdin=theirs.fileno(),
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.PIPE,
                    cwd="/",
                    env=env,
                    start_new_session=True,  # signals to the group of this process are not for commands
                    pass_fds=[users] if users >= 0 else [],
                )
        except OSError as error:
            self.control.close()
            raise SandboxFailed(f"the sandbox does not start: {error}") from error
        finally:
            if users >= 0:
                os.close(users)
        self.control.settimeout(START_S)
        try:
            ready = self.control.recv(16)
        except OSError:
            ready = b""
        if ready != b"ready":
            self.end()
            raise SandboxFailed(f"the sandbox does not start: {self._last_word()}")

    def _last_word(self) -> str:
        assert self.process.stderr is not None
        lines = self.process.stderr.read().decode("utf-8", "replace").strip().split("\n")
        return lines[-1][:300] or f"status {self.process.returncode}"

    def connect(self) -> socket.socket:
        """The connection to a fresh keeper; OSError where the template is not there to make one."""
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with theirs:
                self.control.settimeout(FORK_S)
                socket.send_fds(self.control, [b"fork"], [theirs.fileno()])
            ours.settimeout(FORK_S)
            if ours.recv(5, socket.MSG_WAITALL) != b"hello":
                raise OSError("the template process ended")
        except BaseException:
            ours.close()
            raise
        return ours

    def end(self) -> None:
        """End it, with all that goes on in it."""
        self.control.close()
        if self.process.poll() is None:
            with suppress(subprocess.TimeoutExpired):
                self.process.wait(2)
            self.process.kill()
            self.process.wait()
        if self.folder:
            shutil.rmtree(self.folder, ignore_errors=True)

    def forget(self) -> None:
        """Let go of it without ending it: it belongs to the process that this one was forked from."""
        self.control.close()
        self.process.returncode = 0


_templates: dict[str, CommandTemplate] = {}
_lock = threading.Lock()


def template_of(backend: str) -> CommandTemplate:
    """This process's template for a sandbox, started where there is none."""
    with _lock:
        if backend not in _templates:
            _templates[backend] = CommandTemplate(backend)
        return _templates[backend]


def _replace(backend: str, broken: CommandTemplate) -> None:
    with _lock:
        if _templates.get(backend) is broken:
            del _templates[backend]
            broken.end()


def ask_keeper(backend: str, job: dict[str, Any], files: Sequence[bytes], timeout_s: float) -> dict[str, Any]:
    """The answer of a job's keeper.

    Args:
        backend: "bubblewrap" or "landlock".
        job: its line of JSON.
        files: the contents that follow it.
        timeout_s: for all of it.

    Raises:
        SandboxFailed: no keeper could be had, or it did not answer.
    """
    with _connected(backend) as connection:
        connection.settimeout(timeout_s)
        head = json.dumps(job).encode()
        try:
            connection.sendall(b"".join([struct.pack("=Q", len(head)), head, *files]))
            with connection.makefile("rb") as file:
                size = file.read(8)
                told = file.read(struct.unpack("=Q", size)[0]) if len(size) == 8 else b""
        except TimeoutError as reason:
            raise SandboxFailed("the sandbox did not come back in time") from reason
        except OSError as reason:
            raise SandboxFailed(f"the sandbox failed: {reason}") from reason
    try:
        done: dict[str, Any] = json.loads(told)
    except ValueError:
        raise SandboxFailed("the sandbox ended without a result") from None
    if "error" in done:
        raise SandboxFailed(str(done["error"]))
    return done


def _connected(backend: str) -> socket.socket:
    """A connection to a keeper that waits for its job; nothing has run yet, so a template that is gone is replaced."""
    for _ in range(_ATTEMPTS):
        template = template_of(backend)
        try:
            return template.connect()
        except OSError:
            _replace(backend, template)
    raise SandboxFailed("the sandbox's template process does not answer")


def _forget_all() -> None:
    global _lock
    _lock = threading.Lock()
    for template in _templates.values():
        template.forget()
    _templates.clear()


def end_templates() -> None:
    """End the template processes of this process; the next command starts another."""
    with _lock:
        for template in _templates.values():
            template.end()
        _templates.clear()


os.register_at_fork(after_in_child=_forget_all)
atexit.register(end_templates)
