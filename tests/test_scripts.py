"""scripts/ holds scripts and examples/ programs, each of which says how it is run."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
# What others read and nobody runs.
DECLARATIONS = {"layers.py"}
PROGRAMS = [path for folder in ("scripts", "examples") for path in sorted((ROOT / folder).glob("*.py"))]
PROGRAMS = [path for path in PROGRAMS if path.name not in DECLARATIONS]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.name)
def test_a_program_says_how_it_is_run(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert f"python {path.relative_to(ROOT)}" in (ast.get_docstring(tree) or "")
    assert any(isinstance(part, ast.If) and "__main__" in ast.unparse(part.test) for part in tree.body)


def test_the_page_of_the_scripts_lists_them() -> None:
    listed = re.findall(r"^\| `(\S+)` \|", (ROOT / "scripts" / "README.md").read_text(), flags=re.MULTILINE)
    assert listed == sorted(path.name for path in (ROOT / "scripts").iterdir() if path.suffix == ".py")


def test_preparing_nothing_says_what_is_expected() -> None:
    command = [sys.executable, str(ROOT / "scripts" / "prepare.py")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr.startswith("expected: prepare.py served|train|mcp|inspect|openenv|skyrl|verifiers|verl FOLDER")
