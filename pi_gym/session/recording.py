"""Making the record of a live session of any family."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from pi_gym.session.protocol import Session
from pi_gym.session.trajectory import Trajectory
from pi_gym.templates import prompt_hash
from pi_gym.types import Event

_OUTSIDE = ("shell", "web", "policy")


def build_record(
    session: Session,
    events: Iterable[Event],
    *,
    turns: int,
    pack_hash: str,
    config: Mapping[str, Any],
    labels: Mapping[str, Any],
    reward_components: Mapping[str, float],
    agent: str = "",
    sample: int = 0,
    group_id: str = "",
    policy_outputs: tuple[Mapping[str, Any], ...] = (),
) -> Trajectory:
    """The record of a session as it stands; what the session's protocol tells is taken from there.

    Args:
        session: the session.
        events: everything that happened, in order.
        turns: that the agent has ended.
        pack_hash: as in `Trajectory`; it takes a moment to make, so a session that nobody records goes without.
        config: how the session ran.
        labels: what the family says of it.
        reward_components: the return by component.
        agent: who acted.
        sample: counts repeats and group members.
        group_id: as in `Trajectory`.
        policy_outputs: likewise.
    """
    identity, happened, scored = session.identity, tuple(events), session.scored
    return Trajectory(
        agent=agent,
        env_id=identity.env_id,
        family=identity.family,
        pack=identity.pack,
        task_id=identity.task_id,
        variant=identity.variant,
        seed=identity.seed,
        history_mode=identity.history_mode,
        sample=sample,
        pack_hash=pack_hash,
        prompt_hash=prompt_hash(),
        config=dict(config),
        opening=tuple(message.content for message in session.messages),
        events=happened,
        scores=dict(session.scores) if scored else {},
        labels=dict(labels),
        reward_components=dict(reward_components) if scored else {},
        turns=turns,
        steps=session.steps,
        tool_calls=session.tool_calls,
        invalid_actions=session.invalid_actions,
        terminated=session.terminated,
        truncated=session.ended and not session.terminated,
        end_reason=session.end_reason,
        scored=scored,
        error=session.error,
        error_kind=session.error_kind,
        nondeterministic=any(event.kind == "ask" and event.data["ask"] in _OUTSIDE for event in happened),
        group_id=group_id,
        policy_outputs=policy_outputs,
        tools=session.registry.names,
        tools_hash=session.registry.schemas_hash,
        engine_faults=session.engine_faults,
        starved=_was_starved(happened),
    )


def _was_starved(happened: tuple[Event, ...]) -> bool:
    """Whether the host had no time for a command of the session, which is no failure of the agent's."""
    commands = {event.data["id"] for event in happened if event.kind == "ask" and event.data["ask"] == "shell"}
    values = (event.data["value"] for event in happened if event.kind == "answer" and event.data["id"] in commands)
    return any(isinstance(value, Mapping) and value.get("starved") is True for value in values)
