"""The driver of sessions: it takes generators from one wait to the next, in the thread that asks for results.

No session has a thread. While one waits, the others go on: models and coroutines are awaited on event loops, what
blocks by its nature runs in a few daemon threads, and whatever ends comes back through one queue. One session at a time
needs none of that, and is played in place.
"""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field
from queue import Empty, SimpleQueue
from time import perf_counter
from typing import Any, Generic

from pi_gym.driving.calls import BlockingCalls, LoopCalls, Result, failure
from pi_gym.driving.in_place import play_in_place
from pi_gym.driving.waits import Move, Play, R, SessionEnd, SessionTimeout, Wait, Work, name_of
from pi_gym.models.answerer import ModelAnswerer, ModelsClosed
from pi_gym.session.answerers import Waiting, require_answers
from pi_gym.shell import ShellRunner

#: The time after which whoever takes the results hears that none came.
TICK_S = 1.0
#: The time that cancelled coroutines have to end; then nobody waits for them any more.
GRACE_S = 2.0


@dataclass(eq=False, slots=True)
class _Drive(Generic[R]):
    """A generator under way: since when, and what its present session waits for and has waited for."""

    play: Play[R]
    begun_s: float
    waits: dict[str, list[float]] = field(default_factory=dict)
    wait: Wait | None = None
    name: str = ""
    since_s: float = 0.0
    future: Future[Any] | None = None
    threads: BlockingCalls | None = None


