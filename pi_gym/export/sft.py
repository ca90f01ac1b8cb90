"""Rows for supervised fine-tuning, as TRL's SFTTrainer takes conversations with tool calls.

A message is a JSON value, for the arguments of tool calls have no common type; they are objects there, not texts,
since that is what chat templates render. The tools are one JSON text. Both survive Arrow, which would fill the keys
of mappings up with those of all rows.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any, Literal, TypeAlias, get_args

from pi_gym.export.chat import chat_message
from pi_gym.export.packages import package
from pi_gym.export.table_columns import Columns, summary_columns, summary_row
from pi_gym.family import Family
from pi_gym.session import Trajectory
from pi_gym.session.conversation import Spoken, conversation, offered_tools

RowKind: TypeAlias = Literal["session", "turn", "step"]
ROWS: tuple[str, ...] = get_args(RowKind)
_PART: Columns = {"prompt": ["json"], "completion": ["json"], "tools": "string", "turn": "int64", "step": "int64"}


def sft_columns(rows: RowKind, family: Family) -> Columns:
    """The columns of a table with a row for each session, turn or step."""
    shared = summary_columns(family)
    return {"messages": ["json"], "tools": "string", **shared} if rows == "session" else {**_PART, **shared}


def sft_rows(
    record: Trajectory, family: Family, rows: RowKind = "session", *, thoughts: bool = False
) -> list[dict[str, Any]] | None:
    """The rows of a session; None where it has no action, or a number that a data set cannot hold exactly.

    Args:
        record: the session.
        family: of the session.
        rows: "session": the whole conversation, in `messages`; "turn": for each turn what came before as `prompt`,
            and from the agent's first message to its last as `completion`; "step": for each action that was run, what
            came before, and the one message.
        thoughts: assistant messages hold what the agent thought, as `reasoning_content`.

    Raises:
        StateMismatch: the record does not hold the whole conversation, or its tools are others now.
    """
    spoken = conversation(record)
    if not any(one.message.role == "assistant" for one in spoken):
        return None
    messages = _messages(spoken, thoughts)
    if messages is None:
        return None
    shared = {"tools": offered_tools(record, family), **summary_row(record, family)}
    if rows == "session":
        return [{"messages": messages, **shared}]
    parts = _turns(spoken) if rows == "turn" else _steps(spoken)
    return [
        {
            "prompt": messages[:begin],
            "completion": messages[begin:end],
            **shared,
            "turn": spoken[begin].turn,
            "step": spoken[begin].step,
        }
        for begin, end in parts
    ]


def _turns(spoken: Sequence[Spoken]) -> Iterator[tuple[int, int]]:
    own = [place for place, one in enumerate(spoken) if one.message.role == "assistant"]
    for _, places in groupby(own, lambda place: spoken[place].turn):
        first, *more = places
        yield first, (more or [first])[-1] + 1


def _steps(spoken: Sequence[Spoken]) -> Iterator[tuple[int, int]]:
    for place, one in enumerate(spoken):
        if one.message.role == "assistant" and not one.rejected:
            yield place, place + 1


def _messages(spoken: Sequence[Spoken], thoughts: bool) -> list[str] | None:
    """Each message as JSON text; None where one would not come back as it is."""
    loads: Callable[[str], Any] = package("datasets").Json().decode_example
    names = {call.id: call.name for one in spoken for call in one.message.tool_calls}
    texts = []
    for one in spoken:
        text = json.dumps(_trained(chat_message(one, thoughts), names), ensure_ascii=False)
        try:
            if json.dumps(loads(text), ensure_ascii=False) != text:
                return None
        except ValueError:  # an integer of more than 64 bits
            return None
        texts.append(text)
    return texts


def _trained(message: dict[str, Any], names: dict[str, str]) -> dict[str, Any]:
    """The message as chat templates render it: arguments are objects, a result names its tool."""
    for call in message.get("tool_calls", ()):
        call["function"]["arguments"] = json.loads(call["function"]["arguments"])
    if message["role"] == "tool":
        message["name"] = names[message["tool_call_id"]]
    return message
