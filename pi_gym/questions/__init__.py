"""Questions: finding the asking clauses of a reply, and which hidden intents they target.

The parts are imported when they are first asked for: a session opens without looking for a question.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pi_gym.questions.asked import AskedWhen, Matcher, aim, compile_asked_when, targets_of
    from pi_gym.questions.clauses import Clause, asking_clauses
    from pi_gym.questions.ledger import AimedClause, Asked, AskedClause, Targets, credit

_HOMES = {
    "AimedClause": "ledger",
    "Asked": "ledger",
    "AskedClause": "ledger",
    "AskedWhen": "asked",
    "Clause": "clauses",
    "Matcher": "asked",
    "Targets": "ledger",
    "aim": "asked",
    "asking_clauses": "clauses",
    "compile_asked_when": "asked",
    "credit": "ledger",
    "targets_of": "asked",
}

__all__ = [
    "AimedClause",
    "Asked",
    "AskedClause",
    "AskedWhen",
    "Clause",
    "Matcher",
    "Targets",
    "aim",
    "asking_clauses",
    "compile_asked_when",
    "credit",
    "targets_of",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}; it has {', '.join(__all__)}")
    value = getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    globals()[name] = value
    return value
