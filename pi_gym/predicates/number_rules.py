"""Conditions on the numbers of a text."""

from __future__ import annotations

from dataclasses import dataclass

from pi_gym.predicates.figures import MAX_NUMBERS, NumberRule, Written, parse_precision, written_numbers
from pi_gym.predicates.node import Node
from pi_gym.predicates.stems import parse_stems
from pi_gym.predicates.text import View
from pi_gym.predicates.wording import listed

# A line that holds more numbers than a person would put there is a list of guesses, not a statement.
MAX_NUMBERS_NEAR = 12


@dataclass(frozen=True, slots=True)
class HasNumber:
    """A number occurs, if asked in a line or sentence with a word."""

    rule: NumberRule
    near: tuple[str, ...]

    def fault(self, view: View) -> str:
        """The reason why the text does not meet it, or ""."""
        found = self._candidates(view)
        if any(self.rule.takes(number) for number in found):
            return ""
        place = f" near {self.near[0].strip()!r}" if self.near else ""
        return f"does not give {self.rule}{place}; found {listed([number.value for number in found])}"

    def _candidates(self, view: View) -> list[Written]:
        if not self.near:
            return list(view.numbers)
        found: list[Written] = []
        for spoken, segment in view.segments:
            if any(stem in spoken for stem in self.near):
                numbers = written_numbers(segment)
                if len(numbers) <= MAX_NUMBERS_NEAR:
                    found.extend(numbers)
        return found


@dataclass(frozen=True, slots=True)
class HasNumbers:
    """The rule that several numbers occur."""

    rules: tuple[HasNumber, ...]

    def fault(self, view: View) -> str:
        """The reason why the text does not meet it, or ""."""
        return next((fault for rule in self.rules if (fault := rule.fault(view))), "")


@dataclass(frozen=True, slots=True)
class LacksNumbers:
    """The rule that none of some numbers occurs, however it is written."""

    values: tuple[float, ...]

    def fault(self, view: View) -> str:
        """The reason why the text does not meet it, or ""."""
        if len(view.numbers) == MAX_NUMBERS:
            return f"has {MAX_NUMBERS} numbers or more, which are not all read"
        for value in self.values:
            rule = NumberRule(value)
            if any(rule.takes(number) for number in view.numbers):
                return f"gives the number {value:.12g}, which it must not"
        return ""


def _parse_number(node: Node) -> HasNumber:
    if node.templated or not isinstance(node.raw, dict):
        return HasNumber(NumberRule(node.number()), ())
    fields = node.fields(("value", "decimals", "tolerance", "near"))
    rule = NumberRule(node.need(fields, "value").number(), *parse_precision(fields))
    return HasNumber(rule, parse_stems(fields["near"]) if "near" in fields else ())


def parse_numbers(node: Node) -> HasNumbers:
    """A number, {value, decimals, tolerance, near}, or a list of these."""
    return HasNumbers(tuple(_parse_number(one) for one in node.one_or_more()))


def parse_lacks_number(node: Node) -> LacksNumbers:
    """A number or a list of numbers."""
    return LacksNumbers(tuple(one.number() for one in node.one_or_more()))
