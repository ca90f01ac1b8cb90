"""The record of a session, made of the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.pibench.session_state import SessionState
from pi_gym.pibench.standing import session_labels, turns_ended
from pi_gym.session.trajectory import Trajectory
from pi_gym.templates import prompt_hash

_OUTSIDE = ("shell", "web", "policy")


def build_trajectory(
    session: SessionState,
    *,
    agent: str,
    sample: int,
    group_id: str = "",
    policy_outputs: tuple[Mapping[str, Any], ...] = (),
) -> Trajectory:
    """The record of a session as it stands."""
    identity, grading = session.identity, session.ending.grading
    events = tuple(session.log)
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
        pack_hash=identity.pack_hash,
        prompt_hash=prompt_hash(),
        config={**session.config.to_json(), "roles": {"user": session.user.name, "grader": session.grader.name}},
        opening=tuple(message.content for message in session.opening.messages),
        events=events,
        scores={} if grading is None else dict(grading.scores),
        labels=session_labels(
            session.task.intents,
            session.standing,
            session.checklist,
            grading,
            words=sum(len(event.data["text"].split()) for event in events if event.kind == "user"),
        ),
        reward_components={} if grading is None else dict(grading.components),
        turns=turns_ended(events),
        steps=session.steps,
        tool_calls=session.tool_calls,
        invalid_actions=session.invalid_actions,
        terminated=session.terminated,
        truncated=session.truncated,
        end_reason=session.end_reason,
        scored=session.scored,
        error=session.error,
        error_kind=session.error_kind,
        nondeterministic=any(event.kind == "ask" and event.data["ask"] in _OUTSIDE for event in events),
        group_id=group_id,
        policy_outputs=policy_outputs,
        tools=session.registry.names,
        tools_hash=session.registry.schemas_hash,
    )
