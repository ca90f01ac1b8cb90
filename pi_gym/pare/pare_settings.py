"""The settings of a Pare session: how long it may be, what it pays, how noisy the world is."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Literal

from pi_gym.errors import unknown

#: The paper's levels of environment noise, as events a virtual minute, and of failing tools, as probabilities.
NOISE_LEVELS: Mapping[str, float] = {"none": 0.0, "low": 2.0, "medium": 4.0, "high": 6.0}
FAILURE_LEVELS: Mapping[str, float] = {"none": 0.0, "low": 0.1, "medium": 0.2, "high": 0.4}
MAX_NOISE = 60.0
#: The parts of a reward.
PARE_COMPONENTS = ("accepted", "rejected", "success", "turns", "calls", "interruptions")


@dataclass(frozen=True, slots=True)
class PareReward:
    """The settings of a session's rewards.

    Args:
        accepted: paid at the first acceptance of a help.
        rejected: subtracted for a proposal that was rejected, or replaced while it was out.
        success: paid at the end where the goal was met, or, where no help was wanted, nothing was done.
        cost_per_turn, cost_per_call, cost_per_interruption: subtracted per turn, per tool call, per proposal.
        every_acceptance: the paper's letter: each acceptance pays, so that repeated proposals can be farmed.

    Raises:
        ValueError: a weight is negative, or no finite number.
    """

    accepted: float = 1.0
    rejected: float = 1.0
    success: float = 1.0
    cost_per_turn: float = 0.0
    cost_per_call: float = 0.0
    cost_per_interruption: float = 0.0
    every_acceptance: bool = False

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "every_acceptance":
                if not isinstance(value, bool):
                    raise ValueError(f"PareReward.every_acceptance: expected True or False, got {value!r}")
                continue
            number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if not number or value < 0:
                raise ValueError(f"PareReward.{entry.name}: expected a number of 0 or more, got {value!r}")
            object.__setattr__(self, entry.name, float(value))

    def to_json(self) -> dict[str, Any]:
        """The settings, as a trajectory keeps them."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


@dataclass(frozen=True, slots=True)
class PareConfig:
    """The settings of a session.

    Args:
        max_turns: turns of the agent; with the last one the session is cut short and graded.
        observe_calls: tool calls of a turn in which it only watches; with the last one the turn ends.
        execute_calls: tool calls of an execution; after the last one a report is asked for.
        user_actions: actions of the person in a turn.
        tools: whose function schemas the agent is given: "all", or those of the mode, anew where the mode changes them.
        call_s: virtual seconds that a call takes; `turn_s` those that a turn takes.
        noise: events a virtual minute that have nothing to do with the scenario.
        tool_failure: probability with which a call of the agent's fails, of an app other than System and AgentUI.
        reward: what it pays.
        keep_prompts: the record keeps what models were asked, word for word; otherwise its hash.
        env_id: the environment's id, for the record.
        seed: the seed of the reset, or -1; for the record.
        models: by role, the language model that plays it and its sampling; for the record.
        strict: an error of pi_gym's own is raised; no part of the record.
    """

    max_turns: int = 10
    observe_calls: int = 5
    execute_calls: int = 10
    user_actions: int = 1
    tools: Literal["all", "mode"] = "all"
    call_s: int = 5
    turn_s: int = 60
    noise: float = 0.0
    tool_failure: float = 0.0
    reward: PareReward = field(default_factory=PareReward)
    keep_prompts: bool = False
    env_id: str = ""
    seed: int = -1
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    strict: bool = False

    def __post_init__(self) -> None:
        for name in ("max_turns", "observe_calls", "execute_calls", "user_actions", "call_s", "turn_s"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}: expected an integer of 1 or more, got {value!r}")
        for name, most in (("noise", MAX_NOISE), ("tool_failure", 1.0)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= most:
                raise ValueError(f"{name}: expected a number from 0 to {most:g}, got {value!r}")
        if self.tools not in ("all", "mode"):
            raise ValueError(unknown("tools", str(self.tools), ("all", "mode")))
        if not isinstance(self.reward, PareReward):
            raise TypeError(f"reward: expected a PareReward, got {self.reward!r}")

    def to_json(self) -> dict[str, Any]:
        """The settings, as a trajectory keeps them."""
        names = ("max_turns", "observe_calls", "execute_calls", "user_actions", "call_s", "turn_s", "noise")
        return {
            **{name: getattr(self, name) for name in names},
            "tool_failure": self.tool_failure,
            "tools": self.tools,
            "keep_prompts": self.keep_prompts,
            "reward": self.reward.to_json(),
            **({"models": {role: dict(model) for role, model in self.models.items()}} if self.models else {}),
        }


def level(value: float | str, levels: Mapping[str, float], name: str) -> float:
    """A number, or the one that a level's name stands for; ValueError lists the names."""
    if isinstance(value, str):
        if value not in levels:
            raise ValueError(f"{name}: expected a number or one of {', '.join(levels)}, got {value!r}")
        return levels[value]
    return value
