"""The files of a folder: plain ones only, in a stable order."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from pi_gym.errors import PackError

#: Packs are held in memory, and laid out anew for every shell command.
MAX_PACK_FILE_BYTES = 64_000_000
_SKIPPED = "__pycache__"


def read_tree(folder: Path, shown: str) -> dict[str, bytes]:
    """All files under a folder by relative path, sorted.

    Raises:
        PackError: a symbolic link, or a file that is too large.
    """
    return {path: Path(entry.path).read_bytes() for path, entry in _plain_entries(folder, shown)}


def plain_files(folder: Path, shown: str) -> Iterator[str]:
    """The relative paths of the files under a folder, sorted; errors as for `read_tree`."""
    return (path for path, _ in _plain_entries(folder, shown))


def _plain_entries(folder: Path, shown: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    for path, entry in _entries(str(folder), "") if folder.is_dir() else ():
        if entry.is_symlink():
            raise PackError((Path(shown) / path).as_posix(), "", "is a symbolic link; packs hold plain files")
        if entry.is_file():
            size = entry.stat().st_size
            if size > MAX_PACK_FILE_BYTES:
                reason = f"has {size:,} bytes; a pack's file may have {MAX_PACK_FILE_BYTES:,}"
                raise PackError((Path(shown) / path).as_posix(), "", reason)
            yield path, entry


def file_stamps(folder: Path) -> dict[str, tuple[int, int]]:
    """Size and time of the last change by relative path: what tells quickly that a file is another one now."""
    stamps = {}
    for path, entry in _entries(str(folder), ""):
        found = entry.stat(follow_symlinks=False)
        stamps[path] = (found.st_size, found.st_mtime_ns)
    return stamps


def _entries(folder: str, above: str) -> Iterator[tuple[str, os.DirEntry[str]]]:
    """The entries that are no folders, as (relative path, entry), sorted by the names on the way."""
    with os.scandir(folder) as found:
        entries = sorted(found, key=lambda entry: entry.name)
    for entry in entries:
        if entry.name == _SKIPPED:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _entries(entry.path, f"{above}{entry.name}/")
        else:
            yield above + entry.name, entry
