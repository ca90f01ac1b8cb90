"""Phrases: neighbouring words looked for in a clause, each as a stem.

- A word is a *stem*: it matches at the start of a word, whatever its case ("decim" matches "decimals"). `"=or"`
  matches the whole word only. A stem that ends in a digit does not go on in digits ("2" matches "2nd", not "20").
- Several words match neighbouring words, each as a stem: "file name" matches "file names", not "filename"; list both.
  `"file .. name"` allows up to two words in between. Hyphens, underscores and apostrophes do not matter: "macro-F1"
  matches "macro f1" and "macrof1", "e-mail" matches "email".
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

MAX_GAP_WORDS = 2

_KEPT_SIGNS = frozenset("%€$£¥")
_JOINS = frozenset("-_‐‑")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Neighbouring words: per word its text, whether it is whole, and how many other words may stand before it."""

    words: tuple[tuple[str, bool, int], ...]

    def spans(self, tokens: Sequence[str], masks: Sequence[int], start: int) -> int:
        """The tokens of all its occurrences that begin with a token, as a sum of their masks; 0 where there is none."""
        ends = {start: 0}  # by where the next word may stand: the tokens so far
        for word, whole, gap in self.words:
            further: dict[int, int] = {}
            for end, seen in ends.items():
                for place in range(end, min(end + gap + 1, len(tokens))):
                    if is_word(tokens[place], word, whole):
                        further[place + 1] = further.get(place + 1, 0) | seen | masks[place]
            if not further:
                return 0
            ends = further
        found = 0
        for seen in ends.values():
            found |= seen
        return found


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as words.

    Args:
        tokens: its words, split at hyphens and underscores.
        joined: the words with hyphens and underscores left out, where that differs; else empty.
        masks: for each word of `joined` the bits of the tokens that it stands for.
    """

    tokens: tuple[str, ...]
    joined: tuple[str, ...] = ()
    masks: tuple[int, ...] = ()


@lru_cache(maxsize=1 << 16)
def phrases_of(entry: str) -> tuple[Phrase, ...]:
    """The phrases of an entry's text, empty where it holds no word; most are the same in every variant."""
    spelt = []
    for joined in (False, True):
        words: list[tuple[str, bool, int]] = []
        gap = 0
        for part in entry.split():
            if part == "..":
                gap = MAX_GAP_WORDS if words else 0
                continue
            whole = part.startswith("=")
            for token in folded(part.removeprefix("="), joined).split():
                words.append((token, whole, gap if words else 0))
                gap = 0
        spelt.append(Phrase(tuple(words)))
    return tuple(dict.fromkeys(spelt)) if spelt[0].words else ()


def is_word(token: str, word: str, whole: bool) -> bool:
    """Whether a token is a word of a phrase, or begins with it where it need not be whole."""
    if whole or not token.startswith(word):
        return token == word
    return not (word[-1].isdigit() and token[len(word) : len(word) + 1].isdigit())


def read(text: str) -> Reading:
    """The words of a text in plain lower case."""
    tokens = tuple(folded(text, joined=False).split())
    if not _JOINS.intersection(text):
        return Reading(tokens)
    joined: list[str] = []
    masks: list[int] = []
    place = 0
    for part in text.split():
        count = len(folded(part, joined=False).split())
        whole = folded(part, joined=True).split()
        joined += whole
        bits = range(place, place + count)
        masks += [1 << bit for bit in bits] if len(whole) == count else [sum(1 << bit for bit in bits)] * len(whole)
        place += count
    return Reading(tokens, tuple(joined), tuple(masks))


def folded(text: str, joined: bool) -> str:
    """The words of a text in plain lower case, separated by single spaces."""
    if not text.isascii():
        plain = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in plain if not unicodedata.combining(char))
    return " ".join(text.casefold().translate(_JOINING if joined else _SPLITTING).split())


class _Signs(dict[int, str]):
    """A translation table that learns: letters and digits stay, apostrophes vanish, other signs become spaces."""

    def __init__(self, vanish: str) -> None:
        super().__init__(dict.fromkeys(map(ord, vanish), ""))

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kept = char if char.isalnum() else f" {char} " if char in _KEPT_SIGNS else " "
        self[code] = kept
        return kept


_SPLITTING = _Signs("'’‘ʼ")
_JOINING = _Signs("'’‘ʼ-_‐‑")
