"""The garbage collector, where much is made that stays."""

from __future__ import annotations

import gc
import os
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock
from types import TracebackType
from typing import Self


class SettledHeap:
    """Spares the garbage collector what stays for the whole of a run: modules, packs, what sessions share.

    It would go over all that each time that it looks at everything, and all sessions of the process wait meanwhile.
    What is made afterwards is collected as ever. Where the program has done the same itself, nothing is changed.
    """

    def __init__(self) -> None:
        self._is_settled = self._is_ours = False

    def settle(self) -> None:
        """Freeze what is there now, so that it stays until the end; a second call does nothing."""
        if self._is_settled:
            return
        self._is_settled = True
        if not gc.get_freeze_count():  # which counts them one by one
            self._is_ours = True
            gc.freeze()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._is_ours:
            gc.unfreeze()


class _Pauses:
    """The pauses of this process: the first turns the collector off, the last one on again."""

    def __init__(self) -> None:
        self._lock, self._count, self._was_on = Lock(), 0, False

    def begin(self) -> None:
        with self._lock:
            if not self._count:
                self._was_on = gc.isenabled()
                gc.disable()
            self._count += 1

    def end(self) -> None:
        with self._lock:
            self._count -= 1
            if not self._count and self._was_on:
                gc.enable()

    def forget(self) -> None:
        """In a forked child: the threads that would end the pauses are not there."""
        self._lock = Lock()
        if self._count:
            self._count = 0
            if self._was_on:
                gc.enable()


_pauses = _Pauses()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_pauses.forget)


@contextmanager
def paused_collection() -> Iterator[None]:
    """Keep the garbage collector off for the moment in which a world is made: all of it stays, and none is garbage."""
    _pauses.begin()
    try:
        yield
    finally:
        _pauses.end()
