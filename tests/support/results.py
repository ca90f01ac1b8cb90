"""Facets on contents made by hand: what is right for some values of the wishes, and what was handed in."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from pi_gym.predicates.node import Node, ParseContext
from pi_gym.results.content import ResultContent, ResultText
from pi_gym.results.facets import Aspect, kinds
from pi_gym.results.readings import parse_reading
from pi_gym.results.result_checks import AskedAspect, AskedDemand, JudgedContent, Scope
from pi_gym.results.right_answers import RightAnswers, WishRange
from pi_gym.results.things import NO_THINGS, Things

#: Makes the content of the result for the values of the wishes, by name.
Right = Callable[[Mapping[str, Any]], ResultContent | str | None]


def answers(right: Right, *pool: WishRange, path: str = "out.md") -> RightAnswers:
    """What is right for one result called "out"."""

    def make(_: str, belief: tuple[Any, ...]) -> ResultContent | None:
        made = right({one.name: value for one, value in zip(pool, belief, strict=True)})
        return ResultText(path, made) if isinstance(made, str) else made

    return RightAnswers(pool, make)


def wish(name: str, true: Any, *others: Any, drawn: bool = True) -> WishRange:
    return WishRange(name, drawn, true, others)


def aspect(
    kind: str, name: str, raw: Any = None, *, key: tuple[str, ...] = (), things: Things = NO_THINGS
) -> AskedAspect:
    facet = kinds()[kind].facets[name]
    assert isinstance(facet, Aspect)
    reading, least = parse_reading(Node(raw, name, ParseContext(None)), facet, key, things)
    return AskedAspect(facet, reading, least)


def fault(
    asked: AskedAspect,
    found: ResultContent | str,
    right: RightAnswers,
    scope: Scope = "wish",
    of: str = "w",
    path: str = "out.md",
) -> str:
    """Why what was handed in is not right; "" where it is."""
    content = ResultText(path, found) if isinstance(found, str) else found
    return asked.fault(JudgedContent(content, {}), "out", right, scope, of)


def unmet(kind: str, name: str, argument: Any, found: ResultContent | str, path: str = "out.md") -> str:
    """Why a demand is not met; "" where it is."""
    facet = kinds()[kind].facets[name]
    assert not isinstance(facet, Aspect)
    content = ResultText(path, found) if isinstance(found, str) else found
    return AskedDemand(facet, facet.parse(Node(argument, name, ParseContext(None)))).fault(content)
