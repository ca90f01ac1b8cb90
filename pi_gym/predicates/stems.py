"""Stems: the beginnings of words that authors name."""

from __future__ import annotations

from pi_gym.predicates.node import Node
from pi_gym.predicates.text import words


def parse_stems(node: Node) -> tuple[str, ...]:
    """One or more stems, in the form in which `stem in words(text)` finds them at word starts."""
    found = []
    for one in node.one_or_more():
        stem = words(one.string("a stem"))
        if not stem:
            raise one.wrong("a stem with letters or digits")
        found.append(stem)
    return tuple(found)
