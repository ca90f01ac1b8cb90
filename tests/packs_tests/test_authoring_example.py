"""The worked example of docs/authoring.md is a pack that can be proved."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pi_gym import load_pack
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


def test_its_only_departure_from_the_standards_is_the_one_that_is_told(report: Report) -> None:
    (task,) = report.tasks
    departures = {(f.subject, f.reason) for f in task.findings if f.check == "form"}
    assert departures == {("checklist", "2 items, expected 5 to 15")}
