"""Playing a record again in a session that begins as the recorded one did; nothing is asked of anybody."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from pi_gym.session.actions import ParsedAction
from pi_gym.session.protocol import Session
from pi_gym.session.trajectory import Trajectory
from pi_gym.state.log import Log
from pi_gym.types import Answer, Event, ToolCall


class ReplayedSession(Session, Protocol):
    """A session whose log tells how far it has come."""

    log: Log[Event]


def play_again(session: ReplayedSession, trajectory: Trajectory) -> dict[int, Mapping[str, float]]:
    """Take the record's actions again, with its answers; gives by step its reward by component.

    Raises:
        SessionError: the record does not fit the session: another engine made it.
    """
    rewards: dict[int, Mapping[str, float]] = {}
    for position, event in enumerate(trajectory.events):
        _redo(session, position, event, trajectory)
        if session.step is not None:
            rewards[session.steps] = session.step.components
    return rewards


def _redo(session: ReplayedSession, position: int, event: Event, trajectory: Trajectory) -> None:
    """Do what came from outside; all else follows from it."""
    data = event.data
    if event.kind == "agent":
        session.apply(recorded_action(data))
    elif event.kind == "answer":
        session.answer(data["id"], Answer.from_json(data))
    elif event.kind == "end" and len(session.log) <= position:
        # The session did not end by itself: somebody cut it short here.
        if data["reason"] == "error":
            session.fail(data["error"], trajectory.error_kind)
        else:
            session.truncate(data["reason"])


def recorded_action(data: Mapping[str, Any]) -> ParsedAction:
    """The action of an event of kind "agent"."""
    calls = tuple(ToolCall(call["name"], call["arguments"]) for call in data["calls"])
    return ParsedAction(data["action"], data["content"], calls, data["thought"], data["fault"], data.get("message"))
