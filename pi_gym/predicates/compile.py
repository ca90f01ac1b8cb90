"""From a spec to a predicate: the combinators and the one table of atoms."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

from pi_gym.errors import SpecError, unknown
from pi_gym.predicates.apps import parse_app
from pi_gym.predicates.changes import parse_app_changes, parse_changes
from pi_gym.predicates.check import Check, CheckParser
from pi_gym.predicates.conversation import parse_attached, parse_call, parse_function, parse_reply, parse_resolved
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.files import parse_file
from pi_gym.predicates.node import Context, FileState, Function, Node
from pi_gym.predicates.wording import listed, plural

NO_FUNCTIONS: Mapping[str, Function] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class All:
    """Every part holds."""

    parts: tuple[Check, ...]

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        whys: list[str] = []
        for part in self.parts:
            outcome = part.test(evidence)
            if not outcome.holds:
                return outcome
            whys.append(outcome.why)
        return Outcome(True, " ".join(whys[:3]))


@dataclass(frozen=True, slots=True)
class AtLeast:
    """At least `least` parts hold."""

    least: int
    parts: tuple[Check, ...]

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        held = 0
        faults: list[str] = []
        for part in self.parts:
            outcome = part.test(evidence)
            if outcome.holds:
                held += 1
                if held == self.least:
                    return Outcome(True, outcome.why)
            else:
                faults.append(outcome.why)
        rest = " ".join(faults[:3])
        return Outcome(False, f"{held} of {plural(len(self.parts), 'part')} hold, expected {self.least}: {rest}")


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold."""

    part: Check

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        outcome = self.part.test(evidence)
        if outcome.holds:
            return Outcome(False, f"This should not hold: {outcome.why}")
        return Outcome(True, f"Rightly not so: {outcome.why}")


@dataclass(frozen=True, slots=True)
class Predicate:
    """A compiled predicate. Immutable, without state of its own, safe to share between threads."""

    root: Check

    def test(self, evidence: Evidence) -> Outcome:
        """Whether it holds on the evidence, and why in one sentence.

        No content of a workspace makes it raise; what a function of the task raises is passed on.
        """
        return self.root.test(evidence)


def _parse_all(node: Node) -> Check:
    return _all(node.need(node.fields(("all",), "key beside 'all'"), "all"))


def _all(node: Node) -> Check:
    return All(tuple(_parse(one) for one in node.items()))


def _parse_any(node: Node) -> Check:
    inner = node.need(node.fields(("any",), "key beside 'any'"), "any")
    return AtLeast(1, tuple(_parse(one) for one in inner.items()))


def _parse_not(node: Node) -> Check:
    return Not(_parse(node.need(node.fields(("not",), "key beside 'not'"), "not")))


def _parse_at_least(atom: Node) -> Check:
    node = atom.need(atom.fields(("at_least",), "key beside 'at_least'"), "at_least")
    fields = node.fields(("n", "of"))
    n, of = node.need(fields, "n"), node.need(fields, "of")
    parts = tuple(_parse(one) for one in of.items())
    least = n.integer(1)
    if least > len(parts) and not n.templated and not of.templated:
        raise n.wrong(f"a whole number up to {len(parts)}, the length of 'of'")
    return AtLeast(least, parts)


ATOMS: Mapping[str, CheckParser] = {
    "all": _parse_all,
    "any": _parse_any,
    "not": _parse_not,
    "at_least": _parse_at_least,
    "reply": parse_reply,
    "attached": parse_attached,
    "file": parse_file,
    "call": parse_call,
    "changes": parse_changes,
    "app": parse_app,
    "app_changes": parse_app_changes,
    "resolved": parse_resolved,
    "function": parse_function,
}


def _parse(node: Node) -> Check:
    if node.templated:
        return All(())
    raw = node.raw
    if isinstance(raw, list | tuple):
        return _all(node)
    if not isinstance(raw, Mapping):
        raise node.wrong("a predicate (a mapping with one of the keys " + ", ".join(ATOMS) + ", or a list)")
    keys = [key for key in raw if key in ATOMS]
    if len(keys) > 1:
        raise SpecError(node.field, f"one predicate has one of these keys, not {listed(keys)}; use 'all'")
    if not keys:
        first = next(iter(raw), "")
        raise SpecError(node.field, unknown("predicate", str(first), ATOMS))
    return ATOMS[keys[0]](node)


def compile_predicate(
    spec: Any,
    field: str,
    functions: Mapping[str, Function] = NO_FUNCTIONS,
    *,
    file_state: FileState = "any",
) -> Predicate:
    """Compile a rendered spec.

    Args:
        spec: the predicate as YAML gave it, templates rendered.
        field: where it stands in the task, such as "checklist[2].check".
        functions: the task's own rules by name.
        file_state: the state that files and rows must be in where the spec does not say: "changed" for the
            `satisfied_when` of intents, "any" for a checklist.

    Raises:
        SpecError: the spec is wrong; the message names the field, what was expected and what came.
    """
    return Predicate(_parse(Node(spec, field, Context(functions, file_state))))


def check_shape(spec: Any, field: str) -> None:
    """Check the keys and the structure of a spec whose templates are not rendered yet.

    A text that holds template syntax is acceptable wherever a scalar, a list or a mapping is expected.

    Raises:
        SpecError: the structure is wrong whatever the templates give.
    """
    _parse(Node(spec, field, Context(None, lenient=True)))
