"""Rows and texts as the phone shows them: a page of a list, one of a list by its place, the beginning of a text."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from pi_gym.state.tables import Row
from pi_gym.tools.declare import ToolError

MAX_PAGE = 100
BEGINNING_CHARS = 20


def page(
    found: Sequence[tuple[int, Row]], offset: int, limit: int, name: str, show: Callable[[int, Row], Any]
) -> dict[str, Any]:
    """One page of a list, and how many the list has in all.

    Args:
        found: all rows of the list as (id, row), in order.
        offset: how many to skip.
        limit: the most to show, 1 to 100.
        name: the key of the rows in the result.
        show: how a row is shown; only those of the page are.

    Raises:
        ToolError: a number is out of range.
    """
    if offset < 0:
        raise ToolError(f"offset counts from 0, so {offset} is none.")
    if not 1 <= limit <= MAX_PAGE:
        raise ToolError(f"limit must be between 1 and {MAX_PAGE}, not {limit}.")
    return {name: [show(*pair) for pair in found[offset : offset + limit]], "total": len(found)}


def at_index(found: Sequence[tuple[int, Row]], index: int, nouns: str) -> tuple[int, Row]:
    """One row of a list by its place, from 0.

    Args:
        found: the rows of the list as (id, row), in order.
        index: the place.
        nouns: what the list holds, for the message ("e-mails").

    Raises:
        ToolError: there is no such place.
    """
    if not 0 <= index < len(found):
        count = f"The list has {len(found)} {nouns}, counted from 0" if found else f"The list has no {nouns}"
        raise ToolError(f"{count}; there is none at {index}.")
    return found[index]


def beginning(text: str) -> str:
    """The first characters of a text on one line, as a screen has room for.

    >>> beginning("Could you bring the keys?"), beginning("Thanks!")
    ('Could you bring the…', 'Thanks!')
    """
    line = " ".join(text.split())
    return line if len(line) <= BEGINNING_CHARS else line[:BEGINNING_CHARS].rstrip() + "…"


def in_lines(*parts: str) -> str:
    """A notification of several lines, without those that say nothing."""
    return "\n".join(part for part in parts if part.strip())


def named(**facts: str | list[str]) -> str:
    """Facts by name, one a line, without those that are empty; blanks stand for the underscores of the names.

    >>> named(location="", attendees=["Ole", "Ida"])
    'attendees: Ole, Ida'
    """
    values = {name: ", ".join(fact) if isinstance(fact, list) else fact for name, fact in facts.items()}
    return in_lines(*(f"{name.replace('_', ' ')}: {value}" for name, value in values.items() if value.strip()))
