"""Effects of trials in a table: a ratio stands with its interval, and what is no ratio has none."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from pi_gym.authoring.mends import numbers
from pi_gym.authoring.read_texts import markdown_rows


def interval_fits(evidence: Any, page: str, form: str, rows: Collection[str]) -> bool:
    """Whether rows of a page's table have an interval in their cell for it where they are ratios, else none.

    Those that the page has count, and one of them it must have; which rows are there is another question.

    Args:
        evidence: what the check was given.
        page: its path; the cell is that of the head "interval".
        form: "hr" where they are ratios.
        rows: the first cells of the rows that are meant, in small letters.
    """
    table = markdown_rows(evidence.text(page))
    head = next((row for row in table if "interval" in row), [])
    own = [row for row in table if row is not head and len(row) == len(head) and row[0] in rows]
    cells = [numbers(row[head.index("interval")]) for row in own]
    if form != "hr":
        return bool(cells) and not any(cells)
    return bool(cells) and all(sum("." in one for one in cell) == 2 for cell in cells)
