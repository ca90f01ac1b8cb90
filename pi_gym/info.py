"""The info of an environment: the same keys with the same types at every step, no None and no NaN in it."""

from __future__ import annotations

from typing import Any

from pi_gym.family import Family
from pi_gym.session.protocol import Session
from pi_gym.tools import MadeSchemas
from pi_gym.types import StepRecord

UNKNOWN = -1.0

#: Key, type and meaning of what info has in every environment; docs/environment.md is checked against it.
INFO_KEYS: dict[str, tuple[type, str]] = {
    "pack": (str, "the set that the task is of"),
    "task_id": (str, "the task's name in it"),
    "variant": (int, "the world's number"),
    "history_mode": (str, "reference, own or none"),
    "clock": (str, "the session's time, ISO 8601"),
    "new_messages": (list, "what the step appended, in OpenAI chat format, the assistant message first"),
    "tools": (list, "function schemas at reset, and after a step that changed them; otherwise empty"),
    "turn": (int, "the current turn, from 1"),
    "steps": (int, "actions so far"),
    "tool_calls": (int, "calls so far"),
    "invalid_action": (bool, "the action was rejected as a whole and nothing of it ran, or some of its calls failed"),
    "failed_calls": (list, "the ids of these, refused ones among them; empty where the action was rejected"),
    "reward_components": (dict, "the step's reward by component; zeros where the session is unscored"),
    "scores": (dict, "the session's scores by name, the return among them; -1.0 until known and where undefined"),
    "scored": (bool, "True at the end of a session that has a score"),
    "end_reason": (str, "which limit or failure cut the session short; empty otherwise"),
    "error": (str, "why the session is unscored; empty otherwise"),
    "error_kind": (str, "whose failure that was: model, policy, shell, web, engine; empty otherwise"),
    "engine_faults": (int, "errors of pi_gym's own in the session so far: a score beside them is a lower bound"),
}


def step_info(
    family: Family,
    session: Session,
    record: StepRecord | None,
    made: MadeSchemas | None = None,
    *,
    debug: bool = False,
) -> dict[str, Any]:
    """The info after a step, or of the opening (record None); fresh objects each time.

    Args:
        family: of the session; it adds its own keys.
        session: the session.
        record: of the step.
        made: tool schemas that the infos of several sessions share.
        debug: adds everything hidden, under "debug".
    """
    messages = session.messages if record is None else record.messages
    components = dict.fromkeys(family.components, 0.0)
    if record is not None:
        components.update(record.components)
    found = session.scores
    scores = {name: known(found.get(name)) for name in family.scores}
    identity, ended = session.identity, session.ended
    info = {
        "pack": identity.pack,
        "task_id": identity.task_id,
        "variant": identity.variant,
        "history_mode": identity.history_mode,
        "clock": session.clock.isoformat(),
        "new_messages": [message.to_openai() for message in messages],
        "tools": session.tool_schemas(made) if record is None or record.new_tools else [],
        "turn": session.turn,
        "steps": session.steps,
        "tool_calls": session.tool_calls,
        "invalid_action": record is not None and record.invalid,
        "failed_calls": [] if record is None else list(record.failed),
        "reward_components": components,
        "scores": scores,
        "scored": ended and session.scored,
        "end_reason": session.end_reason if ended else "",
        "error": session.error if ended else "",
        "error_kind": session.error_kind if ended else "",
        "engine_faults": len(session.engine_faults),
        **family.info(session),
    }
    if debug:
        info["debug"] = family.debug_info(session)
    return info


def known(score: float | None) -> float:
    """A score as info holds it."""
    return UNKNOWN if score is None else score
