"""From a spec to a predicate, by the operations that the modules of `operations/` declare."""

from __future__ import annotations

import pkgutil
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any

from pi_gym.errors import SpecError, unknown
from pi_gym.predicates.check import Check, PredicateOperation
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import CheckFunction, FileState, Node, ParseContext
from pi_gym.predicates.wording import listed

NO_FUNCTIONS: Mapping[str, CheckFunction] = MappingProxyType({})
_FOLDER = str(Path(__file__).parent / "operations")


@cache
def operations() -> Mapping[str, PredicateOperation]:
    """The operations by key, sorted; read once.

    Raises:
        ValueError: two operations have the same key.
    """
    found: dict[str, PredicateOperation] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules([_FOLDER])):
        name = f"pi_gym.predicates.operations.{module}"
        declared: tuple[PredicateOperation, ...] = import_module(name).OPERATIONS
        for one in declared:
            if one.key in found:
                raise ValueError(f"{name} declares the key {one.key!r}, which another operation has already")
            found[one.key] = one
    return MappingProxyType({key: found[key] for key in sorted(found)})


@dataclass(frozen=True, slots=True)
class All:
    """The predicate that holds where every part does."""

    parts: tuple[Check, ...]

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        whys: list[str] = []
        for part in self.parts:
            outcome = part.test(evidence)
            if not outcome.holds:
                return outcome
            if outcome.why:
                whys.append(outcome.why)
        return Outcome(True, " ".join(whys[:3]))

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.union(part.footprint() for part in self.parts)


@dataclass(frozen=True, slots=True)
class Predicate:
    """A compiled predicate. Immutable, without state of its own, safe to share between threads.

    Args:
        root: the condition.
        field: where it stands in the task.
    """

    root: Check
    field: str = ""

    def test(self, evidence: Evidence) -> Outcome:
        """The outcome on the evidence: whether it holds, and why in one sentence.

        What it raises goes to the evidence's `keep_fault`, where that has one: then it counts as not holding as a
        whole, `not:` and `any:` in it included.
        """
        try:
            return self.root.test(evidence)
        except Exception as error:
            if evidence.keep_fault is None:
                raise
            evidence.keep_fault(f"rule {self.field}", error)
            return Outcome(False, "The rule could not be evaluated.", broken=True)

    def footprint(self) -> Footprint:
        """The footprint: what it reads and which changes it allows."""
        return self.root.footprint()


def parse_all(node: Node) -> Check:
    """The check that every predicate of a list holds."""
    return All(tuple(parse_check(one) for one in node.items()))


def parse_check(node: Node) -> Check:
    """The check of one predicate, wherever in a spec it stands."""
    if node.templated:
        return All(())
    raw, known = node.raw, operations()
    if isinstance(raw, list | tuple):
        return parse_all(node)
    if not isinstance(raw, Mapping):
        raise node.wrong("a predicate (a mapping with one of the keys " + ", ".join(known) + ", or a list)")
    keys = [key for key in raw if key in known]
    if len(keys) > 1:
        raise SpecError(node.field, f"one predicate has one of these keys, not {listed(keys)}; use 'all'")
    if not keys:
        first = next(iter(raw), "")
        raise SpecError(node.field, unknown("predicate", str(first), known))
    return known[keys[0]].parse(node)


def compile_predicate(
    spec: Any,
    field: str,
    functions: Mapping[str, CheckFunction] = NO_FUNCTIONS,
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
    return Predicate(parse_check(Node(spec, field, ParseContext(functions, file_state))), field)


def check_shape(spec: Any, field: str) -> Footprint:
    """Check the keys and the structure of a spec whose templates are not rendered yet.

    A text that holds template syntax is acceptable wherever a scalar, a list or a mapping is expected.

    Returns:
        The footprint of what is not templated; names in it may hold template syntax.

    Raises:
        SpecError: the structure is wrong whatever the templates give.
    """
    return parse_check(Node(spec, field, ParseContext(None, lenient=True))).footprint()
