"""Calls that end elsewhere: coroutines on event loops, and what blocks in threads; and results that are values.

Nothing that a policy raises may end an event loop, or the thread of somebody else.
"""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, wait
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeAlias

from pi_gym.errors import PiGymError
from pi_gym.models.loop import model_loop

_Job: TypeAlias = "tuple[Future[Any], Callable[..., Any], tuple[Any, ...]]"


class StrayCancellation(PiGymError):
    """The error for a call that raised what otherwise says that nobody wants its result any more.

    Args:
        error: what it raised.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(f"{type(error).__name__} was raised by what was called, and the run had cancelled nothing")


@dataclass(frozen=True, slots=True)
class Result:
    """The result of a call: its value, or the error that it raised."""

    value: Any = None
    error: BaseException | None = None

    def get(self) -> Any:
        """The value; an error is raised again."""
        if self.error is not None:
            raise self.error
        return self.value


def failure(error: BaseException) -> Result:
    """The result of a call that raised; nothing in it can be taken for the end of the run's own work."""
    mistakable = isinstance(error, asyncio.CancelledError | GeneratorExit)
    return Result(error=StrayCancellation(error) if mistakable else error)


def call_here(call: Callable[[], Any]) -> Result:
    """Call in this thread; never raises."""
    try:
        return Result(call())
    except BaseException as error:
        return failure(error)


async def await_here(call: Callable[[], Awaitable[Any]]) -> Result:
    """Call and await on the running loop. Never raises, unless it is cancelled itself.

    An interrupt that a task raises would end its loop, and everybody's work with it.
    """
    try:
        return Result(await call())
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return failure(error)
    except BaseException as error:
        return failure(error)


class LoopCalls:
    """Runs coroutines on an event loop of another thread.

    Args:
        home: the loop; None: the background loop of this process.
    """

    def __init__(self, home: asyncio.AbstractEventLoop | None = None) -> None:
        self._home = home
        self._running: set[Future[None]] = set()

    def submit(self, call: Callable[[], Awaitable[Any]]) -> Future[Result]:
        """Call on the loop and await there; cancelling the future cancels the coroutine."""
        over: Future[None] = Future()
        self._running.add(over)
        work = self._run(call, over)
        if self._home is None:
            return model_loop().submit(work)
        return asyncio.run_coroutine_threadsafe(work, self._home)

    def wait(self, timeout_s: float) -> None:
        """Wait until all have ended, also those that were cancelled, or for so long."""
        wait(list(self._running), timeout_s)

    async def _run(self, call: Callable[[], Awaitable[Any]], over: Future[None]) -> Result:
        try:
            return await await_here(call)
        finally:
            self._running.discard(over)
            over.set_result(None)


class BlockingCalls:
    """Runs calls in daemon threads: a fixed number of them, which are begun as they are needed.

    Python waits at its end for the threads of a `ThreadPoolExecutor`; an agent that waits for a server which hangs
    would so hold up a run that was interrupted, for as long as it likes.

    Args:
        most: the most threads.
        name: of the threads.
    """

    def __init__(self, most: int, name: str) -> None:
        self._most, self._name = most, name
        self._jobs: SimpleQueue[_Job | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._threads = 0
        # Calls that were submitted and have not ended.
        self._open = 0

    def submit(self, call: Callable[..., Any], *arguments: Any) -> Future[Any]:
        """Have something called; what it raises, other than an interrupt of the program, is the future's."""
        future: Future[Any] = Future()
        self._jobs.put((future, call, arguments))
        with self._lock:
            self._open += 1
            self._begin_needed()
        return future

    def give_up_one(self) -> None:
        """Give up one of the calls: its thread may be lost, and another may be begun in its place."""
        with self._lock:
            self._most += 1
            self._begin_needed()

    def _begin_needed(self) -> None:
        """Begin a thread where every one that there is has a call already."""
        if self._threads < min(self._open, self._most):
            self._threads += 1
            threading.Thread(target=self._run, name=f"{self._name}-{self._threads}", daemon=True).start()

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
            with self._lock:
                self._open -= 1
