"""How the official implementation names the tools of apps."""

from __future__ import annotations

PREFIX = "mcp_appworld_"
"""What its agents see before the name of an app's tool."""


def own_name(tool: str) -> str:
    """A tool's name without the official prefix.

    >>> own_name("mcp_appworld_gmail__send_email")
    'gmail__send_email'
    """
    return tool.removeprefix(PREFIX)
