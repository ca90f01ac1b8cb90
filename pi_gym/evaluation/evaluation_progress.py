"""The progress of an evaluation over all its agents, with what is left of time and money."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from time import perf_counter

from pi_gym.evaluation.prices import Price, cost
from pi_gym.models.usage import Usage, add_usages
from pi_gym.runs.progress import Progress


@dataclass(frozen=True, slots=True)
class EvaluationProgress:
    """The progress of an evaluation.

    Args:
        label: the agent that plays.
        total: sessions of all agents; `done` of these, with a score or tried in this go.
        unscored: tried in this go and without a score.
        means: of the run that is played, by measure.
        remaining_s: estimated; None where nothing was played yet.
        cost: spent so far; `cost_in_all` estimated. None where prices do not say.
    """

    label: str
    total: int
    done: int
    unscored: int
    means: Mapping[str, float | None]
    remaining_s: float | None
    cost: float | None
    cost_in_all: float | None


class EvaluationMeter:
    """Adds up the progress of runs.

    Args:
        sizes: sessions by agent's label, over its runs.
        prices: by label and role.
        watcher: is told; None: nobody.
    """

    def __init__(
        self,
        sizes: Mapping[str, int],
        prices: Mapping[str, Mapping[str, Price]],
        watcher: Callable[[EvaluationProgress], None] | None,
    ) -> None:
        self._sizes, self._prices, self._watcher = dict(sizes), prices, watcher
        self._began = perf_counter()
        #: Of each run by its agent: sessions done, of these earlier, unscored; and what models were asked.
        self._runs: dict[tuple[str, str], tuple[int, int, int, Mapping[str, Usage]]] = {}

    def watch(self, label: str, history: str) -> Callable[[Progress], None]:
        """The watcher of one run."""

        def tell(now: Progress) -> None:
            self._runs[label, history] = now.done, now.earlier, now.unscored, now.models
            if self._watcher is not None:
                self._watcher(self._progress(label, now.means))

        return tell

    def _progress(self, label: str, means: Mapping[str, float | None]) -> EvaluationProgress:
        done = sum(run[0] for run in self._runs.values())
        earlier = sum(run[1] for run in self._runs.values())
        unscored = sum(run[2] for run in self._runs.values())
        total, fresh = sum(self._sizes.values()), done - earlier
        left_s = (total - done) * (perf_counter() - self._began) / fresh if fresh else None
        spent, in_all = self._costs()
        return EvaluationProgress(label, total, done, unscored, means, left_s, spent, in_all)

    def _costs(self) -> tuple[float | None, float | None]:
        """The cost so far, and the estimated one in all: sessions to come cost the mean of those that were."""
        if not any(self._prices.values()):
            return None, None
        overall, played = _added(list(self._runs.values()))
        spent = in_all = 0.0
        for label, size in self._sizes.items():
            models, done = _added([run for (name, _), run in self._runs.items() if name == label])
            prices = self._prices[label]
            so_far = cost(models, prices)
            mean = so_far if done else cost({role: overall[role] for role in overall if role in prices}, prices)
            if so_far is None or mean is None or not (done or played):
                return None, None
            spent += so_far
            in_all += so_far + (size - done) * mean / (done or played)
        return spent, in_all


def _added(runs: list[tuple[int, int, int, Mapping[str, Usage]]]) -> tuple[dict[str, Usage], int]:
    models: dict[str, Usage] = {}
    for _, _, _, used in runs:
        add_usages(models, used)
    return models, sum(run[0] for run in runs)
