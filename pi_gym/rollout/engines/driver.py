"""Many sessions at a time in one process: while one waits, the others go on.

No session has a thread. Each is a generator that yields what it waits for; a coroutine on this process's background
loop takes it from one wait to the next. What is asynchronous is awaited (models, policies that are coroutines); only
what blocks by its nature runs in threads: other policies' moves, commands, the live web.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future
from dataclasses import replace
from functools import partial
from queue import Empty, SimpleQueue
from typing import Any

from pi_gym.driving.awaiting import Result, at_home, called, failure
from pi_gym.driving.heap import SettledHeap
from pi_gym.driving.threads import BlockingCalls
from pi_gym.driving.waits import Move, Play, SessionTimeout, Wait, Work, name_of
from pi_gym.models.answering import ModelAnswerer
from pi_gym.models.loop import model_loop
from pi_gym.rollout.play import begin_assignment
from pi_gym.rollout.slots import Slot, SlotMaker
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import Outcome
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.runs.progress import Load, RequestLoad

#: How often whoever takes the outcomes hears that nothing happened.
TICK_S = 1.0
#: How long what was cancelled may take to end; then nobody waits for it any more.
GRACE_S = 2.0


class SessionDriver:
    """Plays sessions at one time.

    Args:
        slots: makes the places where they are played.
        plan: of the run.
        concurrency: how many at a time.
        session_timeout_s: how long a session may take; None: as long as it takes.
        line_of: gives the trajectory of a session that has its score, where assignments come without the records of
            what was played of their episodes.
        home: the loop on which coroutines of the policy run; None: the background loop.
        most_untaken: where more outcomes than this wait to be taken, a session that ends holds its place until fewer
            do; None: any number may.
    """

    def __init__(
        self,
        slots: SlotMaker,
        plan: Plan,
        *,
        concurrency: int,
        session_timeout_s: float | None = None,
        line_of: Callable[[PlannedSession], str] | None = None,
        home: asyncio.AbstractEventLoop | None = None,
        most_untaken: int | None = None,
    ) -> None:
        self._slots, self._plan, self._count = slots, plan, concurrency
        self._timeout_s, self._line_of, self._home = session_timeout_s, line_of, home
        self._loop, self._calls = model_loop(), BlockingCalls(concurrency, "pi_gym-moves")
        self._free: list[Slot] = []
        self._todo: deque[Assignment] = deque()
        self._busy: set[asyncio.Task[None]] = set()
        self._given_up: set[asyncio.Task[Result]] = set()
        self._found: SimpleQueue[Outcome | None] = SimpleQueue()
        self._waiting: Counter[str] = Counter()
        self._changed, self._taken, self._most_untaken = asyncio.Event(), asyncio.Event(), most_untaken
        self._ended = self._stopped = False
        self._error: BaseException | None = None

    # -- from any thread -------------------------------------------------------------------------------------------

    def add(self, assignments: Iterable[Assignment]) -> None:
        """More to play."""
        self._todo.extend(assignments)
        self._loop.call(self._changed.set)

    def end(self) -> None:
        """There will be no more."""
        self._ended = True
        self._loop.call(self._changed.set)

    def stop(self) -> None:
        """Nobody wants more: what is being played is dropped."""
        self._stopped = True
        self._loop.call(self._changed.set)

    def load(self) -> Load:
        """What sessions wait for now."""
        waiting = {name: count for name, count in dict(self._waiting).items() if count}
        return Load(waiting, {role: RequestLoad(*found) for role, found in self._loop.requests().items()})

    def outcomes(self) -> Generator[Outcome | None]:
        """Play, and give results as they come, until all is played and `end` was called.

        None comes where nothing has happened for `TICK_S`. Closing the generator drops what is still being played.
        """
        running: Future[None] = self._loop.submit(self._run())
        over = object()
        running.add_done_callback(lambda _: self._found.put(over))  # type: ignore[arg-type]
        try:
            while True:
                try:
                    found = self._found.get(timeout=TICK_S)
                except Empty:
                    yield None
                    continue
                if found is over:
                    break
                if self._most_untaken is not None:
                    self._loop.call(self._taken.set)
                yield found
            running.result()
            if self._error is not None:
                raise self._error
        finally:
            self.stop()
            try:
                running.result(2 * GRACE_S)
            except BaseException:  # whatever ended it is raised already, or is why nobody wants more
                running.cancel()

    # -- on the loop -----------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        with SettledHeap() as heap:
            try:
                while not self._stopped and not (self._ended and not self._todo and not self._busy):
                    if self._todo and len(self._busy) < self._count:
                        task = asyncio.create_task(self._assignment(self._todo.popleft()))
                        self._busy.add(task)
                        task.add_done_callback(self._over)
                        # What the first of them asks for is on its way before the last of them opens.
                        await asyncio.sleep(0)
                        continue
                    if self._busy:  # before the first session, little is there of what they share
                        heap.settle()
                    self._changed.clear()
                    await self._changed.wait()
            finally:
                self._stopped = True
                left: set[asyncio.Task[Any]] = {*self._busy, *self._given_up}
                for task in left:
                    task.cancel()
                if left:
                    await asyncio.wait(left, timeout=GRACE_S)
                self._calls.close()

    def _over(self, task: asyncio.Task[None]) -> None:
        self._busy.discard(task)
        self._changed.set()

    async def _assignment(self, assignment: Assignment) -> None:
        try:
            slot = self._free.pop() if self._free else self._slots.make()
            whole = assignment.with_records(self._line_of) if self._line_of is not None else assignment
            if await self._play(begin_assignment(slot.env, slot.agent, self._plan, whole)):
                self._free.append(slot)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # an interrupt out of a policy's move, or a mistake of ours: the run ends
            # As a value: an interrupt that a task raises would end the loop for everybody.
            self._error, self._stopped = error, True

    async def _play(self, play: Play) -> bool:
        """Play to the end; whether the slot can be used again."""
        loop, usable = asyncio.get_running_loop(), True
        result, begin, waits = Result(), loop.time(), dict[str, list[float]]()
        while True:
            try:
                wait = play.send(result.value) if result.error is None else play.throw(result.error)
            except StopIteration:
                return usable
            if isinstance(wait, Outcome):
                self._found.put(replace(wait, waits=waits))
                await self._room()
                result, begin, waits = Result(), loop.time(), {}
                continue
            name, waited_from = name_of(wait), loop.time()
            self._waiting[name] += 1
            try:
                result = await self._waited(wait, begin)
            finally:
                self._waiting[name] -= 1
            waits.setdefault(name, []).append(loop.time() - waited_from)
            # What was waited for may still be at work with this agent, or in this environment.
            usable = usable and not isinstance(result.error, SessionTimeout)

    async def _room(self) -> None:
        """Wait until those who take the outcomes have caught up."""
        while self._most_untaken is not None:
            self._taken.clear()  # before the look: what is taken after it sets this again
            if self._found.qsize() <= self._most_untaken:
                return
            await self._taken.wait()

    async def _waited(self, wait: Wait, begin: float) -> Result:
        """What comes of a wait, unless the session's time is over first.

        Args:
            wait: what is waited for.
            begin: when the session began, by the loop's clock.
        """
        if self._timeout_s is None:
            return await self._result(wait)
        task = asyncio.create_task(self._result(wait))
        left_s = begin + self._timeout_s - asyncio.get_running_loop().time()
        try:
            await asyncio.wait((task,), timeout=max(left_s, 0.0))
        finally:
            if not task.done():
                self._calls.give_up_one()
                self._given_up.add(task)
                task.add_done_callback(self._given_up.discard)
                task.cancel()
        return task.result() if task.done() else Result(error=SessionTimeout(self._timeout_s, wait))

    async def _result(self, wait: Wait) -> Result:
        """What comes of a wait. Never raises, unless it is cancelled from outside."""
        try:
            return Result(await self._value(wait))
        except asyncio.CancelledError as error:
            task = asyncio.current_task()
            if task is not None and task.cancelling():
                raise
            return failure(error)
        except BaseException as error:
            return failure(error)

    async def _value(self, wait: Wait) -> Any:
        if isinstance(wait, Move) and wait.is_async:
            return await at_home(wait.call(), self._home)
        if isinstance(wait, Move | Work):
            value = await self._called(wait.call)
            is_awaitable = isinstance(wait, Move) and inspect.isawaitable(value)
            return await at_home(value, self._home) if is_awaitable else value
        if isinstance(wait.answerer, ModelAnswerer) and all(map(wait.answerer.takes, wait.asks)):
            return await wait.answerer.answer(wait.asks)
        return await self._called(partial(wait.answerer, wait.asks))

    async def _called(self, call: Callable[[], Any]) -> Any:
        return (await asyncio.wrap_future(self._calls.submit(called, call))).get()
