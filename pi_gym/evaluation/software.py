"""The versions with which sessions were played, for the record."""

from __future__ import annotations

import os
import platform
import subprocess
from importlib.metadata import version
from pathlib import Path

from pi_gym.version import __version__

_GIT_S = 5.0


def software() -> dict[str, str | None]:
    """The versions of pi_gym, Python and Gymnasium, and the commit where pi_gym is a git checkout."""
    return {
        "pi_gym": __version__,
        "python": platform.python_version(),
        "gymnasium": version("gymnasium"),
        "git_commit": git_commit(Path(__file__).parents[1]),
    }


def git_commit(package: Path) -> str | None:
    """The commit of the checkout whose package this is, "+" after it where files were changed since; else None."""
    root = _git(package, "rev-parse", "--show-toplevel")
    if root is None or Path(root).resolve() != package.resolve().parent:
        return None  # installed into somebody else's checkout
    commit = _git(package, "rev-parse", "HEAD")
    if commit is None:
        return None
    return f"{commit}+" if _git(package, "status", "--porcelain", "--untracked-files=no") else commit


def _git(folder: Path, *arguments: str) -> str | None:
    command = ["git", "-C", str(folder), *arguments]
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0"}
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=_GIT_S, env=environment, check=False)
    except (OSError, ValueError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
