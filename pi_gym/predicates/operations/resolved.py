"""The operation `resolved`: intents that are open no more."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.predicates.check import Check, PredicateOperation
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node
from pi_gym.predicates.wording import listed, shown


@dataclass(frozen=True, slots=True)
class Resolved:
    """An intent is open no more."""

    intent: str

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        status = evidence.statuses.get(self.intent)
        if status is None:
            return Outcome(
                False, f"There is no intent {shown(self.intent)}; known: {listed(sorted(evidence.statuses))}."
            )
        return Outcome(status != "open", f"The intent {shown(self.intent)} is {status}.")

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("statuses")


def _parse(node: Node) -> Check:
    fields = node.fields(("resolved",), "option of 'resolved'")
    return Resolved(node.need(fields, "resolved").string("an intent's name"))


OPERATIONS = (
    PredicateOperation(
        "resolved",
        _parse,
        "`resolved: INTENT`",
        "the intent is open no more",
    ),
)
