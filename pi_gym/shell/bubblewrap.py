"""The command of bubblewrap: what the template process of the shell, and so each command, sees of the host.

Nothing but the list of `pi_gym.shell.system`; the rest is in memory and empty. `pi_gym.shell.namespaces` gives each
command namespaces of its own in there.
"""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

from pi_gym.shell.namespaces import EMPTY, STAGE
from pi_gym.shell.system import LINKS, PYTHON_HOME, SHOWN, hidden, interpreter, stdlib_hidden

#: The number of the user whom a command sees itself as.
UID = "1000"
ETC = ("passwd", "group", "hosts", "nsswitch.conf", "ld.so.preload", "session-clock.so")
#: Made before what lies in them is shown, so that every user may go there.
_FOLDERS = (
    "/usr",
    "/usr/share",
    "/usr/local",
    "/usr/local/bin",
    "/usr/local/lib",
    "/etc",
    "/tmp",
    "/home",
    STAGE,
    EMPTY,
)
_CODE = str(Path(__file__).resolve().parent)
#: The part of pi_gym that the template process needs, without the rest of the package.
_START = (
    "import sys, types\n"
    "for name, places in (('pi_gym', []), ('pi_gym.shell', [sys.argv[1]])):\n"
    "    module = sys.modules[name] = types.ModuleType(name)\n"
    "    module.__path__ = places\n"
    "from pi_gym.shell.template_process import main\n"
    "main()\n"
)


def find_bwrap() -> str:
    """The program; empty where it is not installed."""
    return shutil.which("bwrap", path=os.environ.get("PATH", "") + ":/usr/bin:/usr/local/bin") or ""


def template_command(user_namespace: int = -1) -> list[str]:
    """Start the template process as the first of its own namespaces, with the rights to make more of them.

    Args:
        user_namespace: a descriptor of the namespace of users that it gets; -1: a new one.
    """
    options = [f"--unshare-{kind}" for kind in ("ipc", "pid", "net", "uts", "cgroup-try")]
    options += ["--unshare-user"] if user_namespace < 0 else ["--userns", str(user_namespace)]
    options += ["--as-pid-1", "--new-session", "--cap-add", "ALL", "--hostname", "workspace"]
    # As any other user, it would stand in a second namespace, which owns no mounts.
    options += ["--uid", "0", "--gid", "0"] if user_namespace < 0 else []
    for place in _FOLDERS:
        options += ["--dir", place]
    options += _system()
    options += _python()
    options += ["--proc", "/proc", "--dev", "/dev", "--dir", "/dev/shm"]
    for name in ETC:
        options += ["--ro-bind", "/dev/null", f"/etc/{name}"]  # something to mount each command's own on
    options += ["--ro-bind", _CODE, STAGE, "--remount-ro", "/dev", "--remount-ro", "/"]
    return [find_bwrap(), *options, "--chdir", "/", "--", *template_program(_shown_python(), STAGE), "namespaces"]


def template_program(python: str, code: str = _CODE) -> list[str]:
    """The command that starts the template process: an interpreter that sees no installed package.

    Args:
        python: the interpreter.
        code: where the modules of pi_gym.shell lie for it.
    """
    return [python, "-I", "-S", "-B", "-c", _START, code]


def base_python() -> str:
    """The interpreter that runs pi_gym, whatever environment it was started in."""
    return os.path.realpath(getattr(sys, "_base_executable", sys.executable))


def loader_path(backend: str) -> dict[str, str]:
    """The variable that says where the interpreter's own library lies; empty where it needs none."""
    libraries = interpreter().libraries
    if not libraries:
        return {}
    return {"LD_LIBRARY_PATH": f"{PYTHON_HOME}/lib" if backend == "bubblewrap" else str(Path(libraries[0]).parent)}


def _shown_python() -> str:
    python = interpreter()
    return f"{PYTHON_HOME}/bin/python{python.version}" if python.stdlib else python.program


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
