"""Operations on single files."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import Desk
from pi_gym.apps.file_system.app import APP, changeable, make_room, need, readable, shown
from pi_gym.state.tree import Blob
from pi_gym.tools.declare import ToolError


@APP.operation("write")
def create_file(desk: Desk, file_path: str, content: str = "", overwrite: bool = False) -> Any:
    """Create a text file, with the directories that it lies in.

    Args:
        file_path: where, for example ~/notes/plan.md.
        content: the file's text.
        overwrite: whether to replace a file that exists already.
    """
    name = changeable(desk, file_path)
    make_room(desk, name, "file", overwrite)
    data = content.encode(errors="replace")
    desk.context.workspace.write(name, data)
    return {"message": f"File {shown(name)} created.", "file_path": f"~/{name}", "bytes": len(data)}


@APP.operation("write")
def copy_file(
    desk: Desk,
    source_file_path: str,
    destination_file_path: str,
    overwrite: bool = False,
    retain_dates: bool = False,
) -> Any:
    """Copy a file.

    Args:
        source_file_path: the file.
        destination_file_path: the whole path of the copy, its name included.
        overwrite: whether to replace a file that exists there already.
        retain_dates: accepted and ignored: files carry no dates.
    """
    source, target = readable(desk, source_file_path), changeable(desk, destination_file_path)
    blob = need(desk, source, "file")
    assert isinstance(blob, Blob)
    _distinct(source, target)
    make_room(desk, target, "file", overwrite)
    desk.context.workspace.write(target, blob.data)
    return {"message": f"File {shown(source)} copied to {shown(target)}.", "file_path": f"~/{target}"}


@APP.operation("write")
def move_file(
    desk: Desk,
    source_file_path: str,
    destination_file_path: str,
    overwrite: bool = False,
    retain_dates: bool = False,
) -> Any:
    """Move or rename a file.

    Args:
        source_file_path: the file.
        destination_file_path: its whole new path, its name included.
        overwrite: whether to replace a file that exists there already.
        retain_dates: accepted and ignored: files carry no dates.
    """
    source, target = changeable(desk, source_file_path), changeable(desk, destination_file_path)
    need(desk, source, "file")
    _distinct(source, target)
    make_room(desk, target, "file", overwrite)
    if desk.context.workspace.node(target) is not None:
        desk.context.workspace.delete(target)
    desk.context.workspace.rename(source, target)
    return {"message": f"File {shown(source)} moved to {shown(target)}.", "file_path": f"~/{target}"}


def _distinct(source: str, target: str) -> None:
    if source == target:
        raise ToolError("Source and destination are the same file; there is nothing to do.")
