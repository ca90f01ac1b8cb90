"""Steps in threads, whose waiters are cancelled by the event loop itself, as a server that stops does it."""

from __future__ import annotations

import asyncio
import threading
from contextvars import ContextVar

import pytest

from pi_gym.adapters.threaded_steps import ThreadedSteps

NAMED: ContextVar[str] = ContextVar("named", default="")


class Slow:
    """Steps that are held up, and what they did."""

    def __init__(self) -> None:
        self.begun, self.go = threading.Event(), threading.Event()
        self.done: list[str] = []

    def held(self) -> None:
        self.begun.set()
        assert self.go.wait(60)
        self.done.append("held")


async def cancelled_in_a_step(steps: ThreadedSteps, slow: Slow) -> None:
    waiting = asyncio.create_task(steps.run(slow.held))
    await asyncio.to_thread(slow.begun.wait)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting


def test_a_step_waits_for_the_one_whose_waiter_was_cancelled() -> None:
    async def session(slow: Slow) -> None:
        steps = ThreadedSteps()
        await cancelled_in_a_step(steps, slow)
        later = [asyncio.create_task(steps.run(slow.done.append, str(number))) for number in range(3)]
        await asyncio.sleep(0.05)
        assert slow.done == []
        slow.go.set()
        await asyncio.gather(*later)

    slow = Slow()
    asyncio.run(session(slow))
    assert slow.done == ["held", "0", "1", "2"]


def test_a_thread_can_wait_for_the_step_too() -> None:
    async def session(slow: Slow) -> None:
        steps = ThreadedSteps()
        await cancelled_in_a_step(steps, slow)
        ending = asyncio.create_task(asyncio.to_thread(steps.wait))
        await asyncio.sleep(0.05)
        assert not ending.done()
        slow.go.set()
        await ending
        assert slow.done == ["held"]

    asyncio.run(session(Slow()))


def test_a_step_that_raises_is_its_caller_s_alone_and_sees_the_caller_s_context() -> None:
    async def session() -> str:
        steps = ThreadedSteps()
        with pytest.raises(ZeroDivisionError):
            await steps.run(lambda: 1 / 0)
        NAMED.set("me")
        return await steps.run(NAMED.get)

    assert asyncio.run(session()) == "me"
