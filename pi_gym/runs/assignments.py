"""Assignments, the pieces that are handed out: a session, or under history="own" what is left of an episode."""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass, replace

from pi_gym.runs.lines import RunError
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.session.trajectory import SessionKey


@dataclass(frozen=True, slots=True)
class Assignment:
    """Sessions that one environment plays in order.

    Args:
        sessions: what is left to play, at least one.
        played: the sessions of the same episode before these; empty where it begins here.
        records: their trajectories, a line of JSON each, for an environment that did not play them itself.
    """

    sessions: tuple[PlannedSession, ...]
    played: tuple[PlannedSession, ...] = ()
    records: tuple[str, ...] = ()

    @property
    def first(self) -> PlannedSession:
        """The next session to play."""
        return self.sessions[0]

    def rest(self) -> Assignment | None:
        """The assignment that is left once the first session has its score; None where nothing is.

        It has no records: whoever goes on without a break needs none.
        """
        if len(self.sessions) == 1:
            return None
        return Assignment(self.sessions[1:], (*self.played, self.first))

    def with_records(self, line_of: Callable[[PlannedSession], str]) -> Assignment:
        """The same with the records of what was played, so that anybody can go on.

        Args:
            line_of: gives the trajectory of a session that has its score, as a line of JSON.
        """
        return replace(self, records=tuple(map(line_of, self.played))) if self.played else self


def assignments(plan: Plan, done: Container[SessionKey]) -> list[Assignment]:
    """The assignments that are left of a plan, in its order.

    Args:
        plan: the plan.
        done: keys of the sessions that have their score.

    Raises:
        RunError: an episode has a later session and lacks an earlier one.
    """
    if not plan.by_episode:
        return [Assignment((session,)) for session in plan.sessions if plan.key(session) not in done]
    found = (_rest_of(plan, sessions, done) for sessions in episodes(plan))
    return [assignment for assignment in found if assignment is not None]


def episodes(plan: Plan) -> list[list[PlannedSession]]:
    """The sessions of each episode, in order."""
    found: dict[int, list[PlannedSession]] = {}
    for session in plan.sessions:
        found.setdefault(session.repeat, []).append(session)
    return list(found.values())


def _rest_of(plan: Plan, sessions: Sequence[PlannedSession], done: Container[SessionKey]) -> Assignment | None:
    count = next((n for n, session in enumerate(sessions) if plan.key(session) not in done), len(sessions))
    late = next((session for session in sessions[count:] if plan.key(session) in done), None)
    if late is not None:
        lacking = sessions[count]
        raise RunError(
            f"the run holds session {late.task_id} (variant {late.variant}, sample {late.sample}) of an episode, and"
            f" not {lacking.task_id}, on which it rests; its files were changed by hand. Choose another --out"
        )
    left = tuple(sessions[count:])
    return Assignment(left, tuple(sessions[:count])) if left else None
