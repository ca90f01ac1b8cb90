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
from pi_gym.results.content import Content

_FOLDER = str(Path(__file__).parent / "kinds")

#: What an aspect reads: by place (a row and its column, say) what stands there.
Parts: TypeAlias = Mapping[Hashable, Any]


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


@dataclass(frozen=True)
class Reading:
    """The settings with which an aspect reads.

    Args:
        of: the parts that are meant, such as columns of a table; empty: all.
        key: columns by which the rows of a result are told apart.
        things: what a list speaks of, each key with its names and whatever else is known of it.
        topic: of the file's name, for those who name files by one.
    """

    of: tuple[str, ...] = ()
    key: tuple[str, ...] = ()
    things: Mapping[str, Thing] = MappingProxyType({})


@dataclass(frozen=True)
class Thing:
    """Something that a list or a text speaks of.

    Args:
        names: the names by which it goes, any of which will do.
        attributes: whatever else is known of it.
    """

    names: tuple[str, ...]
    attributes: Mapping[str, Any] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Aspect:
    """A part of results of a kind, declared in the kind's module of `pi_gym/results/kinds`.

    Args:
        name: as authors write it.
        parts: reads it.
        same: whether what stands at one place in what was handed in is as good as what is right there.
        lacking: what it means that a part is not there: it is "wrong" by itself, or belongs to another facet ("skip").
        extra: what it means that something is there that nowhere is right: "wrong", or "skip".
        of: what `of` names, in words; "" where it takes none.
        holds: when it holds, the rest of a sentence that begins with "the result".
        example: in YAML, as a value of `holds`.
    """

    name: str
    parts: Callable[[Any, Reading], Parts]
    holds: str
    example: str
    same: Callable[[Any, Any], bool] = lambda found, right: bool(found == right)
    lacking: Literal["wrong", "skip"] = "wrong"
    extra: Literal["wrong", "skip"] = "skip"
    of: str = ""


class Condition(Protocol):
    """What a demand asks of a result, with its argument. Immutable, so that threads can share it."""

    def fault(self, content: Any) -> str:
        """Why the result is not as asked, as the rest of a sentence about it; "" where it is."""
        ...


@dataclass(frozen=True, slots=True)
class Demand:
    """Something that an author asks of results of a kind, declared as aspects are.

    Args:
        name: as authors write it.
        parse: makes the condition of a rendered argument; SpecError names what was expected.
        takes: the form of the argument, in Markdown.
        holds, example: as of an aspect.
        alone: makes the argument of a wish that names the facet alone: of its value and the words of all its values.
    """

    name: str
    parse: Callable[[Node], Condition]
    takes: str
    holds: str
    example: str
    alone: Callable[[Any, Mapping[Any, Any]], Any] | None = None


Facet: TypeAlias = Aspect | Demand


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of results: its facets by name."""

    name: str
    facets: Mapping[str, Facet]
    accepts: type[Content] | tuple[type[Content], ...]


@cache
def kinds() -> Mapping[str, Kind]:
    """The kinds by name; read once.

    Raises:
        ValueError: a kind has two facets of one name.
    """
    found: dict[str, Kind] = {}
    for module in sorted(one.name for one in pkgutil.iter_modules([_FOLDER])):
        code = import_module(f"pi_gym.results.kinds.{module}")
        if not hasattr(code, "KIND"):
            continue
        names = [one.name for one in code.FACETS]
        twice = sorted({name for name in names if names.count(name) > 1})
        if twice:
            raise ValueError(f"pi_gym.results.kinds.{module} declares {twice[0]!r} twice")
        facets = {one.name: one for one in sorted(code.FACETS, key=lambda one: one.name)}
        found[module] = Kind(module, MappingProxyType(facets), code.KIND)
    return MappingProxyType(found)


def facet(kind: str, name: str, field: str) -> Facet:
    """A kind's facet of this name; SpecError lists the known ones."""
    known = kinds()[kind].facets
    if name not in known:
        raise SpecError(field, unknown(f"facet of a {kind}", name, known, shown=40))
    return known[name]
