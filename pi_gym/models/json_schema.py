"""Checking a model's answer against the JSON schema of its ask, and what of a schema every server takes.

The check is that of `jsonschema` (draft 2020-12). What it says is ours: its own messages repeat the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pi_gym.errors import PiGymError

if TYPE_CHECKING:
    from jsonschema import ValidationError

Schema = Mapping[str, Any]

#: Keywords that OpenAI's strict mode and others refuse, wherever they stand.
BOUNDS = frozenset(
    {"minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties", "minimum", "maximum"}
)
_SHOWN = {dict: "an object", list: "a list", str: "text", bool: "true or false", type(None): "null"}


class BadSchema(PiGymError, ValueError):
    """A schema of ours cannot be checked against."""


def fault(value: object, schema: Schema) -> str:
    """The first fault of a value, with its place, without a word of the value; empty where it fits.

    Args:
        value: parsed JSON.
        schema: a JSON schema; it may refer to its own `$defs` only, so that nothing is ever loaded.

    Raises:
        BadSchema: the schema names a type or a definition that there is not.
        ModuleNotFoundError: the package jsonschema is not installed.

    >>> fault({"yes": 1}, {"type": "object", "properties": {"yes": {"type": "boolean"}}})
    "answer.yes: expected type 'boolean', got a number"
    """
    # It takes a tenth of a second, which only those pay who ask models.
    from jsonschema import Draft202012Validator
    from jsonschema.exceptions import UnknownType
    from referencing import Registry
    from referencing.exceptions import Unresolvable

    try:
        error = next(Draft202012Validator(schema, registry=Registry()).iter_errors(value), None)
    except UnknownType as unknown:
        raise BadSchema(f"the schema has a type that there is not: {unknown.type!r}") from None
    except Unresolvable as gone:
        raise BadSchema(f"the schema refers to what it does not hold: {gone.ref!r}") from None
    except RecursionError:
        return "answer: nested too deeply"
    return "" if error is None else _told(error)


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


def _told(error: ValidationError) -> str:
    """An error in words of the schema alone: a model may have written what is hidden, as a name too."""
    while error.context:
        error = error.context[0]
    place, named = "answer", set(error.absolute_schema_path)
    for step in error.absolute_path:
        place += f"[{step}]" if isinstance(step, int) else f".{step}" if step in named else ".*"
    argument: Any = error.validator_value
    found: Any = error.instance
    keyword = error.validator
    if keyword == "required":
        return f"{place}: {next(name for name in argument if name not in found)!r} is missing"
    if argument is False:
        return f"{place}: it has more than {keyword} allows"
    return f"{place}: expected {keyword} {argument!r}, got {_SHOWN.get(type(found), 'a number')}"
