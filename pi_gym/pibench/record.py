"""The record of a session, made of the session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from pi_gym.session.recording import build_record
from pi_gym.session.trajectory import Trajectory

if TYPE_CHECKING:
    from pi_gym.pibench.session import PiSession


def build_trajectory(
    session: PiSession,
    *,
    agent: str,
    sample: int,
    group_id: str = "",
    policy_outputs: tuple[Mapping[str, Any], ...] = (),
) -> Trajectory:
    """The record of a session as it stands."""
    task = session.task
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
    return build_record(
        session,
        events,
        turns=session.tally().turns,
        config={**session.config.to_json(), "roles": {"user": session.user.name, "grader": session.grader.name}},
        labels=session_labels(
            intents,
            checklist,
            session.held,
            questions=session.questions,
            misses=session.misses,
            words=sum(len(event.data["text"].split()) for event in events if event.kind == "user"),
        ),
        reward_components=session.return_components() if session.scored else {},
        agent=agent,
        sample=sample,
        group_id=group_id,
        policy_outputs=policy_outputs,
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
