"""The averages of numbers over sessions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pi_gym.catalogue import TaskName
from pi_gym.family import Measure
from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import Plan, PlannedSession

Scored: TypeAlias = Sequence[tuple[PlannedSession, Score]]


@dataclass(frozen=True, slots=True)
class WeightedValue:
    """One number of a mean: the repeat that it is of, and its weight."""

    repeat: int
    value: float
    weight: float = 1.0


#: Gives the values of a measure over the sessions of some tasks; the parameters are those of `mean_values`.
Averaging: TypeAlias = Callable[..., "list[WeightedValue]"]


def mean_values(
    plan: Plan, scored: Scored, members: frozenset[TaskName], measure: Measure, *, pooled: bool
) -> list[WeightedValue]:
    """The values of a measure over the sessions of some tasks: each session's own, of those that count in it.

    Args:
        plan: the run's plan.
        scored: sessions with their scores.
        members: the tasks.
        measure: which number.
        pooled: of a dependency group: where the measure has a weight, sessions count by it rather than all the same.
    """
    values = []
    for session, score in scored:
        value = score.values.get(measure.part or measure.name)
        if session.task not in members or value is None or not _counts(score, measure):
            continue
        if measure.whole:
            whole = sum(score.values.get(name) or 0.0 for name in measure.whole)
            # A mean of ratios that is weighted by what they are ratios of is the ratio of the sums.
            if whole:
                values.append(WeightedValue(session.repeat, value / whole, whole))
            continue
        weight = score.values.get(measure.weight) if pooled and measure.weight else 1.0
        values.append(WeightedValue(session.repeat, value, float(weight or 0.0)))
    return values


def _counts(score: Score, measure: Measure) -> bool:
    if measure.where is None:
        return True
    label, truth = measure.where
    return score.values.get(label) == truth
