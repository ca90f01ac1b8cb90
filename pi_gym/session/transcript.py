"""The text history of a session: how messages are written in it, and the words that the engine itself says."""

from __future__ import annotations

from pi_gym.templates import render_prompt
from pi_gym.tools import Registry
from pi_gym.types import Message, ToolCall

_HEADER = "=== "
OVER = "The conversation is over."
"""The result of a call that nobody will answer any more."""
BEYOND_LIMIT = "Not run: the turn has had as many tool calls as it may."
"""The result of the calls of an action at which the turn's limit of calls was reached."""


def render_message(message: Message) -> str:
    """One message in the text history. Content cannot imitate a header: such lines are set in by a blank."""
    body = message.content
    if message.tool_calls:
        calls = "\n".join(map(ToolCall.to_text, message.tool_calls))
        body = f"{body}\n{calls}" if body else calls
    if _HEADER in body:
        body = set_in(body, (_HEADER,))
    label = f"tool {message.tool_call_id}" if message.role == "tool" else message.role
    return f"{_HEADER}{label} ===\n{body}\n\n"


def with_actions(system: str, registry: Registry) -> str:
    """A system message for an agent that has no other channel for its tools: with action syntax and signatures."""
    actions = render_prompt("actions.md", signatures=registry.signatures(), asks="ask_user" in registry)
    return f"{system.rstrip()}\n\n{actions.rstrip()}"


def set_in(text: str, starts: tuple[str, ...]) -> str:
    """The text with a blank before every line, by whatever it ends, that begins like one of ours."""
    return "".join(f" {line}" if line.startswith(starts) else line for line in text.splitlines(keepends=True))
