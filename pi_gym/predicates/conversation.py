"""The atoms over what was said and called: `reply`, `attached`, `call`, `resolved`, and the task's own `function`."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import signature
from typing import Any

from pi_gym.errors import SpecError, unknown
from pi_gym.predicates.check import Check, outcome
from pi_gym.predicates.evidence import Evidence, Outcome, SentFile
from pi_gym.predicates.node import Function, Node, Span
from pi_gym.predicates.patterns import Regex, in_glob, parse_glob
from pi_gym.predicates.text import view_of
from pi_gym.predicates.text_rules import TextCondition
from pi_gym.predicates.text_specs import parse_text
from pi_gym.predicates.value_rules import MISSING, ValueCondition, parse_value
from pi_gym.predicates.wording import listed, plural, shown
from pi_gym.tools.outgoing import content_hash
from pi_gym.types import CallRecord


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


def parse_reply(node: Node) -> Check:
    """The atom `reply`."""
    fields = node.fields(("reply", "which"), "option of 'reply'")
    which = fields["which"].choice(("joined", "final", "any")) if "which" in fields else "joined"
    return ReplyCheck(parse_text(node.need(fields, "reply")), which)


@dataclass(frozen=True, slots=True)
class AttachedCheck:
    """So many different files were sent to the user.

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

    def _fault(self, sent: SentFile, evidence: Evidence) -> str:
        if self.message is not None and (fault := self.message.fault(view_of(sent.text))):
            return f"; {shown(sent.path)} was sent with a message that {fault}"
        if self.same:
            blob = evidence.now.blob(sent.path)
            if blob is None or content_hash(blob.data) != sent.sha256:
                return f"; {shown(sent.path)} is not any more what was sent"
        return ""


def parse_attached(node: Node) -> Check:
    """The atom `attached`."""
    fields = node.fields(("attached", "same", "message", "count"), "option of 'attached'")
    path = node.need(fields, "attached")
    return AttachedCheck(
        pattern=parse_glob(path),
        name=str(path.raw),
        same=fields["same"].boolean() if "same" in fields else True,
        message=parse_text(fields["message"]) if "message" in fields else None,
        count=fields["count"].span() if "count" in fields else Span(1),
    )


@dataclass(frozen=True, slots=True)
class CallCheck:
    """A tool was called so often with such arguments.

    Args:
        names: the tools, any of which counts.
        arguments: conditions by argument.
        result: a condition on what came back, or None.
        ok: whether the calls succeeded; None for both.
        count: how many calls.
    """

    names: tuple[str, ...]
    arguments: tuple[tuple[str, ValueCondition], ...]
    result: TextCondition | None
    ok: bool | None
    count: Span

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        called = [call for call in evidence.calls if call.name in self.names]
        faults = [self._fault(call) for call in called]
        hits = faults.count("")
        name = " or ".join(self.names)
        if hits in self.count:
            return Outcome(True, f"{name} was called as asked {plural(hits, 'time')}.")
        near = next((f"; one call {fault}" for fault in faults if fault), "")
        return Outcome(False, f"{name} was called as asked {plural(hits, 'time')}, expected {self.count}{near}.")

    def _fault(self, call: CallRecord) -> str:
        if self.ok is not None and call.ok != self.ok:
            return "succeeded" if call.ok else "failed"
        for name, condition in self.arguments:
            if fault := condition.fault(call.arguments.get(name, MISSING)):
                return f"has an argument {name!r} that {fault}"
        if self.result is not None and (fault := self.result.fault(view_of(call.result))):
            return f"has a result that {fault}"
        return ""


def parse_call(node: Node) -> Check:
    """The atom `call`."""
    fields = node.fields(("call", "arguments", "result", "ok", "count"), "option of 'call'")
    arguments = fields["arguments"].named() if "arguments" in fields else {}
    ok: bool | None = True
    if "ok" in fields:
        ok = None if fields["ok"].raw == "any" else fields["ok"].boolean()
    return CallCheck(
        names=node.need(fields, "call").strings(),
        arguments=tuple((name, parse_value(one)) for name, one in arguments.items()),
        result=parse_text(fields["result"]) if "result" in fields else None,
        ok=ok,
        count=fields["count"].span() if "count" in fields else Span(1),
    )


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


def parse_resolved(node: Node) -> Check:
    """The atom `resolved`."""
    fields = node.fields(("resolved",), "option of 'resolved'")
    return Resolved(node.need(fields, "resolved").string("an intent's name"))


@dataclass(frozen=True, slots=True)
class FunctionCheck:
    """A rule of the task's own. What it raises is its author's mistake, so it is raised on and never a verdict."""

    name: str
    function: Function
    arguments: tuple[tuple[str, Any], ...] = ()

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        key = f"{self.name}{self.arguments!r}"
        if key not in evidence.rules:
            evidence.rules[key] = bool(self.function(evidence, **dict(self.arguments)))
        holds = evidence.rules[key]
        return Outcome(holds, f"The rule {self.name} {'holds' if holds else 'does not hold'}.")


def parse_function(node: Node) -> Check:
    """The atom `function`."""
    fields = node.fields(("function", "with"), "option of 'function'")
    target = node.need(fields, "function")
    name = target.string("the name of a function in variant.py")
    known = node.context.functions
    if known is None or target.templated:
        return FunctionCheck(name, lambda evidence: False)
    if name not in known:
        raise SpecError(target.field, unknown("function", name, known))
    arguments = {key: one.raw for key, one in fields["with"].named().items()} if "with" in fields else {}
    try:
        signature(known[name]).bind(None, **arguments)
    except TypeError as error:
        raise SpecError(target.field, f"{name} cannot be called with these arguments: {error}") from error
    return FunctionCheck(name, known[name], tuple(arguments.items()))
