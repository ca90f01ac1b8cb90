"""Questions: finding the asking clauses of a reply, and what they aim at.

The parts are imported when they are first asked for: a session opens without looking for a question.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_gym.questions.clauses import Clause, asking_clauses
    from pi_gym.questions.ledger import AimedClause, Asked, AskedClause, Targets, credit
    from pi_gym.questions.matcher import Matcher, Topic, aim, compile_topic, targets_of

_HOMES = {
    "AimedClause": "ledger",
    "Asked": "ledger",
    "AskedClause": "ledger",
    "Clause": "clauses",
    "Matcher": "matcher",
    "Targets": "ledger",
    "Topic": "matcher",
    "aim": "matcher",
    "asking_clauses": "clauses",
    "compile_topic": "matcher",
    "credit": "ledger",
    "targets_of": "matcher",
}

__all__ = [
    "AimedClause",
    "Asked",
    "AskedClause",
    "Clause",
    "Matcher",
    "Targets",
    "Topic",
    "aim",
    "asking_clauses",
    "compile_topic",
    "credit",
    "targets_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
