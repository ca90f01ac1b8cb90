"""The nodes of a workspace: files and directories that are never changed in place, so that trees can share them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeAlias

from rpds import HashTrieMap

from pi_gym.state.paths import fold


class Blob:
    """The content of one file: immutable, shared, decoded at most once.

    Args:
        data: the content, or a function that makes it at the first look: most files of a world's past are never read.
        written: the session's time at which it was written, ISO 8601; empty where that was before any session.
    """

    __slots__ = ("_make", "_text", "data", "written")
    data: bytes

    def __init__(self, data: bytes | Callable[[], bytes], written: str = "") -> None:
        if callable(data):
            self._make = data
        else:
            self.data = data
        self.written = written
        self._text: str | bool | None = False  # False: not decoded yet; None: binary

    def __getattr__(self, name: str) -> bytes:
        # Python asks here for a slot that is empty: `data` until it is made, `_make` where nothing waits.
        if name != "data":
            raise AttributeError(f"{type(self).__name__} has no attribute {name!r}")
        self.data = self._make()
        return self.data

    @property
    def text(self) -> str | None:
        """The content as text, or None where it is binary (not UTF-8, or with a NUL)."""
        if self._text is False:
            try:
                self._text = None if b"\0" in self.data else self.data.decode()
            except UnicodeDecodeError:
                self._text = None
        return self._text  # type: ignore[return-value]

    def __reduce__(self) -> tuple[type[Blob], tuple[bytes, str]]:
        return Blob, (self.data, self.written)


class Folder:
    """One directory: entries by name, and the names by case-folded name."""

    __slots__ = ("_names", "_nodes", "entries", "folded")

    def __init__(self, entries: HashTrieMap[str, TreeNode], folded: HashTrieMap[str, str]) -> None:
        self.entries = entries
        self.folded = folded
        self._names: tuple[str, ...] | None = None
        self._nodes: tuple[TreeNode, ...] = ()

    @property
    def children(self) -> Iterator[tuple[str, TreeNode]]:
        """The entries by name, sorted once for all sessions that share the directory."""
        if self._names is None:
            self._names = tuple(sorted(self.entries))
            self._nodes = tuple([self.entries[name] for name in self._names])
        return zip(self._names, self._nodes, strict=True)

    def __reduce__(self) -> tuple[type[Folder], tuple[HashTrieMap[str, TreeNode], HashTrieMap[str, str]]]:
        return Folder, (self.entries, self.folded)

    def drop(self, name: str) -> Folder:
        """This folder without one entry."""
        return Folder(self.entries.remove(name), self.folded.remove(fold(name)))


TreeNode: TypeAlias = Blob | Folder
EMPTY = Folder(HashTrieMap(), HashTrieMap())


def lookup(root: Folder, path: str) -> TreeNode | None:
    """The node at a path in normal form; None where there is none."""
    node: TreeNode | None = root
    if path:
        for name in path.split("/"):
            if not isinstance(node, Folder):
                return None
            node = node.entries.get(name)
    return node


def walk_files(folder: Folder, path: str) -> Iterator[tuple[str, Blob]]:
    """The files below a directory that lies at `path`, as (path, file), sorted by name within each directory."""
    # One generator, however deep the file lies: each that it had to come through would cost as much again.
    opened = [(f"{path}/" if path else "", folder.children)]
    while opened:
        prefix, children = opened[-1]
        for name, child in children:
            if isinstance(child, Folder):
                opened.append((f"{prefix}{name}/", child.children))
                break
            yield prefix + name, child
        else:
            opened.pop()


def walk_nodes(folder: Folder, path: str) -> Iterator[tuple[str, TreeNode]]:
    """The same with the directories, each before what it holds."""
    for name, child in folder.children:
        place = f"{path}/{name}" if path else name
        yield place, child
        if isinstance(child, Folder):
            yield from walk_nodes(child, place)
