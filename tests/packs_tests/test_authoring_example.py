"""The worked example of docs/authoring.md is a pack that can be proved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_gym import load_pack
from pi_gym.authoring.task_folder import begin_task
from pi_gym.proof import Report, validate_pack

PAGE = Path(__file__).parents[2] / "docs" / "authoring.md"
FILE = re.compile(r"^`joinery/([^`]+)`:\n\n```\w+\n(.*?)^```$", re.DOTALL | re.MULTILINE)


@pytest.fixture(scope="module")
def report(tmp_path_factory: pytest.TempPathFactory) -> Report:
    folder = tmp_path_factory.mktemp("example") / "joinery"
    for name, text in FILE.findall(PAGE.read_text()):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return validate_pack(load_pack(folder), variants=5)


def test_the_example_passes_every_check(report: Report) -> None:
    assert report.ok, report.markdown()


def test_it_keeps_the_standards(report: Report) -> None:
    (task,) = report.tasks
    assert [one for one in task.findings if one.check == "form"] == []


def test_the_sheet_makes_a_folder_that_can_be_read(tmp_path: Path) -> None:
    sheet = re.search(r"^```markdown\n(.*?)^```$", PAGE.read_text(), re.DOTALL | re.MULTILINE)
    assert sheet is not None
    for name, text in FILE.findall(PAGE.read_text()):
        (tmp_path / "joinery" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "joinery" / name).write_text(text)
    (tmp_path / "sheet.md").write_text(
        sheet[1].replace("| decimals | lasting | session 01-baseline-table", "| started | lasting | session 01-bill")
    )
    folder = begin_task(tmp_path / "joinery", "partner-report", tmp_path / "sheet.md")
    assert folder.name == "02-partner-report"
    pack = load_pack(tmp_path / "joinery")
    task = pack.instantiate("02-partner-report", 0)
    task.complete()
    assert {one.name for one in pack.source_of(task.id).pool} == {"started", "embargo", "copy", "order", "call"}
