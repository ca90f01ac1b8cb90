"""The parameters of an operation: from a typed signature to JSON schema, validation and words.

Supported types: str, int, float, bool, `Literal` of strings, `list` and `dict[str, …]` of these; and each of them or
None.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from pydantic_core import CoreSchema, SchemaValidator, ValidationError, core_schema

from pi_gym.errors import closest

REQUIRED: Any = inspect.Parameter.empty
MAX_INTEGER = 2**63 - 1
_NAMES = {str: "string", int: "integer", float: "number", bool: "boolean"}
_WORDS = {str: "a string", int: "an integer", float: "a number", bool: "true or false"}
_SHOWN_ERRORS = 4
_CORE: dict[type, CoreSchema] = {
    str: core_schema.str_schema(),
    int: core_schema.int_schema(),
    float: core_schema.float_schema(),
    bool: core_schema.bool_schema(),
}
_STRICT = core_schema.CoreConfig(strict=True, extra_fields_behavior="forbid", allow_inf_nan=False)


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation.

    Args:
        name: its name.
        type: its Python type, one of those that this module supports.
        description: what it means, for the agent.
        default: the value where it is left out; `REQUIRED` where it cannot be.
    """

    name: str
    type: Any
    description: str
    default: Any = REQUIRED

    def schema(self) -> dict[str, Any]:
        """The parameter as a JSON schema, as fresh objects."""
        schema = {**json_schema(self.type), "description": self.description}
        if self.default is not REQUIRED:
            schema["default"] = self.default
        return schema

    @property
    def nullable(self) -> bool:
        """Whether null is one of its values."""
        return type(None) in get_args(self.type)

    def signature(self) -> str:
        """The parameter as in a Python signature."""
        default = "" if self.default is REQUIRED else f" = {_literal(self.default)}"
        return f"{self.name}: {type_text(self.type)}{default}"


def parameters_of(function: Callable[..., Any], descriptions: Mapping[str, str]) -> tuple[Parameter, ...]:
    """The parameters behind the first one (the context), in order.

    Raises:
        TypeError: a parameter has no annotation, no description, or a type that is not supported; or a description
            has no parameter.
    """
    hints = get_type_hints(function)
    found = list(inspect.signature(function).parameters.values())[1:]
    for name in descriptions:
        if name not in [parameter.name for parameter in found]:
            raise TypeError(f"{function.__qualname__}: 'Args' describes {name!r}, which is no parameter")
    result = []
    for parameter in found:
        where = f"{function.__qualname__}: parameter {parameter.name!r}"
        if parameter.name not in hints:
            raise TypeError(f"{where} has no annotation")
        if not descriptions.get(parameter.name):
            raise TypeError(f"{where} has no description under 'Args:' in the docstring")
        if parameter.kind is not inspect.Parameter.POSITIONAL_OR_KEYWORD:
            raise TypeError(f"{where} must be an ordinary parameter, not *, ** or keyword-only")
        try:
            json_schema(hints[parameter.name])
        except TypeError as error:
            raise TypeError(f"{where}: {error}") from None
        description = descriptions[parameter.name]
        result.append(Parameter(parameter.name, hints[parameter.name], description, parameter.default))
    return tuple(result)


def json_schema(kind: Any) -> dict[str, Any]:
    """The JSON schema of a supported type; TypeError for others."""
    inner, nullable = _optional(kind)
    schema: dict[str, Any]
    if inner in _NAMES:
        schema = {"type": _NAMES[inner]}
    elif get_origin(inner) is Literal and all(isinstance(value, str) for value in get_args(inner)):
        schema = {"type": "string", "enum": list(get_args(inner))}
    elif get_origin(inner) is list and get_args(inner):
        schema = {"type": "array", "items": json_schema(get_args(inner)[0])}
    elif _is_object(inner):
        schema = {"type": "object", "additionalProperties": json_schema(get_args(inner)[1])}
    else:
        raise TypeError(f"the type {kind!r} is not supported; use str, int, float, bool, Literal, list, dict or | None")
    if nullable:
        schema["type"] = [schema["type"], "null"]
        if "enum" in schema:
            schema["enum"].append(None)
    return schema


def type_text(kind: Any) -> str:
    """A type as in a signature: `int | None`, `list[str]`, `"a" | "b"`."""
    inner, nullable = _optional(kind)
    if get_origin(inner) is Literal:
        text = " | ".join(f'"{value}"' for value in get_args(inner))
    elif get_origin(inner) is list:
        text = f"list[{type_text(get_args(inner)[0])}]"
    elif _is_object(inner):
        text = f"dict[str, {type_text(get_args(inner)[1])}]"
    else:
        text = inner.__name__
    return f"{text} | None" if nullable else text


def words(kind: Any) -> str:
    """A type in words, as an error message names it."""
    inner, nullable = _optional(kind)
    if get_origin(inner) is Literal:
        text = "one of " + ", ".join(f'"{value}"' for value in get_args(inner))
    elif get_origin(inner) is list:
        text = f"a list, each entry {words(get_args(inner)[0])}"
    elif _is_object(inner):
        text = f"an object, each value {words(get_args(inner)[1])}"
    else:
        text = _WORDS[inner]
    return f"{text}, or null" if nullable else text


