"""The conversation of a record: the chat messages that the agent saw, and the tools that it was offered.

What an environment gave in `info["new_messages"]`, step after step, and in `info["tools"]` at the reset. Both come from
the record alone; no pack is opened.
"""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Protocol

from pi_gym.errors import StateMismatch
from pi_gym.session.trajectory import Trajectory
from pi_gym.session.transcript import OVER, with_note
from pi_gym.tools import Registry
from pi_gym.types import Event, Message, ToolCall


class ToolSource(Hashable, Protocol):
    """A source of tools by their names: a family."""

    def registry(self, names: Iterable[str]) -> Registry:
        """The tools of these names; UnknownName where one does not exist."""
        ...


@dataclass(frozen=True, slots=True)
class Spoken:
    """One message of a recorded conversation.

    Args:
        message: as the agent saw it.
        turn: the turn that it belongs to, from 1.
        step: the number of the action that brought it, from 1; 0 for the opening.
        thought: what the agent thought before an assistant message; no message holds it.
        rejected: the assistant message was not run; the environment's answer follows.
    """

    message: Message
    turn: int
    step: int
    thought: str = ""
    rejected: bool = False


def conversation(record: Trajectory) -> tuple[Spoken, ...]:
    """The messages of a recorded session, oldest first; none where it never opened.

    Raises:
        StateMismatch: the record does not hold the words of a reminder.
    """
    opening = (Spoken(Message("user" if place else "system", text), 1, 0) for place, text in enumerate(record.opening))
    return (*opening, *_Spoken().read(record))


def offered_tools(record: Trajectory, family: ToolSource) -> str:
    """The function schemas that the agent was offered, as JSON text: a list; an empty one where it never opened.

    Args:
        record: the session.
        family: of the session; it knows tools by their names.

    Raises:
        StateMismatch: the record does not name the tools, or their schemas are others now.
    """
    if not record.opening:
        return "[]"
    if not record.tools_hash:
        raise StateMismatch(f"the record of {record.key} does not say which tools were offered; play the session again")
    return _schemas(family, record.tools, record.tools_hash)


@lru_cache(maxsize=256)
def _schemas(family: ToolSource, names: tuple[str, ...], expected: str) -> str:
    registry = family.registry(names)
    if registry.schemas_hash != expected:
        raise StateMismatch(
            f"the record was made with other tools (schemas {expected[:12]}…, here {registry.schemas_hash[:12]}…);"
            " use the version of pi_gym that made it"
        )
    return json.dumps(registry.schemas(), ensure_ascii=False)


class _Spoken:
    """A reader of the messages in a record; it knows the calls that have no result yet."""

    def __init__(self) -> None:
        self._open: list[str] = []
        self._asking = ""

    def read(self, record: Trajectory) -> Iterator[Spoken]:
        for event in record.events:
            for message in self._messages(event):
                if event.kind == "agent":
                    thought, rejected = event.data["thought"], bool(event.data["fault"])
                    yield Spoken(message, event.turn, event.step, thought, rejected)
                else:
                    yield Spoken(message, event.turn, event.step)

    def _messages(self, event: Event) -> Iterator[Message]:
        data = event.data
        if event.kind == "agent":
            calls = tuple(ToolCall(call["name"], call["arguments"], call["id"]) for call in data["calls"])
            self._open = [call.id for call in calls]
            yield Message("assistant", data["content"], calls)
        elif event.kind == "call":
            self._open.remove(data["id"])
            if data.get("answered_later"):
                self._asking = data["id"]
            else:
                yield Message("tool", with_note(data["result"], data.get("note", "")), tool_call_id=data["id"])
        elif event.kind == "refused":
            self._open.remove(data["id"])
            yield Message("tool", data["text"], tool_call_id=data["id"])
        elif event.kind == "user":
            self._asking = ""
            yield Message("tool" if data["call"] else "user", data["text"], tool_call_id=data["call"])
        elif event.kind == "environment":
            yield Message("user", data["text"])
        elif event.kind == "reminder" and event.step:  # those of step 0 stand in the opening
            yield Message("user", _shown(data))
        elif event.kind == "end" and data["reason"] != "error":
            yield from self._closed()

    def _closed(self) -> Iterator[Message]:
        left = [*([self._asking] if self._asking else []), *self._open]
        self._open, self._asking = [], ""
        yield from (Message("tool", OVER, tool_call_id=call) for call in left)


def _shown(data: Mapping[str, Any]) -> str:
    if "shown" not in data:
        raise StateMismatch("the record does not hold how a reminder was worded; play the session again")
    return str(data["shown"])
