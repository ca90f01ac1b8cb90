"""The choice of messages that stay when a conversation must fit a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

ChatMessage: TypeAlias = dict[str, Any]
Cost: TypeAlias = Callable[[ChatMessage], int]


def check_budget(budget: object) -> int:
    """The budget, if it is a positive integer; ValueError otherwise."""
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise ValueError(f"budget: expected an integer of 1 or more, got {budget!r}")
    return budget


def first_kept(messages: Sequence[ChatMessage], budget: int, cost: Cost, opening: int = 2) -> int:
    """The index from which on messages stay, beside the opening.

    The opening always stays, and so does the last block. What goes, goes from the oldest on, in whole blocks: an
    assistant message with the results of its calls, or a message of the user with the reminders before it, so that no
    result is without its call. Reminders that follow a result belong to its block.

    Args:
        messages: the whole conversation, oldest first, system message included.
        budget: how much the kept messages may cost together.
        cost: the cost of one message.
        opening: how many messages opened the session: the system message, reminders that were due, the request.
    """
    left = budget - sum(cost(message) for message in messages[:opening])
    blocks = _block_starts(messages, opening)
    kept = len(messages)
    for index in range(len(blocks) - 1, -1, -1):
        end = blocks[index + 1] if index + 1 < len(blocks) else len(messages)
        left -= sum(cost(message) for message in messages[blocks[index] : end])
        if left < 0 and kept < len(messages):
            break
        kept = blocks[index]
    return min(kept, len(messages)) if blocks else len(messages)


def _block_starts(messages: Sequence[ChatMessage], opening: int) -> list[int]:
    roles = [message["role"] for message in messages]
    return [
        index
        for index in range(opening, len(roles))
        if roles[index] == "assistant"
        or (roles[index] == "user" and (index == opening or roles[index - 1] == "assistant"))
    ]
