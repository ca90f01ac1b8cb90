"""A release: one version, a README of one page that is true, and what a project's users look for."""

from __future__ import annotations

import re
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
import yaml
from support.shell import need

import pi_gym

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
CITATION: dict[str, Any] = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
ENVIRONMENTS = {
    "Mini": "PiBench-Mini-v0",
    "Researcher": "PiBench-Researcher-v0",
    "Pharmacist": "PiBench-Pharmacist-v0",
    "Pare": "Pare-v0",
}


# -- the version -----------------------------------------------------------------------------------------------------


def test_the_version_is_the_same_wherever_it_stands() -> None:
    newest = re.search(r"^## (\S+) \((.+)\)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.MULTILINE)
    assert newest is not None
    assert newest[1] == CITATION["version"] == pi_gym.__version__
    assert str(CITATION.get("date-released", "unreleased")) == newest[2]


def test_the_version_of_the_installed_package_is_that_of_the_module() -> None:
    assert version("pi-gym") == pi_gym.__version__, "install again with `pip install --editable .`"
    command = [sys.executable, "-c", "from setuptools import setup; setup()", "--version"]
    told = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    assert told.split()[-1] == pi_gym.__version__


def test_no_other_file_of_the_build_has_a_version_of_its_own() -> None:
    for name in ("setup.cfg", "setup.py", "pyproject.toml"):
        assert pi_gym.__version__ not in (ROOT / name).read_text(encoding="utf-8"), name


# -- the citation ----------------------------------------------------------------------------------------------------


def test_the_citation_has_what_the_format_requires() -> None:
    assert CITATION["cff-version"] == "1.2.0"
    assert CITATION["authors"] == [{"name": "The pi_gym authors"}]
    for name in ("message", "title", "license", "type"):
        assert isinstance(CITATION[name], str)
    for reference in CITATION["references"]:
        assert {"type", "title", "authors"} <= set(reference)
        assert reference["url"] in README


# -- the README ------------------------------------------------------------------------------------------------------


def test_the_readme_is_one_page() -> None:
    blocks = re.findall(r"^```(\w*)\n(.*?)^```", README, re.MULTILINE | re.DOTALL)
    assert [kind for kind, _ in blocks].count("python") == 3
    assert "make demo" in blocks[0][1]
    assert "make test" in blocks[0][1]
    assert len(blocks[0][1].splitlines()) == 2
    assert len(re.findall(r"^\| --- ", README, re.MULTILINE)) == 1
    assert README.count("![") == 1
    assert len(README.splitlines()) <= 110
    assert max(map(len, README.splitlines())) <= 130


def test_the_list_of_pages_has_every_page_once() -> None:
    page = (ROOT / "docs" / "README.md").read_text(encoding="utf-8")
    rows = [row for row in page.splitlines() if row.startswith("| [")]
    listed = [name for row in rows for name in re.findall(r"\]\((\w[^/)]*\.md)\)", row)]
    assert sorted(listed) == sorted(path.name for path in (ROOT / "docs").glob("*.md") if path.name != "README.md")


def results() -> list[Any]:
    """The environment, the agent and the figures of every cell of the table; a model's stand in docs/audit.md."""
    lines = [line.strip("| ").split(" | ") for line in README.splitlines() if line.startswith("|")]
    found = []
    for column, head in enumerate(lines[0][1:], start=1):
        name = ENVIRONMENTS[head.partition(":")[0]]
        for line in (line for line in lines[2:] if line[0].startswith("`")):
            agent, *others = re.findall(r"`([\w-]+)`", line[0])
            agent = others[0] if others and name == "Pare-v0" else agent
            figures = tuple(line[column].split(", "))
            found.append(pytest.param(name, agent, figures, id=f"{name}-{agent}"))
    return found


@pytest.mark.slow
@pytest.mark.parametrize(("name", "agent", "figures"), results())
def test_the_table_of_the_readme_is_true(name: str, agent: str, figures: tuple[str, ...]) -> None:
    if name in ("PiBench-Researcher-v0", "PiBench-Pharmacist-v0"):
        need()
    summary = pi_gym.collect(name, agent, split="test")
    measures = ("proc", "comp") if len(figures) == 2 else ("success",)
    assert tuple(f"{summary.mean(one):.2f}" for one in measures) == figures


# -- what a project's users look for ---------------------------------------------------------------------------------


@pytest.mark.parametrize("path", sorted((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.md")), ids=lambda path: path.name)
def test_an_issue_template_has_a_head_and_asks_for_the_record(path: Path) -> None:
    _, head, body = path.read_text(encoding="utf-8").split("---\n", 2)
    told = yaml.safe_load(head)
    assert set(told) == {"name", "about", "labels"}
    assert "**The session's record**" in body
    assert "trajectories.jsonl" in body


def test_the_page_for_contributors_names_targets_that_there_are() -> None:
    targets = set(re.findall(r"^([\w-]+)(?: [\w-]+)*:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    targets |= {"test-slow"}  # two targets of one rule
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (`.+?) \|", page, re.MULTILINE)
    named = {name for row in rows for name in re.findall(r"`(?:make )?([\w-]+)`", row)}
    assert named
    assert named <= targets
