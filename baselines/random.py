"""An agent that samples the action space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym


class RandomAgent:
    """Samples the action space: short texts without meaning."""

    name = "random"

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Keep the space to draw from."""
        self._space = env.action_space

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> Any:
        """A sample of the action space."""
        return self._space.sample()


AGENT = RandomAgent
