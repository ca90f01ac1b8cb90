"""The table of what two found of the same things, its share of agreement, and Cohen's kappa."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self, TypeAlias

import numpy as np

from pi_gym.runs.intervals import DRAWS, Interval, wilson_share

#: What the first found of a thing, and what the second did.
Findings: TypeAlias = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Kappa:
    """Cohen's kappa, agreement beyond chance, with its 95 % interval.

    Args:
        value: the figure; None where it is not defined.
        low, high: the bounds, by a seeded bootstrap over sessions; None where these are fewer than two.
        why: of one that is not defined, the reason.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    why: str = ""

    def to_json(self) -> dict[str, Any]:
        """The figure as a JSON object."""
        return {"value": self.value, "low": self.low, "high": self.high, "why": self.why}

    def text(self) -> str:
        """The figure with its interval, or why there is none."""
        if self.value is None:
            return f"- ({self.why})"
        bounds = "" if self.low is None or self.high is None else f" ({self.low:.3f} to {self.high:.3f})"
        return f"{self.value:.3f}{bounds}"


@dataclass(frozen=True, slots=True)
class Confusion:
    """A table of what two found of the same things.

    Args:
        sessions: of each session, which are independent where their parts are not, how often each pair occurs.
    """

    sessions: tuple[Mapping[Findings, int], ...]

    @classmethod
    def of(cls, sessions: Iterable[Iterable[Findings]]) -> Self:
        """The table of the pairs of some sessions; those without any are left out."""
        counted = (dict(Counter(pairs)) for pairs in sessions)
        return cls(tuple(counts for counts in counted if counts))

    @property
    def pairs(self) -> Mapping[Findings, int]:
        """The count of each pair over all sessions, in the order of the pairs."""
        total: Counter[Findings] = Counter()
        for counts in self.sessions:
            total.update(counts)
        return {pair: count for pair, count in sorted(total.items()) if count}

    @property
    def judged(self) -> int:
        """The number of things that both judged."""
        return sum(self.pairs.values())

    @property
    def agreement(self) -> Interval:
        """The share of equal findings."""
        return wilson_share((_equal(counts), sum(counts.values())) for counts in self.sessions)

    @property
    def kappa(self) -> Kappa:
        """Cohen's kappa.

        >>> table = {("a", "a"): 20, ("a", "b"): 5, ("b", "a"): 10, ("b", "b"): 15}
        >>> round(Confusion((table,)).kappa.value, 3)
        0.4
        """
        pairs = self.pairs
        names = sorted({name for pair in pairs for name in pair})
        if not names:
            return Kappa(None, why="nothing was judged by both")
        if len(names) == 1:
            return Kappa(None, why=f"both always say {names[0]!r}")
        tables = np.array([[[counts.get((a, b), 0) for b in names] for a in names] for counts in self.sessions], float)
        value = float(_kappas(tables.sum(axis=0)[None])[0])
        if len(tables) == 1:
            return Kappa(value)
        chosen = np.random.default_rng(0).multinomial(len(tables), [1 / len(tables)] * len(tables), DRAWS)
        drawn = _kappas(np.tensordot(chosen, tables, axes=1))
        # A draw in which both say one thing alone has no kappa either.
        low, high = np.nanpercentile(drawn, (2.5, 97.5))
        return Kappa(value, float(low), float(high))

    def to_json(self) -> dict[str, Any]:
        """The table and its figures as a JSON object."""
        share = self.agreement
        return {
            "judged": self.judged,
            "sessions": len(self.sessions),
            "agreement": share.value,
            "agreement_low": share.low,
            "agreement_high": share.high,
            "disagreement": None if share.value is None else 1 - share.value,
            "kappa": self.kappa.to_json(),
            "pairs": [{"a": a, "b": b, "count": count} for (a, b), count in self.pairs.items()],
        }

    def rows(self) -> list[list[str]]:
        """The table as texts: a head with the second's findings, then a row for each of the first's."""
        pairs = self.pairs
        firsts, seconds = (sorted({pair[place] for pair in pairs}) for place in (0, 1))
        return [["", *seconds], *([a, *(str(pairs.get((a, b), 0)) for b in seconds)] for a in firsts)]


def _equal(counts: Mapping[Findings, int]) -> int:
    return sum(count for (one, other), count in counts.items() if one == other)


def _kappas(tables: Any) -> Any:
    """Kappa of each of some square tables; NaN where both say one thing alone."""
    totals = tables.sum(axis=(1, 2))
    observed = np.trace(tables, axis1=1, axis2=2) / totals
    expected = (tables.sum(axis=1) * tables.sum(axis=2)).sum(axis=1) / totals**2
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(expected < 1, (observed - expected) / (1 - expected), np.nan)
