"""Texts that agents write: which of them show nothing."""

from __future__ import annotations

from unicodedata import category

_UNSEEN = frozenset(("Cc", "Cf", "Cn", "Cs", "Zs", "Zl", "Zp"))
# Letters, marks and symbols by category that fonts draw as nothing: joiners, fillers, variation selectors, a blank
# Braille cell.
_EMPTY = frozenset(map(chr, (0x034F, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x2800, 0x3164, 0xFFA0))) | frozenset(
    chr(code) for low, high in ((0x180B, 0x180F), (0xFE00, 0xFE0F), (0xE0100, 0xE01EF)) for code in range(low, high + 1)
)


def is_blank(text: str) -> bool:
    r"""Whether nothing of a text can be seen: it is empty, or has blanks and invisible characters only.

    >>> is_blank(" \u200b"), is_blank("a")
    (True, False)
    """
    return all(letter in _EMPTY or category(letter) in _UNSEEN for letter in text)
