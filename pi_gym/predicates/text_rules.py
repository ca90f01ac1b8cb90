"""Requirements on a text: what a reply, a file or a column must say. Each names the fault of a text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from pi_gym.predicates.patterns import Regex
from pi_gym.predicates.text import MAX_TEXT_CHARS, View, view_of
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
    """The rule that some texts occur, all of them."""

    needles: tuple[str, ...]
    case: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        form = view.form(self.case)
        missing = [needle for needle in self.needles if needle not in form]
        return f"does not contain {listed(missing)}" if missing else ""


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
class Equals:
    """The rule that the text is this one."""

    needle: str
    case: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        form = view.form(self.case)
        return "" if form == self.needle else f"is {shown(form)}; expected {shown(self.needle)}"


@dataclass(frozen=True, slots=True)
class StartsWith:
    """The rule that the text begins so."""

    needle: str
    case: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        form = view.form(self.case)
        holds = form.startswith(self.needle)
        return "" if holds else f"starts with {shown(form[:60])}; expected {shown(self.needle)}"


@dataclass(frozen=True, slots=True)
class Matches:
    """The rule that a regular expression matches somewhere (or nowhere)."""

    pattern: Regex
    source: str
    wanted: bool

    def fault(self, view: View) -> str:
        """See `TextRule`."""
        if (self.pattern.search(view.text) is not None) == self.wanted:
            return ""
        return f"{'does not match' if self.wanted else 'matches'} the expression {shown(self.source)}"
