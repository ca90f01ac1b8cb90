"""The operation `reply`: what was said to the user."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.predicates.check import Check, PredicateOperation, outcome
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node
from pi_gym.predicates.patterns import Regex, in_glob, parse_glob
from pi_gym.predicates.text import view_of
from pi_gym.predicates.text_rules import TextCondition
from pi_gym.predicates.text_specs import parse_text
from pi_gym.predicates.wording import shown


@dataclass(frozen=True, slots=True)
class ReplyCheck:
    """The replies meet a condition: joined, the final one alone, or any single one.

    Args:
        condition: of the text.
        which: "joined", "final" or "any".
        since: globs of files: the replies are those since the agent last changed one of these, in whatever turn; None:
            the replies in scope.
    """

    condition: TextCondition
    which: str
    since: tuple[Regex, ...] | None = None

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        replies = evidence.replies if self.since is None else evidence.replies_since(self._places(evidence))
        if not replies:
            return Outcome(
                False, "There is no reply." if self.since is None else "No reply came after the last change."
            )
        if self.which == "any":
            faults = [self.condition.fault(view_of(reply)) for reply in replies]
            if "" in faults:
                return Outcome(True, f"The reply {shown(replies[faults.index('')])} is as asked.")
            return outcome("No single reply is as asked: the last", faults[-1])
        text = replies[-1] if self.which == "final" else "\n\n".join(replies)
        return outcome(f"The reply {shown(text)}", self.condition.fault(view_of(text)))

    def _places(self, evidence: Evidence) -> list[str]:
        paths = (place for place in evidence.last_changes if isinstance(place, str))
        return [path for path in paths if any(in_glob(pattern, path) for pattern in self.since or ())]

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("replies")


def _parse(node: Node) -> Check:
    fields = node.fields(("reply", "which", "since"), "option of 'reply'")
    which = fields["which"].choice(("joined", "final", "any")) if "which" in fields else "joined"
    since = tuple(parse_glob(one) for one in fields["since"].one_or_more()) if "since" in fields else None
    return ReplyCheck(parse_text(node.need(fields, "reply")), which, since)


OPERATIONS = (
    PredicateOperation(
        "reply",
        _parse,
        "`reply: TEXT`",
        "the replies in scope say so",
        "`which: joined` (default), `final`, `any` (a single one); `since: GLOB`: all replies since such a file last "
        "changed, in whatever turn",
    ),
)
