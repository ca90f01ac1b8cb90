"""Finding files by name and lines by pattern. Cost follows what is searched, and stops at the limit of results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any, Literal

import re2

from pi_gym.state.tree import Blob, Folder
from pi_gym.state.workspace import Workspace
from pi_gym.tools.declare import ToolContext, ToolError, operation
from pi_gym.tools.files import MAX_PAGE_CHARS, place
from pi_gym.tools.globs import BadPattern, depth, literal_folder, matcher

MAX_RESULTS = 1_000
MAX_CONTEXT_LINES = 50
MAX_LINE_CHARS = 500
MAX_PATTERN_CHARS = 1_000
MAX_COUNT = 10_000
_BYTES_PER_HIT = 100
_STOPPED = (
    "[search stopped: too much text for this pattern, or too many searches in one action;"
    " narrow the path or simplify the pattern]"
)
MAX_PROGRAM = 2_000
"""Size of a compiled pattern: a counted repetition of a repetition makes a huge automaton."""


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The pattern that lines are searched for.

    Args:
        regex: the compiled pattern.
        literal: what every match is; empty where the pattern stands for more than itself.
        size: what a byte costs that is searched.
    """

    regex: Any
    literal: bytes
    size: int

    def hits(self, data: bytes) -> Iterator[int]:
        """The positions at which matching lines begin."""
        at = 0
        while at < len(data):
            found = self._next(data, at)
            if found < 0 or (found == len(data) and data.endswith(b"\n")):
                return
            yield data.rfind(b"\n", 0, found) + 1
            at = data.find(b"\n", found) + 1
            if at == 0:
                return

    def _next(self, data: bytes, at: int) -> int:
        # Looking for plain bytes is much cheaper than a search.
        if self.literal:
            return data.find(self.literal, at)
        found = self.regex.search(data, at)
        return -1 if found is None else int(found.start())


@operation("read")
def glob(
    context: ToolContext,
    pattern: str,
    path: str = ".",
    max_results: int = 200,
    entry_type: Literal["files", "dirs", "both"] = "files",
) -> str:
    """Find files by glob pattern. Gives paths from the workspace root, in the order of a directory walk.

    Args:
        pattern: * and ? match within a name, ** across directories; [abc] and {a,b} work. Without a slash it is
            matched against names at any depth; with one, against paths from the searched directory.
        path: the directory to search.
        max_results: the most paths to give, 1 to 1000.
        entry_type: what to find.
    """
    folder = _folder(context, path)
    check_range("max_results", max_results, 1, MAX_RESULTS)
    text = pattern.rstrip("/")
    while text.startswith("./"):
        text = text[2:]
    if text.startswith(context.root + "/") and not folder:
        text = text[len(context.root) + 1 :]
    if text.startswith(("/", "~")) or ".." in text.split("/"):
        raise ToolError(f"The pattern {pattern[:100]!r} leaves the searched directory; write it relative to that.")
    matches = _matcher(text)
    start, levels = folder, None
    if "/" in text:
        literal, levels = literal_folder(text), depth(text)
        start = "/".join(part for part in (folder, literal) if part)
        levels = None if levels is None else levels - (literal.count("/") + 1 if literal else 0)
    cut = len(folder) + 1 if folder else 0
    found: list[str] = []
    room = MAX_PAGE_CHARS
    for where, is_folder in _walk(context.workspace, start, levels):
        if (entry_type != "both" and is_folder != (entry_type == "dirs")) or not matches(where[cut:]):
            continue
        room -= len(where) + 2
        if len(found) == max_results or room < 0:
            found.append(f"[only the first {len(found)} results; narrow the pattern or the path]")
            break
        found.append(where + "/" if is_folder else where)
    return "\n".join(found) or f"No match for {pattern!r} in {place(folder)}."


