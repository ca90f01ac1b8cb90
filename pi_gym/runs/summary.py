"""The summary of a run: its measures per task and by dependency group, over repeats."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from math import fsum
from pathlib import Path
from statistics import stdev
from typing import Any

from pi_gym.catalogue import TaskName
from pi_gym.errors import UnknownName, unknown
from pi_gym.family import Family, load_entry
from pi_gym.models.usage import Usage
from pi_gym.runs.assignments import episodes
from pi_gym.runs.averages import Averaging, WeightedValue
from pi_gym.runs.group_spread import GroupSpread, group_spread
from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.runs.tries import Tries
from pi_gym.session import Trajectory
from pi_gym.session.trajectory import SessionKey

ALONE = "independent"


@dataclass(frozen=True, slots=True)
class Mean:
    """A measure over sessions.

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
    """The numbers of episodes of a run under history="own", by how far they came.

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
    """The summary of a run.

    Args:
        plan: what was to be played.
        family: whose measures these are.
        scored, unscored, missing: sessions of the plan with a score, tried without, and not tried.
        error_kinds: kind of failure to number of unscored sessions.
        first_error: what failed in the first of them, in the plan's order, and where; empty where all are scored.
        faulty: sessions, scored or not, in which something of pi_gym's own broke (`Trajectory.engine_faults`).
        first_fault: the first such error, in the plan's order; empty where there is none.
        steps, invalid_actions: actions in all, and those that were rejected or of which a call failed.
        overall: mean by measure, over all sessions; `overall_sound` over those in which nothing broke.
        tasks: the same by task, in the plan's order; a name has its pack before it where there are several.
        groups: the same by dependency group; tasks of no group are under "independent".
        by: by kind of the tasks' tags ("app") and tag, the same over the tasks that have it; a task can have several.
        shares: by kind of the sessions' parts, how many of the scored ones' were met, and of how many.
        out: the run's folder, or None.
        trajectories: where there is no folder: all that were played, in the plan's order.
        models: by role, what its model was asked, for all sessions and attempts; an agent's own model is "agent".
        protocol: how measures are averaged, one of the family's.
        sampling: the spread within groups; None where each start is played once.
        tries: the successes of several tries at one world; None where the family has none, or there is one try at each.
        episodes: how far episodes came; None where sessions stand alone.
    """

    plan: Plan
    family: Family
    scored: int
    unscored: int
    missing: int
    error_kinds: Mapping[str, int]
    first_error: str
    faulty: int
    first_fault: str
    steps: int
    invalid_actions: int
    overall: Mapping[str, Mean]
    overall_sound: Mapping[str, Mean]
    tasks: Mapping[str, Mapping[str, Mean]]
    groups: Mapping[str, Mapping[str, Mean]]
    by: Mapping[str, Mapping[str, Mapping[str, Mean]]] = field(default_factory=dict)
    shares: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    out: Path | None = None
    trajectories: tuple[Trajectory, ...] = ()
    models: Mapping[str, Usage] = field(default_factory=dict)
    protocol: str = ""
    sampling: GroupSpread | None = None
    tries: Tries | None = None
    episodes: EpisodeCounts | None = None

    def mean(self, measure: str) -> float | None:
        """A measure over all sessions; None where none has it.

        Raises:
            UnknownName: the family has no such measure; the message lists its own.
        """
        if measure not in self.overall:
            raise UnknownName(unknown(f"measure of {self.family.name}", measure, self.overall))
        return self.overall[measure].mean

    def to_json(self) -> dict[str, Any]:
        """The summary as a JSON object; the same sessions give the same bytes, in whatever order they finished.

        Where models play roles, what they were asked and how long that took stands at the end, under "models".
        """
        return {
            "agent": self.plan.agent,
            "env_id": self.plan.env_id,
            "family": self.plan.family,
            "split": self.plan.split,
            "history_mode": self.plan.history_mode,
            "protocol": self.protocol,
            "sessions": len(self.plan.sessions),
            "scored": self.scored,
            "unscored": self.unscored,
            "missing": self.missing,
            "error_kinds": dict(self.error_kinds),
            "faulty": self.faulty,
            "steps": self.steps,
            "invalid_actions": self.invalid_actions,
            "exclude_needs": list(self.plan.exclude_needs),
            "skipped_tasks": [self.plan.label(task) for task in self.plan.skipped],
            **({"notes": list(self.plan.notes)} if self.plan.notes else {}),
            "overall": _measures_json(self.overall),
            "overall_sound": _measures_json(self.overall_sound),
            "tasks": {name: _measures_json(found) for name, found in self.tasks.items()},
            "groups": {name: _measures_json(found) for name, found in self.groups.items()},
            **({"by": {kind: _tagged_json(tags) for kind, tags in self.by.items()}} if self.by else {}),
            **(
                {"shares": {name: {"met": met, "of": of} for name, (met, of) in self.shares.items()}}
                if self.shares
                else {}
            ),
            **({"sampling": self.sampling.to_json()} if self.sampling is not None else {}),
            **({"tries": self.tries.to_json()} if self.tries is not None else {}),
            **({"episodes": asdict(self.episodes)} if self.episodes is not None else {}),
            **({"models": {role: used.to_json() for role, used in sorted(self.models.items())}} if self.models else {}),
        }


def summarise(
    plan: Plan,
    family: Family,
    scores: Mapping[SessionKey, Score],
    *,
    out: Path | None = None,
    trajectories: Sequence[Trajectory] = (),
    models: Mapping[str, Usage] | None = None,
    protocol: str = "",
) -> RunSummary:
    """Sum up a run.

    Args:
        plan: what was to be played.
        family: whose sessions they are.
        scores: by key, of what was played or tried.
        out: the run's folder.
        trajectories: kept in the summary.
        models: by role, what its model was asked.
        protocol: how measures are averaged, one of the family's; "": its usual way.
    """
    protocol = protocol or next(iter(family.protocols))
    average: Averaging = load_entry(family.protocols[protocol], "way to average")
    found = [(session, scores.get(plan.key(session))) for session in plan.sessions]
    scored = [(session, score) for session, score in found if score is not None and score.scored]
    tried = [score for _, score in found if score is not None]
    failed = [score for score in tried if not score.scored]
    kinds = Counter(score.error_kind for score in failed)

    faults = [score.fault for score in tried if score.fault]
    sound = [(session, score) for session, score in scored if not score.fault]

    def measures(
        members: Sequence[TaskName], group: str = ALONE, over: Sequence[tuple[PlannedSession, Score]] = scored
    ) -> dict[str, Mean]:
        names = frozenset(members)
        sizes = Counter(session.repeat for session, _ in over if session.task in names)
        values = {one.name: average(plan, over, names, one, pooled=group != ALONE) for one in family.measures}
        return {name: mean_over_repeats(found, sizes, len(names)) for name, found in values.items()}

    groups: dict[str, list[TaskName]] = {}
    for task in plan.tasks:
        group = plan.cards[task].group
        groups.setdefault(plan.label((task[0], group)) if group else ALONE, []).append(task)
    return RunSummary(
        plan=plan,
        family=family,
        scored=len(scored),
        unscored=kinds.total(),
        missing=sum(score is None for _, score in found),
        error_kinds=dict(sorted(kinds.items())),
        first_error=", in ".join(filter(None, [failed[0].error, failed[0].place])) if failed else "",
        faulty=len(faults),
        first_fault=faults[0] if faults else "",
        steps=sum(score.steps for score in tried),
        invalid_actions=sum(score.invalid_actions for score in tried),
        overall=measures(plan.tasks),
        overall_sound=measures(plan.tasks, over=sound),
        tasks={plan.label(task): measures([task]) for task in plan.tasks},
        groups={name: measures(members, name) for name, members in sorted(groups.items())},
        by={
            kind: {tag: measures(members) for tag, members in sorted(tags.items())}
            for kind, tags in sorted(_tagged(plan).items())
        },
        shares=_pooled([score for _, score in scored]),
        out=out,
        trajectories=tuple(trajectories),
        models=dict(models or {}),
        protocol=protocol,
        sampling=group_spread(plan, scores),
        tries=load_entry(family.tries[protocol], "way to count tries")(scored, family.tried) if family.tried else None,
        episodes=_episode_counts(plan, scores),
    )


def _tagged(plan: Plan) -> dict[str, dict[str, list[TaskName]]]:
    """The tasks by the kind of their tags and by tag."""
    found: dict[str, dict[str, list[TaskName]]] = {}
    for task in plan.tasks:
        for kind, tags in plan.cards[task].tags.items():
            for tag in tags:
                found.setdefault(kind, {}).setdefault(tag, []).append(task)
    return found


def _pooled(scores: Sequence[Score]) -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    for score in scores:
        for name, (met, of) in score.shares.items():
            before = found.get(name, (0, 0))
            found[name] = (before[0] + met, before[1] + of)
    return dict(sorted(found.items()))


def _episode_counts(plan: Plan, scores: Mapping[SessionKey, Score]) -> EpisodeCounts | None:
    if not plan.by_episode:
        return None
    found = [[scores.get(plan.key(session)) for session in episode] for episode in episodes(plan)]
    return EpisodeCounts(
        planned=len(found),
        whole=sum(all(score is not None and score.scored for score in episode) for episode in found),
        stopped=sum(any(score is not None and not score.scored for score in episode) for episode in found),
    )


def mean_over_repeats(values: Sequence[WeightedValue], sizes: Mapping[int, int], tasks: int) -> Mean:
    """The mean of a measure's values, and its spread over whole repeats.

    Args:
        values: of the sessions.
        sizes: by repeat, how many sessions it has.
        tasks: how many a whole one has.
    """
    repeats: dict[int, list[WeightedValue]] = {}
    for value in values:
        repeats.setdefault(value.repeat, []).append(value)
    # A repeat that lacks a task would differ from the others by the task, not by chance.
    means = (_mean(found) for repeat, found in sorted(repeats.items()) if sizes[repeat] == tasks)
    whole = [mean for mean in means if mean is not None]
    return Mean(_mean(values), stdev(whole) if len(whole) > 1 else None, len(values))


def _mean(values: Sequence[WeightedValue]) -> float | None:
    """The weighted mean; None where nothing has a weight."""
    weight = fsum(one.weight for one in values)
    return fsum(one.value * one.weight for one in values) / weight if weight else None


def _tagged_json(tags: Mapping[str, Mapping[str, Mean]]) -> dict[str, Any]:
    return {tag: _measures_json(found) for tag, found in tags.items()}


def _measures_json(measures: Mapping[str, Mean]) -> dict[str, Any]:
    return {
        name: {"mean": found.mean, "std": found.std, "sessions": found.sessions} for name, found in measures.items()
    }
