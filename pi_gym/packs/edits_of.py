"""The calls that bring a file from one text to another, as an assistant would make them."""

from __future__ import annotations

from difflib import SequenceMatcher
from typing import Any

MAX_EDITS = 6


def file_calls(path: str, old: str | None, new: str) -> list[dict[str, Any]]:
    """The calls; none where nothing changes.

    Args:
        path: the file.
        old: its text as it is; None where there is no such file.
        new: its text as it shall be.

    >>> [call["tool"] for call in file_calls("a.txt", None, "x")], file_calls("a.txt", "x", "x")
    (['write_file'], [])
    >>> file_calls("a.txt", "one\\ntwo\\nthree\\n", "one\\n2\\nthree\\n")[0]["old_text"]
    'one\\ntwo\\n'
    """
    if old == new:
        return []
    edits = None if old is None else _edits(old, new)
    if edits is None:
        return [{"tool": "write_file", "path": path, "content": new}]
    return [{"tool": "edit_file", "path": path, "old_text": before, "new_text": after} for before, after in edits]


def _edits(old: str, new: str) -> list[tuple[str, str]] | None:
    """Pairs of a text that stands once and what takes its place; None where writing the whole file is simpler."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    changes = [one for one in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if one[0] != "equal"]
    if len(changes) > MAX_EDITS or sum(len(line) for line in after) < 200:
        return None
    found, text = [], old
    for _, start, end, first, last in changes:
        widened = _once(before, start, end, text)
        if widened is None:
            return None
        start, end, lines = widened[0], widened[1], after[first:last]
        pieces = [*before[start : widened[2]], *lines, *before[widened[3] : end]]
        found.append(("".join(before[start:end]), "".join(pieces)))
        text = text.replace(*found[-1], 1)
    return found if text == new else None


def _once(lines: list[str], start: int, end: int, text: str) -> tuple[int, int, int, int] | None:
    """The span around some lines whose text stands once, with the span itself."""
    low, high = start, end
    while low > 0 or high < len(lines):
        piece = "".join(lines[low:high])
        if piece and text.count(piece) == 1:
            return low, high, start, end
        low, high = (
            (low - 1, high) if low > 0 and (high - end >= start - low or high == len(lines)) else (low, high + 1)
        )
    piece = "".join(lines)
    return (low, high, start, end) if piece and text.count(piece) == 1 else None