@operation("read")
def grep(
    context: ToolContext,
    pattern: str,
    path: str = ".",
    glob: str | None = None,
    case_insensitive: bool = False,
    fixed_strings: bool = False,
    output_mode: Literal["content", "files_with_matches", "count"] = "content",
    context_before: int = 0,
    context_after: int = 0,
    max_results: int = 100,
) -> str:
    """Search text files line by line with a regular expression. Gives path:line:text, context lines with dashes.

    Args:
        pattern: an RE2 regular expression (no look-around, no back-references).
        path: the file or directory to search.
        glob: only files that match this glob pattern, such as *.md.
        case_insensitive: whether upper and lower case are the same.
        fixed_strings: whether the pattern is plain text.
        output_mode: content gives lines; files_with_matches gives paths; count gives matching lines per file.
        context_before: lines to show before each match, 0 to 50.
        context_after: lines to show after each match, 0 to 50.
        max_results: the most matching lines, or files, to give, 1 to 1000.
    """
    check_range("max_results", max_results, 1, MAX_RESULTS)
    check_range("context_before", context_before, 0, MAX_CONTEXT_LINES)
    check_range("context_after", context_after, 0, MAX_CONTEXT_LINES)
    wanted = _pattern(pattern, case_insensitive, fixed_strings)
    lines: list[str] = []
    results, room = 0, MAX_PAGE_CHARS
    for entry in _results(context, wanted, path, glob, output_mode, (context_before, context_after)):
        text, counts = entry
        room -= len(text) + 1
        if room < 0 or (counts and results == max_results):
            shown = "lines" if output_mode == "content" else "files"
            lines.append(f"[only the first {results} matching {shown}; narrow the pattern, the path or the glob]")
            break
        results += counts
        lines.append(text)
    return "\n".join(lines) or f"No match for {pattern[:100]!r}."


def check_range(name: str, value: int, low: int, high: int) -> None:
    """`ToolError` where a number is out of its range."""
    if not low <= value <= high:
        raise ToolError(f"{name} must be between {low} and {high}, not {value}.")


