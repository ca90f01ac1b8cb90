"""Worker processes: sessions handed out in small chunks, results back as they finish, the dead replaced.

Each worker has a pipe of its own. A shared queue would not do: a worker that is killed while it holds the queue's lock
stops all others.
"""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import threading
from collections import Counter, deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.context import SpawnProcess
from typing import Any

from pi_gym.errors import PiGymError
from pi_gym.packs import Pack
from pi_gym.rollout.agents import Policy
from pi_gym.rollout.assignments import Assignment
from pi_gym.rollout.driving import SessionDriver
from pi_gym.rollout.faults import told
from pi_gym.rollout.outcome import Outcome, unplayed
from pi_gym.rollout.plan import Plan, PlannedSession
from pi_gym.rollout.play import begin_assignment, play_here
from pi_gym.rollout.progress import Load
from pi_gym.rollout.slots import SlotMaker
from pi_gym.rollout.work_queue import WorkQueue

MAX_ATTEMPTS = 3
#: How long the end of a worker may go unnoticed where a process that it started holds its pipe open.
POLL_S = 1.0
_STOP_S = 2.0


@dataclass(frozen=True, slots=True)
class WorkerSetup:
    """What a worker needs to begin; picklable.

    Args:
        env_id: the environment; `env_kwargs` its arguments.
        policy: an agent, its name, or a function; `policy_kwargs` the arguments of one that is named.
        plan: of the run, without its sessions.
        concurrency: how many sessions a worker plays at a time.
        session_timeout_s: how long a session may take; None: as long as it takes.
    """

    env_id: str
    env_kwargs: Mapping[str, Any]
    policy: Policy
    plan: Plan
    concurrency: int = 1
    policy_kwargs: Mapping[str, Any] = field(default_factory=dict)
    session_timeout_s: float | None = None

    def check(self) -> None:
        """Raise PiGymError where it cannot travel to another process."""
        try:
            pickle.dumps(self)
        except Exception as error:
            raise PiGymError(
                f"the policy or the environment's arguments cannot be pickled ({type(error).__name__}: {error}); name"
                f" the policy as module:Class or module:function, or use workers=1"
            ) from error


