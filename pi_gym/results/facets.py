"""Facets: what can be asked of a result, one name and one form for each, by kind of result.

An *aspect* reads a part of a result. What it reads in what was handed in is compared with what it reads in what is
right, for a wish's value and for any values of the others; so an author names it and gives no value. A *demand* is
given by the author: words, a number, a limit.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, Protocol, TypeAlias

from pi_gym.errors import SpecError, unknown
from pi_gym.predicates.node import Node
from pi_gym.results.things import NO_THINGS, Things

_FOLDER = str(Path(__file__).parent / "kinds")

#: What an aspect reads: by place (a row and its column, say) what stands there.
Parts: TypeAlias = Mapping[Hashable, Any]


class _Absent:
    def __repr__(self) -> str:
        return "nothing"

    def __reduce__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


@dataclass(frozen=True)
class AspectReading:
    """The settings with which an aspect reads.

    Args:
        of: the parts that are meant, such as columns of a table; empty: all.
        rows: the rows that are meant, by their keys, or things by theirs; empty: all.
        key: columns by which the rows of a result are told apart; empty: the kind's own way.
        things: what a result may speak of.
        slips: how many of the places that a wish governs may be wrong.
        tolerance: by how much a number may be off, beside its rounding.
        relative: by which share of it a number may be off, the same.
        extra: for items and sound results, how many places may be there that nowhere are right; None: any number.
    """

    of: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    things: Things = NO_THINGS
    slips: int = 0
    tolerance: float = 0.0
    extra: int | None = None
    relative: float = 0.0

    @property
    def is_loose(self) -> bool:
        """Whether a number may be off at all."""
        return bool(self.tolerance or self.relative)

    def takes(self, found: float, right: float) -> bool:
        """Whether a number is as near to what is right as it must be."""
        return abs(found - right) <= self.tolerance + self.relative * abs(right) + 1e-6


@dataclass(frozen=True, slots=True)
class Aspect:
    """A part of results of a kind, declared in a module of `pi_gym/results/kinds`.

    Args:
        name: as authors write it.
        parts: reads it.
        holds: when it holds, the rest of a sentence that begins with "the result".
        of: what `of` names, in words; "" where it takes none.
        example: in YAML, as a value of `holds`.
        same: whether what stands at one place in what was handed in is as good as what is right there.
        lacking: what it means that a part is not there: it is "wrong" by itself, or belongs to another facet ("skip").
        extra: that of readings which say nothing of it.
        tokens: the places themselves are what is read (numbers, names), compared by `same`; where they stand is open.
    """

    name: str
    parts: Callable[[Any, AspectReading], Parts]
    holds: str
    example: str
    of: str = ""
    same: Callable[[Any, Any, AspectReading], bool] = lambda found, right, reading: bool(found == right)
    lacking: Literal["wrong", "skip"] = "wrong"
    extra: int | None = None
    tokens: bool = False


class Condition(Protocol):
    """The condition that a demand sets, with its argument. Immutable, so that threads can share it."""

    def fault(self, content: Any) -> str:
        """The reason why the result is not as asked, as the rest of a sentence about it; "" where it is."""
        ...


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that an author asks of results of a kind, declared as aspects are.

    Args:
        name: as authors write it.
        parse: makes the condition of a rendered argument; SpecError names what was expected.
        holds, example: as of an aspect.
        takes: the form of the argument, in Markdown.
        alone: makes the argument of a wish that names the facet alone: of its value and the words of all its values.
        whole: it looks at the content as it is, not at what that says as a text.
    """

    name: str
    parse: Callable[[Node], Condition]
    holds: str
    example: str
    takes: str
    alone: Callable[[Any, Mapping[Any, Any]], Any] | None = None
    whole: bool = False


Facet: TypeAlias = Aspect | Demand


@dataclass(frozen=True, slots=True)
class ResultKind:
    """A kind of results.

    Args:
        name: as authors write it.
        facets: by name.
        about: what it is, in a sentence.
    """

    name: str
    facets: Mapping[str, Facet]
    about: str


@cache
def kinds() -> Mapping[str, ResultKind]:
    """The kinds by name; read once.

    Raises:
        ValueError: a kind is declared twice, or has two facets of one name.
    """
    found: dict[str, ResultKind] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules([_FOLDER])):
        code = import_module(f"pi_gym.results.kinds.{module}")
        for name, about in code.KINDS.items():
            names = [one.name for one in code.FACETS]
            twice = sorted({name for name in names if names.count(name) > 1})
            if twice or name in found:
                raise ValueError(f"pi_gym.results.kinds.{module} declares {twice[0] if twice else name!r} twice")
            facets = {one.name: one for one in sorted(code.FACETS, key=lambda one: str(one.name))}
            found[name] = ResultKind(name, MappingProxyType(facets), about)
    return MappingProxyType(found)


def facet_of(kind: str, name: str, node: Node) -> Facet:
    """A kind's facet of this name; SpecError lists the known ones."""
    known = kinds()[kind].facets
    if name not in known:
        raise SpecError(node.field, unknown(f"facet of a {kind}", name, known, shown=40))
    return known[name]
