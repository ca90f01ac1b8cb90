"""A history that fits a context window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, SupportsFloat

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from pi_gym.observation import Observation
from pi_gym.wrappers.budget import check_budget

NOTE = "[... {count} earlier characters are left out ...]\n\n"


class TruncateHistory(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Keeps the system message, the opening message, and the latest steps that fit the budget, whole.

    The opening and the last step always stay, even where they alone are over the budget.

    Args:
        env: a pi_gym environment whose observation has the whole `history`.
        budget: how much the kept history may cost.
        cost: what a text costs; None: its characters (a tokenizer's count is the natural other choice).

    Raises:
        ValueError: the budget is not a positive integer.
    """

    def __init__(self, env: gym.Env[Observation, Any], budget: int, cost: Callable[[str], int] | None = None) -> None:
        RecordConstructorArgs.__init__(self, budget=budget, cost=cost)
        gym.Wrapper.__init__(self, env)
        self.budget, self.cost = check_budget(budget), cost or len
        self._opening = ""
        self._steps: list[tuple[str, int]] = []
        self._length = 0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Open a session; the observation is the whole opening."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._opening, self._steps = observation["history"], []
        self._length = len(self._opening)
        return observation, info

    def step(self, action: Any) -> tuple[Observation, SupportsFloat, bool, bool, dict[str, Any]]:
        """Take an action; the observation's history is cut to the budget."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        new = observation["history"][self._length :]
        self._length = len(observation["history"])
        self._steps.append((new, self.cost(new)))
        return {**observation, "history": self._kept()}, reward, terminated, truncated, info

    def _kept(self) -> str:
        left = self.budget - self.cost(self._opening)
        first = len(self._steps)
        for index in range(len(self._steps) - 1, -1, -1):
            left -= self._steps[index][1]
            if left < 0 and first < len(self._steps):
                break
            first = index
        dropped = sum(len(text) for text, _ in self._steps[:first])
        note = NOTE.format(count=dropped) if dropped else ""
        return self._opening + note + "".join(text for text, _ in self._steps[first:])
