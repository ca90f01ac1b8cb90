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
    """The replies in scope meet a condition: joined, the final one alone, or any single one."""

    condition: TextCondition
    which: str

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        if not evidence.replies:
            return Outcome(False, "There is no reply.")
        if self.which == "any":
            faults = [self.condition.fault(view_of(reply)) for reply in evidence.replies]
            if "" in faults:
                return Outcome(True, f"The reply {shown(evidence.replies[faults.index('')])} is as asked.")
            return outcome("No single reply is as asked: the last", faults[-1])
        text = evidence.final_reply if self.which == "final" else evidence.reply
        return outcome(f"The reply {shown(text)}", self.condition.fault(view_of(text)))

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("replies")


def _parse(node: Node) -> Check:
    fields = node.fields(("reply", "which"), "option of 'reply'")
    which = fields["which"].choice(("joined", "final", "any")) if "which" in fields else "joined"
    return ReplyCheck(parse_text(node.need(fields, "reply")), which)


OPERATIONS = (
    PredicateOperation(
        "reply",
        _parse,
        "`reply: TEXT`",
        "the replies in scope say so",
        "`which: joined` (default), `final`, `any` (a single one)",
    ),
)
