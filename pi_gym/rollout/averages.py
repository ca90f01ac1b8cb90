"""How Proc and Comp of sessions become averages: as the paper says, and as the published code computes them.

| | "paper" | "official" |
| --- | --- | --- |
| Proc of a dependency group | all intents of its sessions taken together | for each task with a checklist: its own intents and those of the tasks that it builds on directly, taken together |
| overall | every session counts the same | only tasks with a checklist count, each as much as the tasks that it builds on, directly or not, and itself |

Turns, questions and the return are plain means under both.
"""  # noqa: E501 (a table)

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pi_gym.rollout.outcome import Score
from pi_gym.rollout.plan import Plan, PlannedSession

Protocol: TypeAlias = Literal["paper", "official"]
PROTOCOLS: tuple[Protocol, ...] = ("paper", "official")
Scored: TypeAlias = Sequence[tuple[PlannedSession, Score]]


@dataclass(frozen=True, slots=True)
class Value:
    """One number of a mean: the repeat that it is of, and its weight."""

    repeat: int
    value: float
    weight: float = 1.0


def paper_values(scored: Scored, members: frozenset[str], measure: str, *, pooled: bool) -> list[Value]:
    """The values of a measure over the sessions of some tasks.

    Args:
        scored: sessions with their scores.
        members: the tasks.
        measure: the score's field.
        pooled: Proc counts by intents, as in a dependency group, rather than by sessions.
    """
    values = []
    for session, score in scored:
        value: float | None = getattr(score, measure)
        if session.task_id in members and value is not None:
            weight = float(score.intents) if pooled and measure == "proc" else 1.0
            values.append(Value(session.repeat, value, weight))
    return values


def official_values(plan: Plan, scored: Scored, members: frozenset[str], measure: str) -> list[Value]:
    """The values of a measure as the published code has them.

    A task's Proc is missing from a repeat in which a task that it builds on has no score. One that is not in the plan
    at all is left out of the pool.

    Args:
        plan: the run's plan; it knows dependencies and checklists.
        scored: sessions with their scores.
        members: the tasks to look at.
        measure: the score's field.
    """
    if measure not in ("proc", "comp"):
        return paper_values(scored, members, measure, pooled=False)
    planned = {session.task_id for session in plan.sessions}
    found = {(session.repeat, session.task_id): score for session, score in scored}
    values = []
    for session, score in scored:
        name = session.task_id
        if name not in members or name in plan.ungraded:
            continue
        weight = float(len(_builds_on(plan.depends_on, name)))
        if measure == "comp":
            value = score.comp
        else:
            earlier = [one for one in plan.depends_on.get(name, ()) if one in planned]
            value = _pooled([score, *(found.get((session.repeat, one)) for one in earlier)])
        if value is not None:
            values.append(Value(session.repeat, value, weight))
    return values


def _pooled(scores: Sequence[Score | None]) -> float | None:
    """Proc over the intents of several sessions; None where one is missing."""
    covered = total = 0.0
    for score in scores:
        if score is None or score.proc is None:
            return None
        covered += score.proc * score.intents
        total += score.intents
    return covered / total if total else None


def _builds_on(depends_on: Mapping[str, Sequence[str]], name: str) -> set[str]:
    """The task, and all that it builds on, directly or not."""
    found, queue = {name}, list(depends_on.get(name, ()))
    while queue:
        one = queue.pop()
        if one not in found:
            found.add(one)
            queue += depends_on.get(one, ())
    return found
