"""The lines of a file of sessions, one after the other, however long one is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import BinaryIO, NamedTuple

#: A longer line is not read as a whole: its session is shown as far as that goes.
MAX_LINE_BYTES = 32 << 20
#: The beginning and the end that are kept of a longer one.
KEPT_BYTES = 1 << 20


class ScannedLine(NamedTuple):
    """A line of a file.

    Args:
        number: counted from where the scan began, from 1.
        offset: of its first byte.
        length: in bytes, without the line end.
        head: the line; of a long one the beginning.
        tail: the same object; of a long one the end.
        whole: it has its line end; a last line without one may still be being written.
    """

    number: int
    offset: int
    length: int
    head: bytes
    tail: bytes
    whole: bool


def scan_lines(file: BinaryIO, offset: int) -> Iterator[ScannedLine]:
    """The lines from an offset on; empty ones are left out."""
    file.seek(offset)
    number = 0
    while data := file.readline(MAX_LINE_BYTES):
        number += 1
        length, head, tail = len(data), data, data
        if not data.endswith(b"\n") and length == MAX_LINE_BYTES:
            head, tail = data[:KEPT_BYTES], data[-KEPT_BYTES:]
            while not tail.endswith(b"\n") and (more := file.readline(KEPT_BYTES)):
                length += len(more)
                tail = (tail + more)[-KEPT_BYTES:]
        whole = tail.endswith(b"\n")
        if head is tail:
            head = tail = data.rstrip(b"\n")
        else:
            tail = tail.rstrip(b"\n")
        size = length - whole
        if head:
            yield ScannedLine(number, offset, size, head, tail, whole)
        offset += length
