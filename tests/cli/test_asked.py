"""`pi-gym questions`: the check of how a pack's tasks are asked about, lists of other writers, and drafts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
import yaml
from support.packs import TINY
from typer.testing import CliRunner

from pi_gym.cli.main import app

TASK = "01-list"
ENTRIES = {
    "case": {
        "groups": [["upper", "lower", "capital"], ["name", "letter", "list"]],
        "asked": ["Should the names be in capital letters?", "Upper or lower case for the list?"],
        "not_asked": ["How long is the list?"],
    },
    "size": {"groups": [["bed"], ["which", "small", "size"]], "asked": ["Which size of bed?"]},
}


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "tiny"
    shutil.copytree(TINY, folder)
    return folder


def write(pack: Path, **changes: dict[str, object]) -> None:
    file = pack / "tasks" / TASK / "questions.yaml"
    known = yaml.safe_load(file.read_text())
    file.write_text(yaml.safe_dump({**known, **{name: {**ENTRIES[name], **new} for name, new in changes.items()}}))


def checked(*arguments: object, status: int = 0) -> str:
    result = CliRunner().invoke(app, ["questions", *map(str, arguments)])
    assert result.exit_code == status, result.output
    return result.output


def test_the_researchers_own_examples_are_taken_as_meant() -> None:
    assert ": 0 not taken as meant" in checked("researcher")


def test_a_good_task_passes(pack: Path) -> None:
    write(pack, case={}, size={})
    assert "3 questions, 1 near misses: 0 not taken as meant" in checked(pack, TASK)


def test_a_missed_example_is_told_with_the_words_that_would_mend_it(pack: Path) -> None:
    write(pack, case={"asked": ["Do you want every name to be shouted?"]})
    told = checked(pack, TASK, status=1)
    assert "case: missed: 'Do you want every name to be shouted?'; for its groups:" in told
    assert "shouted" in told


def test_a_near_miss_that_is_taken_is_told(pack: Path) -> None:
    write(pack, case={"not_asked": ["Which capital is on the list?"]})
    assert "case: taken, taken for case: 'Which capital is on the list?'" in checked(pack, TASK, status=1)


def test_an_example_that_asks_nothing_is_told(pack: Path) -> None:
    write(pack, case={"asked": ["The names are in capital letters."]})
    assert "case: no question:" in checked(pack, TASK, status=1)


def test_a_list_is_measured(pack: Path, tmp_path: Path) -> None:
    write(pack, case={}, size={})
    lines = ["case\tCapital letters for the names?", "case\tWhat about it?", "!case\tWhich letters are on the list?"]
    (tmp_path / "list.tsv").write_text("\n".join([*lines, "", "size\tWhich bed?"]))
    found = json.loads(checked(pack, TASK, "--list", tmp_path / "list.tsv", "--json"))["list"]
    assert found == {
        "asked": 3,
        "heard": 2,
        "wrong": 0,
        "near": 1,
        "taken": 0,
        "recall": 0.6667,
        "precision": 1.0,
        "wrong_credit": 0.0,
        "misread": ["line 2 case: missed: 'What about it?'"],
    }


@pytest.mark.parametrize(
    ("line", "says"),
    [("cases\tCapitals?", "Did you mean 'case'"), ("Capitals?", "line 1"), ("case\t ", "expected topic<TAB>question")],
)
def test_a_bad_line_is_named(pack: Path, tmp_path: Path, line: str, says: str) -> None:
    (tmp_path / "list.tsv").write_text(line + "\n")
    result = CliRunner().invoke(app, ["questions", str(pack), TASK, "--list", str(tmp_path / "list.tsv")])
    assert result.exit_code != 0
    assert says in f"{result.output} {result.exception}"


def test_a_list_measures_one_task(tmp_path: Path) -> None:
    (tmp_path / "list.tsv").write_text("case\tCapitals?\n")
    result = CliRunner().invoke(app, ["questions", str(TINY), "--list", str(tmp_path / "list.tsv")])
    assert result.exit_code != 0
    assert "a list measures one task" in f"{result.output} {result.exception}"


def test_a_draft_passes_its_own_check(pack: Path, tmp_path: Path) -> None:
    questions = {
        "case": ["Capital letters for the names?", "Are the names in upper case?", "Lower case or capital letters?"],
        "size": ["Which bed do you mean?", "The small bed or the large one?", "How big is the bed to be?"],
    }
    lines = [f"{name}\t{question}" for name, found in questions.items() for question in found]
    (tmp_path / "list.tsv").write_text("\n".join([*lines, "!case\tIs the garden big?"]))
    drafted = checked(TINY, "--draft", tmp_path / "list.tsv")
    entries = yaml.safe_load(drafted)
    assert entries["case"]["not_asked"] == ["Is the garden big?"]
    file = pack / "tasks" / TASK / "questions.yaml"
    file.write_text(yaml.safe_dump({**yaml.safe_load(file.read_text()), **entries}))
    assert "6 questions, 1 near misses: 0 not taken as meant" in checked(pack, TASK)
