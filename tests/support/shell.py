"""Sandboxes for tests: each that works here, and a clear reason for those that do not."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from pi_gym.shell import ShellLimits, ShellRunner
from pi_gym.shell.kernel import landlock_abi
from pi_gym.shell.runner import run_command
from pi_gym.state import Workspace
from pi_gym.tools.shell_result import ShellResult
from pi_gym.types import Answer, Ask

from .packs import TINY, copy_pack, edit_yaml

#: Each sandbox, and Landlock as older kernels have it: only the rights of that version are held.
SANDBOXES = (
    "bubblewrap",
    "landlock",
    *(pytest.param(f"landlock-{abi}", marks=pytest.mark.slow) for abi in (1, 2, 3, 4, 5, 6)),
)
ROOT = "/home/ana/workspace"
FILES = {"a.txt": b"hello\n", "d/e.txt": b"x"}


@functools.cache
def fault(backend: str) -> str:
    found = ShellRunner(backend).available()  # type: ignore[arg-type]
    return "" if found else found.text


def need(backend: str = "auto") -> None:
    """Skip the test where the sandbox does not work."""
    name, _, abi = backend.partition("-")
    if fault(name):
        pytest.skip(f"no sandbox here: {fault(name)}")
    if abi and int(abi) > landlock_abi():
        pytest.skip(f"this kernel has version {landlock_abi()} of Landlock")


def no_shell(asks: Sequence[Ask]) -> list[Answer]:
    """Answers every ask for a command: there is no shell."""
    return [Answer({"unavailable": "no shell"}) for _ in asks]


def run(
    command: str,
    files: dict[str, bytes] | None = None,
    *,
    backend: str = "bubblewrap",
    folder: str = "",
    **limits: Any,
) -> ShellResult:
    """Run a command over some files, within ten seconds unless told."""
    workspace = Workspace(FILES if files is None else files)
    chosen = ShellLimits(**({"wall_s": 10.0} | limits))
    name, _, abi = backend.partition("-")
    return run_command(name, workspace, command, root=ROOT, folder=folder, limits=chosen, abi=int(abi or 99))


def shell_pack(folder: Path, command: str = "printf '%s' \"{{ right.seeds }}\" > seeds.txt && echo written") -> Path:
    """The tiny pack, with a first task whose reference writes its list with a shell command."""
    pack = copy_pack(TINY, folder / "tiny")  # what is drawn depends on the name

    def change(raw: Any) -> None:
        raw["needs"], raw["tools"] = ["exec"], ["exec"]
        result = {"output": "written\n", "files": {"seeds.txt": "{{ right.seeds }}"}}
        raw["solution"][2] = {"calls": [{"tool": "exec", "command": command, "result": result}]}

    edit_yaml(pack / "tasks" / "01-list" / "task.yaml", change)
    return pack
