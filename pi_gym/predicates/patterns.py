"""Patterns over what agents write: regular expressions and path globs, both in a linear-time engine."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Protocol

import re2

from pi_gym.errors import SpecError
from pi_gym.predicates.node import Node


class Match(Protocol):
    """The part of a match that is used here."""

    def group(self, group: int | str = 0) -> str | None:
        """The text of a group, None where it took no part."""
        ...

    def start(self, group: int = 0) -> int:
        """The position at which a group begins."""
        ...

    def end(self, group: int = 0) -> int:
        """The position at which it ends."""
        ...


class Regex(Protocol):
    """The part of a compiled expression that is used here."""

    def search(self, text: str) -> Match | None:
        """The first match."""
        ...

    def fullmatch(self, text: str) -> Match | None:
        """The match with the whole text."""
        ...

    def finditer(self, text: str) -> Iterator[Match]:
        """All matches, in order."""
        ...


def clean(text: str) -> str:
    """The text with lone surrogates replaced, which the engine cannot take."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-8", "replace").decode()
    return text


@lru_cache(maxsize=4096)
def regex(pattern: str, case: bool = True) -> Regex:
    """A compiled expression. Errors are raised, not logged to the console.

    Raises:
        re2.error: the expression is not valid.
        UnicodeEncodeError: it holds a lone surrogate.
    """
    options = re2.Options()
    options.log_errors = False
    options.case_sensitive = case
    compiled: Regex = re2.compile(pattern, options)
    return compiled


def parse_regex(node: Node, case: bool) -> Regex:
    """An author's expression; `^` and `$` match at the ends of lines."""
    pattern = node.string("a regular expression")
    if node.templated:
        return regex("", True)
    try:
        return regex("(?m)" + pattern, case)
    except (re2.error, UnicodeEncodeError) as error:
        reason = error.args[0] if error.args else error
        reason = reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
        raise SpecError(node.field, f"not a valid re2 expression ({reason}): {pattern!r}") from None


def is_glob(path: str) -> bool:
    """Whether a path holds wildcards."""
    return "*" in path or "?" in path


@lru_cache(maxsize=4096)
def glob(pattern: str) -> Regex:
    """A path pattern: `*` and `?` stay within a name, `**` spans folders, a closing `/` means all that is below.

    >>> bool(glob("notes/**/*.md").fullmatch("notes/a.md")), bool(glob("*.md").fullmatch("notes/a.md"))
    (True, False)
    """
    if pattern.endswith("/"):
        pattern += "**"
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        if pattern.startswith("**/", at):
            parts.append("(?:[^/]+/)*")
            at += 3
        elif pattern.startswith("**", at):
            parts.append(".*")
            at += 2
        else:
            char = pattern[at]
            parts.append({"*": "[^/]*", "?": "[^/]"}.get(char) or re2.escape(char))
            at += 1
    return regex("(?s)" + "".join(parts))


def parse_glob(node: Node) -> Regex:
    """An author's path pattern."""
    try:
        return glob(node.string("a path or a glob"))
    except (re2.error, UnicodeEncodeError):
        raise node.wrong("a path or a glob") from None


def in_glob(pattern: Regex, path: str) -> bool:
    """Whether a path matches as a whole."""
    return pattern.fullmatch(path if path.isascii() else clean(path)) is not None
