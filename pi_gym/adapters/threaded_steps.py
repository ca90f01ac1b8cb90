"""The steps of sessions in threads, from an event loop that has others to serve."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from functools import partial
from typing import Any, TypeVar

ResultT = TypeVar("ResultT")
#: Threads in which sessions step: each of those that wait for models of ours holds one. They are started as needed.
MAX_THREADS = 1_000
_THREADS = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="pi-gym-session")


class ThreadedSteps:
    """The steps of one session, each in a thread, one after the other in the order in which they came.

    A step whose waiter was cancelled, by whatever means, goes on to its end, and whatever comes next waits for that.

    Attributes:
        last: the step that was begun last; None: there was none.
    """

    def __init__(self) -> None:
        self._turn = asyncio.Lock()
        self.last: Future[Any] | None = None

    async def run(self, function: Callable[..., ResultT], *given: Any, **named: Any) -> ResultT:
        """Take a step, once those before it have ended.

        Args:
            function: the step; it sees the context variables of the caller.
            given: its arguments.
            named: likewise.

        Raises:
            what the step raises.
        """
        await self._turn.acquire()
        self.last = _THREADS.submit(copy_context().run, partial(function, *given, **named))
        step = asyncio.wrap_future(self.last)
        # With the step's end, since its waiter may be gone by then.
        step.add_done_callback(lambda _: self._turn.release())
        return await asyncio.shield(step)

    def wait(self) -> None:
        """Wait, in a thread that is none of these, for the end of the step that was begun last."""
        if self.last is not None:
            wait([self.last])
