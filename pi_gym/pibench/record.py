"""The record of a session, made of the session."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.pibench.session_state import SessionState
from pi_gym.rewards import total
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
    task = session.task
    events = tuple(session.log)
    components = dict(session.return_components()) if session.scored else {}
    names = {intent.id: intent.name for intent in task.intents}
    items = {item.id: item.name for item in session.checklist}
    return Trajectory(
        agent=agent,
        sample=sample,
        env_id=session.config.env_id,
        task_id=task.id,
        variant=task.variant,
        seed=session.config.seed,
        history_mode=session.config.history,
        pack=task.pack,
        pack_hash=task.pack_hash,
        prompt_hash=prompt_hash(),
        config=session.config.to_json(),
        user=session.user.name,
        grader=session.grader.name,
        opening=tuple(message.content for message in session.opening.messages),
        events=events,
        intents=tuple(
            {
                "id": number,
                "name": names[number],
                "status": status,
                "turn": session.settled_at.get(number, 0),
                "needless": number in session.needless,
            }
            for number, status in session.statuses.items()
        ),
        checklist=tuple(
            {"id": v.id, "name": items[v.id], "verdict": v.verdict, "grader": v.grader, "reason": v.reason}
            for v in session.verdicts
        ),
        proc=session.proc,
        comp=session.comp,
        return_=total(components) if session.scored else None,
        reward_components=components,
        turns=session.tally().turns,
        steps=session.steps,
        tool_calls=session.tool_calls,
        questions=session.questions,
        question_misses=session.misses,
        words_by_user=sum(len(event.data["text"].split()) for event in events if event.kind == "user"),
        invalid_actions=session.invalid_actions,
        intents_held=session.held,
        terminated=session.terminated,
        truncated=session.truncated,
        end_reason=session.end_reason,
        scored=session.scored,
        error=session.error,
        error_kind=session.error_kind,
        nondeterministic=any(event.kind == "ask" and event.data["ask"] in _OUTSIDE for event in events),
        group_id=group_id,
        policy_outputs=policy_outputs,
        tools=session.opening.registry.names,
        tools_hash=session.opening.registry.schemas_hash,
    )
