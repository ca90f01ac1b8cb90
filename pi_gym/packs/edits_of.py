"""The calls that bring a file from one text to another, as an assistant would make them."""

from __future__ import annotations

from typing import Any


def file_calls(path: str, old: str | None, new: str) -> list[dict[str, Any]]:
    r"""The calls: a file is written, or the lines that change are; none where nothing does.

    Args:
        path: the file.
        old: its text as it is; None where there is no such file.
        new: its text as it shall be.

    >>> [call["tool"] for call in file_calls("a.txt", None, "x")], file_calls("a.txt", "x", "x")
    (['write_file'], [])
    >>> file_calls("a.txt", "one\ntwo\nthree\n", "one\n2\nthree\n")[0]["old_text"]
    'two\n'
    """
    if old == new:
        return []
    if old is None:
        return [{"tool": "write_file", "path": path, "content": new}]
    before, after = _span(old, new)
    return [{"tool": "edit_file", "path": path, "old_text": before, "new_text": after}]


def _span(old: str, new: str) -> tuple[str, str]:
    """The lines between the first and the last that differ, widened until what stood there is not empty and unique."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    shorter = min(len(before), len(after))
    head = next((n for n in range(shorter) if before[n] != after[n]), shorter)
    tail = next((n for n in range(shorter - head) if before[-1 - n] != after[-1 - n]), shorter - head)
    while True:
        piece = "".join(before[head : len(before) - tail])
        if old.count(piece) == 1 and piece:
            return piece, "".join(after[head : len(after) - tail])
        if not head and not tail:
            return old, new
        head, tail = max(0, head - 1), tail if head else tail - 1
