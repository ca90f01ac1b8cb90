"""Threads for what blocks by its nature: a policy's own moves, commands, the live web."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any


class MoveThreads:
    """As many threads as calls are under way, made when they are needed and used again.

    They are daemons: a call that never returns keeps neither its caller nor the interpreter from ending.
    """

    def __init__(self) -> None:
        self._work: SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._made = self._free = 0

    def submit(self, call: Callable[[], Any]) -> Future[Any]:
        """Have a call made; what it raises, whatever it is, is the future's."""
        future: Future[Any] = Future()
        with self._lock:
            if self._free:
                self._free -= 1
            else:
                self._made += 1
                threading.Thread(target=self._serve, name=f"pi_gym-moves-{self._made}", daemon=True).start()
        self._work.put((future, call))
        return future

    def close(self) -> None:
        """Let the threads end, each when its call returns."""
        for _ in range(self._made):
            self._work.put(None)

    def _serve(self) -> None:
        while (work := self._work.get()) is not None:
            future, call = work
            begun, result, error = future.set_running_or_notify_cancel(), None, None
            if begun:
                try:
                    result = call()
                except BaseException as raised:
                    error = raised
            # Free before the result is known, or whoever has waited for it would have another thread made.
            with self._lock:
                self._free += 1
            if begun and error is None:
                future.set_result(result)
            elif begun:
                future.set_exception(error)
            # Nothing of the session is kept alive by a thread that waits for its next call.
            del work, future, call, result, error
