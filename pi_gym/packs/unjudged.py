"""Stand-ins for predicates where a task has none: only a model can judge it.

Whoever evaluates these in spite of that gets an error that says what to do, never a verdict.
"""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.errors import RolesNeeded
from pi_gym.predicates import Evidence, Predicate
from pi_gym.predicates.evidence import Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.questions import AskedWhen
from pi_gym.questions.clauses import Clause


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


@dataclass(frozen=True, slots=True)
class UnjudgedAsked(AskedWhen):
    """The stand-in for an `asked_when`."""

    subject: str = ""

    def matches(self, clause: Clause) -> bool:
        """Raise RolesNeeded."""
        raise RolesNeeded(f"{self.subject} has no asked_when, so no rule can judge who asks for it; a model has to")


def unjudged(subject: str) -> Predicate:
    """A predicate that cannot be evaluated; `subject` is named in the error."""
    return Predicate(UnjudgedCheck(subject))


def unjudged_asked(subject: str) -> AskedWhen:
    """An `asked_when` that cannot be evaluated."""
    return UnjudgedAsked((), subject)
