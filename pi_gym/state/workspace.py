"""The workspace: a persistent tree of files, copy-on-write.

Folders are persistent maps, so a fork, a mark and a rename share everything they do not change, and a write costs
the depth of its path. What changed since a mark is known from a journal of touched paths: no comparison ever walks
over untouched files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from pi_gym.state.log import Log
from pi_gym.state.paths import MAX_DEPTH, MAX_PATH_CHARS, fold
from pi_gym.state.tree import EMPTY, Blob, Folder, TreeNode, lookup, walk_files, walk_nodes
from pi_gym.types import frozen_value

MAX_FILE_BYTES = 4_000_000
MAX_CHANGED_BYTES = 64_000_000
MAX_CHANGED_FILES = 20_000
FULL = "the workspace has taken as many changes as one session may make"


class WorkspaceError(Exception):
    """An operation on the workspace cannot be done; the message is meant for the agent."""


@frozen_value
class Mark:
    """A moment of a workspace, to compare with later. Making one costs nothing."""

    root: Folder
    position: int


@dataclass(frozen=True, slots=True)
class Changes:
    """The files that differ between a mark and now, each list sorted.

    Args:
        created: paths that did not exist at the mark.
        modified: paths whose content differs.
        deleted: paths that exist no more.
    """

    created: tuple[str, ...] = ()
    modified: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """All of them, sorted."""
        return tuple(sorted((*self.created, *self.modified, *self.deleted)))

    def __bool__(self) -> bool:
        return bool(self.created or self.modified or self.deleted)


FilePair: TypeAlias = tuple[str, Blob | None, Blob | None]
"""A path, the file that was there, and the one that is."""


class Workspace:
    """Files by path. Paths are in normal form (`pi_gym.state.paths`); content is bytes.

    Args:
        files: the first content; later forks share it.

    Attributes:
        clock: the session's time, ISO 8601, which files carry that are written now; empty: none.
    """

    __slots__ = ("_allowance_from", "_changed_bytes", "_journal", "_root", "clock")

    def __init__(self, files: Mapping[str, bytes] | None = None) -> None:
        self._root, self.clock = EMPTY, ""
        self._journal: Log[str] = Log()
        self._changed_bytes = self._allowance_from = 0
        for path in sorted(files or {}):
            self.write(path, (files or {})[path], limited=False)
        self._journal = Log()
        self.renew_allowance()

    # -- reading ------------------------------------------------------------------------------------------------

    def node(self, path: str) -> TreeNode | None:
        """The node at a path: a `Blob`, a `Folder`, or None."""
        return lookup(self._root, path)

    def blob(self, path: str) -> Blob | None:
        """The file at a path, or None where there is none."""
        node = lookup(self._root, path)
        return node if isinstance(node, Blob) else None

    def read(self, path: str) -> bytes | None:
        """A file's bytes, or None where there is no file."""
        blob = self.blob(path)
        return None if blob is None else blob.data

    def text(self, path: str) -> str | None:
        """A file's text, or None where there is no file or it is binary."""
        blob = self.blob(path)
        return None if blob is None else blob.text

    def is_folder(self, path: str) -> bool:
        """Whether a directory is at the path."""
        return isinstance(lookup(self._root, path), Folder)

    def names(self, path: str) -> list[tuple[str, bool]]:
        """The entries of a directory as (name, is a directory), sorted by name."""
        node = lookup(self._root, path)
        if not isinstance(node, Folder):
            return []
        return [(name, isinstance(child, Folder)) for name, child in node.children]

    def walk(self, path: str = "") -> Iterator[tuple[str, Blob]]:
        """All files under a directory, as (path, blob), sorted by path within each directory."""
        node = lookup(self._root, path)
        return walk_files(node, path) if isinstance(node, Folder) else iter(())

    def spelling(self, path: str) -> str | None:
        """The existing path that differs from `path` only in case, if there is one."""
        node: TreeNode | None = self._root
        found: list[str] = []
        for name in path.split("/"):
            if not isinstance(node, Folder):
                return None
            real = name if node.entries.get(name) is not None else node.folded.get(fold(name))
            if real is None:
                return None
            found.append(real)
            node = node.entries.get(real)
        spelled = "/".join(found)
        return spelled if spelled != path else None

    # -- changing -----------------------------------------------------------------------------------------------

    def write(self, path: str, data: bytes, *, limited: bool = True) -> bool:
        """Create or overwrite a file, with its parent directories.

        Args:
            path: where.
            data: the whole content.
            limited: hold the write to the limits for agents.

        Returns:
            Whether there was a file.

        Raises:
            WorkspaceError: a directory is there, a file is in the way, a name differs from an existing one only in
                case, or a limit is reached.
        """
        if not path:
            raise WorkspaceError("the workspace root is a directory; name a file in it")
        if limited:
            if len(data) > MAX_FILE_BYTES:
                raise WorkspaceError(f"the file would have {len(data)} bytes; at most {MAX_FILE_BYTES} are possible")
            if self._changed_bytes + len(data) > MAX_CHANGED_BYTES:
                raise WorkspaceError(FULL)
            self._check_journal(1)
        old = lookup(self._root, path)
        if isinstance(old, Folder):
            raise WorkspaceError(f"{path!r} is a directory; name a file in it")
        if old is not None and old.data == data:
            return True
        self._root = self._put(self._root, path.split("/"), Blob(data, self.clock), path)
        self._journal.append(path)
        self._changed_bytes += len(data)
        return old is not None

    def bring(self, path: str, make: Callable[[], bytes]) -> None:
        """Create or overwrite a file whose content is made when somebody looks at it; no limits hold.

        Args:
            path: where.
            make: gives the content; whatever it raises, the reader gets.

        Raises:
            WorkspaceError: as of `write`.
        """
        if isinstance(lookup(self._root, path), Folder):
            raise WorkspaceError(f"{path!r} is a directory; name a file in it")
        self._root = self._put(self._root, path.split("/"), Blob(make, self.clock), path)
        self._journal.append(path)

    def make_folder(self, path: str) -> None:
        """Create a directory with its parents; an existing one is left as it is."""
        if path and not self.is_folder(path):
            if lookup(self._root, path) is not None:
                raise WorkspaceError(f"{path!r} is a file, so it cannot become a directory")
            self._check_journal(1)
            self._root = self._put(self._root, path.split("/"), EMPTY, path)
            # A folder is no file and shows in no diff, but a pickle has to carry it.
            self._journal.append(path)

    def delete(self, path: str) -> None:
        """Remove a file or a directory with all it holds; an error where nothing is there."""
        node = lookup(self._root, path)
        if node is None or not path:
            raise WorkspaceError(f"there is nothing at {path!r} to delete")
        gone = [path] if isinstance(node, Blob) else [path, *(p for p, _ in walk_nodes(node, path))]
        self._root = self._drop(self._root, path.split("/"))
        for place in gone:
            self._journal.append(place)
        self._note_parent(path)

    def rename(self, source: str, target: str) -> None:
        """Move a file or directory; the target must not exist."""
        node = lookup(self._root, source)
        if node is None or not source:
            raise WorkspaceError(f"there is nothing at {source!r} to move")
        if target == source or target.startswith(source + "/"):
            raise WorkspaceError(f"{source!r} cannot be moved into itself")
        if lookup(self._root, target) is not None:
            raise WorkspaceError(f"{target!r} exists already; choose another name or delete it first")
        below = [""] if isinstance(node, Blob) else ["", *("/" + p for p, _ in walk_nodes(node, ""))]
        self._check_journal(2 * len(below))
        if any((target + p).count("/") >= MAX_DEPTH or len(target + p) > MAX_PATH_CHARS for p in below):
            raise WorkspaceError(f"moved to {target!r}, paths in it would become too deep or too long")
        before = self._root
        self._root = self._drop(before, source.split("/"))
        try:
            self._root = self._put(self._root, target.split("/"), node, target)
        except WorkspaceError:
            self._root = before
            raise
        for place in below:
            self._journal.append(source + place)
            self._journal.append(target + place)
        self._note_parent(source)

    def _note_parent(self, path: str) -> None:
        """Record the directory that lost an entry: it stays, maybe empty, and may exist only since that entry."""
        parent = path.rpartition("/")[0]
        if parent:
            self._journal.append(parent)

    def _check_journal(self, more: int) -> None:
        # Renames count too: otherwise moving a large directory to and fro would fill the memory.
        if len(self._journal) - self._allowance_from + more > MAX_CHANGED_FILES:
            raise WorkspaceError(FULL)

    def _put(self, folder: Folder, names: list[str], node: TreeNode, path: str) -> Folder:
        name, rest = names[0], names[1:]
        old, folded = folder.entries.get(name), folder.folded
        if old is None:
            key = fold(name)
            same = folded.get(key)
            if same is not None:
                raise WorkspaceError(f"{path!r} differs only in case from the existing {same!r}; use its spelling")
            folded = folded.insert(key, name)
        if rest:
            if isinstance(old, Blob):
                raise WorkspaceError(f"{name!r} in {path!r} is a file, not a directory")
            node = self._put(old or EMPTY, rest, node, path)
        return Folder(folder.entries.insert(name, node), folded)

    def _drop(self, folder: Folder, names: list[str]) -> Folder:
        name, rest = names[0], names[1:]
        if not rest:
            return folder.drop(name)
        child = folder.entries[name]
        assert isinstance(child, Folder)
        return Folder(folder.entries.insert(name, self._drop(child, rest)), folder.folded)

    # -- comparing ----------------------------------------------------------------------------------------------

    def mark(self) -> Mark:
        """A mark of this moment, to compare with later."""
        return Mark(self._root, len(self._journal))

    def is_at(self, mark: Mark) -> bool:
        """Whether nothing was changed since the mark; where something was changed back this is not told."""
        return self._root is mark.root

    def touched(self, mark: Mark) -> list[str]:
        """Paths that were written, moved or deleted since the mark, sorted; some may be back as they were."""
        return sorted(set(self._journal.since(mark.position)))

    def differing(self, mark: Mark) -> list[FilePair]:
        """The files that differ from the mark, sorted by path. Costs the number of touched paths."""
        found: list[FilePair] = []
        for path in self.touched(mark):
            old, new = lookup(mark.root, path), lookup(self._root, path)
            before, after = old if isinstance(old, Blob) else None, new if isinstance(new, Blob) else None
            if before is not after and (before is None or after is None or before.data != after.data):
                found.append((path, before, after))
        return found

    def changes(self, mark: Mark) -> Changes:
        """The paths of the files that differ from the mark."""
        found = self.differing(mark)
        return Changes(
            tuple(path for path, old, _ in found if old is None),
            tuple(path for path, old, new in found if old is not None and new is not None),
            tuple(path for path, _, new in found if new is None),
        )

    def at(self, mark: Mark) -> Workspace:
        """A workspace as it was at the mark, sharing everything."""
        old = Workspace.__new__(Workspace)
        old._root, old._journal, old._changed_bytes, old._allowance_from = mark.root, Log(), 0, 0
        old.clock = self.clock
        return old

    def fork(self) -> Workspace:
        """An independent copy, at a cost that depends neither on the files nor on the changes."""
        copy = Workspace.__new__(Workspace)
        copy._root, copy._journal, copy.clock = self._root, self._journal.fork(), self.clock
        copy._changed_bytes, copy._allowance_from = self._changed_bytes, self._allowance_from
        return copy

    def restore(self, earlier: Workspace) -> None:
        """Become what a fork taken earlier is, in place: whoever holds this workspace sees it."""
        self._root, self._journal = earlier._root, earlier._journal.fork()
        self._changed_bytes, self._allowance_from = earlier._changed_bytes, earlier._allowance_from

    @property
    def spent(self) -> tuple[int, int]:
        """Bytes written and paths touched that count towards the limits."""
        return self._changed_bytes, len(self._journal) - self._allowance_from

    def spend(self, spent: tuple[int, int]) -> None:
        """Set what counts towards the limits, after a delta was applied that holds less than what was done."""
        self._changed_bytes, self._allowance_from = spent[0], len(self._journal) - spent[1]

    def renew_allowance(self) -> None:
        """Count the limits on changes from here: they are a session's, and a workspace outlives sessions."""
        self._changed_bytes, self._allowance_from = 0, len(self._journal)

    def settled(self) -> Workspace:
        """A fork whose journal is empty: the content becomes the base of what follows."""
        return self.at(self.mark())

    def delta(self, mark: Mark) -> dict[str, Blob | bool | None]:
        """The content for a pickle: each touched file, None where nothing is left, True for a directory."""
        delta: dict[str, Blob | bool | None] = {}
        for path in self.touched(mark):
            node = lookup(self._root, path)
            delta[path] = node if isinstance(node, Blob) else (None if node is None else True)
        return delta

    def apply_delta(self, delta: Mapping[str, Blob | bool | None]) -> None:
        """Redo what `delta` recorded, on the content that its mark had."""
        for path in sorted(delta, reverse=True):
            if delta[path] is None and lookup(self._root, path) is not None:
                self.delete(path)
        for path, value in sorted(delta.items()):
            if isinstance(value, Blob):
                if self.is_folder(path):
                    self.delete(path)
                self._put_back(path, value)
            elif value is True:
                if isinstance(lookup(self._root, path), Blob):
                    self.delete(path)
                self.make_folder(path)

    def _put_back(self, path: str, blob: Blob) -> None:
        """Write a file as of the time at which it was written."""
        now, self.clock = self.clock, blob.written
        self.write(path, blob.data, limited=False)
        self.clock = now

    def state_hash(self) -> str:
        """SHA-256 over all files and directories. Walks everything: for tests and records, not for steps."""
        digest = hashlib.sha256()
        for path, node in walk_nodes(self._root, ""):
            kind = b"f" + hashlib.sha256(node.data).digest() if isinstance(node, Blob) else b"d"
            digest.update(path.encode() + b"\0" + kind)
        return digest.hexdigest()

    def __reduce__(self) -> tuple[Any, ...]:
        folders = [path for path, node in walk_nodes(self._root, "") if isinstance(node, Folder)]
        return _rebuild, (dict(self.walk()), folders, self.clock)


def _rebuild(files: dict[str, Blob], folders: list[str], clock: str) -> Workspace:
    workspace = Workspace()
    for path, blob in files.items():
        workspace._put_back(path, blob)
    for path in folders:
        workspace.make_folder(path)
    workspace.clock = clock
    return workspace.settled()
