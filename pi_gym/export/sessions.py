"""A session as a row of a table: the columns are the same for every run, whatever its sessions did."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from pi_gym.export.columns import LABELS, Columns, labels
from pi_gym.rewards import COMPONENTS
from pi_gym.session import Trajectory
from pi_gym.session.conversation import conversation, offered_tools
from pi_gym.types import Event, Message

_INTENT = {"id": "string", "name": "string", "status": "string", "turn": "int64", "needless": "bool"}
_ITEM = {"id": "string", "name": "string", "verdict": "string", "grader": "string", "reason": "string"}
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
    "questions": "int64",
    "question_misses": "int64",
    "words_by_user": "int64",
    "nondeterministic": "bool",
    "pack": "string",
    "pack_hash": "string",
    "prompt_hash": "string",
    "user": "string",
    "grader": "string",
}

SESSION: Columns = {
    **LABELS,
    **_AS_THEY_ARE,
    "reward_components": dict.fromkeys(COMPONENTS, "float64"),
    "intents": [_INTENT],
    "intents_held": ["string"],
    "checklist": [_ITEM],
    "messages": [_MESSAGE],
    "actions": [_ACTION],
    "policy_outputs": [_OUTPUT],
    "tools": "string",
    "config": "string",
}


def session_row(record: Trajectory) -> dict[str, Any]:
    """One session as a row; every column is there, None where there is no value.

    Raises:
        StateMismatch: the record does not hold the whole conversation, or its tools are others now.
    """
    return {
        **labels(record),
        **{name: getattr(record, name) for name in _AS_THEY_ARE},
        "reward_components": _whole(COMPONENTS, record.reward_components),
        "intents": [_whole(_INTENT, one) for one in record.intents],
        "intents_held": list(record.intents_held),
        "checklist": [_whole(_ITEM, one) for one in record.checklist],
        "messages": [_message(one.message) for one in conversation(record)],
        "actions": [_action(event) for event in record.events if event.kind == "agent"],
        "policy_outputs": [_whole(_OUTPUT, one) for one in record.policy_outputs],
        "tools": offered_tools(record),
        "config": json.dumps(record.config, ensure_ascii=False),
    }


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
