"""An append-only log whose forks share their past.

Full chunks are tuples and are shared by every fork; only the unfinished tail (at most `CHUNK` entries) is copied. A
fork therefore costs the same after ten entries and after ten thousand, and nested forks read as fast as the first.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import Generic, TypeVar

T = TypeVar("T")
CHUNK = 128


class Log(Generic[T]):
    """A sequence that only grows.

    >>> log = Log([1, 2]); other = log.fork(); other.append(3); (list(log), list(other))
    ([1, 2], [1, 2, 3])
    """

    __slots__ = ("_chunks", "_tail")

    def __init__(self, items: list[T] | tuple[T, ...] = ()) -> None:
        self._chunks: tuple[tuple[T, ...], ...] = ()
        self._tail: list[T] = []
        for item in items:
            self.append(item)

    def append(self, item: T) -> None:
        """Add one entry at the end."""
        self._tail.append(item)
        if len(self._tail) == CHUNK:
            self._chunks = (*self._chunks, tuple(self._tail))
            self._tail = []

    def fork(self) -> Log[T]:
        """An independent log with the same entries so far."""
        copy: Log[T] = Log.__new__(Log)
        copy._chunks, copy._tail = self._chunks, self._tail.copy()
        return copy

    def since(self, position: int) -> Iterator[T]:
        """The entries from a position (a former length) on; what is appended meanwhile is not among them."""
        first, offset = divmod(position, CHUNK)
        if first == len(self._chunks):  # as most that is asked for
            return iter(self._tail[offset:])
        tail = tuple(self._tail) if first < len(self._chunks) else ()
        return islice(chain(*self._chunks[first:], tail), offset, None)

    def __iter__(self) -> Iterator[T]:
        return self.since(0)

    def __len__(self) -> int:
        return len(self._chunks) * CHUNK + len(self._tail)
