"""The operation `function`: the task's own rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from pi_gym.errors import SpecError, unknown
from pi_gym.predicates.check import Check, PredicateOperation
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import CheckFunction, Node


@dataclass(frozen=True, slots=True)
class FunctionCheck:
    """A rule of the task's own. What it raises is never a verdict: `Predicate.test` says what becomes of it.

    Args:
        name: of the function.
        function: the function.
        arguments: by name, what it takes beside the evidence.
        asked: name and arguments in one text: what asks the same is answered once.
    """

    name: str
    function: CheckFunction
    arguments: Mapping[str, Any]
    asked: str

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        holds: bool | None = evidence.rules.get(self.asked)
        if holds is None:
            holds = evidence.rules[self.asked] = bool(self.function(evidence, **self.arguments))
        return Outcome(holds, f"The rule {self.name} {'holds' if holds else 'does not hold'}.")

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.of("anything")


def _parse(node: Node) -> Check:
    fields = node.fields(("function", "with"), "option of 'function'")
    target = node.need(fields, "function")
    name = target.string("the name of a function in right.py")
    known = node.context.functions
    if known is None or target.templated:
        return FunctionCheck(name, lambda evidence: False, {}, name)
    if name not in known:
        raise SpecError(target.field, unknown("function", name, known))
    arguments = {key: one.raw for key, one in fields["with"].named().items()} if "with" in fields else {}
    try:
        signature(known[name]).bind(None, **arguments)
    except TypeError as error:
        raise SpecError(target.field, f"{name} cannot be called with these arguments: {error}") from error
    return FunctionCheck(name, known[name], arguments, f"{name}{arguments!r}")


OPERATIONS = (
    PredicateOperation(
        "function",
        _parse,
        "`function: NAME`",
        "the rule of that name in `right.py` returns True",
        "`with: {argument: value}`",
    ),
)
