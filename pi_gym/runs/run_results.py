"""The results of a run, session by session: kept in its folder, or in memory."""

from __future__ import annotations

import json
from contextlib import suppress

from pi_gym.family import Family
from pi_gym.models.usage import Usage, add_usages
from pi_gym.runs.assignments import Assignment, assignments
from pi_gym.runs.lines import RunError
from pi_gym.runs.outcome import Score, SessionOutcome
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.runs.store import RunFolder
from pi_gym.runs.summary import RunSummary, summarise
from pi_gym.session import Trajectory
from pi_gym.session.trajectory import SessionKey


class RunResults:
    """The sessions of a run that have ended.

    Args:
        plan: what is to be played.
        family: whose sessions they are.
        folder: where they are written; None: they are kept in memory.
        protocol: how the summary averages; None: the family's usual way.
    """

    def __init__(self, plan: Plan, family: Family, folder: RunFolder | None, protocol: str | None = None) -> None:
        self._plan, self._family, self._folder, self._protocol = plan, family, folder, protocol or ""
        self._scores: dict[SessionKey, Score] = folder.scores if folder is not None else {}
        self._models: dict[str, Usage] = folder.models if folder is not None else {}
        self._lines: dict[int, str] = {}

    @property
    def scored(self) -> list[Score]:
        """The scores of the sessions that have one."""
        return [score for score in self._scores.values() if score.scored]

    @property
    def ended(self) -> list[tuple[PlannedSession, Score]]:
        """The plan's sessions that have a score, with it."""
        found = ((one, self._scores.get(self._plan.key(one))) for one in self._plan.sessions)
        return [(one, score) for one, score in found if score is not None and score.scored]

    @property
    def models(self) -> dict[str, Usage]:
        """By role, what its model was asked so far."""
        return dict(self._models)

    @property
    def todo(self) -> list[Assignment]:
        """The assignments of the plan's sessions that have no score yet."""
        return assignments(self._plan, {key for key, score in self._scores.items() if score.scored})

    def line_of(self, session: PlannedSession) -> str:
        """The trajectory of a session that has its score, as a line of JSON."""
        return self._lines[session.index] if self._folder is None else self._folder.line(self._plan.key(session))

    def add(self, outcome: SessionOutcome) -> None:
        """Add a session that has ended."""
        if self._folder is not None:
            self._folder.add(outcome)
            return
        self._scores[outcome.key] = outcome.score
        self._lines[outcome.session.index] = outcome.line
        add_usages(self._models, outcome.models)

    def close(self) -> RunSummary:
        """The summary of the run."""
        trajectories = [Trajectory.from_json(json.loads(self._lines[index])) for index in sorted(self._lines)]
        summary = self._summary(trajectories)
        if self._folder is not None:
            self._folder.write_summary(summary.to_json())
        return summary

    def abandon(self) -> None:
        """Leave the folder as whole as it can be, after something was raised.

        What went wrong is worth more than a summary that fails too.
        """
        if self._folder is not None:
            with suppress(RunError):
                self._folder.write_summary(self._summary([]).to_json())

    def _summary(self, trajectories: list[Trajectory]) -> RunSummary:
        return summarise(
            self._plan,
            self._family,
            self._scores,
            out=self._folder.path if self._folder is not None else None,
            trajectories=trajectories,
            models=self._models,
            protocol=self._protocol,
        )
