"""Checking a model's answer against the JSON schema of its ask, and what of a schema every server takes.

The part of JSON Schema that the schemas of asks use. A keyword that is not known raises: a schema of which a part were
not looked at would let through what it forbids.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from pi_gym.errors import PiGymError

Schema = Mapping[str, Any]

#: Keywords that OpenAI's strict mode and others refuse, wherever they stand.
BOUNDS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum"}
)
_NOTES = frozenset({"$schema", "$defs", "title", "description", "default", "examples"})


class BadSchema(PiGymError, ValueError):
    """A schema of ours uses a keyword that is not known."""


def fault(value: object, schema: Schema) -> str:
    """Where and why a value does not fit; empty where it fits.

    Args:
        value: parsed JSON.
        schema: with the keywords type, enum, const, properties, required, additionalProperties, items, minItems,
            maxItems, minLength, maxLength, minimum, maximum, anyOf, and $ref into its own $defs.

    Raises:
        BadSchema: the schema has another keyword.

    >>> fault({"yes": 1}, {"type": "object", "properties": {"yes": {"type": "boolean"}}})
    'answer.yes: expected boolean, got a number'
    """
    return _fault(value, schema, "answer", schema)


def portable(schema: Schema) -> dict[str, Any]:
    """The schema without bounds on lengths and numbers, which strict servers refuse.

    >>> portable({"type": "array", "items": {"type": "string", "maxLength": 9}, "maxItems": 2})
    {'type': 'array', 'items': {'type': 'string'}}
    """
    kept: dict[str, Any] = {}
    for keyword, argument in schema.items():
        if keyword in ("properties", "$defs"):
            kept[keyword] = {name: portable(part) for name, part in argument.items()}
        elif keyword in ("items", "additionalProperties") and isinstance(argument, Mapping):
            kept[keyword] = portable(argument)
        elif keyword == "anyOf":
            kept[keyword] = [portable(part) for part in argument]
        elif keyword not in BOUNDS:
            kept[keyword] = argument
    return kept


def _fault(value: object, schema: Schema, place: str, root: Schema) -> str:
    for keyword, argument in schema.items():
        if keyword in _NOTES:
            continue
        check = _CHECKS.get(keyword)
        if check is None:
            raise BadSchema(f"{place}: the schema's keyword {keyword!r} is not known")
        found = check(value, argument, schema, place, root)
        if found:
            return found
    return ""


def _type(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
    names = [argument] if isinstance(argument, str) else list(argument)
    if unknown := [name for name in names if name not in _TYPES]:
        raise BadSchema(f"{place}: no such type {unknown[0]!r}")
    if any(_TYPES[name](value) for name in names):
        return ""
    return f"{place}: expected {' or '.join(names)}, got {_shown(value)}"


def _enum(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
    if any(_same(value, one) for one in argument):
        return ""
    return f"{place}: expected one of {', '.join(map(repr, argument))}, got {_shown(value)} that is none"


def _const(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
    return "" if _same(value, argument) else f"{place}: expected {argument!r}, got {_shown(value)}"


def _properties(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
    if not isinstance(value, dict):
        return ""
    found = (_fault(value[name], part, f"{place}.{name}", root) for name, part in argument.items() if name in value)
    return next(filter(None, found), "")


def _required(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
    if not isinstance(value, dict):
        return ""
    lacking = next((name for name in argument if name not in value), None)
    return "" if lacking is None else f"{place}: {lacking!r} is missing"


def _additional(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
    if not isinstance(value, dict):
        return ""
    others = [name for name in value if name not in schema.get("properties", {})]
    if argument is False:
        return f"{place}: {len(others)} unknown" if others else ""
    if argument is True:
        return ""
    return next(filter(None, (_fault(value[name], argument, f"{place}.{name}", root) for name in others)), "")


def _items(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
    if not isinstance(value, list):
        return ""
    return next(filter(None, (_fault(one, argument, f"{place}[{i}]", root) for i, one in enumerate(value))), "")


def _any_of(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
    faults = [_fault(value, one, place, root) for one in argument]
    return "" if not all(faults) else faults[0]


def _ref(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
    name = str(argument).removeprefix("#/$defs/")
    part = root.get("$defs", {}).get(name)
    if part is None:
        raise BadSchema(f"{place}: {argument!r} is not in the schema's $defs")
    return _fault(value, part, place, root)


def _size(kind: type, least: bool, what: str) -> _Check:
    def check(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
        if not isinstance(value, kind):
            return ""
        size = len(value)  # type: ignore[arg-type]
        if size >= argument if least else size <= argument:
            return ""
        return f"{place}: expected at {'least' if least else 'most'} {argument} {what}, got {size}"

    return check


def _bound(least: bool) -> _Check:
    def check(value: object, argument: Any, schema: Schema, place: str, root: Schema) -> str:
        if not _is_number(value) or (value >= argument if least else value <= argument):
            return ""
        return f"{place}: expected at {'least' if least else 'most'} {argument}, got {_shown(value)}"

    return check


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_integer(value: object) -> bool:
    return _is_number(value) and (isinstance(value, int) or (math.isfinite(value) and value == int(value)))  # type: ignore[arg-type, call-overload]


def _same(value: object, other: object) -> bool:
    """Equality as JSON has it: true is no number."""
    return isinstance(value, bool) == isinstance(other, bool) and value == other


def _shown(value: object) -> str:
    """What a value is, and nothing of what it says."""
    return next((shown for name, shown in _NAMES.items() if _TYPES[name](value)), type(value).__name__)


_Check = Callable[[object, Any, Schema, str, Schema], str]

_NAMES = {
    "object": "an object",
    "array": "a list",
    "string": "text",
    "boolean": "true or false",
    "null": "null",
    "number": "a number",
}
_TYPES: Mapping[str, Callable[[object], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": _is_number,
    "integer": _is_integer,
}
_CHECKS: Mapping[str, _Check] = {
    "type": _type,
    "enum": _enum,
    "const": _const,
    "properties": _properties,
    "required": _required,
    "additionalProperties": _additional,
    "items": _items,
    "anyOf": _any_of,
    "$ref": _ref,
    "minItems": _size(list, True, "items"),
    "maxItems": _size(list, False, "items"),
    "minLength": _size(str, True, "characters"),
    "maxLength": _size(str, False, "characters"),
    "minProperties": _size(dict, True, "properties"),
    "maxProperties": _size(dict, False, "properties"),
    "minimum": _bound(True),
    "maximum": _bound(False),
}
