"""What a run came to: Proc and Comp per task and by dependency group, over repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import fsum
from pathlib import Path
from statistics import stdev
from typing import Any

from pi_gym.models.usage import Usage
from pi_gym.rollout.assignments import episodes
from pi_gym.rollout.averages import Protocol, Value, official_values, paper_values
from pi_gym.rollout.groups import GroupSpread, group_spread
from pi_gym.rollout.outcome import Score
from pi_gym.rollout.plan import Key, Plan
from pi_gym.session import Trajectory

ALONE = "independent"
MEASURES = ("proc", "comp", "return_", "turns", "questions")


@dataclass(frozen=True, slots=True)
class Measure:
    """A score over sessions.

    Args:
        mean: over all sessions that have it; None where none has.
        std: sample standard deviation of the repeats' means; None with fewer than two whole repeats.
        sessions: how many sessions have it.
    """

    mean: float | None
    std: float | None
    sessions: int


@dataclass(frozen=True, slots=True)
class EpisodeCounts:
    """How far the episodes of a run under history="own" came.

    Args:
        planned: episodes of the plan.
        whole: of these, all sessions have a score.
        stopped: of these, one session has been tried and has none; those after it were not played, and are `missing`.
    """

    planned: int
    whole: int
    stopped: int


@dataclass(frozen=True)
class RunSummary:
    """What a run came to. Source of the measures: the paper, section 3.5.

    Args:
        plan: what was to be played.
        scored, unscored, missing: sessions of the plan with a score, tried without, and not tried.
        error_kinds: kind of failure to number of unscored sessions.
        first_error: what failed in the first of them, in the plan's order, and where; empty where all are scored.
        steps, invalid_actions: actions in all, and those that were rejected or of which a call failed.
        overall: measure by name, over all sessions.
        tasks: the same by task, in episode order.
        groups: the same by dependency group; tasks of no group are under "independent".
        out: the run's folder, or None.
        trajectories: where there is no folder: all that were played, in the plan's order.
        models: by role, what its model was asked, for all sessions and attempts; empty where rules play the roles.
        protocol: how Proc and Comp are averaged, see `pi_gym.rollout.averages`.
        sampling: the spread within groups; None where each start is played once.
        episodes: how far episodes came; None where sessions stand alone.
    """

    plan: Plan
    scored: int
    unscored: int
    missing: int
    error_kinds: Mapping[str, int]
    first_error: str
    steps: int
    invalid_actions: int
    overall: Mapping[str, Measure]
    tasks: Mapping[str, Mapping[str, Measure]]
    groups: Mapping[str, Mapping[str, Measure]]
    out: Path | None = None
    trajectories: tuple[Trajectory, ...] = ()
    models: Mapping[str, Usage] = field(default_factory=dict)
    protocol: Protocol = "paper"
    sampling: GroupSpread | None = None
    episodes: EpisodeCounts | None = None

    @property
    def proc(self) -> float | None:
        """The mean Proc; None where no session has one."""
        return self.overall["proc"].mean

    @property
    def comp(self) -> float | None:
        """The mean Comp; None where no session has one."""
        return self.overall["comp"].mean

    def to_json(self) -> dict[str, Any]:
        """The summary as a JSON object; the same sessions give the same bytes, in whatever order they finished.

        Where models play roles, what they were asked and how long that took stands at the end, under "models".
        """
        return {
            "agent": self.plan.agent,
            "env_id": self.plan.env_id,
            "split": self.plan.split,
            "history_mode": self.plan.history_mode,
            "protocol": self.protocol,
            "sessions": len(self.plan.sessions),
            "scored": self.scored,
            "unscored": self.unscored,
            "missing": self.missing,
            "error_kinds": dict(self.error_kinds),
            "steps": self.steps,
            "invalid_actions": self.invalid_actions,
            "skipped_tasks": list(self.plan.skipped),
            "overall": _measures_json(self.overall),
            "tasks": {name: _measures_json(found) for name, found in self.tasks.items()},
            "groups": {name: _measures_json(found) for name, found in self.groups.items()},
            **({"sampling": self.sampling.to_json()} if self.sampling is not None else {}),
            **({"episodes": asdict(self.episodes)} if self.episodes is not None else {}),
            **({"models": {role: used.to_json() for role, used in sorted(self.models.items())}} if self.models else {}),
        }


def summarise(
    plan: Plan,
    scores: Mapping[Key, Score],
    *,
    out: Path | None = None,
    trajectories: Sequence[Trajectory] = (),
    models: Mapping[str, Usage] | None = None,
    protocol: Protocol = "paper",
) -> RunSummary:
    """Sum up a run.

    Args:
        plan: what was to be played.
        scores: by key, of what was played or tried.
        out: the run's folder.
        trajectories: kept in the summary.
        models: by role, what its model was asked.
        protocol: how Proc and Comp are averaged.
    """
    found = [(session, scores.get(plan.key(session))) for session in plan.sessions]
    scored = [(session, score) for session, score in found if score is not None and score.scored]
    tried = [score for _, score in found if score is not None]
    failed = [score for score in tried if not score.scored]
    kinds = Counter(score.error_kind for score in failed)
    task_ids = list(dict.fromkeys(session.task_id for session in plan.sessions))

    def measures(members: Sequence[str], group: str = ALONE) -> dict[str, Measure]:
        names = frozenset(members)
        sizes = Counter(session.repeat for session, _ in scored if session.task_id in names)
        pooled = group != ALONE
        values = {
            name: official_values(plan, scored, names, name)
            if protocol == "official"
            else paper_values(scored, names, name, pooled=pooled)
            for name in MEASURES
        }
        return {name: _measure(found, sizes, len(names)) for name, found in values.items()}

    groups: dict[str, list[str]] = {}
    for name in task_ids:
        groups.setdefault(plan.groups.get(name, "") or ALONE, []).append(name)
    return RunSummary(
        plan=plan,
        scored=len(scored),
        unscored=kinds.total(),
        missing=sum(score is None for _, score in found),
        error_kinds=dict(sorted(kinds.items())),
        first_error=", in ".join(filter(None, [failed[0].error, failed[0].place])) if failed else "",
        steps=sum(score.steps for score in tried),
        invalid_actions=sum(score.invalid_actions for score in tried),
        overall=measures(task_ids),
        tasks={name: measures([name]) for name in task_ids},
        groups={name: measures(members, name) for name, members in sorted(groups.items())},
        out=out,
        trajectories=tuple(trajectories),
        models=dict(models or {}),
        protocol=protocol,
        sampling=group_spread(plan, scores),
        episodes=_episode_counts(plan, scores),
    )


def _episode_counts(plan: Plan, scores: Mapping[Key, Score]) -> EpisodeCounts | None:
    if not plan.by_episode:
        return None
    found = [[scores.get(plan.key(session)) for session in episode] for episode in episodes(plan)]
    return EpisodeCounts(
        planned=len(found),
        whole=sum(all(score is not None and score.scored for score in episode) for episode in found),
        stopped=sum(any(score is not None and not score.scored for score in episode) for episode in found),
    )


def _measure(values: Sequence[Value], sizes: Mapping[int, int], tasks: int) -> Measure:
    repeats: dict[int, list[Value]] = {}
    for value in values:
        repeats.setdefault(value.repeat, []).append(value)
    # A repeat that lacks a task would differ from the others by the task, not by chance.
    whole = [_mean(found) for repeat, found in sorted(repeats.items()) if sizes[repeat] == tasks]
    return Measure(_mean(values) if values else None, stdev(whole) if len(whole) > 1 else None, len(values))


def _mean(values: Sequence[Value]) -> float:
    return fsum(one.value * one.weight for one in values) / fsum(one.weight for one in values)


def _measures_json(measures: Mapping[str, Measure]) -> dict[str, Any]:
    return {
        name.removesuffix("_"): {"mean": found.mean, "std": found.std, "sessions": found.sessions}
        for name, found in measures.items()
    }
