"""The spread of sessions from one start: what a learner that compares them has to learn from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from statistics import fmean, stdev
from typing import Any

from pi_gym.runs.outcome import Score
from pi_gym.runs.plan import Plan
from pi_gym.session.trajectory import RETURN, SessionKey


@dataclass(frozen=True, slots=True)
class GroupSpread:
    """The returns within groups, over the groups of which every member has a score.

    A member is a session; under history="own" an episode, whose return is the mean of its sessions'.

    Args:
        size: members of a group.
        whole, partial: groups of which every member has a score, and the others.
        std: mean over groups of the sample standard deviation of the members' returns; None where no group is whole.
        best, worst: mean over groups of the highest and the lowest return; None where no group is whole.
        alike: groups whose members all have the same return, which tell a learner nothing.
    """

    size: int
    whole: int
    partial: int
    std: float | None
    best: float | None
    worst: float | None
    alike: int

    def to_json(self) -> dict[str, Any]:
        """The spread as a JSON object."""
        return asdict(self)


def group_spread(plan: Plan, scores: Mapping[SessionKey, Score]) -> GroupSpread | None:
    """The spread within a run's groups; None where each start is played once.

    Args:
        plan: what was to be played.
        scores: by key, of what was played or tried.
    """
    if plan.group_size == 1:
        return None
    groups: dict[str, dict[int, list[float | None]]] = {}
    for session in plan.sessions:
        score = scores.get(plan.key(session))
        members = groups.setdefault(plan.group_id(session), {})
        members.setdefault(session.sample, []).append(
            score.values[RETURN] if score is not None and score.scored else None
        )
    returns = (_returns(members) for members in groups.values() if len(members) == plan.group_size)
    whole = [found for found in returns if found is not None]
    return GroupSpread(
        size=plan.group_size,
        whole=len(whole),
        partial=len(groups) - len(whole),
        std=fmean(map(stdev, whole)) if whole else None,
        best=fmean(map(max, whole)) if whole else None,
        worst=fmean(map(min, whole)) if whole else None,
        alike=sum(max(found) == min(found) for found in whole),
    )


def _returns(members: Mapping[int, list[float | None]]) -> list[float] | None:
    """The return of each member; None where one has no score."""
    found = []
    for values in members.values():
        scored = [value for value in values if value is not None]
        if len(scored) < len(values):
            return None
        found.append(fmean(scored))
    return found
