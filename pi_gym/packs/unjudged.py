"""Stand-ins for predicates where a task has none: only a model can judge it.

Whoever evaluates these in spite of that gets an error that says what to do, never a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pi_gym.errors import RolesNeeded
from pi_gym.predicates import Evidence, Predicate
from pi_gym.predicates.evidence import Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.questions import Clause, Matcher


@dataclass(frozen=True, slots=True)
class UnjudgedCheck:
    """The stand-in for a predicate."""

    subject: str

    def test(self, evidence: Evidence) -> Outcome:
        """Raise RolesNeeded."""
        raise RolesNeeded(f"{self.subject} has no predicate, so no rule can judge it; a model has to")

    def footprint(self) -> Footprint:
        """The empty footprint: a model judges, no rule reads."""
        return Footprint()


class UnjudgedQuestions(Matcher):
    """The stand-in for a task's matcher.

    Args:
        subject: named in the error.
    """

    def __init__(self, subject: str) -> None:
        super().__init__(())
        self.subject = subject

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.subject,)

    def aims(self, clause: Clause) -> tuple[str, ...]:
        """Raise RolesNeeded."""
        raise RolesNeeded(f"{self.subject} has no questions.yaml, so no rule can judge what is asked; a model has to")


def unjudged(subject: str) -> Predicate:
    """A predicate that cannot be evaluated; `subject` is named in the error."""
    return Predicate(UnjudgedCheck(subject))
