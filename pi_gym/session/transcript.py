"""The text history of a session: how messages are written in it, and the words that the engine itself says."""

from __future__ import annotations

from pi_gym.templates import render_prompt
from pi_gym.tools import Registry
from pi_gym.types import Message, ToolCall

_HEADER = "=== "
OVER = "The conversation is over."
"""The result of a call that nobody will answer any more."""
TOLD_CALLS = 10
"""From so many calls on, results say how many the turn has left."""


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


def calls_left_note(left: int) -> str:
    """A note of how many calls a turn has left, as its results carry it.

    >>> calls_left_note(1), calls_left_note(0)
    ('[1 tool call left in this turn]', '[no tool call left in this turn; reply to the user now]')
    """
    if left <= 0:
        return "[no tool call left in this turn; reply to the user now]"
    return f"[{left} tool call{'s' if left > 1 else ''} left in this turn]"


def with_note(result: str, note: str) -> str:
    """A call's result as the agent sees it, with what the environment adds."""
    return f"{result}\n{note}" if note else result


def refusal(limit: int, more: int) -> str:
    """The result of a call for which a turn has no room.

    Args:
        limit: calls of a turn.
        more: further actions with calls, instead of a reply, that end the session; 0 where this one does.
    """
    times = "The next action with calls" if more == 1 else f"{more} more actions with calls"
    end = "The conversation ends here." if more < 1 else f"{times} would end the conversation."
    calls = "1 tool call" if limit == 1 else f"{limit} tool calls"
    return f"[environment] Not run: this turn has had its {calls}. Reply to the user; that ends the turn. {end}"


def with_actions(system: str, registry: Registry) -> str:
    """A system message for an agent that has no other channel for its tools: with action syntax and signatures."""
    actions = render_prompt("actions.md", signatures=registry.signatures(), asks="ask_user" in registry)
    return f"{system.rstrip()}\n\n{actions.rstrip()}"


def set_in(text: str, starts: tuple[str, ...]) -> str:
    """The text with a blank before every line, by whatever it ends, that begins like one of ours."""
    return "".join(f" {line}" if line.startswith(starts) else line for line in text.splitlines(keepends=True))
