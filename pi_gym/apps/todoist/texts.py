"""Texts of records: blank ones refused, shortened where a list shows many."""

from __future__ import annotations

from pi_gym.apps.texts import is_blank
from pi_gym.tools.declare import ToolError


def named(text: str, what: str) -> str:
    """A title or name without blanks around it.

    Args:
        text: what was given.
        what: what it is, for messages ("title of the task").

    Raises:
        ToolError: it is empty.
    """
    name = text.strip()
    if is_blank(name):
        raise ToolError(f"The {what} is empty; give it one.")
    return name


def shortened(text: str, chars: int) -> str:
    """The beginning of a text, with a mark where more follows.

    >>> shortened("walking", 4), shortened("walk", 4)
    ('walk…', 'walk')
    """
    return text if len(text) <= chars else text[:chars] + "…"
