"""Questions: finding the asking clauses of a reply, and what they aim at.

The parts are imported when they are first asked for: a session opens without looking for a question.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_gym.questions.clauses import Clause, asking_clauses
    from pi_gym.questions.ledger import AimedClause, Asked, AskedClause, credit
    from pi_gym.questions.matcher import Matcher, Topic, assign, compile_topic

_HOMES = {
    "AimedClause": "ledger",
    "Asked": "ledger",
    "AskedClause": "ledger",
    "Clause": "clauses",
    "Matcher": "matcher",
    "Topic": "matcher",
    "asking_clauses": "clauses",
    "assign": "matcher",
    "compile_topic": "matcher",
    "credit": "ledger",
}

__all__ = [
    "AimedClause",
    "Asked",
    "AskedClause",
    "Clause",
    "Matcher",
    "Topic",
    "asking_clauses",
    "assign",
    "compile_topic",
    "credit",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
