"""The operation `call`: tools that were called."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.predicates.check import Check, PredicateOperation
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.text import view_of
from pi_gym.predicates.text_rules import TextCondition
from pi_gym.predicates.text_specs import parse_text
from pi_gym.predicates.value_rules import MISSING, ValueCondition, parse_value
from pi_gym.predicates.wording import plural
from pi_gym.types import CallRecord


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

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("calls")

    def _fault(self, call: CallRecord) -> str:
        if self.ok is not None and call.ok != self.ok:
            return "succeeded" if call.ok else "failed"
        for name, condition in self.arguments:
            if fault := condition.fault(call.arguments.get(name, MISSING)):
                return f"has an argument {name!r} that {fault}"
        if self.result is not None and (fault := self.result.fault(view_of(call.result))):
            return f"has a result that {fault}"
        return ""


def _parse(node: Node) -> Check:
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


OPERATIONS = (
    PredicateOperation(
        "call",
        _parse,
        "`call: TOOL` (or a list)",
        "the tool was called so",
        "`arguments: {name: VALUE}`, `result: TEXT`, `ok: true \\| false \\| any`, `count` (default at least 1)",
    ),
)
