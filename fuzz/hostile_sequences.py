"""Sessions as sequences: sign-ins, writes, hostile actions, copies that must not touch each other, an end, a replay."""

from __future__ import annotations

import pickle
import random
from collections.abc import Callable
from typing import Any, cast

from hostile_actions import HostileAgent
from step_checks import Broken, CheckedEnv, check_end

from pi_gym.family import Family
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.session.protocol import Session


class Sequence:
    """One session, from its opening to its end, over what a driver may do with it.

    Args:
        env: the environment; its session is open.
        agent: draws the actions.
        draw: where the order of things is drawn from.
    """

    def __init__(self, env: CheckedEnv, agent: HostileAgent, draw: random.Random) -> None:
        self.env, self.agent, self.draw = env, agent, draw

    def play(self, actions: int) -> None:
        """Play to the end, which comes after so many actions at the latest.

        Raises:
            Broken: something does not hold.
        """
        moves: list[tuple[int, Callable[[], None]]] = [
            (60, self._act),
            (12, self._write),
            (8, self._fork_and_leave),
            (6, self._fork_and_go_on),
            (6, self._pickle),
            (4, self._work),
            (1, self._cut),
        ]
        for call in self.agent.sign_ins():
            if self.draw.random() < 0.7 and not self.env.session.ended:
                self.env.step(call)
        reached = self.env.actions + actions
        while not self.env.session.ended and self.env.actions < reached:
            self.draw.choices([move for _, move in moves], [weight for weight, _ in moves])[0]()
        if not self.env.session.ended:
            self._cut()
        self._replay()

    def _act(self) -> None:
        self.env.step(self.agent.action())
        self.agent.look()

    def _write(self) -> None:
        path, text = self.agent.path(), "\n".join(self.agent.text() for _ in range(3))
        self.env.step({"role": "assistant", "tool_calls": [{"function": {"name": "write_file", "arguments": {
            "path": path, "content": text,
        }}}]})  # fmt: skip

    def _work(self) -> None:
        """Some of the task's own solution, so that what follows stands on real work."""
        family: Family = self.env.env.family
        for action in list(family.reference(self.env.session))[: self.draw.randint(1, 4)]:
            if not self.env.session.ended:
                self.env.step(action)

    def _fork_and_leave(self) -> None:
        """A copy goes its own way; the session must not notice."""
        session = self.env.session
        copy, before = session.fork(), _state(session)
        for _ in range(self.draw.randint(1, 3)):
            if not copy.ended and not copy.pending:
                copy.apply(self.agent.action())
        _same(before, _state(session), "a fork changed the session that it was made of")

    def _fork_and_go_on(self) -> None:
        """Session and copy take the same action; the same must come of it."""
        action = self.agent.action()
        self._twice(self.env.session.fork(), action, "a fork")

    def _pickle(self) -> None:
        session = self.env.session
        other = pickle.loads(pickle.dumps(session))
        _same(_state(session), _state(other), "a pickle does not come back as it was")
        self._twice(other, self.agent.action(), "a pickle")

    def _twice(self, other: Session, action: Any, what: str) -> None:
        self.env.step(action)
        other.apply(action)
        while other.pending:  # what the environment answered, in the record's order
            log = list(cast(PiSession, self.env.session).log)
            for ask in other.pending:
                found = next(event for event in log if event.kind == "answer" and event.data["id"] == ask.id)
                other.answer(ask.id, _answer(found.data))
        _same(_state(self.env.session), _state(other), f"{what} took the same action to another state")

    def _cut(self) -> None:
        self.env.session.truncate("fuzz")
        check_end(self.env.session)

    def _replay(self) -> None:
        session = self.env.session
        if isinstance(session, PiSession) and session.config.history != "own":
            record = session.trajectory()
            again = replay(record).trajectory()
            _same(record.to_line(), again.to_line(), "the record, replayed, gives another record")


def _answer(data: Any) -> Any:
    from pi_gym.types import Answer

    return Answer.from_json(data)


def _state(session: Session) -> tuple[Any, ...]:
    return session.history, session.world.state_hash(), session.ended, session.turn, dict(session.scores)


def _same(first: Any, second: Any, problem: str) -> None:
    if first != second:
        raise Broken(problem)
