"""The new part of the history only, for policies that keep their own context."""

from __future__ import annotations

from typing import Any, SupportsFloat

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from pi_gym.observation import Observation


class DeltaHistory(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """`observation["history"]` holds what the last step appended to the transcript, not the whole of it.

    The observations of a session, joined, are the transcript.

    Args:
        env: a pi_gym environment whose observation has a `history`.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        gym.Wrapper.__init__(self, env)
        self._seen = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Open a session; the observation is the whole opening."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._seen = 0
        return self._delta(observation), info

    def step(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take an action; the observation is what it appended, the agent's own message first."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        return self._delta(observation), reward, terminated, truncated, info

    def _delta(self, observation: Observation) -> Observation:
        history = observation["history"]
        start, self._seen = self._seen, len(history)
        return {**observation, "history": history[start:]}
