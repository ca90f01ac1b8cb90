"""Logs, ledgers and notes: the line that one has gained, where all else stands as it did."""

from __future__ import annotations

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


def note_gained(evidence: Any, note: int) -> str:
    """The one line that a note of simple_note has gained, as `gained_line` gives it."""
    texts = [(apps["simple_note"].table("notes").get(note) or {}) for apps in (evidence.apps_start, evidence.apps)]
    before, now = (str(one.get("content", "")) for one in texts)
    return gained_line(before, now)
