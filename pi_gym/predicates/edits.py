"""Conditions on a file against its content at the session's start: exact edits, and how much was kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pi_gym.predicates.node import Node
from pi_gym.predicates.text import MAX_TEXT_CHARS
from pi_gym.predicates.text_rules import TextCondition
from pi_gym.predicates.text_specs import parse_text
from pi_gym.predicates.wording import shown


@dataclass(frozen=True, slots=True)
class LineRule:
    """A line that is asked for: an exact text (but for blanks at its end), or a condition."""

    exact: str
    condition: TextCondition | None = None

    def takes(self, line: str) -> bool:
        """Whether the line is that."""
        if self.condition is not None:
            return not self.condition.fault_of(line)
        return line.rstrip() == self.exact.rstrip()

    def __str__(self) -> str:
        return shown(self.exact)


def _lines(text: str) -> list[str]:
    return text.removesuffix("\n").split("\n")


@dataclass(frozen=True, slots=True)
class Edits:
    """The file is what it was, but for these lines.

    Args:
        changes: lines of the start with what stands in their place, nothing for a deleted one.
        added: lines that must occur besides.
        allowed: lines that may.
    """

    changes: tuple[tuple[str, tuple[LineRule, ...]], ...]
    added: tuple[LineRule, ...]
    allowed: tuple[LineRule, ...]

    def fault(self, start: str, now: str) -> str:
        """The reason why the edit is not as asked, as the rest of a sentence about the file; "" where it is."""
        if max(len(start), len(now)) > MAX_TEXT_CHARS:
            return f"has more than {MAX_TEXT_CHARS} characters, which is not read"
        before = _lines(start)
        known = {line.rstrip() for line in before}
        for source, _ in self.changes:
            if source not in known:
                return f"never had the line {shown(source)}, which was to be changed"
        replaced = dict(self.changes)
        expected: list[LineRule | str] = []
        for line in before:
            expected.extend(replaced.get(line.rstrip(), (line,)))
        return self._compare(expected, _lines(now))

    def _compare(self, expected: Sequence[LineRule | str], found: Sequence[str]) -> str:
        left = list(self.added)
        at = 0
        for number, line in enumerate(found, 1):
            if at < len(expected) and _is(expected[at], line):
                at += 1
                continue
            extra = next((index for index, rule in enumerate(left) if rule.takes(line)), None)
            if extra is not None:
                del left[extra]
            elif not any(rule.takes(line) for rule in self.allowed):
                wanted = f"; expected {_name(expected[at])}" if at < len(expected) else "; expected no more lines"
                return f"has in line {number} {shown(line)}{wanted}"
        if at < len(expected):
            return f"lacks the line {_name(expected[at])}"
        return f"lacks the added line {left[0]}" if left else ""


def _is(expected: LineRule | str, line: str) -> bool:
    return line == expected if isinstance(expected, str) else expected.takes(line)


def _name(expected: LineRule | str) -> str:
    return shown(expected) if isinstance(expected, str) else str(expected)


@dataclass(frozen=True, slots=True)
class Kept:
    """The condition that a share of the start's lines that are not blank still occurs, blanks around them aside."""

    share: float

    def fault(self, start: str, now: str) -> str:
        """The reason why too little is kept, as the rest of a sentence about the file; "" where enough is."""
        before = Counter(line.strip() for line in start.split("\n") if line.strip())
        after = Counter(line.strip() for line in now.split("\n") if line.strip())
        total = before.total()
        kept = (before & after).total()
        if total and kept >= self.share * total - 1e-9:
            return ""
        return f"keeps {kept} of {total} lines; expected at least {self.share:.0%}"


def _parse_line(node: Node) -> LineRule:
    if isinstance(node.raw, str):
        return LineRule(node.raw.removesuffix("\n"))
    return LineRule(str(node.raw), parse_text(node))


def _parse_lines(node: Node) -> tuple[LineRule, ...]:
    if isinstance(node.raw, str) and not node.templated:
        return tuple(LineRule(line) for line in _lines(node.raw))
    return tuple(_parse_line(one) for one in node.one_or_more())


def _parse_change(node: Node) -> tuple[str, tuple[LineRule, ...]]:
    fields = node.fields(("from", "to"))
    source = node.need(fields, "from")
    line = source.string("a line of the file").removesuffix("\n")
    if "\n" in line and not source.templated:
        raise source.wrong("one line")
    target = node.need(fields, "to")
    return line.rstrip(), () if target.raw is None else _parse_lines(target)


def parse_edits(node: Node) -> Edits:
    """The option `edits`."""
    fields = node.fields(("lines", "add", "allow"))
    if not node.templated and not ("lines" in fields or "add" in fields):
        raise node.wrong("'lines' or 'add'")
    changes = tuple(_parse_change(one) for one in fields["lines"].items()) if "lines" in fields else ()
    sources = [source for source, _ in changes]
    if len(set(sources)) < len(sources) and not node.context.lenient:
        raise fields["lines"].wrong("each line once (an entry changes every line with that text)")
    added = tuple(rule for one in fields["add"].one_or_more() for rule in _parse_lines(one)) if "add" in fields else ()
    allowed = tuple(_parse_line(one) for one in fields["allow"].one_or_more()) if "allow" in fields else ()
    return Edits(changes, added, allowed)


def parse_kept(node: Node) -> Kept:
    """The option `kept`: {at_least: share}, or the share."""
    source = node
    if isinstance(node.raw, Mapping):
        source = node.need(node.fields(("at_least",)), "at_least")
    share = source.number()
    if not source.templated and not 0 < share <= 1:
        raise source.wrong("a share above 0, up to 1")
    return Kept(share)
