"""Sessions played by workers on a Ray cluster.

Each worker is an actor. What goes between it and the driver is one call at a time, `exchange`: more to play one way,
results the other. So what is handed out and what lies in object stores is bounded by the number of workers, not by the
plan, and a worker whose results nobody takes stops playing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from time import monotonic, sleep
from typing import Any

from pi_gym.catalogue import TaskSet
from pi_gym.cluster.ray_connection import Cluster
from pi_gym.cluster.ray_worker import Begun, WorkerContent, WorkerReport, WorkerStart
from pi_gym.driving.driver import TICK_S
from pi_gym.errors import PiGymError
from pi_gym.rollout.engines.dispatch import Dispatch, Hand
from pi_gym.rollout.engines.slots import SlotSetup
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import SessionOutcome, unplayed
from pi_gym.runs.plan import PlannedSession
from pi_gym.runs.progress import Load

#: The number of sessions given to a worker beyond those it plays at a time, so that it need not wait for more.
AHEAD = 8
MAX_DEATHS = 2
#: Workers that end one after the other before any has begun.
MAX_EARLY_ENDS = 3
#: The times that a run waits while no worker has begun, and while there is no node that could hold one.
START_S, NO_NODE_S = 300.0, 60.0
_CAUSE_CHARS = 240


@dataclass(eq=False)
class _Worker:
    """An actor.

    Args:
        hand: what it has to play.
        actor: the handle.
        call: the one call that is under way; None: it has nothing to do.
        begun: where it plays; None: it is still beginning.
    """

    hand: Hand
    actor: Any
    call: Any
    begun: Begun | None = None
    load: Load = field(default_factory=Load)


class RayPool:
    """Plays sessions in actors.

    Args:
        setup: what each worker makes.
        packs: of the environment, which must be the same on each node.
        assignments: what to play.
        count: number of workers.
        line_of: gives the trajectory of a session that has its score, for workers that go on with its episode.
        options: of the actors.

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
        options: Mapping[str, Any],
    ) -> None:
        self._ray: Any = import_module("ray")
        self._setup, self._packs, self._count = setup, packs, count
        self._cluster = Cluster(self._ray, count, options)
        has_commands = any("exec" in card.needs for card in setup.plan.cards.values())
        self._start = WorkerStart(
            self._pickled(), WorkerContent.here(packs), has_commands, str(Path.cwd()), _module_paths()
        )
        # Results are lost with a worker, so anything that it had may have been begun.
        most = setup.concurrency + AHEAD
        self._dispatch = Dispatch(assignments, count, line_of, low=most, most=most, begun=most, max_deaths=MAX_DEATHS)
        self._workers: list[_Worker] = []
        self._made = self._early_ends = 0
        self._alone_since = self._told_at = self._looked_at = monotonic()
        self._places = count
        self._stopped = False

    def load(self) -> Load:
        """The load of all workers together, as they said last."""
        return sum((worker.load for worker in self._workers), Load())

    def stop(self) -> None:
        """Have `outcomes` end, within `TICK_S`; any thread may say so."""
        self._stopped = True

    def outcomes(self) -> Generator[SessionOutcome | None]:
        """Play everything, and give results as they come; None about once a second.

        What a worker had when it died is played again. A session in which it died alone, `MAX_DEATHS` times, is
        unscored, with error kind "engine". Closing the generator ends the actors.

        Raises:
            PiGymError: the cluster has no room for the workers, or they do not begin: the message says why.
        """
        if not self._dispatch:
            return
        cluster = self._cluster
        cluster.connect()
        try:
            cluster.require_room()
            self._places = cluster.room()
            self._shared = self._ray.put(self._start)
            self._made_of = cluster.actor_class()
            while not self._stopped and (self._dispatch or any(worker.hand.assigned for worker in self._workers)):
                self._recruit()
                for worker in self._workers:
                    if worker.call is None:
                        self._feed(worker)
                for worker in self._heard():
                    yield from self._hear(worker)
                if monotonic() - self._told_at >= TICK_S:
                    self._told_at = monotonic()
                    yield None
        finally:
            self._end()

    # -- workers ---------------------------------------------------------------------------------------------------

    def _recruit(self) -> None:
        """Begin as many workers as there should be, and as the nodes that are left can hold."""
        if len(self._workers) < self._count and monotonic() - self._looked_at >= TICK_S:
            self._places, self._looked_at = self._cluster.room(), monotonic()
        while self._dispatch and len(self._workers) < min(self._count, self._places):
            actor = self._made_of.remote()
            self._workers.append(_Worker(Hand(self._made), actor, actor.begin.remote(self._shared)))
            self._made += 1
        if any(worker.begun is not None for worker in self._workers):
            self._alone_since = monotonic()
        elif monotonic() - self._alone_since > (START_S if self._places else NO_NODE_S):
            why = f"no worker began within {START_S:g} s" if self._places else f"no node for {NO_NODE_S:g} s"
            raise PiGymError(f"engine='ray': {why}; {self._cluster.told_free()}")

    def _feed(self, worker: _Worker) -> None:
        """Hand out more; a worker that has something left is asked for what it has played."""
        given = self._dispatch.more(worker.hand)
        worker.call = worker.actor.exchange.remote(given) if worker.hand.assigned else None

    def _heard(self) -> list[_Worker]:
        """The workers whose call is over, once there is one, or after `TICK_S`."""
        calls = {worker.call: worker for worker in self._workers if worker.call is not None}
        if not calls:
            sleep(TICK_S / 10)  # no node is left, and one may come
            return []
        found, _ = self._ray.wait(list(calls), timeout=TICK_S)
        if found and len(calls) > 1:  # nobody is overlooked because others come first
            found, _ = self._ray.wait(list(calls), num_returns=len(calls), timeout=0)
        return [calls[call] for call in found]

    def _hear(self, worker: _Worker) -> Iterator[SessionOutcome]:
        try:
            said = self._ray.get(worker.call)
        except self._ray.exceptions.RuntimeEnvSetupError as error:
            raise PiGymError(f"engine='ray': the runtime_env cannot be made: {_short(error)}") from error
        except self._ray.exceptions.RayError as error:
            yield from self._lost(worker, error)
            return
        worker.call = None
        if isinstance(said, Begun):
            if said.broken:
                raise PiGymError(f"a worker on the node {said.node} cannot begin: {said.broken}")
            worker.begun, self._early_ends = said, 0
        elif isinstance(said, WorkerReport):
            worker.load = said.load
            for outcome in said.outcomes:
                worker.hand.strike(outcome)
            self._feed(worker)  # before the results are written: it plays meanwhile
            yield from said.outcomes

    def _lost(self, worker: _Worker, error: Exception) -> Iterator[SessionOutcome]:
        """A worker is gone: others play what it had."""
        self._workers.remove(worker)
        self._kill(worker)
        if worker.begun is None:
            self._early_ends += 1
            if self._early_ends >= MAX_EARLY_ENDS:
                raise PiGymError(f"engine='ray': {self._early_ends} workers ended before they began: {_cause(error)}")
            return
        if self._cluster.has(worker.begun.node_id):
            given_up = self._dispatch.take_back(worker.hand)
        else:
            given_up, self._places = self._dispatch.rescue(worker.hand), self._cluster.room()
        if given_up is not None:
            told = (
                f"the worker died {MAX_DEATHS} times in this session, at last on {worker.begun.node}: {_cause(error)}"
            )
            yield unplayed(self._packs, self._setup.plan, given_up.first, told, "engine", 0.0)

    def _kill(self, worker: _Worker) -> None:
        with suppress(Exception):  # it is dead already, or the cluster is
            self._ray.kill(worker.actor)

    def _end(self) -> None:
        for worker in self._workers:
            self._kill(worker)
        self._workers.clear()
        self._cluster.close()

    def _pickled(self) -> bytes:
        try:
            # What stands in a script or a notebook goes by its content: there is no module to import it from elsewhere.
            found: bytes = import_module("ray.cloudpickle").dumps(self._setup)
        except Exception as error:
            raise PiGymError(
                f"the policy or the environment's arguments cannot be pickled ({type(error).__name__}: {error}); name"
                " the policy as module:Class or module:function, or use engine='local' with workers=1"
            ) from error
        return found


def _module_paths() -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(Path(path).absolute()) for path in sys.path))


def _cause(error: Exception) -> str:
    """The reason why a worker is gone, in one line."""
    inner = getattr(error, "cause", None)
    return _short(inner if isinstance(inner, Exception) else error)


def _short(error: Exception) -> str:
    """The last line of what Ray says, without its advice."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()] or [type(error).__name__]
    return lines[-1].partition(" Some common causes")[0][:_CAUSE_CHARS]
