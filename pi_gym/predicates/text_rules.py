"""Requirements on a text: what a reply, a file, a cell or an argument must say. Each names the fault of a text."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Protocol

from pi_gym.numbers import count_words
from pi_gym.predicates.markdown import count_bullets, section
from pi_gym.predicates.node import Span
from pi_gym.predicates.patterns import Regex
from pi_gym.predicates.text import MAX_TEXT_CHARS, View, view_of, words
from pi_gym.predicates.wording import listed, shown


class TextRule(Protocol):
    """One requirement on a text."""

    def fault(self, view: View) -> str:
        """The reason why the text does not meet it, as the rest of a sentence about the text; "" where it does."""
        ...


@dataclass(frozen=True, slots=True)
class TextCondition:
    """All requirements on one text."""

    rules: tuple[TextRule, ...]

    def fault(self, view: View) -> str:
        """The first fault, or ""."""
        if len(view.raw) > MAX_TEXT_CHARS:
            return f"has {len(view.raw)} characters; at most {MAX_TEXT_CHARS} are read"
        for rule in self.rules:
            if fault := rule.fault(view):
                return fault
        return ""

    def fault_of(self, text: str, comments: bool = False) -> str:
        """The first fault of a bare text, or ""."""
        return self.fault(view_of(text, comments))


@dataclass(frozen=True, slots=True)
class Contains:
    """The rule that some texts occur: all of them, or (`least` 1) any."""

    needles: tuple[str, ...]
    least: int
    case: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        form = view.form(self.case)
        missing = [needle for needle in self.needles if needle not in form]
        if len(self.needles) - len(missing) >= self.least:
            return ""
        return f"does not contain {'any of ' if self.least < len(self.needles) else ''}{listed(missing)}"


@dataclass(frozen=True, slots=True)
class Lacks:
    """The rule that none of some texts occurs."""

    needles: tuple[str, ...]
    case: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        form = view.form(self.case)
        found = [needle for needle in self.needles if needle in form]
        return f"contains {listed(found)}, which it must not" if found else ""


@dataclass(frozen=True, slots=True)
class Words:
    """The rule that some stem of every group begins a word (or, `wanted` False, no stem of any group does)."""

    groups: tuple[tuple[str, ...], ...]
    wanted: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        for group in self.groups:
            found = next((stem for stem in group if stem in view.words), None)
            if self.wanted and found is None:
                return f"has no word that begins with {' or '.join(shown(stem.strip()) for stem in group)}"
            if not self.wanted and found is not None:
                return f"has a word that begins with {shown(found.strip())}, which it must not"
        return ""


@dataclass(frozen=True, slots=True)
class Matches:
    """A regular expression matches somewhere (or nowhere)."""

    pattern: Regex
    source: str
    wanted: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        if (self.pattern.search(view.text) is not None) == self.wanted:
            return ""
        return f"{'does not match' if self.wanted else 'matches'} the expression {shown(self.source)}"


@dataclass(frozen=True, slots=True)
class Occurrences:
    """The rule that something occurs so often."""

    pattern: Regex | None
    needle: str
    span: Span
    case: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        if self.pattern is None:
            count = view.form(self.case).count(self.needle)
        else:
            enough = (self.span.high if self.span.high is not None else self.span.low) + 1
            count = sum(1 for _ in islice(self.pattern.finditer(view.text), enough))
        return "" if count in self.span else f"has {count} × {shown(self.needle)}; expected {self.span}"


@dataclass(frozen=True, slots=True)
class Whole:
    """The text as a whole equals, begins with or ends with something."""

    how: str
    needle: str
    case: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        form = view.form(self.case)
        if self.how == "equals":
            return "" if form == self.needle else f"is {shown(form)}; expected {shown(self.needle)}"
        if self.how == "starts_with":
            holds = form.startswith(self.needle)
            return "" if holds else f"starts with {shown(form[:60])}; expected {shown(self.needle)}"
        return "" if form.endswith(self.needle) else f"ends with {shown(form[-60:])}; expected {shown(self.needle)}"


@dataclass(frozen=True, slots=True)
class Line:
    """The first or the last line that is not blank meets a condition."""

    index: int
    condition: TextCondition

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        name = "first" if self.index == 0 else "last"
        if not view.filled:
            return f"is empty, so it has no {name} line"
        line = view.filled[self.index]
        fault = self.condition.fault_of(line)
        return f"has the {name} line {shown(line)}, which {fault}" if fault else ""


_MEASURES: Mapping[str, Callable[[View], int]] = {
    "words": lambda view: count_words(view.text),
    "lines": lambda view: len(view.filled),
    "chars": lambda view: len(view.text.strip()),
    "bullets": lambda view: count_bullets(view.lines),
}


@dataclass(frozen=True, slots=True)
class TextMeasure:
    """The number of words, lines, characters or bullets lies in a range."""

    name: str
    span: Span

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        count = _MEASURES[self.name](view)
        return "" if count in self.span else f"has {count} {self.name}; expected {self.span}"


@dataclass(frozen=True, slots=True)
class Headings:
    """The rule that headings occur in this order; each is named by stems, one of which its title has."""

    stems: tuple[tuple[str, ...], ...]

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        titles = [heading.title for heading in view.headings]
        left = iter(titles)
        for group in self.stems:
            if not any(any(stem in words(title) for stem in group) for title in left):
                name = " or ".join(stem.strip() for stem in group)
                return f"has the headings {listed(titles)}; expected one with {name!r} in its place"
        return ""


@dataclass(frozen=True, slots=True)
class Section:
    """The text under one heading meets a condition."""

    stems: tuple[str, ...]
    condition: TextCondition

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        known = view.headings
        heading = next((h for h in known if any(stem in words(h.title) for stem in self.stems)), None)
        if heading is None:
            name = " or ".join(stem.strip() for stem in self.stems)
            return f"has no heading with {name!r}; it has {listed([h.title for h in known])}"
        fault = self.condition.fault_of(section(view.lines, known, heading))
        return f"has the section {shown(heading.title)}, which {fault}" if fault else ""


@dataclass(frozen=True, slots=True)
class Order:
    """The first occurrences of some texts come in this order."""

    needles: tuple[str, ...]
    case: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        form = view.form(self.case)
        before = -1
        for index, needle in enumerate(self.needles):
            at = form.find(needle)
            if at < 0:
                return f"does not contain {shown(needle)}"
            if at <= before:
                return f"has {shown(needle)} before {shown(self.needles[index - 1])}"
            before = at
        return ""
