"""The log of a run: its figures, session by session, as loggers take them."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from time import perf_counter

from pi_gym.family import Measure
from pi_gym.loggers.logger import Logger
from pi_gym.models.usage import Usage, add_usages
from pi_gym.runs.averages import mean_values
from pi_gym.runs.outcome import Score, SessionOutcome
from pi_gym.runs.plan import Plan, PlannedSession

_told = logging.getLogger("pi_gym.loggers")


class RunLog:
    """Logs running means, counts and tokens. One that raises is told of in a warning and left out: the run goes on.

    Args:
        loggers: where to.
        plan: of the run.
        measures: the family's, that tables show.
        earlier: scores of sessions that were there before, each with its place in the plan.
        models: by role, what its model was asked before.
    """

    def __init__(
        self,
        loggers: Sequence[Logger],
        plan: Plan,
        measures: Sequence[Measure],
        earlier: Iterable[tuple[PlannedSession, Score]],
        models: Mapping[str, Usage],
    ) -> None:
        self._loggers, self._plan, self._measures = list(loggers), plan, measures
        self._sums = {one.name: (0.0, 0.0) for one in measures}
        self._scored = self._unscored = self._fresh = 0
        self._models = dict(models)
        if self._loggers:
            for session, score in earlier:
                self._take(session, score)
        self._began = perf_counter()

    def count(self, outcome: SessionOutcome) -> None:
        """One more session."""
        if not self._loggers:
            return
        self._take(outcome.session, outcome.score)
        self._fresh += 1
        add_usages(self._models, outcome.models)
        step, values = self._scored + self._unscored, self._values()
        for logger in list(self._loggers):
            try:
                logger.log(step, values)
            except Exception as error:
                _told.warning("%s fails and is left out: %s", type(logger).__name__, error)
                self._loggers.remove(logger)

    def close(self) -> None:
        """Have the loggers write what is outstanding."""
        for logger in self._loggers:
            with suppress(Exception):
                logger.close()

    def _take(self, session: PlannedSession, score: Score) -> None:
        if not score.scored:
            self._unscored += 1
            return
        self._scored += 1
        for one in self._measures:
            for value in mean_values(self._plan, [(session, score)], frozenset([session.task]), one, pooled=False):
                total, weight = self._sums[one.name]
                self._sums[one.name] = total + value.value * value.weight, weight + value.weight

    def _values(self) -> dict[str, float]:
        elapsed_s = max(perf_counter() - self._began, 1e-9)
        found = {f"measures/{name}": total / weight for name, (total, weight) in self._sums.items() if weight}
        found |= {
            "sessions/scored": float(self._scored),
            "sessions/unscored": float(self._unscored),
            "sessions/per_s": self._fresh / elapsed_s,
        }
        for role, used in self._models.items():
            found |= {
                f"tokens/{role}_in": float(used.prompt_tokens),
                f"tokens/{role}_out": float(used.completion_tokens),
            }
        return found
