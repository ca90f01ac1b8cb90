"""Which messages stay when a conversation must fit a budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

ChatMessage: TypeAlias = dict[str, Any]
Cost: TypeAlias = Callable[[ChatMessage], int]

OPENING = 2  # the system message and the message that opened the session


def check_budget(budget: object) -> int:
    """The budget, if it is a positive integer; ValueError otherwise."""
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise ValueError(f"budget: expected an integer of 1 or more, got {budget!r}")
    return budget


def first_kept(messages: Sequence[ChatMessage], budget: int, cost: Cost) -> int:
    """The index from which on messages stay, beside the opening.

    The opening always stays, and so does the last block. What goes, goes from the oldest on, in whole blocks: an
    assistant message with the results of its calls, or one message of the user, so that no result is without its call.

    Args:
        messages: the whole conversation, oldest first, system message included.
        budget: how much the kept messages may cost together.
        cost: the cost of one message.
    """
    left = budget - sum(cost(message) for message in messages[:OPENING])
    blocks = _block_starts(messages)
    kept = len(messages)
    for index in range(len(blocks) - 1, -1, -1):
        end = blocks[index + 1] if index + 1 < len(blocks) else len(messages)
        left -= sum(cost(message) for message in messages[blocks[index] : end])
        if left < 0 and kept < len(messages):
            break
        kept = blocks[index]
    return min(kept, len(messages)) if blocks else len(messages)


def _block_starts(messages: Sequence[ChatMessage]) -> list[int]:
    return [
        index for index, message in enumerate(messages) if index >= OPENING and message["role"] in ("assistant", "user")
    ]
