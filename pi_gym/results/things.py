"""Things by their names: which of them a line or a text speaks of."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from pi_gym.predicates.text import fold
from pi_gym.results.facets import Thing


def at_words(name: str, text: str, start: int = 0) -> int:
    """The place of a name in a folded text as a word of its own; -1 where it does not."""
    at = text.find(name, start)
    while at >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() and name[:1].isalnum()) and not (after.isalnum() and name[-1:].isalnum()):
            return at
        at = text.find(name, at + 1)
    return -1


@lru_cache(maxsize=4_096)
def _folded(name: str) -> str:
    return fold(name)


def named_in(text: str, things: Mapping[str, Thing]) -> dict[str, int]:
    """The things that a text names, each with the place where it does so first, in the order of these places.

    A name that is a part of a longer one that stands there does not count.
    """
    folded = fold(text)
    spans: list[tuple[int, int, str]] = []
    for key, thing in things.items():
        for name in thing.names:
            wanted = _folded(name)
            at = at_words(wanted, folded) if wanted else -1
            if at >= 0:
                spans.append((at, at + len(wanted), key))
    spans.sort(key=lambda one: (one[0], -one[1]))
    found: dict[str, int] = {}
    for start, end, key in spans:
        inside = any(first <= start and end <= last and (first, last) != (start, end) for first, last, _ in spans)
        if not inside:
            found.setdefault(key, start)
    return found
