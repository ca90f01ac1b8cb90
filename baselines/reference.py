"""An agent that plays each task's own solution."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium as gym

from pi_gym.env import PiEnv
from pi_gym.errors import PiGymError

_NOTHING_LEFT = "That is all from my side."


class ReferenceAgent:
    """Plays the reference that the task ships: the ceiling, and the proof that a task can be solved.

    It is privileged: it reads the hidden part of the session, which no other agent may. Where the reference is over and
    the session is not, it replies without doing anything, so that the score shows it.
    """

    name = "reference"

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Take the reference of the session that opens."""
        base = env.unwrapped
        if not isinstance(base, PiEnv) or base.session is None:
            raise TypeError("the reference agent plays open sessions of pi_gym environments only")
        task = base.session.task
        if not task.reference:
            raise PiGymError(
                f"task {task.id!r} has no reference, so the reference agent cannot play it; choose another"
            )
        self._actions: Iterator[str] = iter(task.reference)

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """The reference's next action."""
        return next(self._actions, _NOTHING_LEFT)
