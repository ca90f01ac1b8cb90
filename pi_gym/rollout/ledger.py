"""What came of the sessions of a run: kept in its folder, or in memory."""

from __future__ import annotations

import json
from contextlib import suppress

from pi_gym.models.usage import Usage
from pi_gym.rollout.assignments import Assignment, assignments
from pi_gym.rollout.lines import RunError
from pi_gym.rollout.outcome import Outcome, Score
from pi_gym.rollout.plan import Key, PlannedSession
from pi_gym.rollout.run import Run
from pi_gym.rollout.store import RunFolder
from pi_gym.rollout.summary import RunSummary, summarise
from pi_gym.session import Trajectory


class Ledger:
    """Takes the sessions of a run as they end.

    Args:
        run: the run.
        folder: where they are written; None: they are kept in memory.
    """

    def __init__(self, run: Run, folder: RunFolder | None) -> None:
        self._run, self._folder = run, folder
        self._scores: dict[Key, Score] = folder.scores if folder is not None else {}
        self._models: dict[str, Usage] = folder.models if folder is not None else {}
        self._lines: dict[int, str] = {}

    @property
    def scored(self) -> list[Score]:
        """Of the sessions that have one."""
        return [score for score in self._scores.values() if score.scored]

    @property
    def todo(self) -> list[Assignment]:
        """Of the plan, what has no score yet."""
        return assignments(self._run.plan, {key for key, score in self._scores.items() if score.scored})

    def line_of(self, session: PlannedSession) -> str:
        """The trajectory of a session that has its score, as a line of JSON."""
        return self._lines[session.index] if self._folder is None else self._folder.line(self._run.plan.key(session))

    def add(self, outcome: Outcome) -> None:
        """One more session."""
        if self._folder is not None:
            self._folder.add(outcome)
            return
        self._scores[outcome.key] = outcome.score
        self._lines[outcome.session.index] = outcome.line
        for role, usage in outcome.models.items():
            self._models[role] = self._models.get(role, Usage()) + usage

    def close(self) -> RunSummary:
        """What the run came to."""
        trajectories = [Trajectory.from_json(json.loads(self._lines[index])) for index in sorted(self._lines)]
        summary = self._summary(trajectories)
        if self._folder is not None:
            self._folder.write_summary(summary.to_json())
        return summary

    def abandon(self) -> None:
        """Something was raised: leave the folder as whole as it can be.

        What went wrong is worth more than a summary that fails too.
        """
        if self._folder is not None:
            with suppress(RunError):
                self._folder.write_summary(self._summary([]).to_json())

    def _summary(self, trajectories: list[Trajectory]) -> RunSummary:
        return summarise(
            self._run.plan,
            self._scores,
            out=self._folder.path if self._folder is not None else None,
            trajectories=trajectories,
            models=self._models,
            protocol=self._run.request.protocol,
        )
