"""Sessions that are counted together, and the figures of them."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from pi_gym.catalogue import TaskCard, TaskName
from pi_gym.family import Family, Measure, load_entry
from pi_gym.report.bootstrap import difference_interval, ratio_interval
from pi_gym.report.report_parts import Estimate
from pi_gym.report.session_rows import ReportedSession
from pi_gym.runs.averages import Averaging, WeightedValue, mean_values
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.runs.summary import Mean, mean_over_repeats
from pi_gym.runs.tries import Tries, chance_of_all, chance_of_one, numbers_of_tries

World = tuple[str, str, str, int]
#: Gives the part and the whole of a session; None: it does not count.
Ratio = Callable[[ReportedSession], "tuple[float, float] | None"]


@dataclass(frozen=True)
class SessionPool:
    """Scored sessions that are counted together.

    Args:
        rows: the sessions.
        repeats: of each the repeat that it is of: a whole round over the tasks.
    """

    rows: Sequence[ReportedSession]
    repeats: Sequence[int]

    @property
    def tasks(self) -> list[TaskName]:
        """The tasks, in the order in which they come first."""
        return list(dict.fromkeys(row.task for row in self.rows))

    def where(self, holds: Callable[[ReportedSession], bool]) -> SessionPool:
        """The sessions for which something holds."""
        kept = [pair for pair in zip(self.rows, self.repeats, strict=True) if holds(pair[0])]
        return SessionPool([row for row, _ in kept], [repeat for _, repeat in kept])

    def mean(self, measure: Measure) -> Estimate:
        """A measure over the sessions, as summaries average it."""
        return self.ratio(measure_ratio(measure))

    def ratio(self, ratio: Ratio) -> Estimate:
        """The ratio of two sums over the sessions."""
        pairs = [ratio(row) for row in self.rows]
        values = [
            WeightedValue(repeat, pair[0] / pair[1], pair[1])
            for repeat, pair in zip(self.repeats, pairs, strict=True)
            if pair is not None and pair[1]
        ]
        whole = mean_over_repeats(values, Counter(self.repeats), len(set(self.tasks)))
        sums = list(self.world_sums(ratio).values())
        interval = ratio_interval(np.array(sums, dtype=float).reshape(-1, 2))
        low, high = interval or (None, None)
        return Estimate(whole.mean, low, high, whole.std, whole.sessions, len(sums))

    def world_sums(self, ratio: Ratio) -> dict[World, tuple[float, float]]:
        """The sums of part and whole by world, of those in which a session counts."""
        found: dict[World, tuple[float, float]] = {}
        for row in self.rows:
            pair = ratio(row)
            if pair is not None and pair[1]:
                before = found.get(row.world, (0.0, 0.0))
                found[row.world] = (before[0] + pair[0], before[1] + pair[1])
        return found

    def tries(self, success: Callable[[ReportedSession], bool | None]) -> dict[int, tuple[Estimate, Estimate]]:
        """By k: how likely one of k tries at a world succeeds, and how likely all do; empty with one try at each.

        Args:
            success: whether a session is one; None: it does not count.
        """
        worlds: dict[World, list[bool]] = defaultdict(list)
        for row in self.rows:
            found = success(row)
            if found is not None:
                worlds[row.world].append(found)
        most = max(map(len, worlds.values()), default=0)
        if most < 2:
            return {}
        counts = [(len(results), sum(results)) for results in worlds.values()]
        return {
            k: (
                _mean([chance_of_one(n, c, k) for n, c in counts if n >= k]),
                _mean([chance_of_all(n, c, k) for n, c in counts if n >= k]),
            )
            for k in numbers_of_tries(most)
        }

    def under(
        self, family: Family, cards: Mapping[TaskName, TaskCard], protocol: str
    ) -> tuple[dict[str, Mean], Tries | None]:
        """The headline measures and the tries by one of the family's ways to average, as if all were one run's."""
        first = self.rows[0].key
        sessions = tuple(
            PlannedSession(index, *row.task, row.key.variant, row.key.seed, index, repeat)
            for index, (row, repeat) in enumerate(zip(self.rows, self.repeats, strict=True))
        )
        known = {task: cards.get(task, TaskCard(task[1])) for task in self.tasks}
        plan = Plan(first.agent, first.env_id, family.name, "explicit", first.history_mode, sessions, known)
        scored = [(session, row.score) for session, row in zip(sessions, self.rows, strict=True)]
        average: Averaging = load_entry(family.protocols[protocol], "way to average")
        sizes, names = Counter(self.repeats), frozenset(known)
        means = {
            one.name: mean_over_repeats(average(plan, scored, names, one, pooled=False), sizes, len(names))
            for one in family.headline
        }
        tries = load_entry(family.tries[protocol], "way to count tries")(scored, family.tried) if family.tried else None
        return means, tries


def paired_difference(one: SessionPool, other: SessionPool, ratio: Ratio) -> Estimate:
    """The difference of a figure, the first less the second, over the worlds that both have."""
    a, b = one.world_sums(ratio), other.world_sums(ratio)
    table = np.array([(*a[world], *b[world]) for world in sorted(a.keys() & b.keys())], dtype=float).reshape(-1, 4)
    if not len(table):
        return Estimate(None)
    sums = table.sum(axis=0)
    low, high = difference_interval(table) or (None, None)
    shared = a.keys() & b.keys()
    sessions = sum(row.world in shared for pool in (one, other) for row in pool.rows)
    return Estimate(float(sums[0] / sums[1] - sums[2] / sums[3]), low, high, None, sessions, len(table))


def measure_ratio(measure: Measure) -> Ratio:
    """A measure as part and whole of a session; a value alone is a part of 1."""

    def ratio(row: ReportedSession) -> tuple[float, float] | None:
        session = PlannedSession(0, *row.task, 0, 0, 0, 0)
        found = mean_values(_NO_PLAN, [(session, row.score)], frozenset([row.task]), measure, pooled=False)
        return (found[0].value * found[0].weight, found[0].weight) if found else None

    return ratio


def value_ratio(name: str) -> Ratio:
    """A number of a session as a part of 1."""
    return measure_ratio(Measure(name, ""))


def _mean(values: Sequence[float]) -> Estimate:
    if not values:
        return Estimate(None)
    table = np.array([(value, 1.0) for value in values])
    low, high = ratio_interval(table) or (None, None)
    return Estimate(float(table[:, 0].mean()), low, high, None, 0, len(values))


_NO_PLAN = Plan("", "", "", "explicit", "", ())
