"""What plays the sessions of a run: this thread, this process many at a time, several processes, or a Ray cluster."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Protocol, TypeAlias

from pi_gym.family import load_entry
from pi_gym.rollout.engines.driver import SessionDriver
from pi_gym.rollout.engines.workers import WorkerPool, WorkerSetup
from pi_gym.rollout.play import begin_assignment, play_here
from pi_gym.rollout.run import Run
from pi_gym.rollout.slots import Slot, SlotMaker
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import Outcome
from pi_gym.runs.plan import PlannedSession
from pi_gym.runs.progress import Load

#: The plug-in that plays on a Ray cluster.
RAY = "pi_gym.cluster.ray_engine:RayPool"
LineOf: TypeAlias = Callable[[PlannedSession], str]


class Player(Protocol):
    """Plays sessions."""

    def outcomes(self) -> Generator[Outcome | None]:
        """Results as they come, and now and then None where nothing happens; closing it drops what is under way."""
        ...

    def load(self) -> Load:
        """What sessions wait for now."""
        ...

    def stop(self) -> None:
        """Have `outcomes` end early, and soon; any thread may say so."""
        ...


def make_player(
    run: Run, todo: Sequence[Assignment], line_of: LineOf, home: asyncio.AbstractEventLoop | None
) -> Player:
    """What plays a run.

    Args:
        run: the run.
        todo: what of it is left.
        line_of: gives the trajectory of a session that has its score.
        home: the loop on which coroutines of the policy run; None: this process's background loop.
    """
    request = run.request
    count, many = min(request.workers, len(todo)), max(1, min(run.concurrency, len(todo)))
    setup = WorkerSetup(
        request.env_id,
        request.env_kwargs,
        request.policy,
        replace(run.plan, sessions=()),
        run.concurrency,
        request.policy_kwargs,
        request.session_timeout_s,
    )
    if request.engine == "ray":
        pool: Player = load_entry(RAY, "engine")(setup, run.packs, todo, count, line_of, request.ray_options)
        return pool
    if count > 1:
        return WorkerPool(setup, run.packs, todo, count, line_of)
    if many == 1 and request.session_timeout_s is None and home is None:
        return ThisThread(run, todo, line_of)
    return ThisProcess(run, todo, line_of, many, home)


class ThisThread:
    """Plays sessions one after the other, where it is called."""

    def __init__(self, run: Run, todo: Sequence[Assignment], line_of: LineOf) -> None:
        self._run, self._todo, self._line_of = run, deque(todo), line_of

    def outcomes(self) -> Generator[Outcome | None]:
        """See `Player`."""
        run = self._run
        while self._todo:
            assignment = self._todo.popleft().with_records(self._line_of)
            yield from play_here(begin_assignment(run.env, run.agent, run.plan, assignment))

    def load(self) -> Load:
        """See `Player`: whoever could ask is what is waited for."""
        return Load()

    def stop(self) -> None:
        """See `Player`."""
        self._todo.clear()


class ThisProcess:
    """Plays sessions many at a time.

    Args:
        run: the run.
        todo: what of it is left.
        line_of: gives the trajectory of a session that has its score.
        concurrency: how many at a time.
        home: the loop on which coroutines of the policy run.
    """

    def __init__(
        self,
        run: Run,
        todo: Sequence[Assignment],
        line_of: LineOf,
        concurrency: int,
        home: asyncio.AbstractEventLoop | None,
    ) -> None:
        request = run.request
        self._slots = SlotMaker(
            request.env_id,
            request.env_kwargs,
            request.policy,
            request.policy_kwargs,
            several=concurrency > 1 or request.session_timeout_s is not None,
            first=Slot(run.env, run.agent),
        )
        self._driver = SessionDriver(
            self._slots,
            run.plan,
            concurrency=concurrency,
            session_timeout_s=request.session_timeout_s,
            line_of=line_of,
            home=home,
        )
        self._todo = todo

    def outcomes(self) -> Generator[Outcome | None]:
        """See `Player`."""
        self._driver.add(self._todo)
        self._driver.end()
        try:
            with closing(self._driver.outcomes()) as outcomes:
                yield from outcomes
        finally:
            self._slots.close()

    def load(self) -> Load:
        """See `Player`."""
        return self._driver.load()

    def stop(self) -> None:
        """See `Player`."""
        self._driver.stop()
