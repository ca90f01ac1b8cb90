"""The TEXT condition as authors write it. `PARSERS` is the one table of its keys; each gives a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from pi_gym.predicates.node import Node
from pi_gym.predicates.patterns import parse_regex
from pi_gym.predicates.text import fold, plain
from pi_gym.predicates.text_rules import Contains, Equals, Lacks, Matches, StartsWith, TextCondition, TextRule


def needle(node: Node, case: bool) -> str:
    """A text to look for, in the form in which it is looked for."""
    raw = node.string()
    form = plain(raw) if case else fold(raw)
    if not form:
        raise node.wrong("a text with something to look for")
    return form


def needles(node: Node, case: bool) -> tuple[str, ...]:
    """One or more texts to look for."""
    return tuple(needle(one, case) for one in node.one_or_more())


def _matches(wanted: bool, node: Node, case: bool) -> TextRule:
    return Matches(parse_regex(node, case), str(node.raw), wanted)


PARSERS: Mapping[str, Callable[[Node, bool], TextRule]] = {
    "contains": lambda node, case: Contains(needles(node, case), case),
    "lacks": lambda node, case: Lacks(needles(node, case), case),
    "equals": lambda node, case: Equals(needle(node, case), case),
    "starts_with": lambda node, case: StartsWith(needle(node, case), case),
    "matches": partial(_matches, True),
    "not_matches": partial(_matches, False),
}
KEYS = (*PARSERS, "case")


def condition(fields: Mapping[str, Node], case: bool = False) -> TextCondition:
    """The condition of checked fields."""
    if "case" in fields:
        case = fields["case"].boolean()
    return TextCondition(tuple(PARSERS[key](node, case) for key, node in fields.items() if key != "case"))


def parse_text(node: Node, case: bool = False) -> TextCondition:
    """A TEXT condition; a plain text (or a list of them) means `contains`."""
    if node.templated:
        return TextCondition(())
    if not isinstance(node.raw, Mapping):
        if not isinstance(node.raw, str | list | tuple):
            raise node.wrong("a text or a mapping of conditions on a text")
        return TextCondition((PARSERS["contains"](node, case),))
    fields = node.fields(KEYS, "text condition")
    if not any(key != "case" for key in fields):
        raise node.wrong("at least one condition on the text")
    return condition(fields, case)
