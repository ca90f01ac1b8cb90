"""The app Files: the workspace as a file system that only an agent uses, and how its nodes are found and shown."""

from __future__ import annotations

from typing import Any

from pi_gym.apps.desk import mounted
from pi_gym.phone.declare import PhoneApp
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.state.tree import Blob, Folder, TreeNode
from pi_gym.tools.declare import ToolError

APP = PhoneApp(
    "Files",
    "the files",
    "The files of the phone: the session's workspace. It has no screens and no records of its own; an agent reads and"
    " moves what mails and notes carry.",
    {},
)


def node_at(desk: PhoneDesk, path: str) -> tuple[str, TreeNode]:
    """The normal form of a path, and what is there; ToolError where nothing is."""
    name = desk.context.path(mounted(path))
    node = desk.context.workspace.node(name)
    if node is None:
        raise desk.context.absent(name, "file or directory")
    return name, node


def folder_at(desk: PhoneDesk, path: str) -> tuple[str, Folder]:
    """The normal form of a path, and the directory there; ToolError where none is."""
    name, node = node_at(desk, path)
    if not isinstance(node, Folder):
        raise ToolError(f"{name!r} is a file, not a directory; Files__cat shows its text.")
    return name, node


def text_at(desk: PhoneDesk, path: str) -> tuple[str, str]:
    """The normal form of a path, and the text of the file there; ToolError where none is, or it is no text."""
    name, node = node_at(desk, path)
    if isinstance(node, Folder):
        raise ToolError(f"{name or '.'!r} is a directory; Files__ls lists what it holds.")
    if node.text is None:
        raise ToolError(f"{name!r} is no text, {len(node.data)} bytes; only text can be shown.")
    return name, node.text


def changeable(desk: PhoneDesk, path: str) -> str:
    """The normal form of a path to change; never the root itself."""
    name = desk.context.target(mounted(path))
    if not name:
        raise ToolError("The root is always there and cannot be made, moved or removed; name something in it.")
    return name


def described(name: str, node: TreeNode) -> dict[str, Any]:
    """The kind of a node, and a file's size."""
    if isinstance(node, Blob):
        return {"name": name, "type": "file", "size": len(node.data)}
    return {"name": name or ".", "type": "directory", "size": 0}
