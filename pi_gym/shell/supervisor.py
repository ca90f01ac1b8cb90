"""The supervisor of a command that runs as a user whom other things belong to.

Landlock says nothing of modes and times of files, nor, in its older versions, of signals. So the kernel asks here
before such a call of the command: modes and times are changed for it where the file lies in its own folders, signals
go to its own processes.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import struct
from collections.abc import Callable
from contextlib import suppress

from pi_gym.shell import kernel
from pi_gym.shell.seccomp import FILE_CALLS, SIGNAL_CALLS, column

_RECEIVE, _SEND, _STILL = 0xC0502100, 0xC0182101, 0x40082102
_CONTINUE = 1
_EPERM = 1
_AT_FDCWD, _NOFOLLOW = -100, 0x100
_MAX_PATH = 4096


class Supervisor:
    """The one whom the kernel asks on behalf of a command.

    Args:
        listener: the descriptor of the filter of system calls.
        processes: the command's processes.
        folders: the command's own folders.
    """

    def __init__(self, listener: int, processes: Callable[[], list[str]], folders: tuple[str, ...]) -> None:
        self.listener, self.processes = listener, processes
        self.folders = tuple(os.path.realpath(folder) for folder in folders)
        place = column()
        self.calls = {numbers[place]: name for name, numbers in (FILE_CALLS | SIGNAL_CALLS).items()}

    def answer(self) -> None:
        """Answer one question."""
        question = bytearray(80)
        try:
            fcntl.ioctl(self.listener, _RECEIVE, question, True)
        except OSError:  # who asked has ended
            return
        number, pid, _, call = struct.unpack_from("=QIIi", question)
        arguments = struct.unpack_from("=6Q", question, 32)
        error, flags = _EPERM, 0
        try:
            if self.calls.get(call) in SIGNAL_CALLS:
                error, flags = self._signal(self.calls[call], pid, arguments)
            elif self.calls.get(call) in FILE_CALLS:
                error = self._change(self.calls[call], number, pid, arguments)
        except OSError as reason:
            error = reason.errno or _EPERM
        with suppress(OSError):
            fcntl.ioctl(self.listener, _SEND, struct.pack("=QqiI", number, 0, -error, flags))

    def _signal(self, call: str, asker: int, arguments: tuple[int, ...]) -> tuple[int, int]:
        """An error number and flags; the kernel itself goes on with a call that reaches own processes only."""
        target = _signed(arguments[0])
        own = {int(pid) for pid in self.processes()}
        if call == "kill" and target == -1:
            for pid in own - {asker}:
                with suppress(ProcessLookupError):
                    os.kill(pid, _signed(arguments[1]))
            return 0, 0
        if call == "kill" and target < -1:
            return (0, _CONTINUE) if any(_group(pid) == -target for pid in own) else (_EPERM, 0)
        if call == "tkill" and target not in own:
            target = _process_of(target)
        return (0, _CONTINUE) if target == 0 or target in own else (_EPERM, 0)

    def _change(self, call: str, number: int, asker: int, arguments: tuple[int, ...]) -> int:
        """Change a mode or times, where the file is the command's own."""
        places = {"chmod": (None, 0, 1), "fchmod": (0, None, 1), "fchmodat": (0, 1, 2), "utimensat": (0, 1, 2)}
        folder_at, path_at, what_at = places[call]
        folder = _AT_FDCWD if folder_at is None else _signed(arguments[folder_at])
        path = b"" if path_at is None or not arguments[path_at] else _text(asker, arguments[path_at])
        if not path and path_at is not None and arguments[path_at]:
            return 2
        followed = not (call == "utimensat" and arguments[3] & _NOFOLLOW)
        times = None
        if call == "utimensat":
            times = _memory(asker, arguments[what_at], 32) if arguments[what_at] else kernel.TWICE_NOW
        file = _open(asker, folder, path, followed)
        try:
            # Whoever asked may have ended, and its number may be another's by now.
            fcntl.ioctl(self.listener, _STILL, struct.pack("=Q", number))
            place = os.readlink(f"/proc/self/fd/{file}")
            if not any(place == own or place.startswith(own + "/") for own in self.folders):
                return _EPERM
            if times is None:
                os.chmod(f"/proc/self/fd/{file}", arguments[what_at] & 0o1777)
            else:
                kernel.set_times(file, times)
        finally:
            os.close(file)
        return 0


def _signed(value: int) -> int:
    return ctypes.c_int32(value & 0xFFFFFFFF).value


def _group(pid: int) -> int:
    try:
        return os.getpgid(pid)
    except ProcessLookupError:
        return 0


def _process_of(thread: int) -> int:
    with suppress(OSError), open(f"/proc/{thread}/status") as file:
        for line in file:
            if line.startswith("Tgid:"):
                return int(line.split()[1])
    return -1


def _memory(pid: int, address: int, size: int) -> bytes:
    fd = os.open(f"/proc/{pid}/mem", os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.pread(fd, size, address)
    finally:
        os.close(fd)


def _text(pid: int, address: int) -> bytes:
    """A text that ends with a zero; it may lie at the end of what can be read."""
    found = b""
    while len(found) < _MAX_PATH:
        here = address + len(found)
        found += _memory(pid, here, 4096 - here % 4096)
        if b"\0" in found:
            return found.partition(b"\0")[0]
    raise OSError(36, "the name is too long")


def _open(asker: int, folder: int, path: bytes, followed: bool) -> int:
    """The file itself, as the one who asks would find it."""
    flags = os.O_PATH | os.O_CLOEXEC | (0 if followed else os.O_NOFOLLOW)
    base = f"/proc/{asker}/cwd" if folder == _AT_FDCWD else f"/proc/{asker}/fd/{folder}"
    if not path:
        return os.open(base, os.O_PATH | os.O_CLOEXEC)
    if path.startswith(b"/"):
        # Its own descriptors are meant, not ours.
        for name in (b"/proc/self/", b"/dev/fd/"):
            if path.startswith(name):
                rest = path[len(name) :] if name == b"/proc/self/" else b"fd/" + path[len(name) :]
                path = f"/proc/{asker}/".encode() + rest
        return os.open(path, flags)
    start = os.open(base, os.O_PATH | os.O_CLOEXEC)
    try:
        return os.open(path, flags, dir_fd=start)
    finally:
        os.close(start)
