"""Phrases: neighbouring words looked for in a clause, each as a stem.

- A word is a *stem*: it matches at the start of a word, whatever its case ("decim" matches "decimals"). `"=or"`
  matches the whole word only. A stem that ends in a digit does not go on in digits ("2" matches "2nd", not "20").
- Several words match neighbouring words, each as a stem: "file name" matches "file names", not "filename"; list both.
  `"file .. name"` allows up to two words in between. Hyphens, underscores and apostrophes do not matter: "macro-F1"
  matches "macro f1" and "macrof1", "e-mail" matches "email".
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache

MAX_GAP_WORDS = 2

_KEPT_SIGNS = frozenset("%€$£¥")


@dataclass(frozen=True, slots=True)
class Phrase:
    """Neighbouring words: per word its text, whether it is whole, and how many other words may stand before it."""

    words: tuple[tuple[str, bool, int], ...]

    def found(self, text: str) -> bool:
        """Whether it is in `text`: words joined by single spaces, with a space at both ends."""
        first, whole, _ = self.words[0]
        digit = first[-1].isdigit()
        if (f" {first} " if whole else f" {first}") not in text:
            return False
        if len(self.words) == 1 and (whole or not digit):
            return True
        tokens = text.split()
        return any(self._at(tokens, start) for start in range(len(tokens)))

    def _at(self, tokens: list[str], start: int) -> bool:
        ends = {start}  # where the next word may stand
        for word, whole, gap in self.words:
            ends = {
                place + 1
                for end in ends
                for place in range(end, min(end + gap + 1, len(tokens)))
                if _is_word(tokens[place], word, whole)
            }
        return bool(ends)


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


def _is_word(token: str, word: str, whole: bool) -> bool:
    if whole or not token.startswith(word):
        return token == word
    return not (word[-1].isdigit() and token[len(word) : len(word) + 1].isdigit())


@lru_cache(maxsize=2048)
def readings(text: str) -> tuple[str, ...]:
    """The text as spaced words, with hyphenated words split and, where there are any, joined."""
    split, joined = folded(text, joined=False), folded(text, joined=True)
    return (f" {split} ",) if split == joined else (f" {split} ", f" {joined} ")


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
