"""The operation `reply`: what was said to the user."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.predicates.check import Check, PredicateOperation, outcome
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node
from pi_gym.predicates.text import view_of
from pi_gym.predicates.text_rules import TextCondition
from pi_gym.predicates.text_specs import parse_text
from pi_gym.predicates.wording import shown


@dataclass(frozen=True, slots=True)
class ReplyCheck:
    """The check that the replies in scope, joined, meet a condition."""

    condition: TextCondition

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        if not evidence.replies:
            return Outcome(False, "There is no reply.")
        text = "\n\n".join(evidence.replies)
        return outcome(f"The reply {shown(text)}", self.condition.fault(view_of(text)))

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("replies")


def _parse(node: Node) -> Check:
    return ReplyCheck(parse_text(node.need(node.fields(("reply",), "option of 'reply'"), "reply")))


OPERATIONS = (PredicateOperation("reply", _parse, "`reply: TEXT`", "the replies in scope say so", ""),)
