"""Questions: finding the asking clauses of a reply, and which hidden intents they target."""

from pi_gym.questions.asked import AskedWhen, assign, compile_asked_when
from pi_gym.questions.clauses import Clause, asking_clauses
from pi_gym.questions.ledger import AimedClause, Asked, AskedClause, credit

__all__ = [
    "AimedClause",
    "Asked",
    "AskedClause",
    "AskedWhen",
    "Clause",
    "asking_clauses",
    "assign",
    "compile_asked_when",
    "credit",
]
