"""Many sessions at a time in one process: while one waits for a model, the others go on.

No session has a thread. Each is a generator that yields what it waits for; the driver goes on with whichever has its
answer. Only what blocks by its nature runs in threads: an agent's own moves, commands, the live web.
"""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from queue import SimpleQueue
from typing import Any, TypeAlias

import gymnasium as gym

from pi_gym.models.answering import ModelAnswerer
from pi_gym.rollout.agents import Agent, make_agent
from pi_gym.rollout.assignments import Assignment
from pi_gym.rollout.faults import told
from pi_gym.rollout.outcome import Outcome
from pi_gym.rollout.plan import BadArgument, Plan, PlannedSession
from pi_gym.rollout.play import Play, Work, begin_session, make_env
from pi_gym.session.answerers import Waiting


@dataclass(eq=False)
class Slot:
    """Where sessions are played, one after the other.

    Args:
        env: an environment of its own.
        agent: an agent of its own.
        assignment: what is played here; its first session now.
        play: that session; `future` what it waits for.
    """

    env: gym.Env[Any, Any]
    agent: Agent
    assignment: Assignment | None = None
    play: Play | None = None
    future: Future[Any] | None = None


def make_slots(
    env_id: str, env_kwargs: Mapping[str, Any], agent: str | Agent, count: int, first: Slot | None = None
) -> list[Slot]:
    """Slots with an environment and an agent each; an agent that was given as an object is copied.

    Args:
        env_id: the environment.
        env_kwargs: its arguments.
        agent: a name, or an agent.
        count: how many.
        first: one that is there already.

    Raises:
        BadArgument: the agent cannot be copied.
    """
    slots = [first or Slot(make_env(env_id, env_kwargs), make_agent(agent))]
    for _ in range(count - 1):
        slots.append(Slot(make_env(env_id, env_kwargs), make_agent(agent if isinstance(agent, str) else _copy(agent))))
    return slots


def _copy(agent: Agent) -> Agent:
    try:
        return copy.deepcopy(agent)
    except Exception as error:
        raise BadArgument(
            f"the agent cannot be copied ({told(error)}), so it plays one session at a time: name it as module:Class,"
            " or use concurrency=1"
        ) from error


_Event: TypeAlias = "Slot | Sequence[Assignment] | None"


class SessionDriver:
    """Plays sessions in several slots.

    Args:
        slots: at least one.
        plan: of the run.
        line_of: gives the trajectory of a session that has its score, where assignments come without the records of
            what was played of their episodes.
    """

    def __init__(
        self, slots: Sequence[Slot], plan: Plan, line_of: Callable[[PlannedSession], str] | None = None
    ) -> None:
        self._line_of = line_of
        self._free, self._plan = deque(slots), plan
        self._count = len(slots)
        self._todo: deque[Assignment] = deque()
        self._busy: set[Slot] = set()
        # What has happened: a slot has what it waited for, there are more assignments, or (None) there will be no more.
        self._events: SimpleQueue[_Event] = SimpleQueue()
        self._stopped = False

    def add(self, assignments: Iterable[Assignment]) -> None:
        """More to play; any thread may say so."""
        self._events.put(tuple(assignments))

    def end(self) -> None:
        """There will be no more; any thread may say so."""
        self._events.put(None)

    def stop(self) -> None:
        """Nobody wants more: what is being played is dropped; any thread may say so."""
        self._stopped = True
        self._events.put(None)

    def outcomes(self) -> Generator[Outcome]:
        """Play, and give results as they come, until all is played and `end` was called.

        Closing the generator drops what is still being played.
        """
        ended = False
        pool = ThreadPoolExecutor(self._count, thread_name_prefix="pi_gym-agents")
        try:
            while True:
                while self._todo and self._free:
                    slot = self._free.popleft()
                    assignment = self._todo.popleft()
                    self._open(slot, assignment.with_records(self._line_of) if self._line_of else assignment)
                    yield from self._go_on(slot, pool)
                if ended and not self._busy and not self._todo:
                    return
                event = self._events.get()
                if self._stopped:
                    return
                if event is None:
                    ended = True
                elif isinstance(event, Slot):
                    yield from self._go_on(event, pool)
                else:
                    self._todo.extend(event)
        finally:
            for slot in self._busy:
                if slot.future is not None:
                    slot.future.cancel()
            pool.shutdown(wait=False, cancel_futures=True)

    def _go_on(self, slot: Slot, pool: ThreadPoolExecutor) -> Generator[Outcome]:
        """Let a session go on with what it waited for, up to what it waits for next, or to its end."""
        while slot.play is not None:
            try:
                wait = _resumed(slot.play, slot.future)
            except StopIteration as end:
                yield self._close(slot, end.value)
            else:
                self._begin(slot, wait, pool)
                return

    def _open(self, slot: Slot, assignment: Assignment) -> None:
        slot.assignment, slot.future = assignment, None
        slot.play = begin_session(slot.env, slot.agent, self._plan, assignment)
        self._busy.add(slot)

    def _close(self, slot: Slot, outcome: Outcome) -> Outcome:
        """A session is over: open the next of its episode in the same place, where there is one to be played."""
        assert slot.assignment is not None
        rest = slot.assignment.rest() if outcome.score.scored else None
        slot.assignment = slot.play = slot.future = None
        if rest is not None:
            self._open(slot, rest)
        else:
            self._busy.discard(slot)
            self._free.append(slot)
        return outcome

    def _begin(self, slot: Slot, wait: Work | Waiting, pool: ThreadPoolExecutor) -> None:
        if isinstance(wait, Work):
            slot.future = pool.submit(wait.call)
        elif isinstance(wait.answerer, ModelAnswerer) and all(map(wait.answerer.takes, wait.asks)):
            slot.future = wait.answerer.submit(wait.asks)
        else:
            slot.future = pool.submit(wait.answerer, wait.asks)
        slot.future.add_done_callback(lambda _: self._events.put(slot))


def _resumed(play: Play, future: Future[Any] | None) -> Work | Waiting:
    """What a session waits for next, given what it waited for before."""
    if future is None:
        return next(play)
    error = future.exception()
    return play.send(future.result()) if error is None else play.throw(error)
