"""The roles of a conversation, as chat templates want them that insist on roles taking turns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Chat = Mapping[str, Any]


def taking_turns(messages: Sequence[Chat]) -> list[Chat]:
    """The conversation with nobody speaking twice in a row, and no user right after a tool.

    Several messages of the user's side become one, and what the user's side says after a tool's result stands below
    that result. Every word stays, in its order, and none is added.

    Args:
        messages: in OpenAI's format, oldest first; they are not changed.
    """
    turns: list[Chat] = []
    for message in messages:
        before = turns[-1]["role"] if turns else ""
        if message["role"] == "user" and before in ("user", "tool"):
            text = "\n\n".join(filter(None, (turns[-1].get("content"), message.get("content"))))
            turns[-1] = {**turns[-1], "content": text}
        else:
            turns.append(message)
    return turns
