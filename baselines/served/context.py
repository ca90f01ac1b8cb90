"""Fitting a conversation into a model's context: the oldest tool results are shortened, then left out.

The system message, what the user said and what the agent did stay as they are; so does the last exchange, as long as
anything else can give way.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Chat = Mapping[str, Any]

#: The part of a shortened result that is kept, from its beginning.
KEPT_CHARS = 400
LEFT_OUT = "[This result was left out to make room.]"
_NOTE = "\n[Shortened to make room: {} more characters.]"
_NOTE_CHARS = 60
#: The cost of a message beside its text: role, ids, the template's own tokens.
_FRAME_CHARS = 40


@dataclass(frozen=True, slots=True)
class Fitted:
    """A conversation that fits, as far as that was possible.

    Args:
        messages: in OpenAI's format; those that were not touched are the very objects given.
        shortened, left_out: numbers of tool results.
        chars: the length, as `chat_chars` counts it.
    """

    messages: tuple[Chat, ...]
    shortened: int
    left_out: int
    chars: int


def chat_chars(message: Chat) -> int:
    """The approximate number of characters that a message takes in a prompt."""
    calls = message.get("tool_calls") or ()
    return _FRAME_CHARS + len(message.get("content") or "") + sum(len(json.dumps(call)) for call in calls)


def fit(messages: Sequence[Chat], budget_chars: int) -> Fitted:
    """The conversation within a budget.

    Args:
        messages: in OpenAI's format, oldest first.
        budget_chars: the most characters. Where even the shortest form is longer, that is what comes out.
    """
    sizes = [chat_chars(message) for message in messages]
    excess = sum(sizes) - budget_chars
    kept = list(messages)
    state: dict[int, str] = {}
    for how, place in _steps(messages):
        if excess <= 0:
            break
        content = messages[place].get("content") or ""
        short = LEFT_OUT if how == "left out" else _shortened(content)
        if len(short) < len(kept[place].get("content") or ""):
            kept[place] = {**messages[place], "content": short}
            excess += chat_chars(kept[place]) - sizes[place]
            sizes[place] = chat_chars(kept[place])
            state[place] = how
    counts = [sum(how == name for how in state.values()) for name in ("shortened", "left out")]
    return Fitted(tuple(kept), counts[0], counts[1], sum(sizes))


def _steps(messages: Sequence[Chat]) -> Iterator[tuple[str, int]]:
    """The ways to make room, in order: older results before those of the last exchange, shortened before left out."""
    results = [place for place, message in enumerate(messages) if message["role"] == "tool"]
    last = max((place for place, message in enumerate(messages) if message["role"] == "assistant"), default=0)
    for part in ([place for place in results if place < last], [place for place in results if place > last]):
        for how in ("shortened", "left out"):
            yield from ((how, place) for place in part)


def _shortened(text: str) -> str:
    if len(text) <= KEPT_CHARS + _NOTE_CHARS:
        return text
    return text[:KEPT_CHARS] + _NOTE.format(len(text) - KEPT_CHARS)
