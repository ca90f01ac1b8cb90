"""Logs, ledgers and notes: the line that one has gained, where all else stands as it did."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from pi_gym.authoring.leavings import added_lines


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


def gained_one(evidence: Any, path: str) -> bool:
    """Whether a file has just one new line."""
    return len(added_lines(evidence, path)) == 1


def note_lines(evidence: Any, note: int) -> list[str]:
    """The lines of a note of simple_note as it is left, without blanks around them and blank ones; none without it."""
    found = evidence.apps["simple_note"].table("notes").get(note) or {"content": ""}
    return [line.strip() for line in found["content"].splitlines() if line.strip()]


def standing(lines: Iterable[str]) -> str:
    """The state of the lines that speak of something: "gone" without any, "struck" where each is, else "stays".

    >>> standing([]), standing(["~~112.00~~"]), standing(["~~112.00~~", "112.00 again"])
    ('gone', 'struck', 'stays')
    """
    there = [*lines]
    return "stays" if not all("~~" in line for line in there) else "struck" if there else "gone"


def note_call(note: int, text: str) -> dict[str, Any]:
    """The call that writes a note of simple_note anew.

    >>> note_call(61, "Gro M")
    {'tool': 'simple_note__update_note', 'note_id': 61, 'content': 'Gro M'}
    """
    return {"tool": "simple_note__update_note", "note_id": note, "content": text}
