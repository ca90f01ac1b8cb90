"""Plans and scores that no environment has made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pi_gym.catalogue import TaskCard, TaskName
from pi_gym.pibench.family import PIBENCH
from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.runs.summary import RunSummary, summarise
from pi_gym.session.trajectory import SessionKey

PACK = "p"


def named(tasks: Iterable[str]) -> list[TaskName]:
    """The tasks' names, all of one pack."""
    return [(PACK, task) for task in tasks]


def plan_over(
    planned: Sequence[PlannedSession],
    *,
    split: Any = "test",
    history: str = "none",
    group_size: int = 1,
    cards: Mapping[str, TaskCard] | None = None,
) -> Plan:
    """A plan over sessions; tasks without a card stand alone."""
    known = {session.task: (cards or {}).get(session.task_id, TaskCard(session.task_id)) for session in planned}
    by_episode = history == "own"
    return Plan("x", "E-v0", "pibench", split, history, tuple(planned), known, (), by_episode, group_size)


def score(
    proc: float | None = 0.5,
    comp: float | None = 0.5,
    return_: float | None = 0.5,
    *,
    turns: int = 2,
    questions: int = 1,
    steps: int = 4,
    invalid_actions: int = 0,
    intents: int = 1,
    error: str = "",
    place: str = "",
    error_kind: str = "",
    fault: str = "",
) -> Score:
    """A session's score; unscored where an error's kind is given."""
    counts = {"turns": turns, "steps": steps, "tool_calls": 0, "invalid_actions": invalid_actions}
    labels = {"questions": questions, "intent_count": intents}
    scores = {} if error_kind else {"proc": proc, "strict_proc": proc, "comp": comp, "return": return_}
    return Score(not error_kind, error_kind, {**counts, **labels, **scores}, error, place, fault)


def summed(plan: Plan, scores: Mapping[SessionKey, Score], **options: Any) -> RunSummary:
    """The summary of a PiBench run."""
    return summarise(plan, PIBENCH, scores, **options)
