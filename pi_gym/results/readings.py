"""The settings that authors write behind an aspect: which parts are meant, and how strictly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pi_gym.errors import SpecError
from pi_gym.predicates.node import Node
from pi_gym.results.facets import Aspect, AspectReading
from pi_gym.results.result_checks import LEAST
from pi_gym.results.things import Things

_OPTIONS = ("of", "rows", "slips", "tolerance", "relative", "extra", "least")


def parse_reading(node: Node, aspect: Aspect, key: Sequence[str], things: Things) -> tuple[AspectReading, float]:
    """The settings with which an aspect reads, and the share that must be right for a sound result.

    Args:
        node: nothing or true for all parts, the names of some, or a mapping with some of `of`, `rows`, `slips`,
            `tolerance`, `relative`, `extra`, `least`.
        aspect: the aspect.
        key: columns that tell rows apart.
        things: what the result speaks of.

    Raises:
        SpecError: something else stands there.
    """
    of: tuple[str, ...] = ()
    rows: tuple[str, ...] = ()
    slips, tolerance, relative, extra, least = 0, 0.0, 0.0, aspect.extra, LEAST
    if isinstance(node.raw, Mapping):
        fields = node.fields(_OPTIONS, f"option of {aspect.name!r}")
        of = _texts(fields["of"]) if "of" in fields else ()
        rows = _texts(fields["rows"]) if "rows" in fields else ()
        slips = fields["slips"].integer() if "slips" in fields else 0
        tolerance = fields["tolerance"].number() if "tolerance" in fields else 0.0
        relative = fields["relative"].number() if "relative" in fields else 0.0
        extra = fields["extra"].integer() if "extra" in fields else aspect.extra
        least = fields["least"].number() if "least" in fields else LEAST
    elif node.raw is not None and node.raw is not True:
        of = _texts(node)
    if of and not aspect.of:
        raise SpecError(node.field, f"{aspect.name!r} takes no names; got {', '.join(of)}")
    return AspectReading(of, rows, tuple(key), things, slips, tolerance, extra, relative), least


def _texts(node: Node) -> tuple[str, ...]:
    return tuple(str(one.scalar()) for one in node.one_or_more())


def parse_things(raw: Any, field: str) -> Things:
    """Things from a mapping of keys to names; SpecError says what was expected."""
    if not isinstance(raw, Mapping):
        raise SpecError(field, f"expected a mapping of keys to names, got {type(raw).__name__}")
    found = {}
    for key, given in raw.items():
        names = [given] if isinstance(given, str) else given
        if not names or not all(isinstance(name, str) and name.strip() for name in names):
            raise SpecError(f"{field}.{key}", f"expected names, each a text, got {given!r}")
        found[str(key)] = tuple(names)
    return Things(found)
