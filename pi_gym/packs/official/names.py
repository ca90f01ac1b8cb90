"""The official implementation's names for the tools of apps."""

from __future__ import annotations

PREFIX = "mcp_appworld_"
"""The beginning of an app's tool's name, as its agents see it."""


def own_name(tool: str) -> str:
    """A tool's name without the official prefix.

    >>> own_name("mcp_appworld_gmail__send_email")
    'gmail__send_email'
    """
    return tool.removeprefix(PREFIX)
