"""The right answers for the results of a task, whatever its wishes are: the one source of what judges them."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any, TypeAlias

from pi_gym.caches import BoundedCache
from pi_gym.results.content import ResultContent, digest
from pi_gym.results.facets import ABSENT, Aspect, AspectReading, Parts

#: So many combinations of the other wishes' values are looked at, those that differ least from the true ones first.
MAX_COMBINATIONS = 32

#: Of so many contents that sessions of a world handed in, those judged last, it is kept what was found in them.
MAX_JUDGED = 32

#: For each wish of the pool what it is taken to be; None: nothing is known of it.
Belief: TypeAlias = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class WishRange:
    """The values that a wish of the pool can have in a world.

    Args:
        name: of the wish.
        drawn: whether this world holds it.
        true: what it is; None where nothing tells a wish that this world does not hold.
        others: what else it could be.
    """

    name: str
    drawn: bool
    true: Any
    others: tuple[Any, ...]


@dataclass(frozen=True)
class Accepted:
    """The readings that an aspect of a result may have.

    Args:
        values: by place what may stand there, `ABSENT` for nothing.
        ever: the places that are there for some values of the wishes.
        usual: how many of these places are there in what is right.
        fewest: how many of them are there at least, for any values of the other wishes.
    """

    values: Mapping[Hashable, tuple[Any, ...]]
    ever: frozenset[Hashable] = frozenset()
    usual: int = 0
    fewest: int = 0


@dataclass(frozen=True)
class AcceptedTokens:
    """The tokens that an aspect may have which is read as a set of them.

    Args:
        wanted: sets of which one must be there as a whole.
        unwanted: tokens of which none may be there.
    """

    wanted: tuple[tuple[Hashable, ...], ...]
    unwanted: tuple[Hashable, ...]


class RightAnswers:
    """The right contents of each result of a task in one world.

    Args:
        pool: the wishes of the task, in its order.
        make: gives the content of a result for what the wishes are taken to be, None where it is not wanted.
    """

    def __init__(
        self,
        pool: Sequence[WishRange],
        make: Callable[[str, Belief], ResultContent | None],
    ) -> None:
        self.pool = tuple(pool)
        self.true: Belief = tuple(one.true for one in self.pool)
        self._places = {one.name: place for place, one in enumerate(self.pool)}
        self._make = make
        self._made: dict[tuple[str, Belief], ResultContent | None] = {}
        self._contents: dict[bytes, ResultContent | None] = {}
        self._parts: dict[tuple[Any, ...], Parts] = {}
        self._accepted: dict[tuple[Any, ...], Accepted | AcceptedTokens] = {}
        self._judged: BoundedCache[bytes, dict[Any, Any]] = BoundedCache(MAX_JUDGED)

    def content(self, result: str, belief: Belief | None = None) -> ResultContent | None:
        """The content of a result, made once; without a belief, the right one.

        Beliefs that make no difference to it have one object, which is read once.
        """
        asked = result, self.true if belief is None else belief
        if asked not in self._made:
            made = self._make(*asked)
            self._made[asked] = self._contents.setdefault(digest(made), made)
        return self._made[asked]

    def found_in(self, handed: ResultContent | None) -> dict[Any, Any]:
        """The faults that checks of this world found in a content that was handed in, for them to read and to fill."""
        return self._judged.get(digest(handed), dict)

    def beliefs(self) -> list[Belief]:
        """The true belief, and those that are wrong in one wish."""
        return [self.true, *self._single([one.name for one in self.pool])]

    # -- what may be -------------------------------------------------------------------------------------------------

    def for_wish(self, result: str, aspect: Aspect, reading: AspectReading, wish: str) -> Accepted | AcceptedTokens:
        """The readings where a wish is as it is, and all others are anything: of the places that it governs."""
        key = _asked(result, aspect, reading, "wish", wish)
        found = self._accepted.get(key)
        if found is None:
            found = self._accepted[key] = self._for_wish(result, aspect, reading, wish)
        return found

    def _for_wish(self, result: str, aspect: Aspect, reading: AspectReading, wish: str) -> Accepted | AcceptedTokens:
        place = self._places[wish]

        def pair(belief: Belief) -> tuple[Parts, list[Parts]]:
            others = (_with(belief, place, other) for other in self.pool[place].others)
            return self._read(result, aspect, reading, belief), [
                self._read(result, aspect, reading, other) for other in others
            ]

        right, others = pair(self.true)
        matter = {part for other in others for part in _apart(right, other, aspect, reading)}
        # Where another wish is something else, this one may govern more places, and further wishes may change those.
        while True:
            free = [
                one.name
                for one in self.pool
                if one.name != wish and self._changes(result, aspect, reading, one.name, matter)
            ]
            pairs = [pair(belief) for belief in self._beliefs(free)]
            if aspect.tokens:
                return _tokens(pairs, aspect, reading)
            governed: dict[Hashable, list[Any]] = {
                part: []
                for right, others in pairs
                for other in others
                for part in _apart(right, other, aspect, reading)
            }
            if governed.keys() <= matter:
                break
            matter |= governed.keys()
        for right, _ in pairs:
            for part, values in governed.items():
                _add(values, right.get(part, ABSENT))
        there = [sum(part in right for part in governed) for right, _ in pairs]
        accepted = {part: tuple(found) for part, found in governed.items()}
        return Accepted(accepted, usual=there[0], fewest=min(there))

    def _changes(
        self, result: str, aspect: Aspect, reading: AspectReading, name: str, matter: Collection[Hashable]
    ) -> bool:
        """Whether another value of a wish changes what stands at some places."""
        right = self._read(result, aspect, reading, self.true)
        return any(
            not _alike(right.get(part, ABSENT), other.get(part, ABSENT), aspect, reading)
            for other in (self._read(result, aspect, reading, belief) for belief in self._single([name]))
            for part in matter
        )

    def right_parts(self, result: str, aspect: Aspect, reading: AspectReading) -> Parts:
        """The parts that an aspect reads in what is right; none where the result is not wanted."""
        return self._read(result, aspect, reading, self.true)

    def reads_right(self, result: str, aspect: Aspect, reading: AspectReading, found: Parts) -> bool:
        """Whether an aspect reads just as it does in what is right: then nothing else need be looked at."""
        right = self.right_parts(result, aspect, reading)
        return found.keys() == right.keys() and not _apart(right, found, aspect, reading)

    def for_item(self, result: str, aspect: Aspect, reading: AspectReading) -> Accepted | AcceptedTokens:
        """The readings where the drawn wishes are as they are, and the others anything: of all places."""
        key = _asked(result, aspect, reading, "item")
        found = self._accepted.get(key)
        if found is None:
            free = self._relevant(result, aspect, reading, [one.name for one in self.pool if not one.drawn])
            found = self._accepted[key] = self._any_of(result, aspect, reading, free)
        return found

    def for_sound(self, result: str, aspect: Aspect, reading: AspectReading) -> Accepted:
        """The places that are the same whatever any single wish is."""
        key = _asked(result, aspect, reading, "sound")
        found = self._accepted.get(key)
        if found is None:
            every = (self.content(result, belief) for belief in self.beliefs())
            wanted = list({id(one): one for one in every if one is not None}.values())
            right = dict(self._read_in(wanted[0], result, aspect, reading)) if wanted else {}
            ever = set(right)
            for one in wanted[1:]:
                other = self._read_in(one, result, aspect, reading)
                ever.update(other)
                for part in _apart(right, other, aspect, reading):
                    right.pop(part, None)
            found = self._accepted[key] = Accepted({part: (value,) for part, value in right.items()}, frozenset(ever))
        assert isinstance(found, Accepted)
        return found

    def _any_of(
        self, result: str, aspect: Aspect, reading: AspectReading, free: Sequence[str]
    ) -> Accepted | AcceptedTokens:
        every = [self._read(result, aspect, reading, belief) for belief in self._beliefs(free)]
        if aspect.tokens:
            return AcceptedTokens(tuple(tuple(one) for one in every), ())
        places = dict.fromkeys(part for one in every for part in one)
        values: dict[Hashable, tuple[Any, ...]] = {}
        for part in places:
            found: list[Any] = []
            for one in every:
                _add(found, one.get(part, ABSENT))
            values[part] = tuple(found)
        return Accepted(values, frozenset(places), len(every[0]))

    # -- beliefs -----------------------------------------------------------------------------------------------------

    def _relevant(self, result: str, aspect: Aspect, reading: AspectReading, names: Iterable[str]) -> list[str]:
        """Those of some wishes on which the aspect depends in this world."""
        right = self._read(result, aspect, reading, self.true)
        return [
            name
            for name in names
            if any(
                _apart(right, self._read(result, aspect, reading, one), aspect, reading) for one in self._single([name])
            )
        ]

    def _single(self, names: Iterable[str]) -> Iterable[Belief]:
        """The beliefs that are wrong in one wish."""
        for name in names:
            place = self._places[name]
            for other in self.pool[place].others:
                yield _with(self.true, place, other)

    def _beliefs(self, free: Sequence[str]) -> list[Belief]:
        """The beliefs in which some wishes are anything, least wrong first; at most `MAX_COMBINATIONS`."""
        found = [self.true]
        for size in range(1, len(free) + 1):
            for names in combinations(free, size):
                places = [self._places[name] for name in names]
                for values in product(*(self.pool[place].others for place in places)):
                    belief = self.true
                    for place, value in zip(places, values, strict=True):
                        belief = _with(belief, place, value)
                    found.append(belief)
                    if len(found) == MAX_COMBINATIONS:
                        return found
        return found

    def _read(self, result: str, aspect: Aspect, reading: AspectReading, belief: Belief) -> Parts:
        return self._read_in(self.content(result, belief), result, aspect, reading)

    def _read_in(self, content: ResultContent | None, result: str, aspect: Aspect, reading: AspectReading) -> Parts:
        # The contents of all beliefs are kept, so no other object comes to have the id of one.
        key = (result, aspect.name, reading.of, reading.rows, id(content))
        found = self._parts.get(key)
        if found is None:
            found = self._parts[key] = {} if content is None else aspect.parts(content, reading)
        return found


def _asked(result: str, aspect: Aspect, reading: AspectReading, *scope: str) -> tuple[Any, ...]:
    """The key of accepted readings, by all that they depend on: other settings only bound how many may be wrong."""
    return result, aspect.name, reading.of, reading.rows, reading.tolerance, reading.relative, *scope


def _with(belief: Belief, place: int, value: Any) -> Belief:
    return (*belief[:place], value, *belief[place + 1 :])


def _alike(one: Any, other: Any, aspect: Aspect, reading: AspectReading) -> bool:
    if one is ABSENT or other is ABSENT:
        return one is other
    return bool(one == other) or aspect.same(one, other, reading) or aspect.same(other, one, reading)


def _apart(one: Parts, other: Parts, aspect: Aspect, reading: AspectReading) -> list[Hashable]:
    """The places at which two readings differ."""
    if one is other:
        return []
    return [
        part for part in {**one, **other} if not _alike(one.get(part, ABSENT), other.get(part, ABSENT), aspect, reading)
    ]


def _add(values: list[Any], value: Any) -> None:
    # Of values that are alike the most exact is not known, so all that are written differently are kept.
    if not any(one is value or one == value for one in values):
        values.append(value)


def _tokens(pairs: Sequence[tuple[Parts, list[Parts]]], aspect: Aspect, reading: AspectReading) -> AcceptedTokens:
    """The tokens that tell right readings from others: those that only the right ones have, and those of the others."""

    def within(token: Hashable, tokens: Iterable[Hashable]) -> bool:
        return any(aspect.same(one, token, reading) or aspect.same(token, one, reading) for one in tokens)

    wanted: list[tuple[Hashable, ...]] = []
    for right, others in pairs:
        own = tuple(token for token in right if not all(within(token, other) for other in others))
        if own not in wanted:
            wanted.append(own)
    every = dict.fromkeys(token for right, _ in pairs for token in right)
    unwanted = dict.fromkeys(
        token for _, others in pairs for other in others for token in other if not within(token, every)
    )
    return AcceptedTokens(tuple(wanted), tuple(unwanted))