def _results(
    context: ToolContext, pattern: _Pattern, path: str, glob: str | None, mode: str, around: tuple[int, int]
) -> Iterator[tuple[str, bool]]:
    """Lines of the result, each with whether it counts as one."""
    size, effort, literal = pattern.size, context.effort, pattern.literal
    for where, blob in _files(context, path, glob):
        effort.left -= len(blob.data) * size
        if effort.left < 0:
            yield _STOPPED, False
            return
        if literal not in blob.data:  # as in most files; none lacks the empty one
            continue
        # Positions in bytes: decoding and offsets in characters would cost more than the search.
        data = blob.data.replace(b"\r\n", b"\n") if b"\r" in blob.data else blob.data
        hits = pattern.hits(data)
        first = next(hits, None)
        if first is None or blob.text is None:
            continue
        if mode == "files_with_matches":
            yield where, True
        elif mode == "count":
            most = min(MAX_COUNT, max(effort.left // (_BYTES_PER_HIT * size), 1))
            count = 1 + sum(1 for _ in islice(hits, most))
            effort.left -= count * _BYTES_PER_HIT * size
            yield f"{where}:{count}{' or more' if count > most else ''}", True
        else:
            yield from _content(where, data, first, hits, around)


def _content(
    where: str, data: bytes, first: int, hits: Iterator[int], around: tuple[int, int]
) -> Iterator[tuple[str, bool]]:
    """Matching lines and their context in order; a line that belongs to two matches is given once."""
    before, after = around
    at, number = 0, 1  # the next line that was not given yet, and its number
    hit: int | None = first
    while hit is not None:
        wanted = number + data.count(b"\n", at, hit)
        top, top_number = hit, wanted
        while top > at and wanted - top_number < before:
            top, top_number = data.rfind(b"\n", 0, top - 1) + 1, top_number - 1
        if (before or after) and at and top > at:
            yield "--", False
        at, number = top, top_number
        while number < wanted:
            line, at = _line(data, at)
            yield f"{where}-{number}-{line}", False
            number += 1
        line, at = _line(data, at)
        yield f"{where}:{number}:{line}", True
        number += 1
        hit = next(hits, None)
        while number <= wanted + after and at < len(data) and at != hit:
            line, at = _line(data, at)
            yield f"{where}-{number}-{line}", False
            number += 1


def _line(data: bytes, start: int) -> tuple[str, int]:
    """The line that begins here, shortened where it is long, and where the next one begins."""
    end = data.find(b"\n", start)
    end = len(data) if end < 0 else end
    text = data[start : min(end, start + 4 * MAX_LINE_CHARS)].decode(errors="ignore")
    cut = f"{text[:MAX_LINE_CHARS]}…" if len(text) > MAX_LINE_CHARS else text
    return cut, end + 1


def _files(context: ToolContext, path: str, glob: str | None) -> Iterator[tuple[str, Blob]]:
    matches = _matcher(glob) if glob is not None else None
    name = context.path(path)
    blob = context.workspace.blob(name)
    if blob is not None:
        yield name, blob
        return
    if not context.workspace.is_folder(name):
        raise context.absent(name, "file or directory")
    cut = len(name) + 1 if name else 0
    for where, found in context.workspace.walk(name):
        if b"\0" not in found.data and (matches is None or matches(where[cut:])):
            yield where, found


def _walk(workspace: Workspace, path: str, levels: int | None) -> Iterator[tuple[str, bool]]:
    """Files and directories under one, as (path, is a directory), down to `levels` directories deeper."""
    for name, is_folder in workspace.names(path):
        where = f"{path}/{name}" if path else name
        yield where, is_folder
        if is_folder and levels != 0:
            yield from _walk(workspace, where, None if levels is None else levels - 1)


def _folder(context: ToolContext, path: str) -> str:
    name = context.path(path)
    node = context.workspace.node(name)
    if isinstance(node, Folder):
        return name
    if node is not None:
        raise ToolError(f"{name!r} is a file; name a directory.")
    raise context.absent(name, "directory")


def _matcher(pattern: str) -> Callable[[str], bool]:
    try:
        return matcher(pattern)
    except BadPattern as error:
        raise ToolError(str(error)) from None


@lru_cache(maxsize=64)  # compiling takes longer than most searches, and many sessions search for the same
def _pattern(pattern: str, case_insensitive: bool, fixed: bool) -> _Pattern:
    regex = compiled(pattern, case_insensitive, fixed, "set fixed_strings for plain text")
    return _Pattern(regex, _literal(pattern, case_insensitive, fixed), max(regex.programsize, 10))


def compiled(pattern: str, case_insensitive: bool, fixed: bool, otherwise: str) -> Any:
    """An RE2 expression, no match of which crosses a line.

    Args:
        pattern: as the agent wrote it.
        case_insensitive: whether upper and lower case are the same.
        fixed: whether the pattern is plain text.
        otherwise: the advice to who cannot write such an expression.

    Raises:
        ToolError: it is empty, too long, too complex, or no RE2 expression.
    """
    if not pattern:
        raise ToolError("The pattern is empty; write what to look for.")
    if len(pattern) > MAX_PATTERN_CHARS:
        raise ToolError(f"The pattern has {len(pattern)} characters; at most {MAX_PATTERN_CHARS} are possible.")
    if fixed and "\n" in pattern:
        raise ToolError("The pattern holds a line break; lines are searched one by one, so look for one line of it.")
    options = re2.Options()
    options.log_errors = False
    options.never_capture = True
    options.never_nl = True  # no match crosses a line, whatever the pattern says
    options.case_sensitive = not case_insensitive
    options.max_mem = 1 << 20
    try:
        regex = re2.compile("(?m)" + (re2.escape(pattern) if fixed else pattern), options)
    except re2.error as error:
        reason = error.args[0].decode(errors="replace") if isinstance(error.args[0], bytes) else str(error)
        reason = reason.replace("(?m)", "", 1)
        raise ToolError(f"The pattern cannot be read: {reason}. Write an RE2 expression, or {otherwise}.") from None
    except UnicodeEncodeError:
        raise ToolError("The pattern holds a character that no text can hold.") from None
    if regex.programsize > MAX_PROGRAM:
        raise ToolError("The pattern is too complex: counted repetitions multiply. Write a simpler one.")
    return regex


def _literal(pattern: str, case_insensitive: bool, fixed: bool) -> bytes:
    """A pattern as the bytes that it stands for; empty where it stands for more than itself."""
    plain = fixed or all(character.isalnum() or character in " _-,;:/<>='\"" for character in pattern)
    return b"" if case_insensitive or not plain else pattern.encode()
