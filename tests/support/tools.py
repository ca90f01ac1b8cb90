"""Operations that leave the process, for sessions that wait inside an action."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.tools import GENERAL, Registry, ToolContext, ToolError, operation
from pi_gym.types import ToolRequest


def _resume(context: ToolContext, given: Mapping[str, Any], value: Any) -> str | ToolRequest:
    if value == "again":
        return ToolRequest("shell", {"command": given["command"], "again": True})
    if value == "refuse":
        raise ToolError("The command was refused.")
    context.workspace.write("remote.txt", str(value).encode())
    return f"output: {value}"


@operation("write", resume=_resume)
def remote(context: ToolContext, command: str) -> ToolRequest:
    """Run a command elsewhere.

    Args:
        command: what to run.
    """
    return ToolRequest("shell", {"command": command})


@operation("write")
def broken(context: ToolContext) -> str:
    """Fail as a programming error does."""
    context.workspace.write("half.txt", b"half")
    raise ZeroDivisionError("a fault of ours")


REGISTRY = Registry([*GENERAL, remote, broken])
