"""Proposals of an author's own are read, and told why they are refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from pi_gym.cli.main import app
from pi_gym.errors import PiGymError
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare_proof.proposal_report import read_proposals


def test_without_a_list_every_model_solution_is_read_and_taken() -> None:
    report = read_proposals(installed_scenarios())
    assert report.ok
    assert [one.task for one in report.proposals] == list(installed_scenarios().task_ids)


def test_a_list_tells_what_is_misread_and_why(tmp_path: Path) -> None:
    path = tmp_path / "listed.tsv"
    path.write_text("help\tShall I move the dinner?\n!help\tGood evening!\n", encoding="utf-8")
    result = CliRunner().invoke(app, ["questions", "pare", "two-at-once", "--list", str(path), "--json"])
    assert result.exit_code == 1
    found = json.loads(result.output)["proposals"]
    assert [(one["right"], one["taken"], one["why"]) for one in found] == [
        (True, False, "other: does not offer message.send"),
        (False, False, "vague"),
    ]


@pytest.mark.parametrize("line", ["help without a tab", "wish\tShall I?"])
def test_a_line_of_another_form_is_refused_with_its_number(tmp_path: Path, line: str) -> None:
    path = tmp_path / "listed.tsv"
    path.write_text(f"help\tShall I?\n{line}\n", encoding="utf-8")
    with pytest.raises(PiGymError, match="line 2: expected `help<TAB>proposal`"):
        read_proposals(installed_scenarios(), ["two-at-once"], listed=path)


def test_a_list_of_no_one_scenario_is_refused(tmp_path: Path) -> None:
    with pytest.raises(PiGymError, match="of one scenario"):
        read_proposals(installed_scenarios(), listed=tmp_path / "listed.tsv")
