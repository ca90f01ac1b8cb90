"""What an agent may return: an action, however bad; anything else is a mistake in its code."""

from __future__ import annotations

from collections.abc import Mapping

from pi_gym.errors import PiGymError
from pi_gym.session.actions import ParsedAction
from pi_gym.types import Message, ToolCall

_MESSAGE_KEYS = ("role", "content", "tool_calls")


class NotAnAction(PiGymError, TypeError):
    """An agent returned what no environment takes: a mistake in its code, not one of a model's."""


def require_action(action: object) -> None:
    """Raise NotAnAction for what no agent can mean as an action; a model's mistakes are the session's to answer."""
    if isinstance(action, str | Message | ToolCall | ParsedAction) or callable(getattr(action, "model_dump", None)):
        return
    if isinstance(action, Mapping) and any(name in action for name in _MESSAGE_KEYS):
        return
    if isinstance(action, list | tuple) and action and all(isinstance(part, ToolCall) for part in action):
        return
    raise NotAnAction(
        f"the policy returned {_kind(action)}, which is no action; expected text, an OpenAI assistant message,"
        " a Message, a ToolCall, a list of ToolCalls, or a PolicyOutput with one of these"
    )


def _kind(action: object) -> str:
    if action is None:
        return "None"
    if isinstance(action, Mapping):
        return f"a {type(action).__name__} without 'role', 'content' and 'tool_calls'"
    return f"a {type(action).__name__}" + (" of other things" if isinstance(action, list | tuple) and action else "")
