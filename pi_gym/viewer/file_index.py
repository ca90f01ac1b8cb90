"""The index of one file of sessions: where each line lies, and the row that a list shows of it."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from pi_gym.viewer.line_scan import scan_lines
from pi_gym.viewer.listed_session import ListedSession, listed, read_fields

#: The bytes before where the index ends that tell whether a file that has grown is still the same.
CHECKED_BYTES = 4096
MAX_PROBLEMS = 50


@dataclass
class FileIndex:
    """The index of a file; it grows with it.

    Args:
        path: the file.
        run: the resolved path of its run.
        sessions: in the order of the file.
        problems: of lines that are no sessions, a sentence each.
        done: the bytes of whole lines that are indexed; `size` and `mtime_ns` of the file at that time.
        inode: of the file.
        check: over the last bytes that are indexed.
        lines: that are indexed.
    """

    path: Path
    run: str
    sessions: list[ListedSession] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    done: int = 0
    size: int = 0
    mtime_ns: int = 0
    inode: int = 0
    check: str = ""
    lines: int = 0

    def is_current(self, stat: os.stat_result) -> bool:
        """Whether the file is as it was when it was last looked at."""
        return (stat.st_size, stat.st_mtime_ns, stat.st_ino) == (self.size, self.mtime_ns, self.inode)

    def continues(self, file: BinaryIO, stat: os.stat_result) -> bool:
        """Whether the file has only grown since, so that what is indexed still holds."""
        same = stat.st_ino == self.inode and stat.st_size >= self.done and stat.st_size != self.size
        return same and self.check == checked(file, self.done)

    def scan(self, file: BinaryIO, stat: os.stat_result) -> Iterator[ListedSession]:
        """Index what comes after what is indexed already; gives each session as it is found."""
        self.size, self.mtime_ns, self.inode = stat.st_size, stat.st_mtime_ns, stat.st_ino
        before = self.lines
        for line in scan_lines(file, self.done):
            try:
                found = listed(read_fields(line.head, line.tail), self.run, line.offset, line.length)
            except ValueError as error:
                if line.whole and len(self.problems) < MAX_PROBLEMS:
                    self.problems.append(f"{self.path}, line {before + line.number}: not a trajectory: {error}")
                found = None
            if line.whole:
                self.done, self.lines = line.offset + line.length + 1, before + line.number
            if found is not None:
                if line.whole:
                    self.sessions.append(found)
                yield found
        self.check = checked(file, self.done)


def checked(file: BinaryIO, done: int) -> str:
    """The hash over the bytes before an offset."""
    begin = max(0, done - CHECKED_BYTES)
    return hashlib.sha256(os.pread(file.fileno(), done - begin, begin)).hexdigest()
