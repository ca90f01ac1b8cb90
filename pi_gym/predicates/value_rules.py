"""The VALUE condition: what a column of an app's row must be."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.text_rules import TextCondition
from pi_gym.predicates.text_specs import PARSERS, condition
from pi_gym.predicates.wording import listed, shown

MISSING: Any = object()
KEYS = ("equals", "one_of", "min", "max", "length", "has")
ALL_KEYS = tuple(dict.fromkeys((*KEYS, *PARSERS, "case")))


def same(found: Any, expected: Any) -> bool:
    """Whether two JSON values are equal: texts but for blanks around them, numbers within 1e-9 of their size.

    The depth of the comparison is that of `expected`, which an author wrote.
    """
    if isinstance(expected, str):  # by far the most are
        return isinstance(found, str) and (found == expected or _nfc(found) == _nfc(expected))
    if isinstance(expected, bool) or isinstance(found, bool) or expected is None or found is None:
        return found is expected
    if isinstance(expected, int | float):
        if not isinstance(found, int | float):
            return False
        if found == expected:
            return True
        try:
            return abs(found - expected) <= 1e-9 * abs(expected)
        except OverflowError:
            return False
    if isinstance(expected, Mapping):
        if not isinstance(found, Mapping) or len(found) != len(expected):
            return False
        return all(key in found and same(found[key], value) for key, value in expected.items())
    if not isinstance(found, Sequence) or isinstance(found, str) or len(found) != len(expected):
        return False
    return all(same(one, other) for one, other in zip(found, expected, strict=True))


def _nfc(text: str) -> str:
    return text.strip() if text.isascii() else unicodedata.normalize("NFC", text).strip()


def as_text(value: Any) -> str:
    """A value as text: a text as it is, a list as one line per element, the rest as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Sequence) and value and all(isinstance(one, str) for one in value):
        return "\n".join(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (RecursionError, ValueError):
        return ""


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """All that is asked of one value."""

    equals: tuple[Any, ...] = ()
    one_of: tuple[Any, ...] = ()
    low: float | None = None
    high: float | None = None
    length: Span | None = None
    has: tuple[Any, ...] = ()
    text: TextCondition | None = None

    def holds(self, value: Any) -> bool:
        """Whether the value is as asked; quicker than `fault` where it is plainly another one."""
        if self.equals and value is not MISSING and not same(value, self.equals[0]):
            return False
        return not self.fault(value)

    def fault(self, value: Any) -> str:
        """The reason why the value is not as asked, as the rest of a sentence about it; "" where it is."""
        if value is MISSING:
            return "is missing"
        if self.equals and not same(value, self.equals[0]):
            return f"is {shown(value)}; expected {shown(self.equals[0])}"
        if self.one_of and not any(same(value, one) for one in self.one_of):
            return f"is {shown(value)}; expected one of {listed(self.one_of)}"
        return self._range(value) or self._parts(value) or self._text(value)

    def _range(self, value: Any) -> str:
        if self.low is None and self.high is None:
            return ""
        if isinstance(value, bool) or not isinstance(value, int | float):
            return f"is {shown(value)}; expected a number"
        if (self.low is None or value >= self.low) and (self.high is None or value <= self.high):
            return ""
        low, high = ("…" if end is None else f"{end:.12g}" for end in (self.low, self.high))
        return f"is {shown(value)}; expected {low} to {high}"

    def _parts(self, value: Any) -> str:
        if self.length is not None:
            if not isinstance(value, str | Sequence | Mapping):
                return f"is {shown(value)}, which has no length"
            if len(value) not in self.length:
                return f"has the length {len(value)}; expected {self.length}"
        for part in self.has:
            if not isinstance(value, Sequence) or isinstance(value, str) or not any(same(one, part) for one in value):
                return f"is {shown(value)}; expected a list with the element {shown(part)}"
        return ""

    def _text(self, value: Any) -> str:
        return self.text.fault_of(as_text(value)) if self.text is not None else ""


def _native(node: Node) -> Any:
    """A literal of any shape, as it will be compared."""
    raw = node.raw
    if isinstance(raw, Mapping):
        return {str(key): _native(node.child(str(key), value)) for key, value in raw.items()}
    if isinstance(raw, Sequence) and not isinstance(raw, str | bytes):
        return [_native(one) for one in node.items(0)]
    return node.scalar()


def value_condition(fields: Mapping[str, Node]) -> ValueCondition:
    """The condition of checked fields. `equals` compares JSON values, the other keys of TEXT read text."""
    get = fields.get
    text = {key: node for key, node in fields.items() if key not in KEYS}
    equals, one_of, has, length = get("equals"), get("one_of"), get("has"), get("length")
    low, high = get("min"), get("max")
    return ValueCondition(
        equals=(_native(equals),) if equals else (),
        one_of=tuple(_native(one) for one in one_of.items()) if one_of else (),
        low=low.number() if low else None,
        high=high.number() if high else None,
        length=length.span() if length else None,
        has=tuple(_native(one) for one in has.one_or_more()) if has else (),
        text=condition(text) if text else None,
    )


def parse_value(node: Node) -> ValueCondition:
    """A VALUE condition; a scalar or a list means `equals`."""
    if node.templated:
        return ValueCondition()
    if not isinstance(node.raw, Mapping):
        return ValueCondition(equals=(_native(node),))
    fields = node.fields(ALL_KEYS, "condition on a value")
    if not fields:
        raise node.wrong("at least one condition on the value")
    return value_condition(fields)
