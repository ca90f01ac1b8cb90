"""docs/extending.md: each of its additions, made in a copy of the checkout, is complete with the files it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from support.copies import ROOT, Copy

pytestmark = pytest.mark.slow

PAGE = (ROOT / "docs" / "extending.md").read_text(encoding="utf-8")
# Not tagged `python`: as programs of their own, they would add to the apps of the process that runs them.
FILE = re.compile(r"```(?:py|json|yaml)\n(?:#|//) (\S+)\n(.*?)```", re.DOTALL)


def files(heading: str) -> dict[str, str]:
    """The files that a section of the page shows, by path."""
    section = re.split(r"(?m)^## ", PAGE.split(f"\n## {heading}\n")[1])[0]
    return dict(FILE.findall(section))


def extended(folder: Path, heading: str) -> Copy:
    """A copy with a section's files, and the pages written anew."""
    copy = Copy(folder)
    for name, text in files(heading).items():
        copy.add(name, text)
    copy.python("scripts/write_pages.py")
    return copy


def test_an_app_s_tool_is_one_file(tmp_path: Path) -> None:
    assert len(files("An app's tool")) == 1
    copy = extended(tmp_path, "An app's tool")
    told = copy.python("-c", "from pi_gym.apps import operations; print(operations(['phone__*']).names)")
    assert "'phone__show_birthdays'" in told
    assert "### show_birthdays\n" in (copy.root / "docs" / "apps" / "phone.md").read_text("utf-8")


def test_an_app_is_its_folder_and_its_seeds(tmp_path: Path) -> None:
    assert {Path(name).parent.as_posix() for name in files("An app")} == {"pi_gym/apps/bell", "tests/packs/notes/apps"}
    copy = extended(tmp_path, "An app")
    code = """
from setuptools import find_packages
assert "pi_gym.apps.bell" in find_packages(include=["pi_gym", "pi_gym.*"])
from pi_gym import load_pack
from pi_gym.apps import load_app
print([one.name for one in load_app("bell").operations])
print(load_pack("tests/packs/notes").app_seeds.database("bell").table("rings").get(2))
"""
    told = copy.python("-c", code)
    assert "['bell__login', 'bell__logout', 'bell__ring', 'bell__show_rings']" in told
    assert "{'account': 2, 'at': '2026-01-03T08:00:00'}" in told
    assert "| [bell](apps/bell.md) | 4 |" in (copy.root / "docs" / "apps.md").read_text("utf-8")


PREDICATE = """
import sys
from pi_gym.apps import load_app
from pi_gym.errors import SpecError
from pi_gym.packs.app_columns import check_tables
from pi_gym.predicates import Evidence, check_shape, compile_predicate

SPEC = {"only_column": {"app": "simple_note", "table": "notes", "column": "pinned"}}
note = {"account": 1, "title": "Rye", "content": "", "tags": [], "pinned": False, "created_at": "", "updated_at": ""}
start = load_app("simple_note").database({"notes": {1: note}})

def holds(**changed):
    now = start.put("notes", start.table("notes").update(1, **changed))
    evidence = Evidence(apps={"simple_note": now}, apps_start={"simple_note": start})
    return compile_predicate(SPEC, "check").test(evidence).holds

assert holds(pinned=True) and not holds(title="Oats")
footprint = compile_predicate([SPEC, {"reply": "done"}], "check").footprint()
assert footprint.reads_state  # the prover's share of items on state
(allowed,) = footprint.allows  # what its damage leaves alone
assert allowed.covers("simple_note", "notes", "updated") and not allowed.covers("simple_note", "notes", "deleted")

def refused(**wrong):
    try:
        check_tables(check_shape([{"only_column": {**SPEC["only_column"], **wrong}}], "check").tables)
    except SpecError as error:
        return error.field

assert refused() is None and refused(column="{{ p.column }}") == refused(app="{{ p.app }}") is None
assert refused(app="simple_notes") == "check[0].only_column.app"
assert refused(table="nots") == "check[0].only_column.table"
assert refused(column="pind") == "check[0].only_column.column"
"""


def test_a_predicate_operation_is_one_file_that_every_reader_knows(tmp_path: Path) -> None:
    assert len(files("A predicate operation")) == 1
    copy = extended(tmp_path, "A predicate operation")
    copy.python("-c", PREDICATE)
    assert "| `only_column: {app, table, column}` |" in (copy.root / "docs" / "predicates.md").read_text("utf-8")


# Of the tests that the page names, those that run over whatever there is; the others are about one app each.
OF_ALL_APPS = "generic or conformance or documents or messages or references or results or isolation or fuzz"
PROOFS = {
    "An app's tool": ["tests/apps", "-k", OF_ALL_APPS],
    "An app": ["tests/apps", "-k", OF_ALL_APPS],
    "A predicate operation": ["tests/predicates"],
}


@pytest.mark.slow
@pytest.mark.parametrize("heading", PROOFS)
def test_the_tests_that_the_page_names_pass_in_the_copy(tmp_path: Path, heading: str) -> None:
    copy = extended(tmp_path, heading)
    if heading == "A predicate operation":
        (example,) = re.findall(r'^    \(\{"only_column": .*\),\n', PAGE, re.MULTILINE)
        examples = copy.root / "tests" / "predicates" / "test_footprints.py"
        known = examples.read_text()
        examples.write_text(known.replace("]] = [\n", f"]] = [\n{example}", 1))
    for tests in (PROOFS[heading], ["tests/test_written_pages.py"]):
        copy.python("-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", *tests)


def test_a_baseline_is_one_file(tmp_path: Path) -> None:
    assert list(files("A baseline")) == ["baselines/reader.py"]
    code = """
from pi_gym import collect
from pi_gym.installed import agent_names
assert "reader" in agent_names()
summary = collect("PiBench-Mini-v0", "reader", sessions=2)
print(summary.plan.agent, summary.scored, summary.mean("proc"))
"""
    assert extended(tmp_path, "A baseline").python("-c", code) == "reader 2 0.0\n"


def test_a_person_is_their_folder(tmp_path: Path) -> None:
    assert {name.split("/")[1] for name in files("A person")} == {"night_baker"}
    code = """
from pi_gym import collect
summary = collect("PiBench-NightBaker-v0", "reference", variants=[0, 1, 2])
print(summary.scored, summary.mean("proc"), summary.mean("comp"))
"""
    copy = extended(tmp_path, "A person")
    assert copy.python("-c", code) == "3 1.0 1.0\n"
    assert "PiBench-NightBaker-v0  night_baker: Night baker, Ulla Rask, baker" in copy.python("-m", "pi_gym", "list")


def test_a_family_is_its_folder(tmp_path: Path) -> None:
    """The guessing game as a folder of pi_gym, registered as the page says."""
    copy = Copy(tmp_path)
    ((name, text),) = files("A family").items()
    game = (ROOT / "tests" / "families" / "guess_game.py").read_text(encoding="utf-8")
    head, _, _ = game.partition("\nregister(")
    copy.add(name, text)
    copy.add("pi_gym/echo/__init__.py", "")
    copy.add("pi_gym/echo/env.py", f"{head}\nEchoEnv, EchoVectorEnv = GuessEnv, GuessVectorEnv\n")
    code = """
from pi_gym import collect
summary = collect("Echo-v0", "reference", variants=[1, 2], workers=2)
print(summary.plan.family, summary.scored, summary.mean("found"))
"""
    copy.add("play.py", f"if __name__ == '__main__':\n    {code.strip().replace(chr(10), chr(10) + '    ')}\n")
    assert copy.python("play.py") == "guess 4 1.0\n"
