"""The paths that a command may open under Landlock, where it runs among the processes of the host.

The copy lies in a private directory of the host, and the command sees that path instead of the workspace's own.
`pi_gym.shell.confinement` holds it to these lists.
"""

from __future__ import annotations

import os
from functools import lru_cache
from pathlib import Path

from pi_gym.shell.kernel import landlock_abi
from pi_gym.shell.seccomp import column
from pi_gym.shell.system import LINKS, SHOWN, below, hidden, interpreter, own_folders, stdlib_hidden

_DEVICES = ("/dev/null", "/dev/zero", "/dev/full")
_RANDOM = ("/dev/random", "/dev/urandom")


def fault() -> str:
    """The reason why Landlock cannot be used on this machine; empty where it can."""
    if column() < 0:
        return "this processor's system calls are not known"
    if not landlock_abi():
        return "the kernel has no Landlock (Linux 5.13, turned on in its list of security modules)"
    return ""


def as_root() -> bool:
    """Whether this process is root: then the command gets a user of its own, for limits do not bind root."""
    return os.geteuid() == 0


def own_user(number: int) -> int:
    """The user of one command, whom nothing else belongs to; 0 for an ordinary user's own."""
    return 1_000_000_000 + (os.getpid() % (1 << 22)) * 256 + number % 256 if as_root() else 0


def lay_out_python(place: str) -> str:
    """Make a standard library of links, without what is installed beside it; gives its home."""
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


def shows_own_python() -> bool:
    """Whether commands get the interpreter that runs pi_gym."""
    return interpreter(for_all=as_root()).program == interpreter().program


def readable(home: str) -> list[str]:
    """The paths that may be opened: what is shown of the system, without directories of installed packages."""
    return _readable(home, tuple(own_folders()))


@lru_cache(maxsize=4)
def _readable(home: str, _own: tuple[str, ...]) -> list[str]:
    python = interpreter(for_all=as_root())
    hide = sorted(hidden())
    paths = [part for path in SHOWN if Path(path).exists() for part in _without(os.path.realpath(path), hide)]
    paths += [part for path in LINKS if Path(path).is_dir() for part in _without(os.path.realpath(path), hide)]
    paths += [home, python.program, *map(os.path.realpath, python.libraries), *_RANDOM]
    if python.stdlib:
        paths += _without(python.stdlib, [f"{python.stdlib}/{name}" for name in stdlib_hidden(python.stdlib)])
    return sorted({path for path in paths if Path(path).exists()})


def devices() -> list[str]:
    """The devices that may be written to."""
    return [path for path in _DEVICES if Path(path).exists()]


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
