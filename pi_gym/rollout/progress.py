"""How far a run is, told to whoever watches it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pi_gym.rollout.outcome import Score


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a run is.

    Args:
        total: sessions of the plan.
        done: of these, played; `earlier` of them before a resume.
        unscored: played in this go and without a score.
        proc, comp: means so far; None where no session has one.
    """

    total: int
    done: int
    earlier: int
    unscored: int
    proc: float | None
    comp: float | None


class Meter:
    """Counts sessions and calls the watcher.

    Args:
        total: sessions of the plan.
        earlier: scores of sessions that were there before.
        watcher: called once now, and after every session.
    """

    def __init__(self, total: int, earlier: Iterable[Score], watcher: Callable[[Progress], None] | None) -> None:
        self._total, self._watcher = total, watcher
        self._done = self._unscored = 0
        self._sums = {"proc": (0.0, 0), "comp": (0.0, 0)}
        for score in earlier:
            self._take(score)
        self._earlier = self._done
        self._tell()

    def count(self, score: Score) -> None:
        """One more session."""
        self._take(score)
        self._tell()

    def _take(self, score: Score) -> None:
        self._done += 1
        self._unscored += not score.scored
        for name, value in (("proc", score.proc), ("comp", score.comp)):
            if value is not None:
                total, number = self._sums[name]
                self._sums[name] = (total + value, number + 1)

    def _mean(self, name: str) -> float | None:
        total, number = self._sums[name]
        return total / number if number else None

    def _tell(self) -> None:
        if self._watcher is not None:
            self._watcher(
                Progress(self._total, self._done, self._earlier, self._unscored, self._mean("proc"), self._mean("comp"))
            )
