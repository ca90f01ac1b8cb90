"""Short, safe ways to name found and expected values in a sentence."""

from __future__ import annotations

from collections.abc import Sequence
from reprlib import Repr
from typing import Any

_REPR = Repr()
_REPR.maxstring = _REPR.maxother = _REPR.maxlong = 80
_REPR.maxlist = _REPR.maxtuple = _REPR.maxdict = 6
_REPR.maxlevel = 3


def shown(value: Any) -> str:
    r"""A value for a message: bounded in length whatever it holds, and free of control characters.

    >>> shown("a\nb")
    "'a\\nb'"
    """
    if isinstance(value, str):
        return repr(value if len(value) <= 80 else value[:77] + "…")
    try:
        return _REPR.repr(value)
    except ValueError:  # an integer with more digits than Python prints
        return "a very long number"


def listed(values: Sequence[Any], limit: int = 6) -> str:
    """Values as a list in words.

    >>> listed(["a", "b"]), listed([])
    ("'a', 'b'", 'none')
    """
    if not values:
        return "none"
    more = f", … ({len(values)} in all)" if len(values) > limit else ""
    return ", ".join(map(shown, values[:limit])) + more


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "row"), plural(2, "row")
    ('1 row', '2 rows')
    """
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"
