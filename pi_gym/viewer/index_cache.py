"""Indexes kept in the user's cache folder, so that a run opens quickly the second time; no run's folder is touched."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, suppress
from dataclasses import fields
from pathlib import Path
from typing import Any

from pi_gym.version import __version__
from pi_gym.viewer.file_index import FileIndex
from pi_gym.viewer.listed_session import ListedSession

#: Of another one nothing is read.
CACHE_FORMAT = 2
#: The sessions that are read or told at a time: others have their turn between.
BATCH = 200
#: The indexes that are kept, the last used ones.
MAX_KEPT = 200
#: A smaller file is indexed as quickly as its index is read.
MIN_BYTES = 1 << 20


def cache_folder() -> Path:
    """The folder of the kept indexes: below XDG_CACHE_HOME, or ~/.cache."""
    base = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(base).expanduser() / "pi_gym" / "view"


def load_index(path: Path, run: str) -> Iterator[tuple[FileIndex, Sequence[ListedSession]]]:
    """The kept index of a file with the sessions that have been read since; nothing where none is kept.

    It comes without any first, so that it can be seen whether it still holds, and is whole at the end.

    Raises:
        ValueError: the rest of it cannot be read.
    """
    with ExitStack() as stack:
        try:
            lines = stack.enter_context(_place(path).open("rb"))
            kept = json.loads(lines.readline())
            if (kept["format"], kept["version"], kept["path"]) != (CACHE_FORMAT, __version__, str(path.resolve())):
                return
            values: dict[str, Any] = {name: kept[name] for name in _FIELDS}
            index, count = FileIndex(path, run, **values), kept["sessions"]
            os.utime(_place(path))
        except (OSError, ValueError, KeyError, TypeError, RecursionError):
            return
        yield index, ()
        try:
            for line in lines:
                index.sessions += (read := [ListedSession(*one) for one in json.loads(line)])
                yield index, read
        except (OSError, TypeError, RecursionError) as error:
            raise ValueError(f"{_place(path)} cannot be read: {error}") from error
    if len(index.sessions) != count:
        raise ValueError(f"{_place(path)} is not whole")


def keep_index(index: FileIndex) -> None:
    """Keep an index; where that fails (a full disk, no home) the file is indexed again the next time."""
    if index.done < MIN_BYTES:
        return
    kept = {
        "format": CACHE_FORMAT,
        "version": __version__,
        "path": str(index.path.resolve()),
        **{name: getattr(index, name) for name in _FIELDS},
        "sessions": len(index.sessions),
    }
    rows = [(one.offset, one.length, one.row) for one in index.sessions]
    place = _place(index.path)
    draft = place.with_name(f".{place.name}.{os.getpid()}.tmp")
    try:
        place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with draft.open("w", encoding="utf-8") as file:
            for part in (kept, *(rows[begin : begin + BATCH] for begin in range(0, len(rows), BATCH))):
                file.write(json.dumps(part, separators=(",", ":")) + "\n")
        draft.replace(place)
        _drop_old(place.parent)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)


_FIELDS = tuple(one.name for one in fields(FileIndex) if one.name not in ("path", "run", "sessions"))


def _place(path: Path) -> Path:
    return (
        cache_folder() / f"{hashlib.sha256(str(path.resolve()).encode(errors='surrogateescape')).hexdigest()[:32]}.json"
    )


def _drop_old(folder: Path) -> None:
    kept = sorted(folder.glob("*.json"), key=lambda one: one.stat().st_mtime, reverse=True)
    for one in kept[MAX_KEPT:]:
        one.unlink(missing_ok=True)
