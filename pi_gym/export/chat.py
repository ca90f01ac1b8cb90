"""A session as one line of JSON in OpenAI's chat format, with its tools, and beside them how it was scored."""

from __future__ import annotations

import json
from typing import Any

from pi_gym.export.table_columns import summary_row
from pi_gym.family import Family
from pi_gym.session import Trajectory
from pi_gym.session.conversation import Spoken, conversation, offered_tools


def chat_line(record: Trajectory, family: Family, *, thoughts: bool = False) -> str:
    """One session as a line, without a line end: `messages`, `tools`, `metadata`.

    Args:
        record: the session.
        family: of the session.
        thoughts: assistant messages hold what the agent thought, as `reasoning_content`.

    Raises:
        StateMismatch: the record does not hold the whole conversation, or its tools are others now.
    """
    line = {
        "messages": [chat_message(one, thoughts) for one in conversation(record)],
        "tools": json.loads(offered_tools(record, family)),
        "metadata": summary_row(record, family),
    }
    return json.dumps(line, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def chat_message(spoken: Spoken, thoughts: bool) -> dict[str, Any]:
    """A message in OpenAI chat format; with its thought, where there is one and it is wanted."""
    message = spoken.message.to_openai()
    if thoughts and spoken.thought:
        message["reasoning_content"] = spoken.thought
    return message
