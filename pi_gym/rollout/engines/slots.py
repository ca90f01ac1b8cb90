"""Slots: the environments and agents with which this process plays what it is assigned, made as they are needed."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import gymnasium as gym

from pi_gym.driving.driver import Driver
from pi_gym.driving.waits import Wait
from pi_gym.environments import make_env
from pi_gym.errors import BadArgument, PiGymError
from pi_gym.heap import SettledHeap
from pi_gym.models.loop import model_loop
from pi_gym.rollout.agents import make_agent
from pi_gym.rollout.play import begin_assignment
from pi_gym.runs.agent import Agent, Policy
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import SessionOutcome
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.runs.progress import Load, RequestLoad
from pi_gym.session.faults import describe_error


@dataclass(frozen=True, slots=True)
class SlotSetup:
    """The setup of a process that plays sessions; picklable.

    Args:
        env_id: the environment; `env_kwargs` its arguments.
        policy: an agent, its name, or a function; `policy_kwargs` the arguments of one that is named.
        plan: of the run, without its sessions.
        concurrency: how many sessions are played at a time.
        session_timeout_s: how long a session may take; None: as long as it takes.
    """

    env_id: str
    env_kwargs: Mapping[str, Any]
    policy: Policy
    plan: Plan
    concurrency: int = 1
    policy_kwargs: Mapping[str, Any] = field(default_factory=dict)
    session_timeout_s: float | None = None

    @property
    def several(self) -> bool:
        """Whether more than one slot may be needed."""
        return self.concurrency > 1 or self.session_timeout_s is not None

    def check(self) -> None:
        """Raise PiGymError where it cannot travel to another process."""
        try:
            pickle.dumps(self)
        except Exception as error:
            raise PiGymError(
                f"the policy or the environment's arguments cannot be pickled ({type(error).__name__}: {error}); name"
                f" the policy as module:Class or module:function, or use workers=1"
            ) from error


@dataclass(eq=False)
class Slot:
    """A place where sessions are played, one after the other.

    Args:
        env: an environment of its own.
        agent: an agent of its own.
    """

    env: gym.Env[Any, Any]
    agent: Agent


class SlotMaker:
    """Makes slots, and closes their environments.

    Args:
        setup: what they are made of; where several may be needed, an agent that was given as an object is copied for
            each.
        first: a slot that is there already, and that somebody else closes.

    Raises:
        BadArgument: several may be needed, and the agent cannot be copied.
    """

    def __init__(self, setup: SlotSetup, first: Slot | None = None) -> None:
        self.setup = setup
        policy = setup.policy
        # Copies are made of a copy: the agent itself plays meanwhile.
        self._pattern = _copied(make_agent(policy)) if setup.several and not isinstance(policy, str) else None
        self._first = first
        self._envs: list[gym.Env[Any, Any]] = []

    def make_first(self) -> Slot:
        """A slot made now, which the first `make` gives."""
        self._first = self.make()
        return self._first

    def make(self) -> Slot:
        """Another slot."""
        if self._first is not None:
            slot, self._first = self._first, None
            return slot
        setup = self.setup
        if isinstance(setup.policy, str):
            agent = make_agent(setup.policy, setup.policy_kwargs)
        else:
            agent = make_agent(setup.policy) if self._pattern is None else _copied(self._pattern)
        env = make_env(setup.env_id, setup.env_kwargs)
        self._envs.append(env)
        return Slot(env, agent)

    def close(self) -> None:
        """Close the environments that were made."""
        for env in self._envs:
            env.close()
        self._envs.clear()


class SlotPlayer:
    """Plays assignments in this process.

    Args:
        slots: where.
        line_of: gives the trajectory of a session that has its score, where assignments come without the records of
            what was played of their episodes.
        home: the loop on which coroutines of the policy run; None: the background loop.
    """

    def __init__(
        self,
        slots: SlotMaker,
        *,
        line_of: Callable[[PlannedSession], str] | None = None,
        home: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        self._slots, self._line_of, self._heap = slots, line_of, SettledHeap()
        self._free: deque[Slot] = deque()
        self._driver: Driver[SessionOutcome] = Driver(
            concurrency=slots.setup.concurrency,
            timeout_s=slots.setup.session_timeout_s,
            home=home,
            rest=self._heap.settle,
        )

    def add(self, assignments: Iterable[Assignment]) -> None:
        """Add assignments to play; any thread may do so."""
        self._driver.add(map(self._play, assignments))

    def end(self) -> None:
        """Announce that nothing more will be added."""
        self._driver.end()

    def stop(self) -> None:
        """Stop at once; any thread may do so."""
        self._driver.stop()

    def load(self) -> Load:
        """The present load; where sessions are played in place, whoever could ask is what is waited for."""
        if self._driver.in_place:
            return Load()
        requests = {role: RequestLoad(*found) for role, found in model_loop().requests().items()}
        return Load(self._driver.waiting(), requests)

    def outcomes(self) -> Generator[SessionOutcome | None]:
        """Play, and give outcomes as they come, until all is played and `end` was called; see `Driver.results`."""
        try:
            with self._heap, closing(self._driver.results()) as ends:
                for end in ends:
                    yield None if end is None else replace(end.result, waits=end.waits)
        finally:
            self._slots.close()

    def _play(self, assignment: Assignment) -> Generator[Wait | SessionOutcome, Any, None]:
        whole = assignment.with_records(self._line_of) if self._line_of is not None else assignment
        slot = self._free.pop() if self._free else self._slots.make()
        if (yield from begin_assignment(slot.env, slot.agent, self._slots.setup.plan, whole)):
            self._free.append(slot)


def _copied(agent: Agent) -> Agent:
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise BadArgument(
            f"the agent cannot be copied ({describe_error(error)}), so it plays one session at a time: name it as"
            " module:Class, or use concurrency=1 and no session_timeout_s"
        ) from error
