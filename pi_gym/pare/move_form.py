"""The form of a model's move as the person: one of the actions that are offered, with its arguments.

The schema is a choice of objects, one for each action, every property of which is required: an argument that can be
left out takes null in its place.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pi_gym.errors import AnswerError
from pi_gym.models.answer_parts import fields_of, kind_of, object_schema, reading_fault, text_of, text_schema
from pi_gym.pare.person_actions import ANSWERS, PASS_BY, person_actions
from pi_gym.phone.navigation import Navigation
from pi_gym.tools import Registry
from pi_gym.tools.declare import Operation
from pi_gym.tools.parameters import REQUIRED, ArgumentError, Parameter
from pi_gym.types import ToolCall

MAX_THOUGHT_CHARS = 400
#: The words of an answer to a proposal; longer ones are not told the agent as they are.
MAX_SAID_CHARS = 300
#: Of texts and lists in other arguments.
MAX_TEXT_CHARS, MAX_LISTED = 1_000, 20
_KEYWORDS = frozenset(("type", "enum", "items", "additionalProperties"))
_ENTRY = {"name", "value"}


@dataclass(frozen=True, slots=True)
class ChosenMove:
    """A move as a model chose it: the action, None where the turn passes, and why."""

    call: ToolCall | None
    reason: str


@dataclass(frozen=True, slots=True)
class MoveForm:
    """One action among those that are offered, the reason before it.

    Args:
        navigation: where the phone is.
        answering: whether a proposal waits for an answer.
    """

    navigation: Navigation
    answering: bool

    @property
    def registry(self) -> Registry:
        """The actions that are offered."""
        return person_actions(self.navigation, answering=self.answering)

    @property
    def schema(self) -> dict[str, Any]:
        """See `AnswerForm`."""
        moves = {"anyOf": [_move_schema(one) for one in self.registry]}
        return object_schema(reason=text_schema(MAX_THOUGHT_CHARS), move=moves)

    def read(self, value: Any) -> ChosenMove:
        """The move.

        Raises:
            AnswerError: it is none of those offered, or its arguments are not of their types.
        """
        parts = fields_of(value, ("reason", "move"), "the answer")
        move = fields_of(parts["move"], ("action", "arguments"), "move")
        name, given, registry = move["action"], move["arguments"], self.registry
        if not isinstance(name, str) or name not in registry:
            raise AnswerError(f"action: expected one of {', '.join(registry.names)}; got {kind_of(name)} that is none")
        action = registry.get(name)
        if not isinstance(given, Mapping):
            raise AnswerError(f"{name}: expected an object of arguments, got {kind_of(given)}")
        try:
            checked = action.check(_given(action, given))
        except ArgumentError:
            raise AnswerError(f"{name}: the arguments do not fit {action.call_form()}") from None
        reason = text_of(parts["reason"], "reason")
        return ChosenMove(None if name == PASS_BY else ToolCall(name, checked), reason)

    def fault(self, value: Any) -> str:
        """See `AnswerForm`."""
        return reading_fault(self.read, value)


def _move_schema(action: Operation) -> dict[str, Any]:
    arguments = {one.name: _argument_schema(one, action.name) for one in action.parameters}
    return object_schema(action={"type": "string", "enum": [action.name]}, arguments=object_schema(**arguments))


def _argument_schema(parameter: Parameter, action: str) -> dict[str, Any]:
    if action in ANSWERS:
        return text_schema(MAX_SAID_CHARS)
    schema = {name: part for name, part in parameter.schema().items() if name in _KEYWORDS}
    if "additionalProperties" in schema:
        # Strict servers take no object of any names, so its entries are listed.
        entry = object_schema(name={"type": "string"}, value=schema["additionalProperties"])
        schema = {"type": "array", "items": entry}
    elif parameter.nullable:
        schema["type"] = schema["type"][0]
        if "enum" in schema:
            schema["enum"] = [value for value in schema["enum"] if value is not None]
    _bound(schema)
    may_be_null = parameter.nullable or parameter.default is not REQUIRED
    return {"anyOf": [schema, {"type": "null"}]} if may_be_null else schema


def _bound(schema: dict[str, Any]) -> None:
    """Put a length to what could go on for ever, for servers that can hold a model to one."""
    if schema["type"] == "array":
        schema["maxItems"] = MAX_LISTED
        _bound(schema["items"])
    elif schema["type"] == "object":
        for part in schema["properties"].values():
            _bound(part)
    elif schema["type"] == "string" and "enum" not in schema:
        schema["maxLength"] = MAX_TEXT_CHARS


def _given(action: Operation, given: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments as actions take them: null leaves out, and listed entries are an object."""
    optional = {one.name for one in action.parameters if one.default is not REQUIRED}
    kept = {name: value for name, value in given.items() if value is not None or name not in optional}
    return {name: _object_of(value) for name, value in kept.items()}


def _object_of(value: Any) -> Any:
    if isinstance(value, list) and value and all(isinstance(one, Mapping) and set(one) == _ENTRY for one in value):
        return {str(one["name"]): one["value"] for one in value}
    return value