class Driver(Generic[R]):
    """Plays sessions.

    Args:
        concurrency: how many at a time. One at a time is played in place where nothing below is asked for: whatever it
            waits for is called in this thread.
        timeout_s: how long a session may take; None: as long as it takes.
        home: the loop on which coroutines of the policy run; None: the background loop.
        together: functions that answer asks, other than models and the shell, are called in this thread, with the asks
            of all sessions that wait for them; else each session's in a thread.
        rest: called before this thread waits while sessions are under way.
    """

    def __init__(
        self,
        *,
        concurrency: int,
        timeout_s: float | None = None,
        home: asyncio.AbstractEventLoop | None = None,
        together: bool = False,
        rest: Callable[[], None] | None = None,
    ) -> None:
        self.in_place = concurrency == 1 and timeout_s is None and home is None
        self._concurrency, self._timeout_s, self._together, self._rest = concurrency, timeout_s, together, rest
        self._todo: deque[Play[R]] = deque()
        #: Those under way, by the time when their sessions began.
        self._drives: dict[_Drive[R], None] = {}
        self._over: SimpleQueue[tuple[_Drive[R], Future[Any]] | None] = SimpleQueue()
        #: By answerer: those that wait for a function that is to be called in this thread.
        self._groups: dict[int, list[tuple[_Drive[R], Waiting]]] = {}
        self._waiting: Counter[str] = Counter()
        self._moves = BlockingCalls(concurrency, "pi_gym-moves")
        self._commands: BlockingCalls | None = None
        self._coroutines = LoopCalls(home)
        self._ended = self._stopped = False

    # -- from any thread -------------------------------------------------------------------------------------------

    def add(self, plays: Iterable[Play[R]]) -> None:
        """Add sessions to play."""
        self._todo.extend(plays)
        self._over.put(None)

    def end(self) -> None:
        """Announce that nothing more will be added."""
        self._ended = True
        self._over.put(None)

    def stop(self) -> None:
        """Stop at once: what is being played is dropped."""
        self._stopped = True
        self._over.put(None)

    def waiting(self) -> Mapping[str, int]:
        """The number of sessions that wait now, by what they wait for."""
        return {name: count for name, count in dict(self._waiting).items() if count}

    # -- in the thread that asks for results -----------------------------------------------------------------------

    def results(self) -> Generator[SessionEnd[R] | None]:
        """Play, and give results as they come, until all is played and `end` was called.

        None comes where there was no result for `TICK_S`. Sessions go on while somebody waits for the next result, and
        no further; closing the generator drops what is still being played.
        """
        told_s = perf_counter()
        try:
            while not self._stopped and not (self._ended and not self._todo and not self._drives):
                for end in self._turn():
                    yield end
                    told_s = perf_counter()
                if perf_counter() - told_s >= TICK_S:
                    yield None
                    told_s = perf_counter()
        finally:
            self._close()

    def _turn(self) -> Iterator[SessionEnd[R]]:
        """Let one session go on; where none can, begin one, or wait."""
        late = self._late()
        if late is not None:
            yield from self._give_up(late)
        elif not self._over.empty():
            yield from self._take(self._over.get())
        elif self._todo and len(self._drives) < self._concurrency:
            yield from self._begin(self._todo.popleft())
        elif self._groups:
            yield from self._call_group(self._groups.pop(next(iter(self._groups))))
        else:
            if self._drives and self._rest is not None:
                self._rest()
            try:
                over = self._over.get(timeout=self._patience_s())
            except Empty:
                return
            yield from self._take(over)

    def _begin(self, play: Play[R]) -> Iterator[SessionEnd[R]]:
        if self.in_place:
            yield from play_in_place(play)
            return
        drive = _Drive(play, perf_counter())
        self._drives[drive] = None
        yield from self._go_on(drive, Result())

    def _go_on(self, drive: _Drive[R], result: Result) -> Iterator[SessionEnd[R]]:
        """Take a session from the result of its wait to its next one, past the end of one in an episode."""
        while True:
            try:
                found = drive.play.send(result.value) if result.error is None else drive.play.throw(result.error)
            except StopIteration:
                del self._drives[drive]
                return
            if isinstance(found, Move | Work | Waiting):
                self._submit(drive, found)
                return
            yield SessionEnd(found, drive.waits)
            result, drive.waits, drive.begun_s = Result(), {}, perf_counter()
            self._drives[drive] = self._drives.pop(drive)  # its time begins anew, so it is the last

    def _take(self, over: tuple[_Drive[R], Future[Any]] | None) -> Iterator[SessionEnd[R]]:
        if over is None:
            return
        drive, future = over
        if drive.future is not future or drive.wait is None:  # nobody waits for it any more
            return
        result = _result_of(future, drive.wait)
        if isinstance(drive.wait, Move) and inspect.isawaitable(result.value):
            self._watch(drive, self._coroutines.submit(lambda: result.value))
            return
        self._leave_wait(drive)
        yield from self._go_on(drive, result)

    # -- waits -----------------------------------------------------------------------------------------------------

    def _submit(self, drive: _Drive[R], wait: Wait) -> None:
        """Begin what a session waits for."""
        drive.wait, drive.name, drive.since_s = wait, name_of(wait), perf_counter()
        self._waiting[drive.name] += 1
        if isinstance(wait, Move) and wait.is_async:
            self._watch(drive, self._coroutines.submit(wait.call))
        elif isinstance(wait, Move | Work):
            self._watch(drive, self._moves.submit(wait.call), self._moves)
        elif isinstance(wait.answerer, ModelAnswerer) and all(map(wait.answerer.takes, wait.asks)):
            self._watch(drive, wait.answerer.submit(wait.asks))
        elif isinstance(wait.answerer, ShellRunner):
            if self._commands is None:
                self._commands = BlockingCalls(wait.answerer.parallel, "pi_gym-shell")
            self._watch(drive, self._commands.submit(wait.answerer, wait.asks), self._commands)
        elif self._together:
            self._groups.setdefault(id(wait.answerer), []).append((drive, wait))
        else:
            self._watch(drive, self._moves.submit(wait.answerer, wait.asks), self._moves)

    def _watch(self, drive: _Drive[R], future: Future[Any], threads: BlockingCalls | None = None) -> None:
        drive.future, drive.threads = future, threads
        future.add_done_callback(lambda done: self._over.put((drive, done)))

    def _leave_wait(self, drive: _Drive[R]) -> None:
        self._waiting[drive.name] -= 1
        drive.waits.setdefault(drive.name, []).append(perf_counter() - drive.since_s)
        drive.wait = drive.future = drive.threads = None

    def _call_group(self, group: list[tuple[_Drive[R], Waiting]]) -> Iterator[SessionEnd[R]]:
        asks = [ask for _, wait in group for ask in wait.asks]
        answers = group[0][1].answerer(asks)
        require_answers(asks, answers)
        begin = 0
        for drive, wait in group:
            end = begin + len(wait.asks)
            self._leave_wait(drive)
            yield from self._go_on(drive, Result(answers[begin:end]))
            begin = end

    # -- time ------------------------------------------------------------------------------------------------------

    def _late(self) -> _Drive[R] | None:
        """The session whose time is over; None where all are in time."""
        if self._timeout_s is None:
            return None
        first = next(iter(self._drives), None)
        return first if first is not None and perf_counter() >= first.begun_s + self._timeout_s else None

    def _patience_s(self) -> float:
        """The seconds for which nothing need be done."""
        first = next(iter(self._drives), None)
        if self._timeout_s is None or first is None:
            return TICK_S
        return min(TICK_S, max(first.begun_s + self._timeout_s - perf_counter(), 0.0))

    def _give_up(self, drive: _Drive[R]) -> Iterator[SessionEnd[R]]:
        """End a session that takes too long; what it waits for may still be at work."""
        assert drive.wait is not None
        assert drive.future is not None
        assert self._timeout_s is not None
        error = SessionTimeout(self._timeout_s, drive.wait)
        if not drive.future.cancel() and drive.threads is not None:
            drive.threads.give_up_one()
        self._leave_wait(drive)
        yield from self._go_on(drive, Result(error=error))

    def _close(self) -> None:
        """Drop what nobody waits for any more."""
        self._stopped = True
        for drive in self._drives:
            if drive.future is not None:
                drive.future.cancel()
        self._drives.clear()
        self._coroutines.wait(GRACE_S)
        for threads in filter(None, (self._moves, self._commands)):
            threads.close()


def _result_of(future: Future[Any], wait: Wait) -> Result:
    """The result of what a session waited for, which is over."""
    if future.cancelled():
        if isinstance(wait, Waiting):
            return Result(error=ModelsClosed("closed while the answers of models were awaited"))
        return failure(asyncio.CancelledError())
    error = future.exception()
    if error is not None:
        return failure(error)
    value = future.result()
    return value if isinstance(value, Result) else Result(value)
