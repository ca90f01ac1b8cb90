"""Checked reading of what an author wrote: every mistake names its field, what was expected and what came.

One set of parsers serves both uses. On a rendered task they build conditions; on an unrendered one (`lenient`) every
string that holds template syntax stands for whatever it may become, and only the structure around it is checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any, Literal, TypeAlias

from pi_gym.errors import SpecError, unknown
from pi_gym.predicates.wording import shown

FileState: TypeAlias = Literal["changed", "any"]
CheckFunction: TypeAlias = Callable[..., bool]  # of the evidence, and of what `with` gives
Scalar: TypeAlias = str | int | float | bool | None

MAX_DEPTH = 40


@dataclass(frozen=True, slots=True)
class ParseContext:
    """The settings that hold while a whole predicate is read.

    Args:
        functions: the task's own rules by name; None where they are not known yet.
        file_state: the state that files and rows must be in where the author does not say.
        lenient: template syntax is acceptable in place of any value.
    """

    functions: Mapping[str, CheckFunction] | None
    file_state: FileState = "any"
    lenient: bool = False


@dataclass(frozen=True, slots=True)
class Span:
    """A range of counts, both ends included; `high` None means no upper end."""

    low: int = 0
    high: int | None = None

    def __contains__(self, count: int) -> bool:
        return self.low <= count and (self.high is None or count <= self.high)

    def __str__(self) -> str:
        if self.high is None:
            return f"at least {self.low}"
        return str(self.low) if self.low == self.high else f"{self.low} to {self.high}"


class Node:
    """One place in a spec.

    Args:
        raw: what stands there.
        field: where it is, such as "checklist[2].check.all[1]".
        context: what holds for the whole predicate.
        depth: how many nodes are above it.
    """

    __slots__ = ("context", "depth", "field", "raw")

    def __init__(self, raw: Any, field: str, context: ParseContext, depth: int = 0) -> None:
        self.raw, self.field, self.context, self.depth = raw, field, context, depth
        if depth > MAX_DEPTH:
            raise SpecError(field, f"a predicate may be at most {MAX_DEPTH} levels deep")

    @property
    def templated(self) -> bool:
        """Whether this is template syntax that an unrendered spec may hold in place of any value."""
        raw = self.raw
        return self.context.lenient and isinstance(raw, str) and ("{{" in raw or "{%" in raw)

    def wrong(self, expected: str) -> SpecError:
        """The error that something else was expected here."""
        return SpecError(self.field, f"expected {expected}, got {described(self.raw)}")

    def child(self, key: str, raw: Any) -> Node:
        """The node of one key below this one."""
        return Node(raw, f"{self.field}.{key}" if self.field else key, self.context, self.depth + 1)

    # -- mappings and lists -------------------------------------------------------------------------------------

    def fields(self, known: Collection[str], kind: str = "key") -> dict[str, Node]:
        """The values of a mapping with a fixed set of keys; empty where the node is templated."""
        if self.templated:
            return {}
        raw = self.raw
        if not isinstance(raw, Mapping):
            raise self.wrong("a mapping")
        for key in raw:
            if key not in known:
                raise SpecError(self.field, unknown(kind, str(key), known, shown=40))
        return {key: self.child(key, value) for key, value in raw.items()}

    def named(self) -> dict[str, Node]:
        """The values of a mapping whose keys the author chooses; at least one."""
        if self.templated:
            return {}
        if not isinstance(self.raw, Mapping) or not self.raw:
            raise self.wrong("a mapping with at least one key")
        return {str(key): self.child(str(key), value) for key, value in self.raw.items()}

    def need(self, fields: Mapping[str, Node], key: str) -> Node:
        """A required key's node. A templated mapping has templated values."""
        if self.templated:
            return self.child(key, self.raw)
        if key not in fields:
            raise SpecError(self.field, f"the key {key!r} is missing")
        return fields[key]

    def items(self, least: int = 1) -> list[Node]:
        """The nodes of a list."""
        if self.templated:
            return []
        raw = self.raw
        if not isinstance(raw, Sequence) or isinstance(raw, str | bytes):
            raise self.wrong("a list")
        if len(raw) < least:
            raise self.wrong(f"a list of at least {least}")
        return [Node(value, f"{self.field}[{index}]", self.context, self.depth + 1) for index, value in enumerate(raw)]

    def one_or_more(self) -> list[Node]:
        """The nodes of a list, or the node itself where it is no list."""
        return self.items() if isinstance(self.raw, Sequence) and not isinstance(self.raw, str | bytes) else [self]

    def says_none(self, fields: Mapping[str, Node], others: tuple[str, ...]) -> bool:
        """Whether a mapping is `{none: true}` in place of its other keys; it has one key at least."""
        if not fields and not self.templated:
            raise self.wrong("at least one of " + ", ".join((*others, "none")))
        if "none" not in fields:
            return False
        if not fields["none"].boolean() or len(fields) > 1:
            raise fields["none"].wrong("true, with no other key beside it")
        return True

    # -- scalars ------------------------------------------------------------------------------------------------

    def string(self, expected: str = "a non-empty text") -> str:
        """A text that is not blank."""
        raw = self.raw
        if not isinstance(raw, str) or not raw.strip():
            raise self.wrong(expected)
        return raw

    def strings(self) -> tuple[str, ...]:
        """A text or a list of texts."""
        return tuple(node.string() for node in self.one_or_more())

    def integer(self, least: int = 0) -> int:
        """A whole number that is not below `least`."""
        if self.templated:
            return least
        raw = self.raw
        if not isinstance(raw, int) or isinstance(raw, bool) or raw < least:
            raise self.wrong(f"a whole number from {least}")
        return raw

    def number(self) -> float:
        """A finite number."""
        if self.templated:
            return 0.0
        raw = self.raw
        if isinstance(raw, int | float) and not isinstance(raw, bool):
            try:
                value = float(raw)
            except OverflowError:
                value = math.inf
            if math.isfinite(value):
                return value
        raise self.wrong("a finite number")

    def boolean(self) -> bool:
        """True or false."""
        if self.templated:
            return True
        if not isinstance(self.raw, bool):
            raise self.wrong("true or false")
        return self.raw

    def choice(self, choices: Sequence[str]) -> str:
        """One of some words."""
        if self.templated:
            return choices[0]
        if not isinstance(self.raw, str) or self.raw not in choices:
            raise self.wrong("one of " + ", ".join(choices))
        return self.raw

    def scalar(self) -> Scalar:
        """A text, number, truth value, null, or a date (as ISO text)."""
        raw = self.raw
        if isinstance(raw, date):
            return raw.isoformat()
        if raw is None or isinstance(raw, str | int | float | bool):
            return raw
        raise self.wrong("a text, a number, true, false or null")

    def span(self) -> Span:
        """A count N, or {min, max} with at least one of them."""
        if self.templated:
            return Span()
        if isinstance(self.raw, Mapping):
            fields = self.fields(("min", "max"))
            if not fields:
                raise self.wrong("a whole number or {min, max}")
            low = fields["min"].integer() if "min" in fields else 0
            high = fields["max"].integer() if "max" in fields else None
            if high is not None and high < low and not any(node.templated for node in fields.values()):
                raise self.wrong("a max that is not below min")
            return Span(low, high)
        if not isinstance(self.raw, int) or isinstance(self.raw, bool) or self.raw < 0:
            raise self.wrong("a whole number or {min, max}")
        return Span(self.raw, self.raw)


def described(raw: Any) -> str:
    """A value in the words of an error message.

    >>> described(["a"]), described("x"), described(None)
    ("a list of 1 (['a'])", "the text 'x'", 'nothing')
    """
    if raw is None:
        return "nothing"
    if isinstance(raw, bool):
        return "true" if raw else "false"
    if isinstance(raw, str):
        return f"the text {shown(raw)}"
    if isinstance(raw, int | float):
        return f"the number {shown(raw)}"
    if isinstance(raw, Mapping):
        return f"a mapping ({shown(dict(raw))})"
    if isinstance(raw, Sequence):
        return f"a list of {len(raw)} ({shown(raw)})"
    return f"{type(raw).__name__} {shown(raw)}"
