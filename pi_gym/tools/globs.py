"""Glob patterns: `*` and `?` within a name, `**` across directories, `[abc]`, `{a,b}`; matched in linear time."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import re2

MAX_PATTERN_CHARS = 400
_WILD = frozenset("*?[{")


class BadPattern(ValueError):
    """A pattern cannot be used; the message is meant for the agent."""


@lru_cache(maxsize=256)
def matcher(pattern: str) -> Callable[[str], bool]:
    """A test for paths in normal form.

    A pattern without a slash is matched against the last name of the path, so `*.md` finds files in any directory;
    one with a slash against the whole path.

    Raises:
        BadPattern: the pattern is empty, too long, or its expansion is too large.
    """
    if not pattern.strip("/"):
        raise BadPattern("the pattern is empty; '**' stands for everything")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise BadPattern(f"the pattern has {len(pattern)} characters; at most {MAX_PATTERN_CHARS} are possible")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    try:
        regex = re2.compile(_translate(pattern.strip("/")), options)
    except (re2.error, UnicodeEncodeError):
        raise BadPattern(f"the pattern {pattern!r} cannot be read; use *, **, ?, [abc] and {{a,b}}") from None
    whole = "/" in pattern.rstrip("/") or "**" in pattern

    def matches(path: str) -> bool:
        return regex.fullmatch(path if whole else path.rpartition("/")[2]) is not None

    return matches


def literal_folder(pattern: str) -> str:
    """The directory that every match of a pattern with a slash lies in, as far as it is written out."""
    names = pattern.split("/")[:-1]
    wild = next((i for i, name in enumerate(names) if _WILD.intersection(name)), len(names))
    # Braces may hold slashes: a cut inside them shows as a wild name, so that nothing behind it counts.
    return "/".join(names[:wild])


def depth(pattern: str) -> int | None:
    """The number of directories above a match of a pattern with a slash; None where it may be any."""
    return None if "**" in pattern or "{" in pattern else pattern.count("/")


def _translate(pattern: str) -> str:
    parts: list[str] = []
    at, braces = 0, 0
    closing = _closing_braces(pattern)
    while at < len(pattern):
        char = pattern[at]
        if pattern.startswith("**/", at) and (at == 0 or pattern[at - 1] in "/{,"):
            parts.append("(?:.*/)?")
            at += 3
            continue
        if pattern.startswith("**", at):
            parts.append(".*")
            at += 2
            continue
        end = _class_end(pattern, at) if char == "[" else 0
        if end:
            parts.append(_class(pattern[at + 1 : end]))
            at = end + 1
            continue
        if char == "*":
            parts.append("[^/]*")
        elif char == "?":
            parts.append("[^/]")
        elif char == "{" and at in closing:
            braces += 1
            parts.append("(?:")
        elif char == "}" and braces:
            braces -= 1
            parts.append(")")
        elif char == "," and braces:
            parts.append("|")
        else:
            parts.append(re2.escape(char))
        at += 1
    return "(?s)" + "".join(parts)


def _closing_braces(pattern: str) -> set[int]:
    """The positions of opening braces that are closed again; the others stand for themselves."""
    opened: list[int] = []
    closed: set[int] = set()
    at = 0
    while at < len(pattern):
        end = _class_end(pattern, at) if pattern[at] == "[" else 0
        if end:
            at = end
        elif pattern[at] == "{":
            opened.append(at)
        elif pattern[at] == "}" and opened:
            closed.add(opened.pop())
        at += 1
    return closed


def _class_end(pattern: str, start: int) -> int:
    """The position at which the class that opens here ends; 0 where it does not: the bracket stands for itself."""
    first = start + 2 if pattern[start + 1 : start + 2] in ("!", "^") else start + 1
    end = pattern.find("]", first + 1)
    return end if end > 0 and "/" not in pattern[start:end] else 0


def _class(body: str) -> str:
    negated = body[0] in "!^"
    chars = body[1:] if negated else body
    escaped = "".join("-" if c == "-" and 0 < i < len(chars) - 1 else re2.escape(c) for i, c in enumerate(chars))
    return f"[^/{escaped}]" if negated else f"[{escaped}]"
