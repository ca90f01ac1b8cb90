"""The tool by which an agent speaks whose loop knows calls alone, and no turn of the user's."""

from __future__ import annotations

from pi_gym.tools import ToolContext, operation


@operation("read")
def reply_to_user(context: ToolContext, content: str) -> str:
    """Say something to the user and end your turn; the result is what the user says next.

    Args:
        content: what to say: questions, or what you have done.
    """
    return content


REPLY = reply_to_user.name
