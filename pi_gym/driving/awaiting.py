"""Awaiting what policies give, so that nothing that they raise ends an event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from pi_gym.errors import PiGymError
from pi_gym.models.loop import model_loop


class PolicyCancelled(PiGymError):
    """A policy raised what otherwise says that nobody wants its move any more.

    Args:
        error: what it raised.
    """

    def __init__(self, error: BaseException) -> None:
        super().__init__(f"the policy raised {type(error).__name__}, and the run had cancelled nothing")


@dataclass(frozen=True, slots=True)
class Result:
    """What came of something: a value, or what was raised."""

    value: Any = None
    error: BaseException | None = None

    def get(self) -> Any:
        """The value; what was raised is raised again."""
        if self.error is not None:
            raise self.error
        return self.value


def failure(error: BaseException) -> Result:
    """What came of a move that raised; nothing in it can be taken for the end of the run's own work."""
    mistakable = isinstance(error, asyncio.CancelledError | GeneratorExit)
    return Result(error=PolicyCancelled(error) if mistakable else error)


def called(call: Callable[[], Any]) -> Result:
    """What comes of a call. Never raises: a future that holds a GeneratorExit, say, would end who awaits it."""
    try:
        return Result(call())
    except BaseException as error:
        return failure(error)


async def caught(work: Awaitable[Any]) -> Result:
    """What comes of it. Never raises, unless it is cancelled itself.

    An interrupt that a task raises would end its loop, and everybody's work with it.
    """
    try:
        return Result(await work)
    except asyncio.CancelledError as error:
        task = asyncio.current_task()
        if task is not None and task.cancelling():
            raise
        return failure(error)
    except BaseException as error:
        return failure(error)


async def at_home(work: Awaitable[Any], home: asyncio.AbstractEventLoop | None) -> Any:
    """Await on the loop where it is at home; None: the running one."""
    if home is None:
        return (await caught(work)).get()
    return (await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(caught(work), home))).get()


def awaited(work: Awaitable[Any]) -> Any:
    """Wait for it in this thread; it runs on the background loop."""
    future = model_loop().submit(caught(work))
    try:
        return future.result().get()
    finally:
        future.cancel()  # where it is not done: somebody pressed Ctrl-C
