"""What is left to play, handed out so that one world stays with one worker."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence

from pi_gym.runs.assignments import Assignment

MAX_CHUNK = 8


class WorkQueue:
    """Assignments by variant.

    A process builds the history of a variant once, so a worker keeps the variant it has begun; only a worker that
    would have nothing to do takes from another's, from the end.

    Args:
        assignments: what to play, in order.
        workers: how many will ask.
    """

    def __init__(self, assignments: Sequence[Assignment], workers: int) -> None:
        self._workers = workers
        self._left: dict[int, deque[Assignment]] = {}
        self._kept: dict[int, int] = {}
        for assignment in assignments:
            self._left.setdefault(assignment.first.variant, deque()).append(assignment)

    def __len__(self) -> int:
        return sum(map(len, self._left.values()))

    def take(self, worker: int, most: int = MAX_CHUNK) -> list[Assignment]:
        """The next assignments for a worker, in order and at most so many; empty where nothing is left."""
        kept = self._kept.get(worker)
        if kept is None or not self._left.get(kept):
            kept = self._choose()
            if kept is None:
                return []
            shared = kept in self._kept.values()
            self._kept[worker] = kept
        else:
            shared = False
        group = self._left[kept]
        size = min(most, self._chunk(group))
        if shared:
            return [group.pop() for _ in range(size)][::-1]
        return [group.popleft() for _ in range(size)]

    def give_back(self, assignments: Iterable[Assignment]) -> None:
        """Put assignments back to the front: their worker is gone."""
        for assignment in reversed(list(assignments)):
            self._left.setdefault(assignment.first.variant, deque()).appendleft(assignment)

    def release(self, worker: int) -> None:
        """A worker is gone: its variant is free for another."""
        self._kept.pop(worker, None)

    def _chunk(self, group: Sequence[Assignment]) -> int:
        """How many to hand out: fewer towards the end, so that all workers finish together, and episodes singly."""
        if max(len(group[0].sessions), len(group[-1].sessions)) > 1:
            return 1
        return min(len(group), max(1, min(MAX_CHUNK, len(self) // (4 * self._workers))))

    def _choose(self) -> int | None:
        """The first variant that nobody keeps, else the one with most left."""
        kept = set(self._kept.values())
        free = next((variant for variant, group in self._left.items() if group and variant not in kept), None)
        if free is not None:
            return free
        variant = max(self._left, key=lambda one: len(self._left[one]), default=None)
        return variant if variant is not None and self._left[variant] else None
