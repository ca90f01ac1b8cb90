"""Logs, ledgers and notes: the line that one has gained, where all else stands as it did. Each takes the evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def gained_line(before: str, now: str) -> str:
    r"""The one line that a text has gained, without blanks around it; "" where it lost one or gained another number.

    Blank lines do not count.

    >>> gained_line("# Log\na\n", "# Log\n\na\n- b\n"), gained_line("a\nb\n", "b\nc\n")
    ('- b', '')
    """
    old, lines = ([line.strip() for line in text.splitlines() if line.strip()] for text in (before, now))
    new = [line for line in lines if line not in old]
    return new[0] if len(new) == 1 and [line for line in lines if line in old] == old else ""


def new_line(evidence: Any, path: str) -> str:
    """The one line that a file has gained, as `gained_line` gives it."""
    return gained_line(evidence.start.text(path) or "", evidence.text(path) or "")


def new_cells(evidence: Any, path: str, count: int, mark: str = "|") -> list[str]:
    """The cells of the one line that a file has gained; [] where it is none, or has not so many cells.

    Args:
        evidence: what the check was given.
        path: the file's.
        count: of cells.
        mark: what parts them: "|" of tables and logs, "," of CSV files.
    """
    return _cells(new_line(evidence, path), count, mark)


def new_row(evidence: Any, path: str, columns: Sequence[str], mark: str = "|") -> dict[str, str]:
    """The same by column; {} where it is none."""
    return dict(zip(columns, new_cells(evidence, path, len(columns), mark), strict=False))


def _cells(line: str, count: int, mark: str) -> list[str]:
    cells = [cell.strip() for cell in (line.strip("|") if mark == "|" else line).split(mark)]
    return cells if len(cells) == count else []


def note_gained(evidence: Any, note: int) -> str:
    """The one line that a note of simple_note has gained, as `gained_line` gives it."""
    texts = [(apps["simple_note"].table("notes").get(note) or {}) for apps in (evidence.apps_start, evidence.apps)]
    before, now = (str(one.get("content", "")) for one in texts)
    return gained_line(before, now)
