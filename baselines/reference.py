"""An agent that plays each task's own solution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium as gym

from pi_gym.env import SessionEnv
from pi_gym.errors import PiGymError
from pi_gym.family import Family
from pi_gym.session.protocol import Session

NOTHING_LEFT = "That is all from my side."


class ReferenceAgent:
    """Plays the reference that the task ships: the ceiling, and the proof that a task can be solved.

    It is privileged: it reads the hidden part of the session, which no other agent may. Where the reference is over and
    the session is not, it replies without doing anything, so that the score shows it.
    """

    name = "reference"

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Take the reference of the session that opens."""
        session, family = session_of(env, self.name)
        actions = family.reference(session)
        if not actions:
            raise PiGymError(
                f"task {session.identity.task_id!r} has no reference, so the reference agent cannot play it; choose"
                " another"
            )
        self._actions: Iterator[str] = iter(actions)

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """The reference's next action."""
        return next(self._actions, NOTHING_LEFT)


def session_of(env: gym.Env[Any, Any], agent: str) -> tuple[Session, Family]:
    """The session that is open in an environment, hidden part included, and its family.

    Args:
        env: the environment.
        agent: who asks for it, for the error.

    Raises:
        TypeError: it is no environment of ours, or no session is open.
    """
    base = env.unwrapped
    if not isinstance(base, SessionEnv) or base.session is None:
        raise TypeError(f"the {agent} agent plays open sessions of pi_gym environments only")
    return base.session, base.family


AGENT = ReferenceAgent
