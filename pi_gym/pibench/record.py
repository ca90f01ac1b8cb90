"""The record of a session, made of the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pi_gym.pibench.session_state import SessionState
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
    task, identity = session.task, session.identity
    events = tuple(session.log)
    names = {intent.id: intent.name for intent in task.intents}
    items = {item.id: item.name for item in session.checklist}
    intents = [
        {
            "id": number,
            "name": names[number],
            "status": status,
            "turn": session.settled_at.get(number, 0),
            "needless": number in session.needless,
        }
        for number, status in session.statuses.items()
    ]
    checklist = [
        {"id": v.id, "name": items[v.id], "verdict": v.verdict, "grader": v.grader, "reason": v.reason}
        for v in session.verdicts
    ]
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
        scores=dict(session.scores) if session.scored else {},
        labels=session_labels(
            intents,
            checklist,
            session.held,
            questions=session.questions,
            misses=session.misses,
            words=sum(len(event.data["text"].split()) for event in events if event.kind == "user"),
        ),
        reward_components=dict(session.return_components()) if session.scored else {},
        turns=session.tally().turns,
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


def session_labels(
    intents: Sequence[Mapping[str, Any]],
    checklist: Sequence[Mapping[str, Any]],
    held: Sequence[str],
    *,
    questions: int,
    misses: int,
    words: int,
) -> dict[str, Any]:
    """The labels of a session's record.

    Args:
        intents: per intent: id, name, status, turn (0 where open), needless.
        checklist: per item: id, name, verdict, grader, reason.
        held: ids of the intents that hold in the final state.
        questions: asking clauses that the user took notice of.
        misses: of these, without a hit.
        words: that the user said.
    """
    return {
        "intents": list(intents),
        "checklist": list(checklist),
        "intents_held": list(held),
        "intent_count": len(intents),
        "needless": sum(bool(one["needless"]) for one in intents),
        "questions": questions,
        "question_misses": misses,
        "words_by_user": words,
    }
