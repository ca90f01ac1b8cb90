"""Operations on directories."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.file_system.app import APP, changeable, make_room, need, readable, shown
from pi_gym.state.tree import Blob, Folder, walk_nodes
from pi_gym.tools.declare import ToolError


@APP.operation("write")
def create_directory(desk: Desk, directory_path: str, recursive: bool = True) -> Any:
    """Create a directory.

    Args:
        directory_path: where, for example ~/notes/2026.
        recursive: whether to create the directories above it too, where they do not exist.
    """
    name, workspace = changeable(desk, directory_path), desk.context.workspace
    if workspace.node(name) is not None:
        kind = "directory" if workspace.is_folder(name) else "file"
        raise ToolError(f"{shown(name)} exists already, as a {kind}.")
    parent = name.rpartition("/")[0]
    if not recursive and not workspace.is_folder(parent):
        raise ToolError(f"The directory {shown(parent)} does not exist; pass recursive=true to create it too.")
    workspace.make_folder(name)
    return {"message": f"Directory {shown(name)} created.", "directory_path": f"~/{name}"}


@APP.operation("write")
def copy_directory(
    desk: Desk,
    source_directory_path: str,
    destination_directory_path: str,
    overwrite: bool = False,
    retain_dates: bool = False,
) -> Any:
    """Copy a directory with all it holds.

    Args:
        source_directory_path: the directory.
        destination_directory_path: the whole path of the copy, its name included.
        overwrite: whether to replace a directory that exists there already, with all it holds.
        retain_dates: accepted and ignored: files carry no dates.
    """
    source, target = readable(desk, source_directory_path), changeable(desk, destination_directory_path)
    folder = _prepare(desk, source, target, overwrite)
    workspace = desk.context.workspace
    workspace.make_folder(target)
    for place, node in walk_nodes(folder, ""):
        path = desk.context.target(f"{target}/{place}")  # the copy may lie too deep
        if isinstance(node, Blob):
            workspace.write(path, node.data)
        else:
            workspace.make_folder(path)
    return {"message": f"Directory {shown(source)} copied to {shown(target)}.", "directory_path": f"~/{target}"}


@APP.operation("write")
def move_directory(
    desk: Desk,
    source_directory_path: str,
    destination_directory_path: str,
    overwrite: bool = False,
    retain_dates: bool = False,
) -> Any:
    """Move or rename a directory with all it holds.

    Args:
        source_directory_path: the directory.
        destination_directory_path: its whole new path, its name included.
        overwrite: whether to replace a directory that exists there already, with all it holds.
        retain_dates: accepted and ignored: files carry no dates.
    """
    source, target = changeable(desk, source_directory_path), changeable(desk, destination_directory_path)
    _prepare(desk, source, target, overwrite)
    desk.context.workspace.rename(source, target)
    return {"message": f"Directory {shown(source)} moved to {shown(target)}.", "directory_path": f"~/{target}"}


def _prepare(desk: Desk, source: str, target: str, overwrite: bool) -> Folder:
    """The source, checked, with room made at the target."""
    folder = need(desk, source, "directory")
    assert isinstance(folder, Folder)
    if source == target:
        raise ToolError("Source and destination are the same directory; there is nothing to do.")
    if not source or target.startswith(source + "/"):
        raise ToolError(f"{shown(target)} lies in {shown(source)}; choose a destination outside of it.")
    if source.startswith(target + "/"):
        raise ToolError(
            f"{shown(source)} lies in {shown(target)}, which would be replaced; choose another destination."
        )
    make_room(desk, target, "directory", overwrite)
    return folder
