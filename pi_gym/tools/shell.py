"""The shell: a command runs elsewhere, over a copy of the workspace, and what it changed is brought back.

Nothing is run here. The call becomes a request that holds the workspace as it stands (a fork: nothing is copied until
somebody runs the command), and `resume` applies the answer.
"""

# ruff: noqa: D417 - the decorator sees to it that every argument of the agent is described
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pi_gym.state.paths import PathRefused, normalise
from pi_gym.state.workspace import FULL, WorkspaceError
from pi_gym.tools.declare import ToolContext, ToolError, operation
from pi_gym.tools.shell_result import ENDINGS, NoShellResult, ShellResult
from pi_gym.types import ToolRequest

MAX_COMMAND_CHARS = 50_000
_REFUSED_SHOWN = 10


def _resume(context: ToolContext, given: Mapping[str, Any], value: Any) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("unavailable"), str):
        raise ToolError(f"exec is not available here: {value['unavailable']}")
    try:
        result = ShellResult.from_json(value)
    except NoShellResult as error:
        raise ToolError("The command's result cannot be read; nothing was changed.") from error
    notes = [ENDINGS.get(result.ended, "killed")] if result.ended else []
    if result.overflow:
        notes.append(f"none of its changes to files were kept: {result.overflow}")
    else:
        notes += _take_back(context, result)
    if result.cut:
        shown = len(result.output)
        notes.append(f"output cut: {result.cut} bytes were printed, the first {shown} characters are shown")
    head = "\n".join([f"[exit status {result.exit}]", *(f"[{note}]" for note in notes)])
    return f"{head}\n{result.output}" if result.output else head


@operation("write", name="exec", resume=_resume)
def run_command(context: ToolContext, command: str, working_dir: str = ".") -> ToolRequest:
    """Run a shell command over the workspace. What it changes there is kept. Python 3 with its standard library is installed; there is no network, 60 seconds of time, and nothing outside the workspace lasts until the next command.

    Args:
        command: the command line, for bash.
        working_dir: the directory to run it in, relative to the workspace root.
    """  # noqa: E501 (the description is one paragraph for the agent)
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
    }
    return ToolRequest("shell", payload)


def _take_back(context: ToolContext, result: ShellResult) -> list[str]:
    """Apply the changes; gives notes on what was left out. Where a limit is reached, nothing is applied."""
    workspace = context.workspace
    before = workspace.fork()
    left_out = list(result.refused)
    full = ""

    def attempt(path: str, kind: str) -> None:
        nonlocal full
        try:
            place = context.target(path) if normalise(path, context.root) == path else ""
            if not place:
                left_out.append((path, "its name is not possible in the workspace"))
            elif kind == "delete":
                if workspace.node(place) is not None:
                    workspace.delete(place)
            elif kind == "folder":
                workspace.make_folder(place)
            else:
                workspace.write(place, result.files[path])
        except (PathRefused, ToolError) as error:
            left_out.append((path, str(error)))
        except WorkspaceError as error:
            left_out.append((path, str(error)))
            full = full or (FULL if str(error) == FULL else "")

    # What goes makes room for what comes, deepest first: a file may have become a directory, or changed its case.
    for path in sorted(result.deleted, reverse=True):
        attempt(path, "delete")
    for path in sorted(result.folders):
        attempt(path, "folder")
    for path in sorted(result.files):
        attempt(path, "file")
    if full:
        workspace.restore(before)
        return [f"none of its changes to files were kept: {full}"]
    notes = [f"not kept: {what}: {why}" for what, why in left_out[:_REFUSED_SHOWN]]
    if len(left_out) > _REFUSED_SHOWN:
        notes.append(f"not kept: {len(left_out) - _REFUSED_SHOWN} more")
    return [note if len(note) <= 300 else note[:300] + "…" for note in notes]
