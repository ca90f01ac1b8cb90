"""A copy of the checkout to which something is added."""

from __future__ import annotations

import os
import shutil
import site
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
#: What another process may be writing there: bytecode of templates, drafts, what the sandbox must not see.
PASSING = shutil.ignore_patterns("template-*", "*.tmp", "*.pyc.*", "canary-*")
PARTS = ("envs", "wrappers", "baselines")


class Copy:
    """A copy of what is installed and of docs/, in which files may be added; the rest is linked.

    Args:
        folder: where it is made.
    """

    def __init__(self, folder: Path) -> None:
        self.root, self._installed = folder / "checkout", folder / "installed"
        self.root.mkdir(parents=True)
        for name in ("pi_gym", "docs", "tests", "baselines"):  # with bytecode, which need not be made again
            shutil.copytree(ROOT / name, self.root / name, ignore=PASSING)
        (self.root / "envs").mkdir()
        for path in (ROOT / "envs").iterdir():
            (self.root / "envs" / path.name).symlink_to(path)
        for name in ("wrappers", "scripts", "setup.cfg", "pyproject.toml", "README.md"):
            (self.root / name).symlink_to(ROOT / name)
        (self._installed / "pi_gym").mkdir(parents=True)

    def _install(self) -> None:
        """Link what is there as it is installed: pi_gym with its other parts in it."""
        for path in [*(self.root / "pi_gym").iterdir(), *(self.root / name for name in PARTS)]:
            place = self._installed / "pi_gym" / path.name
            if not place.exists():
                place.symlink_to(path)

    def add(self, name: str, text: str) -> None:
        """Write a new file."""
        path = self.root / name
        assert not path.exists(), f"{name} is there already"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def python(self, *arguments: str) -> str:
        """The output of a Python program that knows this copy alone; AssertionError where it fails."""
        self._install()
        # Without `site`, an editable installation of the checkout is not seen.
        paths = [str(self._installed), *site.getsitepackages()]
        variables = {**os.environ, "PYTHONPATH": os.pathsep.join(paths), "PYTHONSAFEPATH": "1"}
        done = subprocess.run(
            [sys.executable, "-S", *arguments],
            cwd=self.root,
            env=variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{done.stdout[-4000:]}\n{done.stderr[-4000:]}"
        return done.stdout
