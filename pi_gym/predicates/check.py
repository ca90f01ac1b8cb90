"""The parts of a predicate, which test the evidence, and the operations that authors write them with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias

from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node


class Check(Protocol):
    """A condition on the evidence, or a combination of such. Immutable, so that threads can share it."""

    def test(self, evidence: Evidence) -> Outcome:
        """The outcome: whether it holds, and why, in one sentence."""
        ...

    def footprint(self) -> Footprint:
        """The footprint: what it reads and allows."""
        ...


CheckParser: TypeAlias = Callable[[Node], Check]


@dataclass(frozen=True, slots=True)
class PredicateOperation:
    """One key of the predicate language, declared in a module of `pi_gym/predicates/operations`.

    Args:
        key: the key that makes a mapping this operation.
        parse: makes the check of a node whose mapping holds the key.
        form: how it is written, in Markdown, for docs/predicates.md.
        holds: when it holds.
        options: the keys that may stand beside it.
    """

    key: str
    parse: CheckParser
    form: str
    holds: str
    options: str = ""


def outcome(subject: str, fault: str) -> Outcome:
    """The outcome for a subject and its fault; without a fault it holds."""
    if fault:
        return Outcome(False, f"{subject} {fault}.")
    return Outcome(True, f"{subject} is as asked.")
