"""The forms of a result that right.py gives where a text of its own is not enough."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class File(NamedTuple):
    """A file that is handed in under a name that the author of the work chooses.

    Args:
        name: without its folder, which is the place's.
        text: its content; empty where task.yaml names a template for it.
    """

    name: str
    text: str = ""


class Change(NamedTuple):
    """A change to a file that the task brings.

    Args:
        replace: texts that stand in it once, each with what stands there afterwards.
        append: what follows at its end.
    """

    replace: Mapping[str, str] = {}
    append: str = ""

    def of(self, text: str) -> str:
        """The text with the change.

        Raises:
            ValueError: what is to be replaced does not stand there, or stands there more than once.
        """
        for old, new in self.replace.items():
            if text.count(old) != 1:
                raise ValueError(f"{old!r} stands {text.count(old)} times in the file, expected once")
            text = text.replace(old, new)
        return text + self.append
