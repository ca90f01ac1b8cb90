"""The successes of several tries: whether one of k has it, and whether all have."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from math import comb
from statistics import fmean
from typing import Any

from pi_gym.runs.averages import Scored


@dataclass(frozen=True, slots=True)
class Tries:
    """The successes of several tries.

    Args:
        of: the score that is 1 where a try succeeds.
        starts: what was tried, and at least once has a score.
        one_of: by a number of tries, how likely one of them succeeds, in the mean over the starts with so many.
        all_of: the same of all of them.
    """

    of: str
    starts: int
    one_of: Mapping[int, float]
    all_of: Mapping[int, float]

    def to_json(self) -> dict[str, Any]:
        """The successes as a JSON object: "success@k" and "success^k", by k."""
        return {
            "of": self.of,
            "starts": self.starts,
            f"{self.of}@k": {str(tries): share for tries, share in self.one_of.items()},
            f"{self.of}^k": {str(tries): share for tries, share in self.all_of.items()},
        }


def tries_at_worlds(scored: Scored, score: str) -> Tries | None:
    """The unbiased estimates: of k tries drawn from the n at a world, c of them successes, that one or all are such.

    One of them: 1 - C(n - c, k) / C(n, k); all of them: C(c, k) / C(n, k). k is 1, 2, 4, … and the most tries that a
    world has.

    Args:
        scored: sessions with their scores.
        score: the name of the score, 0 or 1.

    Returns:
        None where no world was tried twice.
    """
    found = _by_start([((*session.task, session.variant), made.values[score]) for session, made in scored])
    most = max(map(len, found), default=0)
    if most < 2:
        return None
    numbers = numbers_of_tries(most)
    counts = [(len(results), sum(results)) for results in found]
    return Tries(
        score,
        len(found),
        {k: fmean(chance_of_one(n, c, k) for n, c in counts if n >= k) for k in numbers},
        {k: fmean(chance_of_all(n, c, k) for n, c in counts if n >= k) for k in numbers},
    )


def numbers_of_tries(most: int) -> list[int]:
    """The numbers of tries that are told of: 1, 2, 4, … and the most that there are."""
    return sorted({most, *(2**power for power in range(most.bit_length()))})


def chance_of_one(tries: int, successes: int, k: int) -> float:
    """The share of draws of k from these tries with a success among them."""
    return 1 - comb(tries - successes, k) / comb(tries, k)


def chance_of_all(tries: int, successes: int, k: int) -> float:
    """The share of draws of k from these tries that are all successes."""
    return comb(successes, k) / comb(tries, k)


def tries_at_tasks(scored: Scored, score: str) -> Tries | None:
    """The shares of tasks of which one session succeeded, and all: the paper's way, whatever worlds they are.

    Args:
        scored: as above; k is the most sessions that a task has.
        score: the name of the score.

    Returns:
        None where no task was played twice.
    """
    found = _by_start([(session.task, made.values[score]) for session, made in scored])
    most = max(map(len, found), default=0)
    if most < 2:
        return None
    return Tries(
        score,
        len(found),
        {most: fmean(any(results) for results in found)},
        {most: fmean(all(results) for results in found)},
    )


def _by_start(results: Sequence[tuple[Hashable, float | None]]) -> list[list[bool]]:
    """The results of each start, one list each."""
    found: dict[Hashable, list[bool]] = {}
    for start, value in results:
        if value is not None:
            found.setdefault(start, []).append(value == 1.0)
    return list(found.values())
