"""The part of the host that commands see: programs and libraries by a list, and a Python with nothing installed."""

from __future__ import annotations

import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

#: Directories and files of the system; those that do not exist are left out.
#: The folder of pi_gym itself.
PACKAGE = Path(__file__).parents[1]
SHOWN = (
    "/usr/bin", "/usr/sbin", "/usr/lib", "/usr/lib32", "/usr/lib64", "/usr/libexec", "/usr/share/awk",
    "/usr/share/file", "/usr/share/misc", "/usr/share/perl", "/usr/share/perl5", "/usr/share/terminfo",
    "/usr/share/zoneinfo", "/etc/alternatives", "/etc/ld.so.cache",
)  # fmt: skip
LINKS = ("/bin", "/sbin", "/lib", "/lib32", "/lib64")
_NOT_STDLIB = ("site-packages", "dist-packages", "ensurepip", "test", "idlelib")
PYTHON_HOME = "/usr/local"


@dataclass(frozen=True, slots=True)
class Interpreter:
    """A Python to show.

    Args:
        program: the executable.
        version: "3.11".
        stdlib: its standard library's directory; "" where both lie in what is shown of the system.
        libraries: shared libraries that it needs beside the system's.
    """

    program: str
    version: str
    stdlib: str = ""
    libraries: tuple[str, ...] = ()


@lru_cache(maxsize=2)
def interpreter(*, for_all: bool = False) -> Interpreter:
    """The one that runs pi_gym, which has a whole standard library, or the system's where ours cannot be moved.

    Args:
        for_all: it has to be one that every user can reach.
    """
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    program = os.path.realpath(getattr(sys, "_base_executable", sys.executable))
    stdlib = os.path.realpath(sysconfig.get_path("stdlib"))
    if program.startswith("/usr/bin/") or (for_all and not _reachable(program)):
        program = program if program.startswith("/usr/bin/") else "/usr/bin/python3"
        version = os.path.realpath(program).rpartition("python")[2] or version
        return Interpreter(program, version)
    # A distribution that brings its own libraries (conda) would need all of them.
    if not (Path(sys.base_prefix) / "conda-meta").exists() and Path(stdlib, "os.py").is_file():
        found = sorted(Path(sys.base_prefix, "lib").glob(f"libpython{version}*.so*"))
        return Interpreter(program, version, stdlib, tuple(map(str, found)))
    system = "/usr/bin/python3"
    return Interpreter(system, os.path.realpath(system).rpartition("python")[2])


def _reachable(path: str) -> bool:
    parents = list(Path(path).parents)
    return all(parent.stat().st_mode & 0o1 for parent in parents)


def hidden() -> Iterator[str]:
    """Directories below what is shown that hold installed packages, or pi_gym itself."""
    for library in ("/usr/lib", "/usr/lib64"):
        for folder in sorted(Path(library).glob("python*")):
            yield from (str(folder / name) for name in _NOT_STDLIB if (folder / name).is_dir())
    for own in own_folders():
        if any(below(own, shown) for shown in SHOWN):
            yield own


def stdlib_hidden(stdlib: str) -> Iterator[str]:
    """Names of directories of a standard library that are not shown."""
    yield from (name for name in _NOT_STDLIB if Path(stdlib, name).is_dir())


def own_folders() -> list[str]:
    """The folders of pi_gym and of the installed packs."""
    places: list[Iterable[str]] = [[str(PACKAGE)]]
    for name in ("envs", "wrappers", "baselines"):
        spec = sys.modules.get(f"pi_gym.{name}")
        places.append(spec.__path__ if spec is not None else [])
    own = PACKAGE.resolve()
    beside = [str(own.parent / name) for name in ("envs", "baselines", "wrappers") if (own.parent / name).is_dir()]
    return sorted({os.path.realpath(path) for place in places for path in place} | set(beside))


def below(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies in it."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")
