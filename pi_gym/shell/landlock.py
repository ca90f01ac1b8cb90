"""The Landlock sandbox: no namespaces, so the command runs among the host's processes, with rules on what it may open.

The copy lies in a private directory of the host, and the command sees that path instead of the workspace's own.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from pi_gym.shell.bubblewrap import INSIDE
from pi_gym.shell.system import LINKS, SHOWN, below, hidden, interpreter, stdlib_hidden

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
_RANDOM = ("/dev/random", "/dev/urandom")


def has_package() -> bool:
    """Whether the package that speaks to Landlock is installed."""
    return importlib.util.find_spec("sandlock") is not None


def as_root() -> bool:
    """Whether this process is root: then the command gets a user of its own, for limits do not bind root."""
    return os.geteuid() == 0


def own_user(number: int) -> int:
    """The user of one command, whom nothing else belongs to; 0 for an ordinary user's own."""
    return 1_000_000_000 + (os.getpid() % (1 << 22)) * 256 + number % 256 if as_root() else 0


def keeper_program() -> list[str]:
    """The command that starts the keeper: with the installed packages, for it needs one."""
    return [sys.executable, "-I", "-B", INSIDE]


def python_home(place: str) -> str:
    """Lay out a standard library of links, without what is installed beside it; gives the home, or ""."""
    python = interpreter(for_all=as_root())
    home = Path(place, "python")
    library = home / "lib" / f"python{python.version}"
    library.mkdir(parents=True)
    (home / "bin").mkdir()
    for name in ("python", "python3", f"python{python.version}"):
        (home / "bin" / name).symlink_to(python.program)
    stdlib = python.stdlib or f"/usr/lib/python{python.version}"
    hide = set(stdlib_hidden(stdlib))
    for entry in sorted(Path(stdlib).iterdir()):
        if entry.name not in hide:
            (library / entry.name).symlink_to(entry)
    return str(home)


def readable(home: str) -> list[str]:
    """The paths that may be opened: what is shown of the system, without directories of installed packages."""
    python = interpreter(for_all=as_root())
    hide = sorted(hidden())
    paths = [part for path in SHOWN if Path(path).exists() for part in _without(os.path.realpath(path), hide)]
    paths += [part for path in LINKS if Path(path).is_dir() for part in _without(os.path.realpath(path), hide)]
    paths += [home, python.program, *map(os.path.realpath, python.libraries), *_RANDOM]
    if python.stdlib:
        paths += _without(python.stdlib, [f"{python.stdlib}/{name}" for name in stdlib_hidden(python.stdlib)])
    return sorted({path for path in paths if Path(path).exists()})


def writable(place: str) -> list[str]:
    """The paths that may be changed."""
    return [f"{place}/{name}" for name in ("work", "home", "tmp")] + [path for path in _DEVICES if Path(path).exists()]


def _without(folder: str, hide: list[str]) -> list[str]:
    """A folder as the parts of it that hold nothing hidden."""
    if folder in hide:
        return []
    if not Path(folder).is_dir() or not any(below(path, folder) for path in hide):
        return [folder]
    parts: list[str] = []
    for path in sorted(map(str, Path(folder).iterdir())):
        # A link's target has rules of its own.
        parts += [] if Path(path).is_symlink() and Path(path).is_dir() else _without(path, hide)
    return parts
