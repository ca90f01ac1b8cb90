"""The app File System: a view of the session's workspace, mounted at ~/."""

from __future__ import annotations

from pi_gym.apps.declare import App
from pi_gym.apps.desk import Desk, mounted
from pi_gym.state.tree import TreeNode
from pi_gym.tools.declare import ToolError

APP = App(
    "file_system",
    "File System",
    "The same files as the workspace, by other operations: `~/notes/a.md` is `notes/a.md` for `read_file`. It has no"
    " records of its own but the accounts, and files carry no dates.",
    service="the file system",
)


def readable(desk: Desk, path: str) -> str:
    """The workspace path to look at that a path of the app means."""
    return desk.context.path(mounted(path))


def changeable(desk: Desk, path: str) -> str:
    """The workspace path to change that a path of the app means; never the root itself."""
    name = desk.context.target(mounted(path))
    if not name:
        raise ToolError("The root ~/ is always there and cannot be replaced or moved; name something in it.")
    return name


def need(desk: Desk, name: str, kind: str) -> TreeNode:
    """The file or directory at a workspace path; ToolError where there is none, or it is the other kind."""
    node = desk.context.workspace.node(name)
    if node is None:
        raise desk.context.absent(name, kind)
    found = "directory" if desk.context.workspace.is_folder(name) else "file"
    if found != kind:
        raise ToolError(
            f"{shown(name)} is a {found}, not a {kind}; file_system__copy_{found} and file_system__move_{found} take"
            " it."
        )
    return node


def make_room(desk: Desk, name: str, kind: str, overwrite: bool) -> None:
    """See to it that something can be put at a workspace path: what is there goes, if that is wished.

    Raises:
        ToolError: something is there and must not be replaced.
    """
    workspace = desk.context.workspace
    if workspace.node(name) is None:
        return
    found = "directory" if workspace.is_folder(name) else "file"
    if found != kind:
        raise ToolError(f"{shown(name)} exists and is a {found}; give the whole path that the {kind} shall have.")
    if not overwrite:
        raise ToolError(f"{shown(name)} exists already; choose another path, or pass overwrite=true to replace it.")
    if kind == "directory":
        workspace.delete(name)


def shown(name: str) -> str:
    """A workspace path as the app shows it."""
    return repr(f"~/{name}")