def preview(value: object) -> str:
    """A value in a few words: never long, never deep, for any value."""
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    if isinstance(value, str):
        return f"the string {value[:60]!r}{'…' if len(value) > 60 else ''}"
    if isinstance(value, int):
        return f"the number {value}" if abs(value) <= MAX_INTEGER else "a number with too many digits"
    if isinstance(value, float):
        return f"the number {value!r}"
    if isinstance(value, Mapping):
        return f"an object with {len(value)} keys"
    if isinstance(value, list | tuple):
        return f"a list of {len(value)}"
    return f"a value of type {type(value).__name__}"


class ArgumentError(ValueError):
    """The error that arguments do not fit; the message says, per argument, what was expected and what came."""


class Validator:
    """Checks arguments against parameters, through a schema of pydantic's core.

    A model in between takes twenty times as long to make, which the first call of a tool would pay.

    Nothing is coerced: "3" is no number, and a boolean is no integer. Only the number 3.0 counts as the integer 3 and
    the reverse, since JSON does not tell them apart; and null where it is no value of a parameter with a default
    leaves that parameter out.
    """

    __slots__ = ("_parameters", "_validator")

    def __init__(self, parameters: tuple[Parameter, ...]) -> None:
        self._parameters = {parameter.name: parameter for parameter in parameters}
        fields = {
            one.name: core_schema.typed_dict_field(_core(one.type), required=one.default is REQUIRED)
            for one in parameters
        }
        self._validator = SchemaValidator(core_schema.typed_dict_schema(fields, config=_STRICT))

    def __call__(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """The arguments that were given, checked, as a fresh dict; `ArgumentError` where they do not fit."""
        given = arguments if type(arguments) is dict else dict(arguments)
        try:
            checked: dict[str, Any] = self._validator.validate_python(given)
        except ValidationError:
            try:
                checked = self._validator.validate_python({k: _integral(v) for k, v in self._without_nulls(given)})
            except ValidationError as error:
                raise ArgumentError(self._explain(error)) from None
        for value in checked.values():
            if type(value) is int and abs(value) > MAX_INTEGER:
                raise ArgumentError(f"{preview(value)} is too large")
        return checked

    def _without_nulls(self, given: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        """The arguments without those that models fill with null to leave them out."""
        for name, value in given.items():
            parameter = self._parameters.get(name)
            if value is not None or parameter is None or parameter.default is REQUIRED or parameter.nullable:
                yield name, value

    def _explain(self, error: ValidationError) -> str:
        known, lines, seen = self._parameters, [], set()
        for problem in error.errors(include_url=False, include_context=False):
            name = problem["loc"][0] if problem["loc"] else ""
            if name in seen:
                continue
            seen.add(name)
            if problem["type"] == "extra_forbidden" or not isinstance(name, str) or name not in known:
                lines.append(self._unknown(name if isinstance(name, str) else preview(name)))
            elif problem["type"] == "missing":
                lines.append(
                    f"argument {name!r} is missing: {words(known[name].type)} ({known[name].description.rstrip('.')})"
                )
            else:
                entry = next((f"entry {at} of " for at in problem["loc"][1:] if isinstance(at, int)), "")
                expected = words(known[name].type)
                lines.append(f"argument {name!r}: expected {expected}; {entry}it is {preview(problem['input'])}")
        more = [f"and {len(lines) - _SHOWN_ERRORS} more"] if len(lines) > _SHOWN_ERRORS else []
        return "; ".join([*lines[:_SHOWN_ERRORS], *more])

    def _unknown(self, name: str) -> str:
        near = closest(name[:60], self._parameters, 1)
        hint = f", did you mean {near[0]!r}?" if near else ""
        names = ", ".join(self._parameters) or "it takes none"
        return f"unknown argument {name[:60]!r}{hint} (arguments: {names})"


def _core(kind: Any) -> CoreSchema:
    """A supported type as pydantic's core has it."""
    inner, nullable = _optional(kind)
    schema: CoreSchema
    if get_origin(inner) is Literal:
        schema = core_schema.literal_schema(list(get_args(inner)))
    elif get_origin(inner) is list:
        # One bad entry is found, and not each of thousands.
        schema = core_schema.list_schema(_core(get_args(inner)[0]), fail_fast=True)
    elif _is_object(inner):
        schema = core_schema.dict_schema(core_schema.str_schema(), _core(get_args(inner)[1]))
    else:
        schema = _CORE[inner]
    return core_schema.nullable_schema(schema) if nullable else schema


def _optional(kind: Any) -> tuple[Any, bool]:
    if get_origin(kind) in (Union, types.UnionType):
        members = [member for member in get_args(kind) if member is not type(None)]
        if len(members) == 1:
            return members[0], True
    return kind, False


def _is_object(kind: Any) -> bool:
    """Whether a type is a dict by strings."""
    return get_origin(kind) is dict and get_args(kind)[0] is str


def _integral(value: Any, levels: int = 2) -> Any:
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return [_integral(entry, levels - 1) for entry in value] if type(value) is list and levels else value


def _literal(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
