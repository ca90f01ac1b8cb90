"""The progress of a run and what it waits for, told to whoever watches it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import fsum
from time import perf_counter

from pi_gym.models.usage import Usage, add_usages
from pi_gym.runs.outcome import Score

#: Of how many waits, the last ones, a latency is told.
RECENT = 500


@dataclass(frozen=True, slots=True)
class Latency:
    """The latency of recent waits of sessions, in seconds by the wall clock.

    Args:
        mean_s: of the last `RECENT` waits; `p95_s` what 95 of 100 of them did not exceed.
    """

    mean_s: float
    p95_s: float


@dataclass(frozen=True, slots=True)
class RequestLoad:
    """Requests to one role's models.

    Args:
        in_flight: sent and not answered.
        limit: how many may be, over all processes of the run.
    """

    in_flight: int
    limit: int


@dataclass(frozen=True, slots=True)
class Load:
    """The load at a moment: what sessions wait for.

    Args:
        waiting: number of sessions, by what they wait for: "policy", a role ("user", "grader"), or a kind of ask
            ("shell", "web", "spawn").
        requests: by role; the policy's under "agent", where it is a served model.
    """

    waiting: Mapping[str, int] = field(default_factory=dict)
    requests: Mapping[str, RequestLoad] = field(default_factory=dict)

    def __add__(self, other: Load) -> Load:
        waiting, requests = dict(self.waiting), dict(self.requests)
        for name, count in other.waiting.items():
            waiting[name] = waiting.get(name, 0) + count
        for name, more in other.requests.items():
            so_far = requests.get(name, RequestLoad(0, 0))
            requests[name] = RequestLoad(so_far.in_flight + more.in_flight, so_far.limit + more.limit)
        return Load(waiting, requests)


@dataclass(frozen=True, slots=True)
class Progress:
    """The progress of a run.

    Args:
        total: sessions of the plan.
        done: of these, played; `earlier` of them before a resume.
        unscored: played in this go and without a score.
        means: by measure, so far; None where no session has it.
        elapsed_s: since this go began.
        sessions_per_s, steps_per_s: of this go, on average.
        latency: by what was waited for, named as in `Load`; the policy's moves under "policy".
        load: what sessions wait for now; empty where they are played one at a time.
        models: by role, what its model was asked so far, also before a resume.
    """

    total: int
    done: int
    earlier: int
    unscored: int
    means: Mapping[str, float | None]
    elapsed_s: float = 0.0
    sessions_per_s: float = 0.0
    steps_per_s: float = 0.0
    latency: Mapping[str, Latency] = field(default_factory=dict)
    load: Load = field(default_factory=Load)
    models: Mapping[str, Usage] = field(default_factory=dict)


class Meter:
    """Counts sessions and calls the watcher.

    Args:
        total: sessions of the plan.
        measures: names of those whose means are told.
        earlier: scores of sessions that were there before.
        watcher: called once now, and after every session.
        models: by role, what its model was asked before.
    """

    def __init__(
        self,
        total: int,
        measures: Iterable[str],
        earlier: Iterable[Score],
        watcher: Callable[[Progress], None] | None,
        models: Mapping[str, Usage] | None = None,
    ) -> None:
        self._total, self._watcher = total, watcher
        self._done = self._unscored = self._steps = 0
        self._sums = dict.fromkeys(measures, (0.0, 0))
        self._models = dict(models or {})
        self._recent: dict[str, deque[float]] = {}
        for score in earlier:
            self._take(score)
        self._earlier, self._steps = self._done, 0
        self._began = perf_counter()
        self.tell()

    def count(
        self,
        score: Score,
        waits: Mapping[str, Sequence[float]] | None = None,
        load: Load | None = None,
        models: Mapping[str, Usage] | None = None,
    ) -> None:
        """One more session.

        Args:
            score: its score.
            waits: how long it waited each time, in seconds, by what for.
            load: what the others wait for.
            models: by role, what its model was asked.
        """
        self._take(score)
        for name, seconds in (waits or {}).items():
            self._recent.setdefault(name, deque(maxlen=RECENT)).extend(seconds)
        add_usages(self._models, models or {})
        self.tell(load)

    def tell(self, load: Load | None = None) -> None:
        """Call the watcher."""
        if self._watcher is None:
            return
        elapsed_s = perf_counter() - self._began
        rate = 1 / elapsed_s if elapsed_s > 0 else 0.0
        self._watcher(
            Progress(
                total=self._total,
                done=self._done,
                earlier=self._earlier,
                unscored=self._unscored,
                means={name: self._mean(name) for name in self._sums},
                elapsed_s=elapsed_s,
                sessions_per_s=(self._done - self._earlier) * rate,
                steps_per_s=self._steps * rate,
                latency={name: _latency(recent) for name, recent in sorted(self._recent.items()) if recent},
                load=load or Load(),
                models=dict(self._models),
            )
        )

    def _take(self, score: Score) -> None:
        self._done += 1
        self._unscored += not score.scored
        self._steps += score.steps
        for name, (total, number) in self._sums.items():
            value = score.values.get(name)
            if value is not None:
                self._sums[name] = (total + value, number + 1)

    def _mean(self, name: str) -> float | None:
        total, number = self._sums[name]
        return total / number if number else None


def _latency(recent: Sequence[float]) -> Latency:
    ordered = sorted(recent)
    return Latency(fsum(ordered) / len(ordered), ordered[min(len(ordered) - 1, int(0.95 * len(ordered)))])
