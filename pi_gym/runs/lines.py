"""A file of JSON lines that only grows, by whole lines."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pi_gym.errors import PiGymError

_BLOCK = 1 << 16


class RunError(PiGymError):
    """A run's folder cannot be used as asked; the message says why and what to do."""


class LineFile:
    """A file that lines are appended to.

    A line goes out by one `write`; where that fails half-way (a full disk) the file is cut back to its last whole line.

    Args:
        path: made where it does not exist; must end with a whole line.
    """

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o644)
        self.size = os.fstat(self._file).st_size
        self._dirty = False

    def append(self, line: str) -> None:
        """Write one line; the line end is added."""
        data = memoryview(f"{line}\n".encode())
        size = len(data)
        self._dirty = True
        try:
            while data:
                data = data[os.write(self._file, data) :]
        except BaseException:
            self.cut(self.size)
            raise
        self.size += size

    def cut(self, size: int) -> None:
        """Take back what was appended since the file had this size in bytes."""
        os.ftruncate(self._file, size)
        self.size = size

    def sync(self) -> None:
        """Have the disk keep what was written."""
        if self._dirty:
            os.fsync(self._file)
            self._dirty = False

    def close(self) -> None:
        """Close the file."""
        os.close(self._file)


def cut_torn_tail(path: Path) -> int:
    """Cut off what a killed process or a power cut left of a last line.

    Args:
        path: a file of JSON lines; it may be missing.

    Returns:
        The number of bytes cut off: the tail after the last line end, and a last line that is no JSON.
    """
    try:
        file = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return 0
    try:
        size = os.fstat(file).st_size
        end = _after_last_newline(file, size)
        while end > 0:
            begin = _after_last_newline(file, end - 1)
            if _is_json(os.pread(file, end - begin, begin)):
                break
            end = begin
        if end < size:
            os.ftruncate(file, end)
            os.fsync(file)
        return size - end
    finally:
        os.close(file)


def whole_size(path: Path) -> int:
    """The bytes of whole lines in a file: what comes after the last line end is still being written, or torn."""
    file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return _after_last_newline(file, os.fstat(file).st_size)
    finally:
        os.close(file)


@contextmanager
def explained(path: Path, what: str) -> Iterator[None]:
    """Turn a failure of the file system into one clear line."""
    try:
        yield
    except OSError as error:
        raise RunError(f"{error.filename or path} {what}: {error.strerror or error}") from error


def _after_last_newline(file: int, end: int) -> int:
    """The offset after the last line end in the first `end` bytes; 0 where there is none."""
    while end > 0:
        begin = max(0, end - _BLOCK)
        place = os.pread(file, end - begin, begin).rfind(b"\n")
        if place >= 0:
            return begin + place + 1
        end = begin
    return 0


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True
