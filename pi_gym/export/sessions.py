"""A session as a row of a table: the columns are the same for every run, whatever its sessions did."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pi_gym.export.table_columns import Columns, summary_columns, summary_row
from pi_gym.family import ColumnKind, Family
from pi_gym.session import Trajectory
from pi_gym.session.conversation import conversation, offered_tools
from pi_gym.types import Event, Message

_CALL = {"id": "string", "type": "string", "function": {"name": "string", "arguments": "string"}}
_MESSAGE = {"role": "string", "content": "string", "tool_calls": [_CALL], "tool_call_id": "string"}
_ACTION = {
    "turn": "int64",
    "step": "int64",
    "text": "string",
    "message": "string",
    "thought": "string",
    "rejected": "bool",
}
_OUTPUT = {
    "step": "int64",
    "text": "string",
    "token_ids": ["int64"],
    "logprobs": ["float64"],
    "prompt_token_ids": ["int64"],
}
#: Fields of a trajectory that stand in a row as they are.
_AS_THEY_ARE: Columns = {
    "truncated": "bool",
    "error": "string",
    "nondeterministic": "bool",
    "starved": "bool",
    "pack_hash": "string",
    "prompt_hash": "string",
}


def session_columns(family: Family) -> Columns:
    """The columns of a table with a row for each session of a family."""
    return {
        **summary_columns(family),
        **_AS_THEY_ARE,
        "reward_components": dict.fromkeys(family.components, "float64"),
        **family.columns,
        "messages": [_MESSAGE],
        "actions": [_ACTION],
        "policy_outputs": [_OUTPUT],
        "tools": "string",
        "config": "string",
    }


def session_row(record: Trajectory, family: Family) -> dict[str, Any]:
    """One session as a row; every column is there, None where there is no value.

    Raises:
        StateMismatch: the record does not hold the whole conversation, or its tools are others now.
    """
    unknown = sorted(set(record.labels) - set(family.columns))
    if unknown:
        raise ValueError(f"unknown label {', '.join(unknown)}; known: {', '.join(family.columns)}")
    return {
        **summary_row(record, family),
        **{name: getattr(record, name) for name in _AS_THEY_ARE},
        "reward_components": _whole(family.components, record.reward_components),
        **{name: _fitted(kind, record.labels.get(name)) for name, kind in family.columns.items()},
        "messages": [_message(one.message) for one in conversation(record)],
        "actions": [_action(event) for event in record.events if event.kind == "agent"],
        "policy_outputs": [_whole(_OUTPUT, one) for one in record.policy_outputs],
        "tools": offered_tools(record, family),
        "config": json.dumps(record.config, ensure_ascii=False),
    }


def _fitted(kind: ColumnKind, value: Any) -> Any:
    """A label as its column holds it: an empty list where a list is missing, JSON as text, mappings made whole."""
    if isinstance(kind, list):
        return [_fitted(kind[0], one) for one in value or ()]
    if kind == "json":
        return None if value is None else json.dumps(value, ensure_ascii=False)
    return _whole(kind, value) if isinstance(kind, Mapping) and value is not None else value


def _whole(names: Any, found: Mapping[str, Any]) -> dict[str, Any]:
    """The mapping with these names and no others, None where it has no value."""
    unknown = sorted(set(found) - set(names))
    if unknown:
        raise ValueError(f"unknown {', '.join(unknown)}; known: {', '.join(names)}")
    return {name: found.get(name) for name in names}


def _action(event: Event) -> dict[str, Any]:
    """An action as the agent produced it: as text, and as JSON text where it was a message."""
    data = event.data
    message = data.get("message")
    return {
        "turn": event.turn,
        "step": event.step,
        "text": data["action"],
        "message": None if message is None else json.dumps(message, ensure_ascii=False),
        "thought": data["thought"],
        "rejected": bool(data["fault"]),
    }


def _message(message: Message) -> dict[str, Any]:
    chat = message.to_openai()
    return {name: chat.get(name) for name in _MESSAGE}
