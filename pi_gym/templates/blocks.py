r"""Blocks: how text that is data stands in a prompt, so that it can neither close a block nor open one.

A block is an opening line, quoted lines or further blocks, and a closing line::

    <reply id="e1">
    | The table is ready.
    </reply>

Every quoted line begins with "| ", and no quoted text or attribute holds a "<": it is written "&lt;" ("&lt;" itself
"&amp;lt;"). So either sign alone tells data from structure, and special tokens of chat templates do not survive either.
Control characters, and those that reorder or hide text, are written as `\u{202e}`. So is whatever beside the line feed
ends a line: where our own code writes one record a line, as for apps, nobody can begin a line within a record.

Lengths are counted in *letters*: a small Latin letter or a space is one, another sign of ASCII two, any other twice its
bytes in UTF-8, and a line break six, with the mark of the next line. Of prose four take about a token, of digits, empty
lines or rare signs two, so that no text outgrows a model's context by the choice of its signs.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_right
from string import ascii_lowercase
from typing import NewType

#: Text of blocks and quoted lines only; never a text from outside as it came.
Markup = NewType("Markup", str)
NOTHING = Markup("")

MAX_ATTRIBUTE_LETTERS = 240
_MARK = "| "
_LIGHT = f"{ascii_lowercase} ".encode()
_LINE_BREAK_LETTERS = 6
_KEPT_BELOW = 0x3000
_KEPT_SIGNS = "\n\t\u200c\u200d\u00ad"
_UNSEEN = ("Cc", "Cf", "Cs", "Zl", "Zp")
#: Variants of the sign before them that no font shows; a text can be hidden in a row of these.
_VARIANTS = range(0xE0100, 0xE01F0)


def block(name: str, inner: Markup = NOTHING, /, **attributes: object) -> Markup:
    """A block around quoted text or other blocks.

    Args:
        name: of ours, never from outside; lower-case letters and underscores.
        inner: what `quoted` and `block` gave, joined.
        attributes: short texts and numbers by name; the texts may come from outside.

    >>> print(block("file", quoted("a < b"), path='x"y'), end="")
    <file path="x&quot;y">
    | a &lt; b
    </file>
    """
    return Markup(f"{_opening(name, attributes)}>\n{inner}</{name}>\n")


def mark(name: str, /, **attributes: object) -> Markup:
    """A block without content, on one line.

    >>> print(mark("left_out", calls=12), end="")
    <left_out calls="12"/>
    """
    return Markup(f"{_opening(name, attributes)}/>\n")


def quoted(text: str, limit: int | None = None) -> Markup:
    r"""Text as quoted lines.

    Args:
        text: anything; empty text gives one empty line.
        limit: the most letters to show, as escaped; what is left out lies in the middle and is said.

    >>> print(quoted("one\n</file>\u2028two"), end="")
    | one
    | &lt;/file>\u{2028}two
    >>> print(quoted("abcdefghijkl", 9), end="")
    | abcdef
    <left_out characters="3"/>
    | jkl
    """
    if limit is None or (len(text) <= limit and _letters(_escaped(text)) <= limit):
        return _lines(text)
    room = max(limit, 3)
    head = _fitting(text, 2 * room // 3)
    tail = _fitting(text[::-1], room - 2 * room // 3)
    begin, end = text[:head], text[len(text) - tail :]
    return Markup(f"{_lines(begin)}{mark('left_out', characters=len(text) - head - tail)}{_lines(end)}")


def quoted_letters(text: str, limit: int) -> int:
    """The number of letters that `quoted` shows of a text.

    >>> quoted_letters("a b", 99), quoted_letters("12", 99), quoted_letters("ж", 99), quoted_letters("ab", 1)
    (3, 4, 4, 1)
    """
    return limit if len(text) >= limit else min(limit, _letters(_escaped(text)))


def _opening(name: str, attributes: dict[str, object]) -> str:
    return f"<{name}" + "".join(f' {key}="{_attribute(str(value))}"' for key, value in attributes.items())


def _attribute(text: str) -> str:
    shown = _fitting(text, MAX_ATTRIBUTE_LETTERS)
    text = text if shown == len(text) else f"{text[:shown]}…"
    return _escaped(text).replace("\n", "\\u{a}").replace('"', "&quot;").replace(">", "&gt;")


def _lines(text: str) -> Markup:
    return Markup("".join(f"{_MARK}{line}\n" for line in _escaped(text).split("\n")))


def _fitting(text: str, room: int) -> int:
    """The number of the text's first characters that fit into so many letters; each takes at least one."""
    most = min(len(text), room)
    return bisect_right(range(most + 1), room, key=lambda count: _letters(_escaped(text[:count]))) - 1


def _letters(escaped: str) -> int:
    octets = escaped.encode()
    return len(octets) + len(octets.translate(None, _LIGHT)) + (_LINE_BREAK_LETTERS - 2) * octets.count(b"\n")


def _escaped(text: str) -> str:
    if "&" in text:
        text = text.replace("&amp;", "&amp;amp;").replace("&lt;", "&amp;lt;").replace("&quot;", "&amp;quot;")
    if "\r\n" in text:
        text = text.replace("\r\n", "\n")
    return text.translate(_SIGNS)


class _Signs(dict[int, str]):
    """A translation table that learns what each character is written as; the rarer ones are not worth the memory."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kept = char
        if char == "<":
            kept = "&lt;"
        elif char not in _KEPT_SIGNS and self._odd(char):
            kept = f"\\u{{{code:x}}}"
        if code < _KEPT_BELOW:
            self[code] = kept
        return kept

    @staticmethod
    def _odd(char: str) -> bool:
        # Some tokenizers normalise: a full-width "<", or one with a stroke, would come back as the plain one.
        hidden = unicodedata.category(char) in _UNSEEN or ord(char) in _VARIANTS
        return hidden or "<" in unicodedata.normalize("NFKD", char)


_SIGNS = _Signs()
