"""The TEXT condition as authors write it. `PARSERS` is the one table of its keys; each gives a rule."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.number_rules import parse_lacks_number, parse_numbers
from pi_gym.predicates.patterns import parse_regex
from pi_gym.predicates.stems import parse_stems
from pi_gym.predicates.text import fold, plain
from pi_gym.predicates.text_rules import (
    Contains,
    Headings,
    Lacks,
    Line,
    Matches,
    Occurrences,
    Order,
    Section,
    TextCondition,
    TextMeasure,
    TextRule,
    Whole,
    Words,
)


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


def _contains(node: Node, case: bool) -> TextRule:
    found = needles(node, case)
    return Contains(found, len(found), case)


def _groups(node: Node, case: bool) -> TextRule:
    return Words(tuple(parse_stems(group) for group in node.one_or_more()), True)


def _matches(wanted: bool, node: Node, case: bool) -> TextRule:
    return Matches(parse_regex(node, case), str(node.raw), wanted)


def _count(node: Node, case: bool) -> TextRule:
    fields = node.fields(("text", "matches", "min", "max"))
    if not node.templated and ("text" in fields) == ("matches" in fields):
        raise node.wrong("either 'text' or 'matches', with 'min' or 'max'")
    ends = {key: fields[key].raw for key in ("min", "max") if key in fields}
    span = Node(ends, node.field, node.context).span() if ends else Span(1)
    if "matches" in fields:
        return Occurrences(parse_regex(fields["matches"], case), str(fields["matches"].raw), span, case)
    return Occurrences(None, needle(node.need(fields, "text"), case), span, case)


def _whole(how: str, node: Node, case: bool) -> TextRule:
    return Whole(how, needle(node, case), case)


def _line(index: int, node: Node, case: bool) -> TextRule:
    return Line(index, parse_text(node, case))


def _limit(name: str, low: bool, node: Node, case: bool) -> TextRule:
    count = node.integer()
    return TextMeasure(name, Span(count) if low else Span(0, count))


def _headings(node: Node, case: bool) -> TextRule:
    return Headings(tuple(parse_stems(one) for one in node.items()))


def _section(node: Node, case: bool) -> TextRule:
    fields = node.fields(("heading", *PARSERS, "case"))
    rest = {key: one for key, one in fields.items() if key != "heading"}
    if not rest and not node.templated:
        raise node.wrong("'heading' and a condition on the text under it")
    return Section(parse_stems(node.need(fields, "heading")), condition(rest, case))


def _order(node: Node, case: bool) -> TextRule:
    return Order(tuple(needle(one, case) for one in node.items(2)), case)


PARSERS: Mapping[str, Callable[[Node, bool], TextRule]] = {
    "contains": _contains,
    "contains_any": lambda node, case: Contains(needles(node, case), 1, case),
    "lacks": lambda node, case: Lacks(needles(node, case), case),
    "words": _groups,
    "without_words": lambda node, case: Words((parse_stems(node),), False),
    "matches": partial(_matches, True),
    "not_matches": partial(_matches, False),
    "count": _count,
    "equals": partial(_whole, "equals"),
    "starts_with": partial(_whole, "starts_with"),
    "ends_with": partial(_whole, "ends_with"),
    "first_line": partial(_line, 0),
    "last_line": partial(_line, -1),
    "min_words": partial(_limit, "words", True),
    "max_words": partial(_limit, "words", False),
    "min_lines": partial(_limit, "lines", True),
    "max_lines": partial(_limit, "lines", False),
    "max_chars": partial(_limit, "chars", False),
    "number": lambda node, case: parse_numbers(node),
    "lacks_number": lambda node, case: parse_lacks_number(node),
    "headings": _headings,
    "section": _section,
    "order": _order,
    "bullets": lambda node, case: TextMeasure("bullets", node.span()),
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
        return TextCondition((_contains(node, case),))
    fields = node.fields(KEYS, "text condition")
    if not any(key != "case" for key in fields):
        raise node.wrong("at least one condition on the text")
    return condition(fields, case)
