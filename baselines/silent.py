"""An agent that does nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium as gym


class SilentAgent:
    """Says that it is at work, turn after turn, and is not: the floor that every task must hold it to."""

    name = "silent"

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Nothing to do."""

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """The same reply each turn."""
        return "I'm on it."


AGENT = SilentAgent
