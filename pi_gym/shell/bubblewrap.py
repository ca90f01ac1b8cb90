"""The commands of bubblewrap: namespaces for the keeper, and in them a sandbox for the agent's command.

The keeper's own layer gives it a file system in memory of a fixed size and a process table of its own; both end with
it. The inner layer shows the command nothing but the list of `pi_gym.shell.system` and the copy.
"""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from pathlib import Path

from pi_gym.shell.limits import ShellLimits
from pi_gym.shell.system import (
    LINKS,
    PYTHON_HOME,
    SHOWN,
    below,
    hidden,
    interpreter,
    stdlib_hidden,
)

#: The keeper needs one directory to mount its memory on; nothing of the host's is written there.
_PLACES = ("/dev/shm", "/mnt", "/media", "/var/tmp", "/tmp")
UID = "1000"
INSIDE = str(Path(__file__).resolve().with_name("inside.py"))


def find_bwrap() -> str:
    """The program; empty where it is not installed."""
    return shutil.which("bwrap", path=os.environ.get("PATH", "") + ":/usr/bin:/usr/local/bin") or ""


def keeper_program() -> list[str]:
    """The command that starts the keeper: an interpreter that sees no installed package."""
    return [_base_python(), "-I", "-S", "-B", INSIDE]


def _base_python() -> str:
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def memory_place() -> str:
    """The directory on which the keeper mounts its memory; RuntimeError where each one holds something it needs."""
    needed = [_base_python(), os.path.realpath(sysconfig.get_path("stdlib")), INSIDE]
    needed.append(os.path.realpath(find_bwrap()))
    for place in _PLACES:
        if Path(place).is_dir() and not any(below(path, os.path.realpath(place)) for path in needed):
            return place
    raise RuntimeError(f"pi_gym and Python lie below all of {', '.join(_PLACES)}")


def outer_command(place: str, limits: ShellLimits) -> list[str]:
    """Start the keeper in its own namespaces; as their first process, so that bwrap waits and leaves no zombie."""
    return [
        *(find_bwrap(), "--unshare-all", "--as-pid-1", "--die-with-parent", "--new-session"),
        *("--dev-bind", "/", "/"),
        *("--size", str(limits.disk_bytes), "--tmpfs", place, "--dir", f"{place}/proc", "--proc", f"{place}/proc"),
        *("--chdir", "/", "--", *keeper_program()),
    ]


def inner_command(place: str, root: str, folder: str, command: str) -> list[str]:
    """Start the agent's command.

    Args:
        place: the keeper's memory, with the directories work, home, tmp, shm and etc.
        root: where the workspace is shown.
        folder: the working directory, relative to it.
        command: for the shell.
    """
    home = str(Path(root).parent)
    options = ["--unshare-all", "--die-with-parent", "--new-session", "--cap-drop", "ALL"]
    options += ["--uid", UID, "--gid", UID, "--hostname", "workspace"]
    options += _system()
    options += _python()
    options += ["--proc", "/proc", "--dev", "/dev", "--bind", f"{place}/shm", "/dev/shm"]
    for name in ("passwd", "group", "hosts", "nsswitch.conf"):
        options += ["--ro-bind", f"{place}/etc/{name}", f"/etc/{name}"]
    options += ["--bind", f"{place}/tmp", "/tmp", "--bind", f"{place}/home", home, "--bind", f"{place}/work", root]
    # The root and /dev are in memory too, and have no size: nothing is written there.
    options += ["--remount-ro", "/dev", "--remount-ro", "/"]
    working = f"{root}/{folder}" if folder else root
    return [find_bwrap(), *options, "--chdir", working, "--", *shell_words(command)]


def shell_words(command: str) -> list[str]:
    """The shell and its arguments."""
    shell = "/bin/bash" if Path("/bin/bash").exists() else "/bin/sh"
    return [shell, "-c", command]


def _system() -> list[str]:
    options: list[str] = []
    for path in SHOWN:
        if Path(path).exists():
            options += ["--ro-bind", path, path]
    for path in LINKS:
        if Path(path).is_symlink():
            options += ["--symlink", str(Path(path).readlink()), path]
        elif Path(path).is_dir():
            options += ["--ro-bind", path, path]
    for path in hidden():
        options += ["--tmpfs", path, "--remount-ro", path]
    return options


def _python() -> list[str]:
    python = interpreter()
    if not python.stdlib:
        return []
    library = f"{PYTHON_HOME}/lib/python{python.version}"
    options = ["--ro-bind", python.program, f"{PYTHON_HOME}/bin/python{python.version}"]
    for name in ("python3", "python"):
        options += ["--symlink", f"python{python.version}", f"{PYTHON_HOME}/bin/{name}"]
    options += ["--ro-bind", python.stdlib, library]
    for name in stdlib_hidden(python.stdlib):
        options += ["--tmpfs", f"{library}/{name}", "--remount-ro", f"{library}/{name}"]
    for path in python.libraries:
        options += ["--ro-bind", os.path.realpath(path), f"{PYTHON_HOME}/lib/{Path(path).name}"]
    return options
