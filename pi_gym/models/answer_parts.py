"""The parts of which the forms of models' answers are made: schemas, and the strict reading of what comes back.

What is found wrong is said without repeating it, since a model may have written what is hidden.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from pi_gym.errors import AnswerError

#: Texts so much longer than asked for are taken, and recorded cut: a judgement is none the worse for its length.
_KEPT_CHARS = 1_000


class AnswerForm(Protocol):
    """The form of an answer: a schema for the server, and what the schema cannot say."""

    @property
    def schema(self) -> dict[str, Any] | None:
        """The answer's JSON schema; None for free text."""
        ...

    def fault(self, value: Any) -> str:
        """The reason why a value is no such answer; empty where it is one."""
        ...


def object_schema(**properties: Any) -> dict[str, Any]:
    """The schema of an object that has all these properties and no others."""
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties),
        "additionalProperties": False,
    }


def text_schema(most: int) -> dict[str, Any]:
    """The schema of a text of at most so many characters."""
    return {"type": "string", "maxLength": most}


def reading_fault(read: Callable[[Any], object], value: Any) -> str:
    """The reason why a reading refuses a value; empty where it takes it."""
    try:
        read(value)
    except AnswerError as error:
        return str(error)
    return ""


def fields_of(value: Any, names: Sequence[str], what: str) -> Mapping[str, Any]:
    """An object that has just these fields; AnswerError where it is none, `what` naming it there."""
    if not isinstance(value, Mapping):
        raise AnswerError(f"{what}: expected an object, got {kind_of(value)}")
    missing = [name for name in names if name not in value]
    odd = sum(name not in names for name in value)
    if missing or odd:
        told = [f"{len(missing)} missing ({', '.join(missing[:5])})"] if missing else []
        told += [f"{odd} unknown"] if odd else []
        raise AnswerError(f"{what}: {' and '.join(told)}; expected {', '.join(names)}")
    return value


def text_of(value: Any, what: str) -> str:
    """A text without blanks around it, cut where it is far too long; AnswerError where it is none."""
    if not isinstance(value, str):
        raise AnswerError(f"{what}: expected text, got {kind_of(value)}")
    text = value.strip()
    return text if len(text) <= _KEPT_CHARS else f"{text[:_KEPT_CHARS]}…"


def kind_of(value: Any) -> str:
    """The kind of a value in words, which repeat nothing of it."""
    names = {str: "text", list: "a list", bool: "true or false", type(None): "null", int: "a number", float: "a number"}
    return "an object" if isinstance(value, Mapping) else names.get(type(value), type(value).__name__)
