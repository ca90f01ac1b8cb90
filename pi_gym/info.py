"""The info of an environment: the same keys with the same types at every step, no None and no NaN in it."""

from __future__ import annotations

from typing import Any

from pi_gym.pibench import PiSession
from pi_gym.pibench.views import app_changes
from pi_gym.rewards import COMPONENTS
from pi_gym.tools import MadeSchemas
from pi_gym.types import StepRecord

UNKNOWN = -1.0

#: Key, type and meaning of everything in info; docs/environment.md is checked against it.
INFO_KEYS: dict[str, tuple[type, str]] = {
    "task_id": (str, "the task's folder name"),
    "variant": (int, "the world's number"),
    "history_mode": (str, "reference, own or none"),
    "clock": (str, "the session's time, ISO 8601"),
    "new_messages": (list, "what the step appended, in OpenAI chat format, the assistant message first"),
    "tools": (list, "function schemas at reset, empty after"),
    "turn": (int, "the current turn, from 1"),
    "steps": (int, "actions so far"),
    "tool_calls": (int, "calls so far"),
    "questions": (int, "asking clauses that the user took notice of so far"),
    "question_misses": (int, "of these, without a hit"),
    "invalid_action": (bool, "the action was rejected, or one of its calls failed"),
    "reward_components": (dict, "the step's reward by component; zeros where the session is unscored"),
    "proc": (float, "share of intents completed or asked for; -1.0 until the end and where there is none"),
    "comp": (float, "share of checklist items passed; -1.0 until the end and where there is none"),
    "return": (float, "the session's return in closed form; -1.0 until the end and where unscored"),
    "scored": (bool, "True at the end of a session that has a score"),
    "end_reason": (str, "which limit or failure cut the session short; empty otherwise"),
    "error": (str, "why the session is unscored; empty otherwise"),
    "error_kind": (str, "whose failure that was: model, policy, shell, web, engine; empty otherwise"),
}


def step_info(session: PiSession, record: StepRecord | None, made: MadeSchemas | None = None) -> dict[str, Any]:
    """The info after a step, or of the opening (record None); fresh objects each time.

    Args:
        session: the session.
        record: of the step.
        made: tool schemas that the infos of several sessions share.
    """
    messages = session.messages if record is None else record.messages
    components = record.components if record is not None else {}
    scored = session.scored
    return {
        "task_id": session.task.id,
        "variant": session.task.variant,
        "history_mode": session.config.history,
        "clock": session.clock.isoformat(),
        "new_messages": [message.to_openai() for message in messages],
        "tools": session.tool_schemas(made) if record is None else [],
        "turn": session.turn,
        "steps": session.steps,
        "tool_calls": session.tool_calls,
        "questions": session.questions,
        "question_misses": session.misses,
        "invalid_action": record is not None and record.invalid,
        "reward_components": {name: components.get(name, 0.0) for name in COMPONENTS},
        "proc": UNKNOWN if session.proc is None else session.proc,
        "comp": UNKNOWN if session.comp is None else session.comp,
        "return": sum(session.return_components().values()) if scored else UNKNOWN,
        "scored": scored,
        "end_reason": session.end_reason,
        "error": session.error,
        "error_kind": session.error_kind,
    }


def debug_info(session: PiSession) -> dict[str, Any]:
    """Everything hidden: intents with texts and statuses, checklist with verdicts, the reference, the true values.

    Beside it, what the session changed in the apps, a line a row.
    """
    verdicts = {verdict.id: verdict for verdict in session.verdicts}
    return {
        "intents": [
            {
                "id": intent.id,
                "name": intent.name,
                "text": intent.text,
                "reveal": intent.reveal,
                "status": session.statuses[intent.id],
                "needless": intent.id in session.needless,
            }
            for intent in session.task.intents
        ],
        "checklist": [
            {
                "id": item.id,
                "name": item.name,
                "text": item.text,
                "verdict": verdicts[item.id].verdict if item.id in verdicts else "",
                "reason": verdicts[item.id].reason if item.id in verdicts else "",
            }
            for item in session.checklist
        ],
        "reference": list(session.task.reference),
        "values": dict(session.task.values),
        "app_changes": app_changes(session.evidence(())),
    }
