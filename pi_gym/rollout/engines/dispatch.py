"""The dispatch of assignments: which worker plays what, and what the end of a worker means for what it had."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field

from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import SessionOutcome
from pi_gym.runs.plan import PlannedSession

MAX_CHUNK = 8
#: So many machines may be lost under a session before it counts as one that could be at fault.
MAX_MACHINES = 3


class WorkQueue:
    """Assignments by pack and variant.

    A process builds the history of a variant once, so a worker keeps the variant it has begun; only a worker that
    would have nothing to do takes from another's, from the end.

    Args:
        assignments: what to play, in order.
        workers: how many will ask.
    """

    def __init__(self, assignments: Sequence[Assignment], workers: int) -> None:
        self._workers = workers
        self._left: dict[tuple[str, int], deque[Assignment]] = {}
        self._kept: dict[int, tuple[str, int]] = {}
        for assignment in assignments:
            self._left.setdefault(_world_of(assignment), deque()).append(assignment)

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
            self._left.setdefault(_world_of(assignment), deque()).appendleft(assignment)

    def release(self, worker: int) -> None:
        """A worker is gone: its variant is free for another."""
        self._kept.pop(worker, None)

    def _chunk(self, group: Sequence[Assignment]) -> int:
        """The number of assignments to hand out: fewer towards the end, so that workers finish together."""
        if max(len(group[0].sessions), len(group[-1].sessions)) > 1:
            return 1
        return min(len(group), max(1, min(MAX_CHUNK, len(self) // (4 * self._workers))))

    def _choose(self) -> tuple[str, int] | None:
        """The first world that nobody keeps, else the one with most left."""
        kept = set(self._kept.values())
        free = next((world for world, group in self._left.items() if group and world not in kept), None)
        if free is not None:
            return free
        world = max(self._left, key=lambda one: len(self._left[one]), default=None)
        return world if world is not None and self._left[world] else None


def _world_of(assignment: Assignment) -> tuple[str, int]:
    return assignment.first.pack, assignment.first.variant


@dataclass
class Hand:
    """The assignments of one worker.

    Args:
        number: the worker's.
        assigned: in the order in which it begins them.
        alone: it has one assignment that may be at fault for the end of another worker, and gets no other beside it.
    """

    number: int
    assigned: deque[Assignment] = field(default_factory=deque)
    alone: bool = False

    def strike(self, outcome: SessionOutcome) -> None:
        """Take a session off the list, and what will not be played because it has no score."""
        place = next(n for n, assignment in enumerate(self.assigned) if assignment.first == outcome.session)
        rest = self.assigned[place].rest() if outcome.score.scored else None
        if rest is None:
            del self.assigned[place]
        else:
            self.assigned[place] = rest
        self.alone = self.alone and bool(self.assigned)


class Dispatch:
    """Hands out assignments, and takes them back from workers that are gone.

    Sessions that were being played beside others when their worker died are played alone, so that the one at fault is
    found.

    Args:
        assignments: what to play.
        workers: how many will ask.
        line_of: gives the trajectory of a session that has its score, for workers that go on with its episode.
        low: a worker that has fewer is given more.
        most: what a worker has at most; None: `low`, and whatever comes in one piece.
        begun: of what a worker has, the first so many may be in play.
        max_deaths: after so many deaths in one session it is given up.
    """

    def __init__(
        self,
        assignments: Sequence[Assignment],
        workers: int,
        line_of: Callable[[PlannedSession], str],
        *,
        low: int,
        begun: int,
        max_deaths: int,
        most: int | None = None,
    ) -> None:
        self._queue, self._line_of = WorkQueue(assignments, workers), line_of
        self._low, self._most, self._begun, self._max_deaths = low, most, begun, max_deaths
        self._suspects: deque[Assignment] = deque()
        self._deaths: Counter[int] = Counter()
        self._machines: Counter[int] = Counter()

    def __bool__(self) -> bool:
        """Whether there is something that no worker has."""
        return bool(self._queue or self._suspects)

    def more(self, hand: Hand) -> list[Assignment]:
        """The assignments that a worker gets beside those it has; empty where it has enough, or nothing is left."""
        given: list[Assignment] = []
        while len(hand.assigned) < self._low and not hand.alone:
            if self._suspects and not hand.assigned:
                chunk, hand.alone = [self._suspects.popleft()], True
            else:
                room = MAX_CHUNK if self._most is None else self._most - len(hand.assigned)
                chunk = self._queue.take(hand.number, room)
            if not chunk:
                break
            hand.assigned.extend(chunk)
            given += chunk
        return [assignment.with_records(self._line_of) for assignment in given]

    def take_back(self, hand: Hand) -> Assignment | None:
        """A worker died: what it had is played again.

        Returns:
            What is not, for it was being played in `max_deaths` workers that died.
        """
        self._queue.release(hand.number)
        begun = [hand.assigned.popleft() for _ in range(min(self._begun, len(hand.assigned)))]
        self._queue.give_back(hand.assigned)
        hand.assigned.clear()
        if len(begun) > 1:
            self._suspects.extend(begun)
        if len(begun) != 1:
            return None
        at_fault = begun[0]
        self._deaths[at_fault.first.index] += 1
        if self._deaths[at_fault.first.index] >= self._max_deaths:
            return at_fault
        if hand.alone:
            self._suspects.appendleft(at_fault)
        else:
            self._queue.give_back([at_fault])
        return None

    def rescue(self, hand: Hand) -> Assignment | None:
        """A worker was lost together with its machine: no session is at fault, unless machines are lost too often.

        Returns:
            As `take_back`.
        """
        indices = [assignment.first.index for assignment in hand.assigned]
        self._machines.update(indices)
        if any(self._machines[index] >= MAX_MACHINES for index in indices):
            return self.take_back(hand)
        self._queue.release(hand.number)
        if hand.alone:
            self._suspects.extendleft(reversed(hand.assigned))
        else:
            self._queue.give_back(hand.assigned)
        hand.assigned.clear()
        return None
