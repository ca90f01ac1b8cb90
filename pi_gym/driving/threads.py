"""Threads for what blocks: a fixed number of them, none of which keeps a program from ending."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import Future
from queue import SimpleQueue
from typing import Any, TypeAlias

_Job: TypeAlias = "tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]"


class BlockingCalls:
    """Runs calls in daemon threads, which are begun as they are needed.

    Python waits at its end for the threads of a `ThreadPoolExecutor`; an agent that waits for a server which hangs
    would so hold up a run that was interrupted, for as long as it likes.

    Args:
        most: the most threads.
        name: of the threads.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._idle = threading.Semaphore(0)
        self._threads = 0

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have something called; what it raises, other than an interrupt of the program, is the future's."""
        future: Future[Any] = Future()
        self._jobs.put((future, call, arguments))
        if not self._idle.acquire(blocking=False) and self._threads < self._most:
            self._threads += 1
            threading.Thread(target=self._run, name=f"{self._name}-{self._threads}", daemon=True).start()
        return future

    def give_up_one(self) -> None:
        """Nobody waits for one of the calls any more, and its thread may be lost: another may be begun in its place."""
        self._most += 1

    def close(self) -> None:
        """Let the threads end when they have done what was submitted; nobody waits for that."""
        for _ in range(self._threads):
            self._jobs.put(None)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, call, arguments = job
            if future.set_running_or_notify_cancel():
                try:
                    result = call(*arguments)
                except BaseException as error:
                    future.set_exception(error)
                else:
                    future.set_result(result)
            del job, future, call, arguments
            self._idle.release()
