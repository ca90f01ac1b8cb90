"""The operations on the files that an agent has."""

from __future__ import annotations

from typing import Any, Literal

from pi_gym.apps.desk import mounted
from pi_gym.phone.files.app import APP, changeable, described, folder_at, node_at, text_at
from pi_gym.phone.phone_desk import PhoneDesk
from pi_gym.state.tree import Blob, Folder, walk_files
from pi_gym.tools.declare import ToolError
from pi_gym.tools.files import entries

LINES = 20


@APP.operation("read", name="open")
@APP.operation("read")
def display(desk: PhoneDesk, path: str) -> Any:
    """Show a text file whole.

    Args:
        path: the file.
    """
    name, text = text_at(desk, path)
    return {"path": name, "text": text}


@APP.operation("read")
def read_document(desk: PhoneDesk, file_path: str, max_lines: int = LINES) -> Any:
    """Show the first lines of a text file.

    Args:
        file_path: the file.
        max_lines: the most lines, 1 or more.
    """
    if max_lines < 1:
        raise ToolError(f"max_lines must be 1 or more, not {max_lines}.")
    name, text = text_at(desk, file_path)
    lines = text.splitlines(keepends=True)
    return {"path": name, "text": "".join(lines[:max_lines]), "lines": len(lines)}


@APP.operation("read")
def cat(desk: PhoneDesk, path: str, recursive: bool = False, on_error: Literal["raise", "omit"] = "raise") -> Any:
    """Show the text of a file, or of all files below a directory.

    Args:
        path: the file or directory.
        recursive: whether a directory may be given; its files then come by path.
        on_error: of files below a directory that are no text: "raise" refuses, "omit" leaves them out.
    """
    name, node = node_at(desk, path)
    if not (recursive and isinstance(node, Folder)):
        return {"path": name, "text": text_at(desk, path)[1]}
    texts = {}
    for place, blob in walk_files(node, name):
        if blob.text is None and on_error == "omit":
            continue
        texts[place] = text_at(desk, place)[1]
    return {"path": name or ".", "texts": texts}


@APP.operation("read")
def ls(desk: PhoneDesk, path: str = ".", detail: bool = False) -> Any:
    """List a directory by name.

    Args:
        path: the directory.
        detail: whether to tell kinds and sizes too.
    """
    name, folder = folder_at(desk, path)
    nodes = [(f"{name}/{child}" if name else child, node) for child, node in folder.children]
    return {"path": name or ".", "entries": [described(*pair) if detail else pair[0] for pair in nodes]}


@APP.operation("read")
def tree(desk: PhoneDesk, path: str = ".") -> Any:
    """List all that lies below a directory.

    Args:
        path: the directory.
    """
    name, folder = folder_at(desk, path)
    return {"path": name or ".", "entries": list(entries(folder, recursive=True))}


@APP.operation("read")
def exists(desk: PhoneDesk, path: str) -> Any:
    """Tell whether there is a file or directory.

    Args:
        path: where.
    """
    try:
        name, node = node_at(desk, path)
    except ToolError:
        return {"exists": False}
    return {"exists": True, **described(name, node)}


@APP.operation("read")
def info(desk: PhoneDesk, path: str) -> Any:
    """Tell the kind and size of a file or directory.

    Args:
        path: where.
    """
    return described(*node_at(desk, path))


@APP.operation("write")
def mkdir(desk: PhoneDesk, path: str, create_parents: bool = True) -> Any:
    """Make a directory.

    Args:
        path: where; nothing may be there.
        create_parents: whether to make the directories above it too, where they do not exist.
    """
    name = changeable(desk, path)
    parent = name.rpartition("/")[0]
    if not create_parents and not desk.context.workspace.is_folder(parent):
        raise ToolError(f"There is no directory {parent!r}; pass create_parents=true to make it too.")
    return _made(desk, name, False)


@APP.operation("write")
def makedirs(desk: PhoneDesk, path: str, exist_ok: bool = False) -> Any:
    """Make a directory with those above it.

    Args:
        path: where.
        exist_ok: whether it may be there already.
    """
    return _made(desk, changeable(desk, path), exist_ok)


def _made(desk: PhoneDesk, name: str, exist_ok: bool) -> str:
    node = desk.context.workspace.node(name)
    if node is not None and not (exist_ok and isinstance(node, Folder)):
        raise ToolError(f"{name!r} exists already, as a {described(name, node)['type']}.")
    desk.context.workspace.make_folder(name)
    return f"The directory {name!r} is there."


@APP.operation("write")
def mv(desk: PhoneDesk, path1: str, path2: str, recursive: bool = False) -> Any:
    """Move or rename a file or directory; nothing is replaced.

    Args:
        path1: what moves.
        path2: its new path, or a directory that it goes into.
        recursive: whether a directory may be moved with all it holds.
    """
    source, target = changeable(desk, path1), desk.context.path(mounted(path2))
    _whole(desk, source, recursive)
    if desk.context.workspace.is_folder(target):
        target = f"{target}/{source.rpartition('/')[2]}".lstrip("/")
    target = changeable(desk, target)
    desk.context.workspace.rename(source, target)
    return f"Moved {source!r} to {target!r}."


@APP.operation("write")
def rm(desk: PhoneDesk, path: str, recursive: bool = False) -> Any:
    """Remove a file or directory.

    Args:
        path: what goes.
        recursive: whether a directory may be removed with all it holds.
    """
    name = changeable(desk, path)
    _whole(desk, name, recursive)
    desk.context.workspace.delete(name)
    return f"Removed {name!r}."


def _whole(desk: PhoneDesk, name: str, recursive: bool) -> None:
    """Nothing, or a ToolError where there is nothing, or a directory without leave for all it holds."""
    _, node = node_at(desk, name)
    if not isinstance(node, Blob) and not recursive:
        raise ToolError(f"{name!r} is a directory; pass recursive=true to take it with all it holds.")
