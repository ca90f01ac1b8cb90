"""A reply as paragraphs of sentences: what the agent says in its own voice, without what it shows or cites.

Code fences, table rows and quoted lines are left out; inline code and quotations are *masked*: their characters stay
in `text` and become neutral letters in `plain`, so that a question mark inside a cited file name or sentence neither
ends a sentence nor asks. `text` and `plain` have the same length everywhere. All passes are linear in the reply.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from pi_gym.predicates.text import visible

# A longer "quotation" is more likely a stray quotation mark (5" screens) than a quotation.
MAX_QUOTED_CHARS = 400

_PUNCTUATION = str.maketrans(
    {
        **dict.fromkeys("’‘ʼ´＇", "'"),
        **dict.fromkeys("“”„«»＂", '"'),
        **dict.fromkeys("？؟", "?"),
        **dict.fromkeys("–—―‒", "-"),
        **dict.fromkeys("\u00a0\u2007\u202f\u200b\u3000\ufeff", " "),
        "：": ":",
        "，": ",",
    }
)
# Of Python's own kind: they look at a few characters of every line, and re2 costs more to call.
_MARKER = re.compile(r"(?:[-*+•◦▪–—]|(?:\*\*)?\(?[0-9]{1,3}[.)]|(?:\*\*)?\(?[A-Za-z][.)])[ \t\n\r\f]+")
_LETTERED = re.compile(r"(?:\*\*)?\(?[A-Ha-h][.)]")
_ABBREVIATIONS = (
    " e.g.",
    " i.e.",
    " vs.",
    " etc.",
    " cf.",
    " approx.",
    " no.",
    " fig.",
    " dr.",
    " mr.",
    " ms.",
    " mrs.",
)
_ENDS = {mark: tuple(f"{mark}{close} " for close in ("", ")", "*", "**", '"', "_", "__", "]")) for mark in "?!."}


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence: as written, and masked and in lower case for the detector (same length)."""

    text: str
    plain: str

    @property
    def asks(self) -> bool:
        """Whether its closing punctuation holds a question mark."""
        tail = self.plain[-6:]
        return "?" in tail[len(tail.rstrip(" ?!.)]*_\"'")) :]


@dataclass(slots=True)
class ListItem:
    """An item of a list, with the list below it.

    Args:
        sentences: its own, in order.
        below: the items of the list below it: deeper, or marked in another way ("a)" below "1."), each its sentences.
        lettered: whether those are labelled A), B), …
    """

    sentences: tuple[Sentence, ...]
    below: list[tuple[Sentence, ...]] = field(default_factory=list)
    lettered: bool = False

    def __iter__(self) -> Iterator[Sentence]:
        """All of its sentences, those of the list below it last."""
        yield from self.sentences
        for item in self.below:
            yield from item


@dataclass(slots=True)
class ReplySection:
    """A paragraph (or heading) and the list that follows it.

    Args:
        sentences: the paragraph's, in order; empty for a list without one.
        items: the list's items.
        heading: whether the paragraph is a heading: it introduces and never asks.
        lettered: whether the items are labelled A), B), …: offered options.
    """

    sentences: tuple[Sentence, ...] = ()
    items: list[ListItem] = field(default_factory=list)
    heading: bool = False
    lettered: bool = False


def normalise(text: str) -> str:
    """The same text, character for character, with plain quotation marks, dashes and spaces."""
    return text if text.isascii() else text.translate(_PUNCTUATION)


