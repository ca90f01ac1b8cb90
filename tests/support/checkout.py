"""The checkout as a release sees it: what git tracks, and nothing else."""

from __future__ import annotations

import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: The folders that are installed, and where.
PLACES = {"pi_gym": "pi_gym", "envs": "pi_gym/envs", "wrappers": "pi_gym/wrappers", "baselines": "pi_gym/baselines"}
#: Modules at the top, as frameworks name them that find plug-ins by a module's name.
MODULES = {"pi_gym_verifiers.py"}


def tracked(*folders: str) -> list[str]:
    """The tracked files that are there, of some folders or of all."""
    listed = subprocess.run(["git", "ls-files", "-z", *folders], cwd=ROOT, capture_output=True, text=True, check=True)
    return [name for name in filter(None, listed.stdout.split("\0")) if (ROOT / name).is_file()]


def copy_tracked(target: Path) -> Path:
    """Copy the tracked files into a folder, so that nothing untracked can slip in."""
    for name in tracked():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes((ROOT / name).read_bytes())
    return target


def installed() -> set[str]:
    """The files of the packages and modules, by the names that they have where they are installed."""
    parts = (name.partition("/") for name in tracked(*PLACES))
    return MODULES | {f"{PLACES[top]}/{rest}" for top, _, rest in parts}