@dataclass
class _Worker:
    number: int
    process: SpawnProcess
    pipe: Connection
    assigned: deque[Assignment] = field(default_factory=deque)
    alone: bool = False
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
        setup: WorkerSetup,
        packs: tuple[Pack, ...],
        assignments: Sequence[Assignment],
        count: int,
        line_of: Callable[[PlannedSession], str],
    ) -> None:
        setup.check()
        self._setup, self._packs = setup, packs
        self._queue = WorkQueue(assignments, count)
        self._count, self._line_of = count, line_of
        self._attempts: Counter[int] = Counter()
        self._early_ends = 0
        # Sessions that were being played beside others when their worker died: each is played alone, so that the one
        # at fault is found.
        self._suspects: deque[Assignment] = deque()
        self._made = 0
        self._workers: list[_Worker] = []
        self._stopped = False

    def load(self) -> Load:
        """What the sessions of all workers wait for, as they said last."""
        return sum((worker.load for worker in self._workers), Load())

    def stop(self) -> None:
        """Have `outcomes` end, within `POLL_S`; any thread may say so."""
        self._stopped = True

    def outcomes(self) -> Generator[Outcome | None]:
        """Play everything, and give results as they come; None where a worker said what it waits for.

        A session whose worker dies is played again by a fresh one; after `MAX_ATTEMPTS` it is unscored, with error
        kind "engine". Closing the generator stops the workers.

        Raises:
            PiGymError: the workers do not begin: the message says why.
        """
        try:
            while not self._stopped and (self._queue or self._suspects or self._busy()):
                while len(self._workers) < self._count and (self._queue or self._suspects):
                    self._start()
                pipes = [worker.pipe for worker in self._workers]
                heard = wait(pipes, timeout=POLL_S)
                for worker in list(self._workers):
                    if worker.pipe in heard or not worker.process.is_alive():
                        yield from self._hear(worker)
        finally:
            self._stop()

    def _busy(self) -> bool:
        return any(worker.assigned for worker in self._workers)

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
        self._workers.append(_Worker(self._made, process, ours))
        self._made += 1

    def _hear(self, worker: _Worker) -> Iterator[Outcome | None]:
        """Take one message of a worker; where it is dead, take what it had sent, and give its work to others."""
        alive = worker.process.is_alive()
        try:
            if alive or worker.pipe.poll():
                yield from self._take(worker, worker.pipe.recv())
                return  # what else it sent is heard next time
        except (EOFError, OSError):
            pass
        self._bury(worker)
        if worker.assigned:
            yield from self._redo(worker)

    def _take(self, worker: _Worker, message: Any) -> Iterator[Outcome | None]:
        if isinstance(message, _Broken):
            raise PiGymError(f"a worker process cannot begin: {message.reason}")
        if isinstance(message, Load):
            worker.load = message
            yield None
            return
        if isinstance(message, Outcome):
            _strike(worker, message)
            worker.alone = worker.alone and bool(worker.assigned)
            yield message
        else:
            worker.ready, self._early_ends = True, 0
        self._assign(worker)

    def _assign(self, worker: _Worker) -> None:
        """Give a worker as much as it can play at a time."""
        while len(worker.assigned) < self._setup.concurrency and not worker.alone:
            if self._suspects:
                if worker.assigned:
                    return  # it gets one when it has nothing else
                chunk, worker.alone = [self._suspects.popleft()], True
            else:
                chunk = self._queue.take(worker.number)
            if not chunk:
                return
            worker.assigned.extend(chunk)
            try:
                worker.pipe.send([assignment.with_records(self._line_of) for assignment in chunk])
            except OSError:
                return  # it is dead, which the next look at its pipe says

    def _bury(self, worker: _Worker) -> None:
        self._workers.remove(worker)
        self._queue.release(worker.number)
        _end(worker)
        if not worker.ready:
            code = worker.process.exitcode
            self._early_ends += 1
            if self._early_ends >= MAX_ATTEMPTS or (code is not None and code >= 0):
                raise PiGymError(f"a worker process ended before it began (exit code {code}); see its error above")

    def _redo(self, worker: _Worker) -> Iterator[Outcome]:
        # Sessions begin in order, so these were being played; with one at a time it is the one that the worker died in.
        begun = [worker.assigned.popleft() for _ in range(min(self._setup.concurrency, len(worker.assigned)))]
        self._queue.give_back(worker.assigned)
        if len(begun) > 1:
            self._suspects.extend(begun)
            return
        at_fault = begun[0]
        self._attempts[at_fault.first.index] += 1
        if self._attempts[at_fault.first.index] >= MAX_ATTEMPTS:
            code = worker.process.exitcode
            told = f"the worker process died {MAX_ATTEMPTS} times in this session (exit code {code} at last)"
            yield unplayed(self._packs, self._setup.plan, at_fault.first, told, "engine", 0.0)
        elif worker.alone:
            self._suspects.appendleft(at_fault)
        else:
            self._queue.give_back([at_fault])

    def _stop(self) -> None:
        for worker in self._workers:
            worker.pipe.close()
            worker.process.terminate()
        for worker in self._workers:
            _end(worker)
        self._workers.clear()


def _strike(worker: _Worker, outcome: Outcome) -> None:
    """Take a session off a worker's list, and what will not be played because it has no score."""
    place = next(n for n, assignment in enumerate(worker.assigned) if assignment.first == outcome.session)
    rest = worker.assigned[place].rest() if outcome.score.scored else None
    if rest is None:
        del worker.assigned[place]
    else:
        worker.assigned[place] = rest


def _end(worker: _Worker) -> None:
    worker.pipe.close()
    worker.process.join(_STOP_S)
    if worker.process.is_alive():
        worker.process.kill()
        worker.process.join()


def _work(pipe: Connection, setup: WorkerSetup) -> None:
    """The life of a worker: until its pipe closes, which the end of the parent does too."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    try:
        try:
            several = setup.concurrency > 1 or setup.session_timeout_s is not None
            slots = SlotMaker(setup.env_id, setup.env_kwargs, setup.policy, setup.policy_kwargs, several=several)
            slot = slots.make_first()
        except Exception as error:
            pipe.send(_Broken(str(error) if isinstance(error, PiGymError) else told(error)))
            return
        pipe.send("ready")
        if not several:
            while True:
                for assignment in pipe.recv():
                    for outcome in play_here(begin_assignment(slot.env, slot.agent, setup.plan, assignment)):
                        pipe.send(outcome)
        driver = SessionDriver(
            slots, setup.plan, concurrency=setup.concurrency, session_timeout_s=setup.session_timeout_s
        )
        threading.Thread(target=_listen, args=(pipe, driver), daemon=True).start()
        for found in driver.outcomes():
            pipe.send(driver.load())
            if found is not None:
                pipe.send(found)
    except (EOFError, OSError):
        return


def _listen(pipe: Connection, driver: SessionDriver) -> None:
    """Hand on what the parent sends, until its end of the pipe closes; then nobody wants what is still played."""
    try:
        while True:
            driver.add(pipe.recv())
    except (EOFError, OSError):
        driver.stop()
