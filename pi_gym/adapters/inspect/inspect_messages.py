"""Messages and tools in OpenAI's format as Inspect has them, and its messages as actions; needs inspect-ai."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from inspect_ai.model import ChatMessageSystem, ChatMessageTool, ChatMessageUser, ContentReasoning
from inspect_ai.tool import ToolInfo, ToolParams


def chat(messages: Iterable[Mapping[str, Any]], calls: Sequence[Any] = ()) -> list[Any]:
    """The messages that a session brought, as Inspect's.

    Args:
        messages: system, user and tool messages.
        calls: Inspect's, of the message that they follow.
    """
    names = {call.id: call.function for call in calls}
    found: list[Any] = []
    for message in messages:
        role, content = message["role"], message["content"]
        if role == "tool":
            call_id = message["tool_call_id"]
            found.append(ChatMessageTool(content=content, tool_call_id=call_id, function=names.get(call_id)))
        elif role == "system":
            found.append(ChatMessageSystem(content=content))
        else:
            found.append(ChatMessageUser(content=content))
    return found


def tool_infos(schemas: Iterable[Mapping[str, Any]]) -> list[Any]:
    """Tools that a model is offered, and that the session runs: Inspect calls none of them.

    Args:
        schemas: function schemas.
    """
    functions = [schema["function"] for schema in schemas]
    return [
        ToolInfo(
            name=one["name"],
            description=one["description"],
            parameters=ToolParams.model_validate(one["parameters"]),
        )
        for one in functions
    ]


def action_of(message: Any) -> dict[str, Any]:
    """The assistant message that Inspect has of a model, as the session takes it."""
    action: dict[str, Any] = {"role": "assistant", "content": message.text}
    if message.tool_calls:
        action["tool_calls"] = [
            {"id": call.id, "type": "function", "function": {"name": call.function, "arguments": _arguments(call)}}
            for call in message.tool_calls
        ]
    parts = message.content if isinstance(message.content, list) else []
    thoughts = [part.reasoning for part in parts if isinstance(part, ContentReasoning)]
    return action | ({"reasoning_content": "\n".join(thoughts)} if thoughts else {})


def _arguments(call: Any) -> str:
    # What was no JSON is kept by Inspect in the error alone, which is none either: the session says so to the agent.
    return call.parse_error or json.dumps(call.arguments, ensure_ascii=False)
