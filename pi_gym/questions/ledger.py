"""The bookkeeping of questions: what each asking clause earns, whoever said which intents it targets.

The rule-based user finds the targets by patterns, the model user has a model name them; hits, misses, patience and
what is asked back politely are the same for both.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple, Self, TypeAlias

ClauseOutcome: TypeAlias = Literal["hit", "neutral", "answered", "miss", "ignored"]

MAX_INTENTS_PER_CLAUSE = 3


class Targets(NamedTuple):
    """The things that an asking clause is about.

    Args:
        intents: ids of the session's intents, settled ones too.
        topics: names of whatever else the task can answer: wishes that this world does not hold, facts, permissions.
    """

    intents: tuple[str, ...] = ()
    topics: tuple[str, ...] = ()


NO_TARGETS = Targets()


@dataclass(frozen=True, slots=True)
class AimedClause:
    """An asking clause and what it aims at.

    Args:
        text: the clause as written.
        targets: gives what it is about; nothing for a generic question. It is called only where the user listens.
        reason: why, where a model said so.
    """

    text: str
    targets: Callable[[], Targets]
    reason: str = ""


@dataclass(frozen=True, slots=True)
class AskedClause:
    """One clause of a reply and what it earned.

    Args:
        text: the clause as written.
        hits: the ids of the intents that it is credited with.
        outcome: "hit"; "neutral" for what is already known; "answered" where it is about no intent of the session, yet
            the task knows the answer; "miss"; "ignored" after the user's patience or beyond the questions that the
            user answers.
        reason: why it is thought to target them, where a model said so.
        topics: names of what else it is about.
    """

    text: str
    hits: tuple[str, ...]
    outcome: ClauseOutcome
    reason: str = ""
    topics: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """The clause as a record keeps it."""
        kept: dict[str, Any] = {"text": self.text, "hits": list(self.hits), "outcome": self.outcome}
        kept |= {"topics": list(self.topics)} if self.topics else {}
        return {**kept, "reason": self.reason} if self.reason else kept

    @classmethod
    def from_json(cls, kept: Mapping[str, Any]) -> Self:
        """The clause that a record keeps."""
        hits, topics = tuple(kept["hits"]), tuple(kept.get("topics", ()))
        return cls(kept["text"], hits, kept["outcome"], kept.get("reason", ""), topics)


@dataclass(frozen=True, slots=True)
class Asked:
    """The questions of a reply: its asking clauses, what they hit, and the misses.

    Args:
        clauses: every asking clause, in reading order.
        hits: the ids of the intents asked for, in the order asked, each once.
        misses: the session's replies with a miss, this one with it.
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
    room: Callable[[], int | None] = lambda: None,
) -> Asked:
    """Credit the clauses of one reply to open intents, in reading order.

    Patience counts replies: the misses of one reply are one. Before its patience is over the user takes notice of as
    many clauses as it has room for, whatever they earn; one that asks back takes no room.

    A clause about an intent that was settled before is no miss the first time: asking back is polite. After that it
    is, or else any guess could be hung on something known. One more on what its reply asks already takes no room.

    Args:
        clauses: the reply's asking clauses, with what they aim at.
        open_ids: the ids of the open intents.
        misses: the session's replies with a miss so far.
        patience: the number of these after which nothing is credited any more; None for no limit.
        spared: the ids of settled intents that have had their one clause without a miss.
        room: gives the number of clauses that the user still takes notice of; None for any number.
    """
    clauses = list(clauses)
    deaf = patience is not None and misses >= patience
    left = room() if clauses and not deaf else None
    known = dict.fromkeys(spared)
    judged: list[AskedClause] = []
    credited: dict[str, None] = {}
    heard = 0
    answered: Counter[tuple[str, ...]] = Counter()
    for clause in clauses:
        hits: tuple[str, ...] = ()
        outcome: ClauseOutcome = "ignored"
        targets = NO_TARGETS
        if not deaf and (left is None or heard < left):
            targets = clause.targets()
            wanted = [name for name in targets.intents if name in open_ids and name not in credited]
            hits = tuple(wanted[:MAX_INTENTS_PER_CLAUSE])
            fresh = [name for name in targets.intents if name not in known]
            outcome = "hit" if hits else "answered" if targets.topics else "neutral" if fresh else "miss"
            if outcome == "answered" and answered.get(targets.topics) == 1:
                outcome = "neutral"  # one question more on what this reply asks already
            elif outcome == "neutral":
                known[fresh[0]] = None
            else:
                heard += 1
            answered[targets.topics] += 1
        credited.update(dict.fromkeys(hits))
        judged.append(AskedClause(clause.text, hits, outcome, clause.reason, targets.topics))
    misses += any(clause.outcome == "miss" for clause in judged)
    return Asked(tuple(judged), tuple(credited), misses, len(judged), tuple(known))
