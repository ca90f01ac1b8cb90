"""The documentation: its snippets run, its tables are true, its links lead somewhere."""

import doctest
import importlib
import pkgutil
import re
import shlex
import subprocess
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
TUTORIAL = ROOT / "docs" / "tutorial.md"
FENCE = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)


def snippets(language):
    return [
        pytest.param(body, id=f"{page.name}-{number}")
        for page in PAGES
        if page != TUTORIAL  # its programs build on one another
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


class Reader:
    """Somebody who does what the tutorial says, in a copy of the repository, and sees what is printed.

    Args:
        folder: where the programs are written.
    """

    def __init__(self, folder):
        self.folder = folder
        (folder / "examples").symlink_to(ROOT / "examples")

    def do(self, command):
        """The output of a command of the page."""
        program, *arguments = shlex.split(command)
        if program == "pi-gym":
            done = CliRunner().invoke(app, arguments)
            assert done.exit_code == 0, done.output
            return done.output
        assert program == "python"
        run = [sys.executable, arguments[0]]
        return subprocess.run(run, cwd=self.folder, capture_output=True, text=True, check=True).stdout


def follow_tutorial(reader, programs):
    """Do what the tutorial says, as far as it runs these programs or none; gives what was printed and what it shows."""
    printed, seen = "", []
    for kind, body in FENCE.findall(TUTORIAL.read_text()):
        if kind == "python":
            name = body.partition("\n")[0].removeprefix("# ")
            (reader.folder / name).write_text(body)
        elif kind == "sh" and "pip install" not in body:  # that is tested in test_packaging.py
            wanted = [line for line in body.splitlines() if programs(line)]
            printed = [reader.do(line) for line in wanted][-1] if wanted else None
        elif kind == "text" and printed is not None:
            seen.append((printed, body))
    return seen


def test_the_tutorial_shows_what_its_commands_print(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    seen = follow_tutorial(Reader(tmp_path), lambda line: "learn.py" not in line)
    assert len(seen) == 2
    for printed, shown in seen:
        assert printed == shown


@pytest.mark.slow
def test_the_tutorial_trains_a_policy(tmp_path):
    ((printed, shown),) = follow_tutorial(Reader(tmp_path), lambda line: "learn.py" in line)
    # Figures of other machines may differ in the last place, and then in what is drawn.
    assert [line.partition(":")[0] for line in printed.splitlines()[:-1]] == [
        line.partition(":")[0] for line in shown.splitlines()[:-1]
    ]
    figures = re.findall(r"(\w+): ([\d.]+) before, ([\d.]+) after", printed)
    assert [name for name, _, _ in figures] == ["validation", "holdout"]
    assert all(float(before) < 0.3 and float(after) > 0.9 for _, before, after in figures)


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
