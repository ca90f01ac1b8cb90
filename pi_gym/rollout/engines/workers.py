"""Worker processes: sessions handed out in small chunks, results back as they finish, the dead replaced.

Each worker has a pipe of its own. A shared queue would not do: a worker that is killed while it holds the queue's lock
stops all others.
"""

from __future__ import annotations

import multiprocessing
import signal
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from pi_gym.catalogue import TaskSet
from pi_gym.errors import PiGymError
from pi_gym.rollout.engines.dispatch import Dispatch, Hand
from pi_gym.rollout.engines.slots import SlotMaker, SlotPlayer, SlotSetup
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import SessionOutcome, unplayed
from pi_gym.runs.plan import PlannedSession
from pi_gym.runs.progress import Load
from pi_gym.session.faults import describe_error

MAX_ATTEMPTS = 3
#: The time for which the end of a worker may go unnoticed where a process that it started holds its pipe open.
POLL_S = 1.0
_STOP_S = 2.0
_READY = "ready"


@dataclass
class _Worker:
    hand: Hand
    process: SpawnProcess
    pipe: Connection
    ready: bool = False
    load: Load = field(default_factory=Load)


@dataclass(frozen=True, slots=True)
class _Broken:
    """A worker could not make its environment or its agent."""

    reason: str


class WorkerPool:
    """Plays sessions in several processes.

    Args:
        setup: what each worker makes.
        packs: of the environment, for the records of sessions that never came back.
        assignments: what to play.
        count: number of processes.
        line_of: gives the trajectory of a session that has its score, for workers that go on with its episode.

    Raises:
        PiGymError: the setup cannot be pickled.
    """

    def __init__(
        self,
        setup: SlotSetup,
        packs: tuple[TaskSet, ...],
        assignments: Sequence[Assignment],
        count: int,
        line_of: Callable[[PlannedSession], str],
    ) -> None:
        setup.check()
        self._setup, self._packs = setup, packs
        # Results come through the pipe in order, also of a worker that is dead by now: what is not struck off was being
        # played, or had not begun.
        at_once = setup.concurrency
        self._dispatch = Dispatch(assignments, count, line_of, low=at_once, begun=at_once, max_deaths=MAX_ATTEMPTS)
        self._count, self._early_ends = count, 0
        self._made = 0
        self._workers: list[_Worker] = []
        self._stopped = False

    def load(self) -> Load:
        """The load of all workers together, as they said last."""
        return sum((worker.load for worker in self._workers), Load())

    def stop(self) -> None:
        """Have `outcomes` end, within `POLL_S`; any thread may say so."""
        self._stopped = True

    def outcomes(self) -> Generator[SessionOutcome | None]:
        """Play everything, and give results as they come; None where a worker said what it waits for.

        A session whose worker dies is played again by a fresh one; after `MAX_ATTEMPTS` it is unscored, with error
        kind "engine". Closing the generator stops the workers.

        Raises:
            PiGymError: the workers do not begin: the message says why.
        """
        try:
            while not self._stopped and (self._dispatch or self._busy()):
                while len(self._workers) < self._count and self._dispatch:
                    self._start()
                pipes = [worker.pipe for worker in self._workers]
                heard = wait(pipes, timeout=POLL_S)
                for worker in list(self._workers):
                    if worker.pipe in heard or not worker.process.is_alive():
                        yield from self._hear(worker)
        finally:
            self._stop()

    def _busy(self) -> bool:
        return any(worker.hand.assigned for worker in self._workers)

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_work, args=(theirs, self._setup), name=f"rollout-{self._made}")
        # A Ctrl-C reaches the whole group, and the parent decides; a worker that is just beginning must not hear it.
        # Python's resource tracker would lift the block as it begins, so it begins before.
        resource_tracker.ensure_running()
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            process.start()
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)
            # The worker's end must be open in the worker alone, or its death would not close the pipe.
            theirs.close()
        self._workers.append(_Worker(Hand(self._made), process, ours))
        self._made += 1

    def _hear(self, worker: _Worker) -> Iterator[SessionOutcome | None]:
        """Take one message of a worker; where it is dead, take what it had sent, and give its work to others."""
        alive = worker.process.is_alive()
        try:
            if alive or worker.pipe.poll():
                yield from self._take(worker, worker.pipe.recv())
                return  # what else it sent is heard next time
        except (EOFError, OSError):
            pass
        self._bury(worker)
        given_up = self._dispatch.take_back(worker.hand)
        if given_up is not None:
            code = worker.process.exitcode
            told = f"the worker process died {MAX_ATTEMPTS} times in this session (exit code {code} at last)"
            yield unplayed(self._packs, self._setup.plan, given_up.first, told, "engine", 0.0)

    def _take(self, worker: _Worker, message: Any) -> Iterator[SessionOutcome | None]:
        if isinstance(message, _Broken):
            raise PiGymError(f"a worker process cannot begin: {message.reason}")
        if message == _READY:
            worker.ready, self._early_ends = True, 0
        else:
            outcome, worker.load = message
            if outcome is not None:
                worker.hand.strike(outcome)
            yield outcome
        self._assign(worker)

    def _assign(self, worker: _Worker) -> None:
        """Give a worker as much as it can play at a time."""
        given = self._dispatch.more(worker.hand)
        if given:
            with suppress(OSError):  # it is dead, which the next look at its pipe says
                worker.pipe.send(given)

    def _bury(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        _end(worker)
        if not worker.ready:
            code = worker.process.exitcode
            self._early_ends += 1
            if self._early_ends >= MAX_ATTEMPTS or (code is not None and code >= 0):
                raise PiGymError(f"a worker process ended before it began (exit code {code}); see its error above")

    def _stop(self) -> None:
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self._workers:
            _end(worker)
        self._workers.clear()


def _end(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.join(_STOP_S)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()


def _work(pipe: Connection, setup: SlotSetup) -> None:
    """The life of a worker: until its pipe closes, which the end of the parent does too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        try:
            slots = SlotMaker(setup)
            slots.make_first()
        except Exception as error:
            pipe.send(_Broken(str(error) if isinstance(error, PiGymError) else describe_error(error)))
            return
        pipe.send(_READY)
        player = SlotPlayer(slots)
        threading.Thread(target=_listen, args=(pipe, player), daemon=True).start()
        for found in player.outcomes():
            pipe.send((found, player.load()))
    except (EOFError, OSError):
        return


def _listen(pipe: Connection, player: SlotPlayer) -> None:
    """Hand on what the parent sends, until its end of the pipe closes; then nobody wants what is still played."""
    try:
        while True:
            player.add(pipe.recv())
    except (EOFError, OSError):
        player.stop()
