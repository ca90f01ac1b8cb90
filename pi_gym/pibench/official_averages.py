"""The averages of Proc and Comp over sessions, as the published code takes them.

| | "paper" (`pi_gym.runs.averages.mean_values`) | "official" |
| --- | --- | --- |
| Proc of a dependency group | all intents of its sessions taken together | for each task with a checklist: its own intents and those of the tasks that it builds on directly, taken together |
| overall | every session counts the same | only tasks with a checklist count, each as much as the tasks that it builds on, directly or not, and itself |

Every other measure is a plain mean under both.
"""  # noqa: E501 (a table)

from __future__ import annotations

from collections.abc import Sequence

from pi_gym.catalogue import TaskName
from pi_gym.family import Measure
from pi_gym.runs.averages import Scored, WeightedValue, mean_values
from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import Plan


def official_values(
    plan: Plan, scored: Scored, members: frozenset[TaskName], measure: Measure, *, pooled: bool
) -> list[WeightedValue]:
    """The values of a measure as the published code has them.

    A task's Proc is missing from a repeat in which a task that it builds on has no score. One that is not in the plan
    at all is left out of the pool.

    Args:
        plan: the run's plan; its cards know dependencies and which tasks have a checklist.
        scored: sessions with their scores.
        members: the tasks to look at.
        measure: which number.
        pooled: as in `mean_values`; Proc, strict Proc and Comp are pooled in their own way.
    """
    if measure.name not in ("proc", "strict_proc", "comp"):
        return mean_values(plan, scored, members, measure, pooled=False)
    planned = set(plan.tasks)
    found = {(session.repeat, session.task): score for session, score in scored}
    values = []
    for session, score in scored:
        task = session.task
        if task not in members or not plan.cards[task].graded:
            continue
        weight = float(len(_builds_on(plan, task)))
        if measure.name == "comp":
            value = score.values.get("comp")
        else:
            earlier = [one for one in _depends_on(plan, task) if one in planned]
            value = _pooled(measure.name, [score, *(found.get((session.repeat, one)) for one in earlier)])
        if value is not None:
            values.append(WeightedValue(session.repeat, value, weight))
    return values


def _pooled(measure: str, scores: Sequence[Score | None]) -> float | None:
    """Proc or strict Proc over the intents of several sessions; None where one is missing."""
    covered = total = 0.0
    for score in scores:
        share = None if score is None else score.values.get(measure)
        if score is None or share is None:
            return None
        intents = score.values["intent_count"] or 0
        covered += share * intents
        total += intents
    return covered / total if total else None


def _depends_on(plan: Plan, task: TaskName) -> list[TaskName]:
    card = plan.cards.get(task)
    return [] if card is None else [(task[0], name) for name in card.depends_on]


def _builds_on(plan: Plan, task: TaskName) -> set[TaskName]:
    """The task, and all that it builds on, directly or not."""
    found, queue = {task}, _depends_on(plan, task)
    while queue:
        one = queue.pop()
        if one not in found:
            found.add(one)
            queue += _depends_on(plan, one)
    return found
