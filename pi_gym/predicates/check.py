"""What every part of a predicate is: something that tests the evidence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.node import Node


class Check(Protocol):
    """An atom or a combination of checks. Immutable, so that threads can share it."""

    def test(self, evidence: Evidence) -> Outcome:
        """Whether it holds, and why, in one sentence."""
        ...


CheckParser: TypeAlias = Callable[[Node], Check]


def outcome(subject: str, fault: str) -> Outcome:
    """The outcome for a subject and its fault; without a fault it holds."""
    if fault:
        return Outcome(False, f"{subject} {fault}.")
    return Outcome(True, f"{subject} is as asked.")
