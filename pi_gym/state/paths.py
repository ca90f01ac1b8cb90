"""Workspace paths: one normal form, and a refusal for everything that would leave the workspace.

The normal form is relative, with `/` between names and no trailing slash; the root is the empty string.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache

MAX_NAME_BYTES = 255
MAX_PATH_CHARS = 1_024
MAX_DEPTH = 32
_UNUSABLE = frozenset(("Cc", "Cf", "Cs", "Zl", "Zp"))


class PathRefused(ValueError):
    """A path is not acceptable; the message says why and what to do."""


@lru_cache(maxsize=4_096)  # sessions go back to the same paths, and name them alike
def normalise(path: str, root: str = "/workspace") -> str:
    """The normal form of a path that an agent or an author wrote.

    Args:
        path: relative to the workspace, or absolute under `root`.
        root: the absolute path under which the workspace is shown.

    Returns:
        The relative path in Unicode normal form C; "" for the root itself.

    Raises:
        PathRefused: the path leaves the workspace, holds control characters, backslashes, line separators or lone
            surrogates, is too long or too deep, or has a name that begins or ends with a blank.

    >>> normalise("./notes//a.md"), normalise("/workspace/notes/"), normalise(".")
    ('notes/a.md', 'notes', '')
    """
    if len(path) > MAX_PATH_CHARS:
        raise PathRefused(f"the path has {len(path)} characters; at most {MAX_PATH_CHARS} are possible")
    # Unicode's own line separators count as control characters: a path must stay on one line wherever it is shown.
    if not path.isprintable() and any(unicodedata.category(c) in _UNUSABLE for c in path):
        raise PathRefused("the path holds a NUL or control character; use printable characters")
    text = path if path.isascii() else unicodedata.normalize("NFC", path)
    if "\\" in text:
        raise PathRefused(f"{path!r} holds a backslash; use '/' between names")
    if text == root or text.startswith(root + "/"):
        text = text[len(root) :].lstrip("/")
    elif text.startswith("/") or text.startswith("~"):
        raise PathRefused(f"{path!r} is outside the workspace; use a path relative to {root} or one under it")
    names = text.split("/")
    if "" in names or "." in names:
        names = [name for name in names if name not in ("", ".")]
    if ".." in names:
        raise PathRefused(f"{path!r} holds '..'; paths cannot leave the workspace, so write the path out")
    if len(names) > MAX_DEPTH:
        raise PathRefused(f"the path is {len(names)} folders deep; at most {MAX_DEPTH} are possible")
    for name in names:
        if len(name) * 4 > MAX_NAME_BYTES and len(name.encode()) > MAX_NAME_BYTES:
            raise PathRefused(f"the name {name[:40]!r}… is longer than {MAX_NAME_BYTES} bytes")
        if name != name.strip():
            raise PathRefused(f"the name {name!r} begins or ends with a blank")
    return "/".join(names)


def fold(name: str) -> str:
    """The key under which two names count as the same but for their case ("Maße" and "Masse" are two names)."""
    return name.lower() if name.isascii() else unicodedata.normalize("NFC", name.lower())
