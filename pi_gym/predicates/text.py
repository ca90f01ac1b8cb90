"""A text as conditions read it: several normal forms, each made at most once."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from functools import cached_property, lru_cache

from pi_gym.predicates.figures import Written, written_numbers
from pi_gym.predicates.markdown import Heading, headings
from pi_gym.predicates.patterns import clean, regex

MAX_TEXT_CHARS = 400_000
_MAX_CACHED_CHARS = 20_000
_MAX_LINE_CHARS = 240
_MIN_WRAPPED_CHARS = 60

_SINGLE, _DOUBLE, _DASHES = "‘’‚‛′", "“”„‟″«»", "‐‑‒–—―−"
_INVISIBLE = "\u00ad\u200b\u200c\u200d\u2060\ufeff"
_PLAIN = dict.fromkeys(_SINGLE, "'") | dict.fromkeys(_DOUBLE, '"') | dict.fromkeys(_DASHES, "-") | {"…": "..."}
_UNSEEN = dict.fromkeys(_INVISIBLE, "")
_SENTENCE_END = regex(r"[.!?][\"')\]*]*\s")


class _WordMap(dict[int, str]):
    """Keeps letters and digits, makes everything else a blank; fills itself as characters come by."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = kept = char if char.isalnum() else " "
        return kept


_WORDS = _WordMap()


def _replaced(text: str, marks: Mapping[str, str]) -> str:
    # `str.translate` looks every character up; these marks are few and mostly not there.
    for mark, put in marks.items():
        if mark in text:
            text = text.replace(mark, put)
    return text


def plain(text: str) -> str:
    """The text with runs of blanks collapsed, typographic marks made plain and bold and code marks dropped."""
    if not text.isascii():
        text = _replaced(unicodedata.normalize("NFC", text), _PLAIN)
    return " ".join(text.replace("**", "").replace("`", "").split())


def fold(text: str) -> str:
    r"""`plain`, and without case.

    >>> fold("“It’s   **Done**”")
    '"it\'s done"'
    """
    return plain(text).casefold()


def words(text: str) -> str:
    """Lower-case words with a blank before each, so that a stem in this form is found only where a word begins.

    >>> words("E-mails: sent"), words("mail") in words("E-mails: sent"), words("ails") in words("E-mails: sent")
    (' e mails sent', True, False)
    """
    normal = text if text.isascii() else unicodedata.normalize("NFC", text)
    found = normal.casefold().translate(_WORDS).split()
    return " " + " ".join(found) if found else ""


def visible(text: str, comments: bool) -> str:
    """The text that a reader sees: no zero-width characters and, if asked, no HTML comments.

    What is hidden from the reader must not satisfy a condition.
    """
    text = clean(text)
    if not text.isascii():
        text = _replaced(text, _UNSEEN)
    if not comments or "<!--" not in text:
        return text
    parts: list[str] = []
    at = 0
    while (opened := text.find("<!--", at)) >= 0:
        parts.append(text[at:opened])
        closed = text.find("-->", opened + 4)
        at = len(text) if closed < 0 else closed + 3
    parts.append(text[at:])
    return "".join(parts)


def _paragraphs(lines: list[str]) -> list[str]:
    """Lines, those of wrapped prose joined: a long line, then one that begins with a small letter or a digit."""
    found: list[str] = []
    before = ""
    for line in lines:
        if (
            found
            and len(before) >= _MIN_WRAPPED_CHARS
            and before[0] != "|"
            and line[:1].isalnum()
            and not line[0].isupper()
        ):
            found[-1] += " " + line
        elif line.strip():
            found.append(line)
        before = line.strip()
    return found


class View:
    """One text in its normal forms.

    Args:
        raw: the text as it stands.
        comments: drop HTML comments, as for Markdown and replies.
    """

    def __init__(self, raw: str, comments: bool = True) -> None:
        self.raw = raw
        self.comments = comments

    @cached_property
    def text(self) -> str:
        """The text that a reader sees."""
        return visible(self.raw, self.comments)

    @cached_property
    def plain(self) -> str:
        """See `plain`."""
        return plain(self.text)

    @cached_property
    def folded(self) -> str:
        """See `fold`."""
        return self.plain.casefold()

    @cached_property
    def words(self) -> str:
        """See `words`."""
        return words(self.text)

    @cached_property
    def lines(self) -> list[str]:
        """The lines, without their ends."""
        return [line.rstrip("\r") for line in self.text.split("\n")]

    @cached_property
    def filled(self) -> list[str]:
        """The lines that are not blank."""
        return [line for line in self.lines if line.strip()]

    @cached_property
    def headings(self) -> list[Heading]:
        """The headings, as Markdown has them."""
        return headings(self.lines)

    @cached_property
    def numbers(self) -> tuple[Written, ...]:
        """The numbers written in the text, in order."""
        return written_numbers(self.text)

    @cached_property
    def segments(self) -> tuple[tuple[str, str], ...]:
        """Lines and sentences with their words, for what stands near a number.

        A long line is read by its sentences only: a paragraph on one line is not one statement.
        """
        found = [line for line in self.filled if len(line) <= _MAX_LINE_CHARS]
        for paragraph in _paragraphs(self.lines):
            at = 0
            for match in _SENTENCE_END.finditer(paragraph):
                found.append(paragraph[at : match.end()])
                at = match.end()
            found.append(paragraph[at:])
        return tuple((words(segment), segment) for segment in dict.fromkeys(found))

    def form(self, case: bool) -> str:
        """The form in which texts are compared."""
        return self.plain if case else self.folded


@lru_cache(maxsize=256)
def _cached(raw: str, comments: bool) -> View:
    return View(raw, comments)


@lru_cache(maxsize=16)
def _cached_long(raw: str, comments: bool) -> View:
    return View(raw, comments)


def view_of(raw: str, comments: bool = True) -> View:
    """A view of a text; the latest ones are kept, since several conditions read the same file."""
    if len(raw) <= _MAX_CACHED_CHARS:
        return _cached(raw, comments)
    return _cached_long(raw, comments) if len(raw) <= MAX_TEXT_CHARS else View(raw, comments)
