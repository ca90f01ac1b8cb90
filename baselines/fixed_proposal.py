"""An agent that knows the scenarios, and not the world that it is in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import gymnasium as gym

from pi_gym.baselines.with_phone.knowing import scenarios_of, solution_elsewhere
from pi_gym.errors import BadArgument
from pi_gym.pare.family import PARE


class FixedAgent:
    """Proposes, once in a session, what is right in another world of the scenario, and does that if it may.

    It looks at nothing: it knows the scenarios by heart, and each session's task and variant by name.

    Args:
        turn: the turn in which it proposes; by default when most of the news have come in.
    """

    name = "fixed-proposal"
    families = (PARE.name,)

    def __init__(self, turn: int = 5) -> None:
        if isinstance(turn, bool) or not isinstance(turn, int) or turn < 1:
            raise BadArgument(f"turn: expected an integer of 1 or more, got {turn!r}")
        self._turn = turn

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """Choose the proposal."""
        solution = solution_elsewhere(scenarios_of(env), info["task_id"], info["variant"])
        self._proposal: str | None = None if solution is None else solution.propose
        calls = () if solution is None else solution.calls
        report = () if solution is None else (solution.report,)
        self._doing: Iterator[str] = iter((*(call.to_text() for call in calls), *report))

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> str:
        """The proposal in its turn, what was agreed to, or nothing."""
        if info["mode"] == "execute":
            return next(self._doing, PARE.idle)
        if self._proposal is not None and info["turn"] >= self._turn:
            said, self._proposal = self._proposal, None
            return said
        return PARE.idle


AGENT = FixedAgent
