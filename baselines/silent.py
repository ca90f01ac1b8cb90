"""An agent that does nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym

from pi_gym.environments import base_env


class SilentAgent:
    """Leaves the word, turn after turn, and does nothing: the floor that every task must hold it to.

    In PiBench that is to say that it is at work; in Pare, where whatever is said is a proposal, it is to wait.
    """

    name = "silent"

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Take what is nothing in this family."""
        self._idle = base_env(env).family.idle

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """The same each turn."""
        return self._idle


AGENT = SilentAgent
