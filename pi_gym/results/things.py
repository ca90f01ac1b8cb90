"""Things by their names: which of them a line or a text speaks of."""

from __future__ import annotations

from collections.abc import Mapping

from pi_gym.predicates.text import fold

MAX_KNOWN_TEXTS = 4_096


def at_words(name: str, text: str, start: int = 0) -> int:
    """The place of a name in a folded text as a word of its own; -1 where it does not stand there."""
    at = text.find(name, start)
    while at >= 0:
        end = at + len(name)
        before, after = text[at - 1 : at], text[end : end + 1]
        if not (before.isalnum() and name[:1].isalnum()) and not (after.isalnum() and name[-1:].isalnum()):
            return at
        at = text.find(name, at + 1)
    return -1


class Things:
    """The things that a result may speak of.

    Args:
        names: by key, the names by which a thing goes, any of which will do.
    """

    def __init__(self, names: Mapping[str, tuple[str, ...]]) -> None:
        self.names = dict(names)
        self._folded = [(fold(name), key) for key, own in names.items() for name in own]
        self._known: dict[str, tuple[str, ...]] = {}

    def named_in(self, text: str) -> tuple[str, ...]:
        """The keys of the things that a text names, in the order in which it does so first.

        A name that is a part of a longer one that stands there does not count.
        """
        found = self._known.get(text)
        if found is None:
            if len(self._known) >= MAX_KNOWN_TEXTS:
                self._known.clear()
            found = self._known[text] = self._named_in(fold(text))
        return found

    def _named_in(self, folded: str) -> tuple[str, ...]:
        spans: list[tuple[int, int, str]] = []
        for name, key in self._folded:
            at = at_words(name, folded) if name in folded else -1
            if at >= 0:
                spans.append((at, at + len(name), key))
        spans.sort(key=lambda one: (one[0], -one[1]))
        found: dict[str, None] = {}
        for start, end, key in spans:
            if not any(first <= start and end <= last and (first, last) != (start, end) for first, last, _ in spans):
                found[key] = None
        return tuple(found)


NO_THINGS = Things({})
