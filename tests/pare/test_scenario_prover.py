"""The proof of scenarios: the installed ones pass it, and each way of spoiling one is found."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from support.pare_play import variant_of

from pi_gym.errors import UnknownName
from pi_gym.installed import envs_folder
from pi_gym.pare.scenario_set import FILE, SET, WORLD_FILE, ScenarioSet, installed_scenarios
from pi_gym.pare_proof.scenario_prover import ALL_CHECKS, check_scenario, validate_scenarios
from pi_gym.pare_proof.set_page import describe_scenarios
from pi_gym.validation.report import task_report


@pytest.mark.slow
@pytest.mark.parametrize("task", installed_scenarios().task_ids)
def test_an_installed_scenario_passes_every_check(task: str) -> None:
    worlds = (variant_of(task, wanted=True), variant_of(task, wanted=False))
    sheets = check_scenario(installed_scenarios(), task, worlds)
    found = [finding for sheet in sheets for finding in sheet.findings if finding.level == "failure"]
    assert not found
    assert {sheet.check for sheet in sheets} | {"worth", "set"} == set(ALL_CHECKS)


Spoil = Callable[..., ScenarioSet]


@pytest.fixture
def spoiled(tmp_path: Path) -> Spoil:
    """A set of one scenario with edits: (old, new); old must be there."""

    def make(*edits: tuple[str, str], task: str = "two-at-once") -> ScenarioSet:
        folder = tmp_path / SET
        (folder / "scenarios" / task).mkdir(parents=True)
        shutil.copy(envs_folder() / SET / WORLD_FILE, folder)
        text = (envs_folder() / SET / "scenarios" / task / FILE).read_text(encoding="utf-8")
        for old, new in edits:
            assert old in text
            text = text.replace(old, new)
        (folder / "scenarios" / task / FILE).write_text(text, encoding="utf-8")
        return ScenarioSet(folder)

    return make


def failures(scenarios: ScenarioSet, check: str) -> str:
    """The failures of a check over some worlds, a line each."""
    (task,) = scenarios.task_ids
    report = task_report(task, check_scenario(scenarios, task, range(6)), ALL_CHECKS)
    return "\n".join(f"{one.subject}: {one.reason}" for one in report.failures if one.check == check)


SAID = '{matches: "\\\\b{{ p.day.nth[:2] }}(st|nd|rd|th)?\\\\b|{{ p.day.name }}"}'


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edit", "check", "expected"),
    [
        (("Shall I move {{ title }}", "Shall I cancel {{ title }}"), "reference", "return: expected 2"),
        ((SAID, "{matches: .}"), "steps", "content = 'Hello.' succeeds, too"),
        ((", count: \"{{ chat }}\",\n     where: {sender: 1, conv", ", count: 0,\n     where: {sender: 7, conv"),
         "steps", "Messages__send_message"),
        (("end_datetime: \"{{ new_end }}\", location", "location"), "steps", "with end_datetime"),
        (("invite: {at: 75,", "invite: {at: 75, when: {app: Calendar, table: events, state: deleted},"), "silence",
         "invite: it never happens by itself"),
    ],
)  # fmt: skip
def test_what_spoils_a_scenario_is_found(spoiled: Spoil, edit: tuple[str, str], check: str, expected: str) -> None:
    assert expected in failures(spoiled(edit), check)


def test_a_goal_that_the_person_meets_alone_is_found(spoiled: Spoil) -> None:
    scenarios = spoiled(("skip: \"{{ p.who == 'agent' }}\"", "skip: false"), task="moved-appointment")
    assert "without anybody's help" in failures(scenarios, "silence")


@pytest.mark.slow
def test_processes_change_nothing_in_the_report() -> None:
    scenarios = installed_scenarios()
    names = scenarios.task_ids[:2]
    alone = validate_scenarios(scenarios, names, variants=1)
    assert validate_scenarios(scenarios, names, variants=1, jobs=2).to_json() == alone.to_json()
    assert alone.variants == (0, 100_000)


def test_an_unknown_scenario_and_no_variants_are_refused() -> None:
    with pytest.raises(UnknownName, match="two-at-once"):
        validate_scenarios(installed_scenarios(), ["two-at-onse"])
    with pytest.raises(ValueError, match="variants"):
        validate_scenarios(installed_scenarios(), variants=0)


def test_the_page_of_the_set_names_every_scenario_and_what_it_begins_with() -> None:
    page = describe_scenarios(installed_scenarios())
    for name, source in installed_scenarios().sources.items():
        assert f"| {name}" in page
        assert f"| {source.sheet.title} | {source.sheet.trigger} |" in page
