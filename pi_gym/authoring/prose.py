"""Prose that somebody revises: its sections, its statements, and how much of it is left."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

_WORDS = re.compile(r"[^\W_]+")
# A sentence is the same one where so many of its longer words are left.
_LEFT = 0.7
_LONGER = 4
_PROMISING = (" will ", "'ll ", " plan", "commit", "going to", " intend", "releas", "publish", "available", "promis")
_NEGATED = (" not ", "cannot", "n't", "unable", " no ", "nor ", "neither", "without", "limitation")
_KEPT_BACK = (" stay", " remain", "withh", "internal")


def prose_sections(text: str) -> dict[str, list[str]]:
    r"""The paragraphs under each heading of a Markdown text, by heading in small letters, without tables and comments.

    What stands before the first heading is under "". Headings with the same words are one section.

    >>> prose_sections("# The problem\nIt is\nloud.\n\n| a | b |\n<!-- not yet -->\n## After\nQuiet.")
    {'': [], 'the problem': ['It is loud.'], 'after': ['Quiet.']}
    """
    first, *rest = text.split("<!--")
    sections: dict[str, list[str]] = {"": []}
    found, paragraph = sections[""], list[str]()
    for line in [*map(str.strip, (first + "".join(one.partition("-->")[2] for one in rest)).splitlines()), ""]:
        if line and not line.startswith(("#", "|")):
            paragraph.append(line)
            continue
        if paragraph:
            found.append(" ".join(paragraph))
            paragraph = []
        if line.startswith("#"):
            found = sections.setdefault(line.lstrip("# ").lower(), [])
    return sections


def kept_share(sentences: Sequence[str], paragraphs: Sequence[str]) -> float:
    """The share of sentences that still stand in some paragraph, respelt, mended or as they were; 0 without any.

    >>> kept_share(["The swimming hall echoes.", "Nobody measured it."], ["Every swimming hall echoes a little."])
    0.5
    """
    bags = [_content(paragraph) for paragraph in paragraphs]
    wanted = [_content(sentence) for sentence in sentences]
    found = sum(any(len(words & bag) >= _LEFT * len(words) for bag in bags) for words in wanted)
    return found / len(sentences) if sentences else 0.0


@lru_cache(maxsize=256)
def _content(text: str) -> frozenset[str]:
    """The words that carry a sentence, free of marks."""
    return frozenset([word for word in _WORDS.findall(text.lower()) if len(word) >= _LONGER])


def _statements(text: str) -> list[str]:
    """The sentences of a text that are no questions, in small letters without marks, each with a blank around it.

    >>> _statements("*Why* keep it? Section 5.3 stays; it isn’t long.")
    [' section 5.3 stays; ', " it isn't long. "]
    """
    plain = " ".join(text.lower().replace("*", "").replace("`", "").replace("’", "'").split())
    for mark in ("? ", "! ", "; ", ". "):
        plain = plain.replace(mark, f"{mark}\n")
    return [f" {one.strip()} " for one in plain.split("\n") if one.strip() and not one.strip().endswith("?")]


def promises_in(text: str) -> list[str]:
    """The statements of a text that promise something, each for itself.

    >>> promises_in("We will release the code; the lists cannot be released. Do you release weights?")
    [' we will release the code; ']
    """

    def has(said: str, words: Sequence[str]) -> bool:
        return any(word in said for word in words)

    return [one for one in _statements(text) if has(one, _PROMISING) and not has(one, (*_NEGATED, *_KEPT_BACK))]
