"""A session's result in plain values, as logs and traces of others keep it."""

from __future__ import annotations

from typing import Any

from pi_gym.adapters.session_play import SessionResult
from pi_gym.family import Family


def summary_of(result: SessionResult, family: Family) -> dict[str, Any]:
    """The summary of a session's result: scores by name, None where undefined or unscored.

    Args:
        result: the result.
        family: of the session.
    """
    record = result.record
    scores = {name: record.scores.get(name) if result.score is not None else None for name in family.scores}
    return {
        "scores": scores,
        "measures": dict(result.values),
        "scored": result.score is not None,
        "error": result.error,
        "error_kind": record.error_kind or ("engine" if result.error else ""),
        "end_reason": record.end_reason,
        "terminated": record.terminated,
        "turns": record.turns,
        "steps": record.steps,
    }
