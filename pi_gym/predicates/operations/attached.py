"""The operation `attached`: files that were sent to the user."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.predicates.check import Check, PredicateOperation
from pi_gym.predicates.evidence import Evidence, Outcome, SentFile
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.patterns import Regex, in_glob, parse_glob
from pi_gym.predicates.text import view_of
from pi_gym.predicates.text_rules import TextCondition
from pi_gym.predicates.text_specs import parse_text
from pi_gym.predicates.wording import plural, shown
from pi_gym.tools.outgoing import content_hash


@dataclass(frozen=True, slots=True)
class AttachedCheck:
    """The check that so many different files were sent to the user.

    Args:
        pattern: a glob over their paths; `name` as it was written.
        same: the file is still what was sent; else it is enough that it was sent.
        message: a condition on the message that carried it, or None.
        count: how many files, each counted once however often it was sent.
    """

    pattern: Regex
    name: str
    same: bool
    message: TextCondition | None
    count: Span

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        near = ""
        found: set[str] = set()
        for sent in evidence.attachments:
            if not in_glob(self.pattern, sent.path):
                near = near or f"; {shown(sent.path)} was sent"
            elif fault := self._fault(sent, evidence):
                near = near or fault
            else:
                found.add(sent.path)
        told = f"{plural(len(found), 'file')} like {shown(self.name)} sent as asked"
        if len(found) in self.count:
            return Outcome(True, f"{told}.")
        return Outcome(False, f"{told}, expected {self.count}{near}.")

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("sent", "files")

    def _fault(self, sent: SentFile, evidence: Evidence) -> str:
        if self.message is not None and (fault := self.message.fault(view_of(sent.text))):
            return f"; {shown(sent.path)} was sent with a message that {fault}"
        if self.same:
            blob = evidence.now.blob(sent.path)
            if blob is None or content_hash(blob.data) != sent.sha256:
                return f"; {shown(sent.path)} is not any more what was sent"
        return ""


def _parse(node: Node) -> Check:
    fields = node.fields(("attached", "same", "message", "count"), "option of 'attached'")
    path = node.need(fields, "attached")
    return AttachedCheck(
        pattern=parse_glob(path),
        name=str(path.raw),
        same=fields["same"].boolean() if "same" in fields else True,
        message=parse_text(fields["message"]) if "message" in fields else None,
        count=fields["count"].span() if "count" in fields else Span(1),
    )


OPERATIONS = (
    PredicateOperation(
        "attached",
        _parse,
        "`attached: GLOB`",
        "files that match were sent with `message`",
        "`count` (different files, default at least 1), `message: TEXT` (on the message that carried them), "
        "`same: true` (default: the file still is what was sent) or `false`",
    ),
)
