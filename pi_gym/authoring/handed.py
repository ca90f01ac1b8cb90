"""What right.py gives for a result whose name is its own choice."""

from __future__ import annotations

from typing import NamedTuple


class File(NamedTuple):
    """A file that is handed in.

    Args:
        name: without its folder, which is the place's.
        text: its content; empty where task.yaml names a template for it.
    """

    name: str
    text: str = ""
