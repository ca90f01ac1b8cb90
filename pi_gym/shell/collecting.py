"""Collecting what a command changed in its copy of the workspace.

What is in the copy after the command is hostile: names are bytes that the command chose, and no link is ever followed.
"""

from __future__ import annotations

import base64
import os
import stat
from typing import Any

_REFUSED = 200
_DEPTH = 32


class Overflow(Exception):
    """The error that more has changed than is taken back; the argument says what."""


class Collector:
    """A collector of what differs from the copy as it was laid out."""

    def __init__(self, files: dict[str, bytes], caps: dict[str, int]) -> None:
        self.before, self.caps = files, caps
        self.changed: dict[str, bytes] = {}
        self.seen: set[str] = set()
        self.folders: set[str] = set()
        self.refused: list[tuple[str, str]] = []
        self.kept: list[str] = []
        self.size = self.entries = 0

    def refuse(self, path: str, why: str) -> None:
        """Refuse to take a path back; what was there before stays."""
        self.kept.append(path)
        if len(self.refused) < _REFUSED:
            self.refused.append((path, why))

    def walk(self, fd: int, folder: str, depth: int) -> None:
        """One directory, by its descriptor: its path may be longer than the system takes."""
        for name in sorted(os.listdir(fd)):
            path = f"{folder}/{name}" if folder else name
            self.entries += 1
            if self.entries > self.caps["entries"]:
                raise Overflow(f"the workspace would hold more than {self.caps['entries']} files and directories")
            found = os.stat(name, dir_fd=fd, follow_symlinks=False)
            if stat.S_ISDIR(found.st_mode):
                self._descend(fd, name, path, depth)
            elif stat.S_ISREG(found.st_mode):
                self._file(fd, name, path, found.st_size)
            else:
                kind = "a symbolic link" if stat.S_ISLNK(found.st_mode) else "not a plain file"
                self.refuse(path, f"{kind}; only files and directories are kept")

    def _descend(self, fd: int, name: str, path: str, depth: int) -> None:
        if depth >= _DEPTH:
            self.refuse(path, "too deep")
            return
        # No process is left that could put a link in the place of what was just looked at.
        os.chmod(name, 0o700, dir_fd=fd)
        below = os.open(name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=fd)
        try:
            self.folders.add(path)
            self.walk(below, path, depth + 1)
        finally:
            os.close(below)

    def _file(self, fd: int, name: str, path: str, size: int) -> None:
        old = self.before.get(path)
        if size > self.caps["file_bytes"] and (old is None or len(old) != size):
            self.refuse(path, f"{size} bytes; at most {self.caps['file_bytes']} are possible")
            return
        self.seen.add(path)
        os.chmod(name, 0o600, dir_fd=fd)
        with open(os.open(name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=fd), "rb") as file:
            data = file.read(size)
        if data == old:
            return
        self.changed[path] = data
        self.size += len(data)
        if len(self.changed) > self.caps["files"]:
            raise Overflow(f"it changed more than {self.caps['files']} files")
        if self.size > self.caps["bytes"]:
            raise Overflow(f"it changed more than {self.caps['bytes']} bytes")

    def gone(self, folders: set[str]) -> list[str]:
        """The paths that were there and are no more; what became something that is not kept stays as it was."""
        missing = (set(self.before) - self.seen) | (folders - self.folders)
        return sorted(path for path in missing if not any((path + "/").startswith(k + "/") for k in self.kept))


def collect(work: str, files: dict[str, bytes], folders: set[str], caps: dict[str, int]) -> dict[str, Any]:
    """The changes, as JSON. Names that are no UTF-8 come with lone surrogates."""
    collector = Collector(files, caps)
    try:
        os.chmod(work, 0o700)
        fd = os.open(work, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            collector.walk(fd, "", 0)
        finally:
            os.close(fd)
    except Overflow as error:
        return {"overflow": str(error), "files": {}, "folders": [], "deleted": [], "refused": []}
    return {
        "overflow": "",
        "files": {path: base64.b64encode(data).decode() for path, data in collector.changed.items()},
        "folders": sorted(collector.folders - folders),
        "deleted": collector.gone(folders),
        "refused": collector.refused,
    }
