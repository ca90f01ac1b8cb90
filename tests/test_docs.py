"""The documentation: its snippets run, its tables are true, its links lead somewhere."""

import doctest
import importlib
import pkgutil
import re
import shlex
import sys
from pathlib import Path
from types import ModuleType

import pytest
from support.shell import need
from typer.testing import CliRunner

import pi_gym
from pi_gym.cli.main import app

ROOT = Path(__file__).parents[1]
TOP = [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")]
PAGES = [*TOP, *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / ".github").rglob("*.md"))]
FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def snippets(language):
    return [
        pytest.param(body, id=f"{page.name}-{number}")
        for page in PAGES
        for number, (kind, body) in enumerate(FENCE.findall(page.read_text()), start=1)
        if kind == language and "import" in body and "pi_gym" in body
    ]


@pytest.mark.parametrize("code", snippets("python"))
def test_python_snippets_run(code, tmp_path, monkeypatch):
    # As a program of its own, in this process: what it defines can be pickled, and it finds nothing but what it makes.
    main = ModuleType("__main__")
    monkeypatch.setitem(sys.modules, "__main__", main)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "<snippet>", "exec"), main.__dict__)


def told_commands():
    body = next(b for kind, b in FENCE.findall((ROOT / "docs" / "commands.md").read_text()) if "pi-gym list" in b)
    commands = [line.split("#")[0].strip() for line in body.splitlines() if line.startswith("pi-gym")]
    assert len(commands) >= 5
    # The proof takes a minute and has tests of its own; a few sessions show as much as many; `play` wants a person, so
    # it gets an end of input.
    return [re.sub(r"--sessions \d+", "--sessions 4", command) for command in commands if "validate" not in command]


@pytest.mark.parametrize("command", told_commands())
def test_commands_of_the_page_of_commands_run(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(app, shlex.split(command)[1:], input="")
    if "no sandbox runs shell commands" in done.output:
        need()
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page):
    for target in re.findall(r"\]\(([^)#]+)[^)]*\)", page.read_text()):
        if "://" not in target:
            assert (page.parent / target).exists(), target


def with_examples():
    """The modules that may have examples; that the others can be imported is a test of packaging."""
    for one in pkgutil.walk_packages(pi_gym.__path__, "pi_gym."):
        if ">>> " in one.module_finder.find_spec(one.name).loader.get_source(one.name):
            yield one.name


@pytest.mark.parametrize("name", ["pi_gym", *with_examples()])
def test_doctests_hold(name):
    if name == "pi_gym":
        need()  # a session of whatever task its example draws
    module = importlib.import_module(name)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    for found in doctest.DocTestFinder().find(module):
        if found.examples:  # `testmod` runs the others too, and looks at every file of the program for each
            runner.run(found)
    assert runner.failures == 0
