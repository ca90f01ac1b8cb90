"""Worlds that tell wishes apart: drawing until what is right for one belief is not right for another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, pairwise, product
from typing import Any, TypeVar

T = TypeVar("T")
#: Draws until something tells. Hundreds are seen where a world leaves little room; what needs thousands finds nothing.
TRIES = 3000


def attempts(most: int = TRIES) -> Iterator[int]:
    """The numbers of the attempts at drawing something, for a loop that ends with the first that will do.

    Args:
        most: after so many the world cannot be meant: ValueError.

    >>> next(attempt for attempt in attempts() if attempt * attempt > 5)
    3
    """
    yield from range(most)
    raise ValueError(f"{most} draws, and none tells the wishes apart; draw from wider ranges, or ask for less")


def redraw(draw: Callable[[], T], tells: Callable[[T], bool], tries: int = TRIES) -> T:
    """The first of what is drawn that tells the wishes apart.

    Args:
        draw: draws anew from the stream, which goes on, each time.
        tells: whether what was drawn does, as `are_apart` or `amounts_apart` say it of the answers for all beliefs.
        tries: after so many the world cannot be meant: ValueError.

    >>> numbers = iter([3, 3, 8])
    >>> redraw(lambda: next(numbers), lambda drawn: drawn > 5)
    8
    """
    return next(found for found in (draw() for _ in attempts(tries)) if tells(found))


def by_belief(reckon: Callable[..., T], *choices: Iterable[Any]) -> dict[str, T]:
    """By belief, as `belief` writes it, what is reckoned for it.

    Args:
        reckon: takes a value of each choice.
        choices: for each thing that one may believe something of, its values.

    >>> by_belief(lambda how, out: (how, out), ["mean"], [True, False])
    {'mean True': ('mean', True), 'mean False': ('mean', False)}
    """
    return {belief(*values): reckon(*values) for values in product(*choices)}


def belief(*values: Any) -> str:
    """A belief as a key: its values, which have no blanks, with a blank between them.

    >>> belief("median", None, True)
    'median None True'
    """
    return " ".join(map(str, values))


def differing(one: str, other: str) -> list[bool]:
    """Whether two beliefs differ in each of their things.

    >>> differing("mean True", "median True")
    [True, False]
    """
    return [a != b for a, b in zip(one.split(), other.split(), strict=True)]


def one_apart(found: Mapping[str, T]) -> Iterator[tuple[T, T]]:
    """The pairs of what `by_belief` found for two beliefs that differ in one thing.

    >>> [*one_apart({"mean True": 1, "mean False": 2, "median False": 3})]
    [(1, 2), (2, 3)]
    """
    for one, other in combinations(found, 2):
        if sum(differing(one, other)) == 1:
            yield found[one], found[other]


def are_apart(answers: Iterable[Sequence[Any]], least: int = 1) -> bool:
    """Whether every two of some answers, all of one length, differ in so many places.

    Args:
        answers: for each belief what is right, as it is written: rounded figures, rows, receivers.
        least: two are well told apart where a wrong reading shows in two places at least.

    >>> are_apart([["34", "12"], ["35", "12"]]), are_apart([["34", "12"], ["35", "12"]], 2)
    (True, False)
    """
    return all(
        sum(x != y for x, y in zip(one, other, strict=True)) >= least for one, other in combinations([*answers], 2)
    )


def amounts_apart(amounts: Iterable[float], least: float) -> bool:
    """Whether every two of some amounts, one for each belief, lie so far apart at least.

    >>> amounts_apart([900, 1050, 1300], 150), amounts_apart([900, 1040], 150)
    (True, False)
    """
    ordered = sorted(amounts)
    return all(other - one >= least for one, other in pairwise(ordered))
