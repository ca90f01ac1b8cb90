"""The bookkeeping of questions: what each asking clause earns, whoever said which intents it targets.

The rule-based user finds the targets by patterns, the model user has a model name them; hits, misses, patience and
what is asked back politely are the same for both.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

ClauseOutcome: TypeAlias = Literal["hit", "neutral", "miss", "ignored"]

MAX_INTENTS_PER_CLAUSE = 2


@dataclass(frozen=True, slots=True)
class AimedClause:
    """An asking clause and what it aims at.

    Args:
        text: the clause as written.
        targets: gives the ids of all intents that it targets, settled ones too; none for a generic question. It is
            called only where the user still listens.
        reason: why, where a model said so.
    """

    text: str
    targets: Callable[[], Collection[str]]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AskedClause:
    """One clause of a reply and what it earned.

    Args:
        text: the clause as written.
        hits: the ids of the intents that it is credited with.
        outcome: "hit"; "neutral" for what is already known; "miss"; "ignored" after the user's patience.
        reason: why it is thought to target them, where a model said so.
    """

    text: str
    hits: tuple[str, ...]
    outcome: ClauseOutcome
    reason: str = ""

    def to_json(self) -> dict[str, Any]:
        """The clause as a record keeps it."""
        kept = {"text": self.text, "hits": list(self.hits), "outcome": self.outcome}
        return {**kept, "reason": self.reason} if self.reason else kept


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of a reply: its asking clauses, what they hit, and the misses.

    Args:
        clauses: every asking clause, in reading order.
        hits: the ids of the intents asked for, in the order asked, each once.
        misses: the session's misses with this reply's.
        questions: the number of clauses.
        spared: the ids of settled intents that have had their one clause without a miss, with this reply's.
    """

    clauses: tuple[AskedClause, ...]
    hits: tuple[str, ...]
    misses: int
    questions: int
    spared: tuple[str, ...] = ()


def credit(
    clauses: Iterable[AimedClause],
    open_ids: Collection[str],
    misses: int,
    patience: int | None,
    spared: Collection[str] = (),
) -> Asked:
    """Credit the clauses of one reply to open intents, in reading order.

    A clause about an intent that is settled already is no miss the first time: asking back is polite. After that it
    is, or else any guess could be hung on something known.

    Args:
        clauses: the reply's asking clauses, with what they aim at.
        open_ids: the ids of the open intents.
        misses: the session's misses so far.
        patience: the number of misses after which nothing is credited any more; None for no limit.
        spared: the ids of settled intents that have had their one clause without a miss.
    """
    known = dict.fromkeys(spared)
    judged: list[AskedClause] = []
    credited: dict[str, None] = {}
    for clause in clauses:
        hits: tuple[str, ...] = ()
        outcome: ClauseOutcome = "miss"
        if patience is not None and misses >= patience:
            outcome = "ignored"
        else:
            targets = clause.targets()
            if targets:
                wanted = [name for name in targets if name in open_ids and name not in credited]
                hits = tuple(wanted[:MAX_INTENTS_PER_CLAUSE])
                fresh = [name for name in targets if name not in known]
                outcome = "hit" if hits else "neutral" if fresh else "miss"
                if outcome == "neutral":
                    known[fresh[0]] = None
            misses += outcome == "miss"
        credited.update(dict.fromkeys(hits))
        judged.append(AskedClause(clause.text, hits, outcome, clause.reason))
    return Asked(tuple(judged), tuple(credited), misses, len(judged), tuple(known))