def encodable(text: str) -> str:
    """The text with every lone surrogate, which re2 cannot encode, replaced."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        return "".join("\ufffd" if "\ud800" <= char <= "\udfff" else char for char in text)
    return text


class Marker(NamedTuple):
    """The beginning of a line: the signs of an item or a heading, and how far they are from the margin."""

    signs: str
    indent: int

    @property
    def lettered(self) -> bool:
        """Whether it labels an offered option: A), B), …"""
        return _LETTERED.match(self.signs) is not None

    def is_below(self, outer: Marker) -> bool:
        """Whether its item stands in a list below the items that begin with `outer`."""
        return self.indent > outer.indent + 1 or (self.indent == outer.indent and self._style != outer._style)

    @property
    def _style(self) -> str:
        label = self.signs.strip("*() \t.")
        return "1" if label.isdigit() else "a" if label.isalpha() else "-"


NO_MARKER = Marker("", 0)


def sections(reply: str) -> Iterator[ReplySection]:
    """The reply's paragraphs, each with the list that follows it, in reading order."""
    section, outer = ReplySection(), NO_MARKER
    for kind, marker, lines in _blocks(visible(encodable(reply), comments=True)):
        if kind == "item":
            said = sentences(" ".join(lines))
            if section.items and marker.is_below(outer):
                section.items[-1].below.append(said)
                section.items[-1].lettered |= marker.lettered
                continue
            outer = outer if section.items else marker
            section.items.append(ListItem(said))
            section.lettered |= marker.lettered
            continue
        if section.sentences or section.items:
            yield section
        section = ReplySection()
        if kind != "gap":
            section = ReplySection(sentences(" ".join(lines)), heading=kind == "heading")
    if section.sentences or section.items:
        yield section


def sentences(paragraph: str) -> tuple[Sentence, ...]:
    """The sentences of one paragraph (a single line of text)."""
    masked = _masked(normalise(paragraph))
    lower = masked.lower()
    plain = lower if len(lower) == len(masked) else masked  # a few letters lower to two characters
    cut = plain + " "
    if "." in cut:
        for short in _ABBREVIATIONS:
            if short in cut:
                cut = cut.replace(short + " ", short + "_")
    for mark, ends in _ENDS.items():
        if mark in cut:
            for end in ends:
                cut = cut.replace(end, end[:-1] + "\n")
    found, start = [], 0
    for piece in cut.split("\n"):
        stop = start + len(piece)
        if piece and not piece.isspace():
            left = start + len(piece) - len(piece.lstrip())
            found.append(Sentence(paragraph[left:stop].rstrip(), plain[left:stop].rstrip()))
        start = stop + 1
    return tuple(found)


def _masked(text: str) -> str:
    for mark in '`"':
        if mark not in text:
            continue
        parts = text.split(mark)
        last = len(parts) - 1 if len(parts) % 2 else len(parts) - 2  # the last part of an odd quotation is open
        for index in range(1, last, 2):
            if len(parts[index]) <= MAX_QUOTED_CHARS:
                parts[index] = "x" * len(parts[index])
        text = mark.join(parts)
    return text


def _blocks(reply: str) -> Iterator[tuple[str, Marker, list[str]]]:
    """Runs of lines that belong together: ("text" | "item" | "heading" | "gap", what they begin with, lines)."""
    kind, marker, lines = "", NO_MARKER, []
    fence = ""
    blank = False
    for raw in reply.splitlines():
        line = raw.strip()
        if fence or line.startswith(("```", "~~~")):
            closes = bool(fence) and line.startswith(fence) and not line.strip(fence[0])
            fence = "" if closes else fence or line[:3]
            line = ""
        if not line:
            blank = True
            continue
        new, label = _kind(line)
        body = line[len(label) :]
        if new == "text" and not blank and (kind == "text" or (kind == "item" and raw[0].isspace())):
            lines.append(body)
            continue
        if lines:
            yield kind, marker, lines
        kind, marker, lines, blank = new, Marker(label, len(raw) - len(raw.lstrip())), [body], False
        if new == "gap":
            yield "gap", NO_MARKER, []
            lines = []
    if lines:
        yield kind, marker, lines


def _kind(line: str) -> tuple[str, str]:
    """The kind of a line, and its list marker or heading signs."""
    first = line[0]
    item = _MARKER.match(line[:12])
    if (
        first == ">"
        or first == "|"
        or (item is None and "?" not in line.partition("|")[0] and line.count("|") >= 2)
        or not line.strip("-=*_ ")
    ):
        return "gap", ""
    if first == "#" and (hashes := line[: len(line) - len(line.lstrip("#"))]) and line[len(hashes) :][:1] in (" ", ""):
        return "heading", hashes
    if item is not None:
        return "item", line[: item.end()]
    return "text", ""
