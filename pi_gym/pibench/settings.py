"""The settings of a session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from pi_gym.rewards import RewardConfig
from pi_gym.types import HistoryMode


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of a session; its system message tells them.

    Args:
        max_steps: actions per session, malformed ones included; with the last one the session is cut short.
        max_turns: turns per session, likewise.
        max_tool_calls: tool calls per turn. Further ones are refused; `MAX_LATE_ACTIONS` further actions with calls in
            place of a reply cut the session short.
    """

    max_steps: int = 200
    max_turns: int = 30
    max_tool_calls: int = 120

    def __post_init__(self) -> None:
        for name in ("max_steps", "max_turns", "max_tool_calls"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or value < 1:
                raise ValueError(f"{name}: expected an integer of 1 or more, got {value!r}")


DEFAULT_LIMITS = Limits()
MAX_LATE_ACTIONS = 3
#: Asking clauses that the user answers beside one for each intent that nobody else can tell, and the least in all: four
#: questions on what only she can tell are always heard, also where this variant holds none of their intents.
SPARE_QUESTIONS, MIN_QUESTIONS = 3, 4
#: Intents that the world tells and that are credited to who asks for them; further ones are answered, and provided.
NEEDLESS_CREDITED = 1


@dataclass(frozen=True, slots=True)
class SessionConfig:
    """The settings of a session.

    Args:
        limits: how long it may be.
        patience: replies with a question that hit nothing, after which the user answers no more; None: never.
        paper_letter: the user follows the paper's letter: any number of questions, answered by the session's intents
            alone and all credited; assumptions and announced plans are not heard, and no `after` is waited for.
            `patience` does not count then.
        tools: "task" offers the task's tools and the pack's general ones, "all" everything there is.
        web: "offline" is the pack's own pages, "live" asks for everything.
        subagent: somebody answers asks of kind "policy", so `spawn` is offered.
        reward: what it pays.
        keep_prompts: the record keeps what models were asked, word for word; otherwise its hash.
        history: which past the world has; for the record.
        env_id: the environment's id, for the record.
        seed: the seed of the reset (under history "own" of the one that began the episode), or -1; for the record.
        exclude_needs: the tasks that the environment leaves out, by what they need; for the record.
        models: by role, the language model that plays it and its sampling; for the record.
        strict: an error of pi_gym's own (`Trajectory.engine_faults`) is raised; no part of the record.
    """

    limits: Limits = field(default_factory=Limits)
    patience: int | None = 3
    paper_letter: bool = False
    tools: Literal["task", "all"] = "task"
    web: Literal["offline", "live"] = "offline"
    subagent: bool = False
    reward: RewardConfig = field(default_factory=RewardConfig)
    keep_prompts: bool = False
    history: HistoryMode = "none"
    env_id: str = ""
    seed: int = -1
    exclude_needs: tuple[str, ...] = ()
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, hash=False)
    strict: bool = False

    def __post_init__(self) -> None:
        patience = self.patience
        if patience is not None and (isinstance(patience, bool) or not isinstance(patience, int) or patience < 0):
            raise ValueError(f"patience: expected an integer of 0 or more, or None, got {patience!r}")
        if not isinstance(self.reward, RewardConfig):
            raise TypeError(f"reward: expected a RewardConfig, got {self.reward!r}")
        if not isinstance(self.keep_prompts, bool):
            raise TypeError(f"keep_prompts: expected True or False, got {self.keep_prompts!r}")
        if not isinstance(self.paper_letter, bool):
            raise TypeError(f"paper_letter: expected True or False, got {self.paper_letter!r}")
        if not isinstance(self.strict, bool):
            raise TypeError(f"strict: expected True or False, got {self.strict!r}")
        if self.tools not in ("task", "all"):
            raise ValueError(f"tools: expected 'task' or 'all', got {self.tools!r}")
        if self.web not in ("offline", "live"):
            raise ValueError(f"web: expected 'offline' or 'live', got {self.web!r}")
        if self.history not in ("reference", "own", "none"):
            raise ValueError(f"history: expected 'reference', 'own' or 'none', got {self.history!r}")

    def to_json(self) -> dict[str, Any]:
        """The settings, as a trajectory keeps them."""
        return {
            "patience": self.patience,
            "paper_letter": self.paper_letter,
            "tools": self.tools,
            "web": self.web,
            "subagent": self.subagent,
            "keep_prompts": self.keep_prompts,
            "max_steps": self.limits.max_steps,
            "max_turns": self.limits.max_turns,
            "max_tool_calls": self.limits.max_tool_calls,
            "exclude_needs": list(self.exclude_needs),
            "reward": self.reward.to_json(),
            **({"models": {role: dict(model) for role, model in self.models.items()}} if self.models else {}),
        }
