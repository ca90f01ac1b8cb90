"""The shell: a command runs elsewhere, over a copy of the workspace, and what it changed is brought back.

Nothing is run here. The call becomes a request that holds the workspace as it stands (a fork: nothing is copied until
somebody runs the command), and `resume` applies the answer.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.tools.declare import ToolContext, ToolError, operation
from pi_gym.tools.file_changes import take_back
from pi_gym.tools.shell_result import ENDINGS, STARVED, NoShellResult, ShellResult
from pi_gym.types import ToolRequest

MAX_COMMAND_CHARS = 50_000


def _resume(context: ToolContext, given: Mapping[str, Any], value: Any) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("unavailable"), str):
        raise ToolError(f"exec is not available here: {value['unavailable']}")
    try:
        result = ShellResult.from_json(value)
    except NoShellResult as error:
        raise ToolError("The command's result cannot be read; nothing was changed.") from error
    notes = [STARVED if result.starved else ENDINGS.get(result.ended, "killed")] if result.ended else []
    notes += take_back(context, result)
    if result.cut:
        shown = len(result.output)
        notes.append(f"output cut: {result.cut} bytes were printed, the first {shown} characters are shown")
    head = "\n".join([f"[exit status {result.exit}]", *(f"[{note}]" for note in notes)])
    return f"{head}\n{result.output}" if result.output else head


@operation("write", name="exec", resume=_resume)
def run_command(context: ToolContext, command: str, working_dir: str = ".") -> ToolRequest:
    """Run a shell command over the workspace. What it changes there is kept. Python 3 with its standard library is
    installed; there is no network, 60 seconds of time, and nothing outside the workspace lasts until the next command.

    Args:
        command: the command line, for bash.
        working_dir: the directory to run it in, relative to the workspace root.
    """
    if not command.strip():
        raise ToolError("The command is empty; write what to run.")
    if len(command) > MAX_COMMAND_CHARS:
        raise ToolError(
            f"The command has {len(command)} characters, at most {MAX_COMMAND_CHARS} are possible; write a script to a"
            " file and run that."
        )
    if "\0" in command:
        raise ToolError("The command holds a NUL character.")
    folder = context.path(working_dir)
    if not context.workspace.is_folder(folder) and folder:
        if context.workspace.blob(folder) is not None:
            raise ToolError(f"{folder!r} is a file; working_dir must be a directory.")
        raise context.absent(folder, "directory")
    payload = {
        "command": command,
        "working_dir": folder,
        "root": context.root,
        "workspace": context.workspace.fork(),
        "clock": context.clock,
        "begun": context.begun,
    }
    return ToolRequest("shell", payload)
