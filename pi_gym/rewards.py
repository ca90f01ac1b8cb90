"""Rewards: what a step pays, and the closed form of what a session pays.

Sources: the paper's Proc (section 3.5, equation 3) and Comp (equation 4); the mix of both is ours.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any

COMPONENTS = ("intents", "checklist", "turns", "questions", "invalid")


@dataclass(frozen=True, slots=True)
class RewardConfig:
    """The settings of a session's rewards. With the defaults the return of a scored session is 0.5 Proc + 0.5 Comp.

    Args:
        w_proc: weight of the hidden intents.
        w_comp: weight of the checklist.
        credit_completed: credit of an intent that the agent satisfied unasked.
        credit_inferred: credit of an intent that the agent asked for.
        credit_provided: credit of an intent that the user had to state.
        credit_needless: credit of an intent that was asked for although it could be known; None: as inferred.
        cost_per_turn: subtracted at the end of every turn.
        cost_per_question: subtracted per asking clause that the user answered or shrugged at.
        cost_per_invalid: subtracted per action that was rejected or had a failing call.
        pay_held_only: intents pay at the end, and only those that still hold then.

    Raises:
        ValueError: a weight or a cost is negative, or a value is no finite number.
    """

    w_proc: float = 0.5
    w_comp: float = 0.5
    credit_completed: float = 1.0
    credit_inferred: float = 1.0
    credit_provided: float = 0.0
    credit_needless: float | None = None
    cost_per_turn: float = 0.0
    cost_per_question: float = 0.0
    cost_per_invalid: float = 0.0
    pay_held_only: bool = False

    def __post_init__(self) -> None:
        for entry in fields(self):
            value = getattr(self, entry.name)
            if entry.name == "pay_held_only":
                if not isinstance(value, bool):
                    raise ValueError(f"RewardConfig.{entry.name}: expected True or False, got {value!r}")
                continue
            if value is None and entry.name == "credit_needless":
                continue
            number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            if not number or (value < 0 and not entry.name.startswith("credit_")):
                kind = "a finite number" if entry.name.startswith("credit_") else "a number of 0 or more"
                raise ValueError(f"RewardConfig.{entry.name}: expected {kind}, got {value!r}")
            object.__setattr__(self, entry.name, float(value))

    def credit(self, status: str, needless: bool) -> float:
        """The credit of one intent, between 0 and 1 with the defaults."""
        if status == "inferred" and needless and self.credit_needless is not None:
            return self.credit_needless
        return {
            "completed": self.credit_completed,
            "inferred": self.credit_inferred,
            "provided": self.credit_provided,
        }.get(status, 0.0)

    def to_json(self) -> dict[str, Any]:
        """The configuration as a JSON object."""
        return {entry.name: getattr(self, entry.name) for entry in fields(self)}


@dataclass(frozen=True, slots=True)
class Tally:
    """The counts from which a session's rewards are computed.

    Args:
        statuses: (status, needless, held at the end) of every intent.
        comp: share of passed checklist items; None where there is no checklist.
        turns: turns that ended.
        questions: asking clauses that counted.
        invalid: invalid actions.
    """

    statuses: Sequence[tuple[str, bool, bool]]
    comp: float | None
    turns: int
    questions: int
    invalid: int


def step_components(
    config: RewardConfig,
    *,
    total: int,
    settled: Sequence[tuple[str, bool]] = (),
    turns: int = 0,
    questions: int = 0,
    invalid: int = 0,
) -> dict[str, float]:
    """The reward of one step before the end, by component.

    Args:
        config: the reward configuration.
        total: number of intents of the session.
        settled: (status, needless) of each intent that got its status in this step.
        turns: turns that ended in this step (0 or 1).
        questions: asking clauses of this step.
        invalid: 1 where the action was invalid.
    """
    paid = 0.0
    if settled and not config.pay_held_only:
        paid = config.w_proc * sum(config.credit(status, needless) for status, needless in settled) / total
    return _components(config, paid, 0.0, turns, questions, invalid)


def final_components(config: RewardConfig, tally: Tally) -> dict[str, float]:
    """The last step's rewards beside `step_components`: the checklist, and the intents where they pay at the end."""
    paid = 0.0
    if config.pay_held_only and tally.statuses:
        held = [config.credit(status, needless) for status, needless, held in tally.statuses if held]
        paid = config.w_proc * sum(held) / len(tally.statuses)
    return _components(config, paid, config.w_comp * (tally.comp or 0.0), 0, 0, 0)


def return_components(config: RewardConfig, tally: Tally) -> dict[str, float]:
    """The session's whole return by component, in closed form."""
    paid = 0.0
    if tally.statuses:
        credits = [
            config.credit(status, needless)
            for status, needless, held in tally.statuses
            if held or not config.pay_held_only
        ]
        paid = config.w_proc * sum(credits) / len(tally.statuses)
    return _components(config, paid, config.w_comp * (tally.comp or 0.0), tally.turns, tally.questions, tally.invalid)


def _components(
    config: RewardConfig, paid: float, checklist: float, turns: int, questions: int, invalid: int
) -> dict[str, float]:
    return {
        "intents": paid,
        "checklist": checklist,
        "turns": -config.cost_per_turn * turns if turns else 0.0,
        "questions": -config.cost_per_question * questions if questions else 0.0,
        "invalid": -config.cost_per_invalid * invalid if invalid else 0.0,
    }


def completeness(verdicts: Sequence[tuple[str, float]]) -> float | None:
    """Comp of (verdict, weight) of every item; None where there is none, or where one is unknown.

    >>> completeness([("passed", 3.0), ("failed", 1.0)]), completeness([("passed", 1.0), ("unknown", 1.0)])
    (0.75, None)
    """
    passed = whole = 0.0
    for verdict, weight in verdicts:
        if verdict == "unknown":
            return None
        passed += weight if verdict == "passed" else 0.0
        whole += weight
    return passed / whole if verdicts else None


def total(components: Mapping[str, float]) -> float:
    """The sum of the components, in their fixed order."""
    return sum(map(components.__getitem__, COMPONENTS))
