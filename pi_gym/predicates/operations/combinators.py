"""The operations `all`, `any`, `not` and `at_least`: predicates made of predicates."""

from __future__ import annotations

from dataclasses import dataclass, replace

from pi_gym.predicates.check import Check, PredicateOperation
from pi_gym.predicates.compile import parse_all, parse_check
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.node import Node
from pi_gym.predicates.wording import plural


@dataclass(frozen=True, slots=True)
class AtLeast:
    """The predicate that holds where at least `least` parts do."""

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

    def footprint(self) -> Footprint:
        """See `Check`."""
        return Footprint.union(part.footprint() for part in self.parts)


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

    def footprint(self) -> Footprint:
        """See `Check`. What the part would allow is what may not be."""
        return replace(self.part.footprint(), allows=())


def _parse_all(node: Node) -> Check:
    return parse_all(node.need(node.fields(("all",), "key beside 'all'"), "all"))


def _parse_any(node: Node) -> Check:
    inner = node.need(node.fields(("any",), "key beside 'any'"), "any")
    return AtLeast(1, tuple(parse_check(one) for one in inner.items()))


def _parse_not(node: Node) -> Check:
    return Not(parse_check(node.need(node.fields(("not",), "key beside 'not'"), "not")))


def _parse_at_least(whole: Node) -> Check:
    node = whole.need(whole.fields(("at_least",), "key beside 'at_least'"), "at_least")
    fields = node.fields(("n", "of"))
    n, of = node.need(fields, "n"), node.need(fields, "of")
    parts = tuple(parse_check(one) for one in of.items())
    least = n.integer(1)
    if least > len(parts) and not n.templated and not of.templated:
        raise n.wrong(f"a whole number up to {len(parts)}, the length of 'of'")
    return AtLeast(least, parts)


OPERATIONS = (
    PredicateOperation("all", _parse_all, "`all: [P, ..]`", "every part holds; a list alone means the same"),
    PredicateOperation("any", _parse_any, "`any: [P, ..]`", "some part holds"),
    PredicateOperation("not", _parse_not, "`not: P`", "the part does not hold"),
    PredicateOperation("at_least", _parse_at_least, "`at_least: {n, of: [P, ..]}`", "n of the parts or more hold"),
)
