"""Players: what plays the sessions of a run, which is this process, several processes, or a Ray cluster."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import Protocol, TypeAlias

from pi_gym.family import load_entry
from pi_gym.rollout.engines.slots import Slot, SlotMaker, SlotPlayer, SlotSetup
from pi_gym.rollout.engines.workers import WorkerPool
from pi_gym.rollout.run import Run
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import SessionOutcome
from pi_gym.runs.plan import PlannedSession
from pi_gym.runs.progress import Load

#: The plug-in that plays on a Ray cluster.
RAY = "pi_gym.cluster.ray_engine:RayPool"
LineOf: TypeAlias = Callable[[PlannedSession], str]


class Player(Protocol):
    """Plays sessions."""

    def outcomes(self) -> Generator[SessionOutcome | None]:
        """Results as they come, and now and then None where nothing happens; closing it drops what is under way."""
        ...

    def load(self) -> Load:
        """The present load: what sessions wait for."""
        ...

    def stop(self) -> None:
        """Have `outcomes` end early, and soon; any thread may say so."""
        ...


def make_player(
    run: Run, todo: Sequence[Assignment], line_of: LineOf, home: asyncio.AbstractEventLoop | None
) -> Player:
    """The player of a run.

    Args:
        run: the run.
        todo: what of it is left.
        line_of: gives the trajectory of a session that has its score.
        home: the loop on which coroutines of the policy run; None: this process's background loop.
    """
    request = run.request
    count, many = min(request.workers, len(todo)), max(1, min(run.concurrency, len(todo)))
    setup = SlotSetup(
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
    slots = SlotMaker(replace(setup, concurrency=many), Slot(run.env, run.agent))
    player = SlotPlayer(slots, line_of=line_of, home=home)
    player.add(todo)
    player.end()
    return player
