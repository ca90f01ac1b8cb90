"""Reading scenarios: what some worlds leave out, and acts of which one is enough."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pi_gym.errors import PackError
from pi_gym.installed import envs_folder
from pi_gym.pare.scenario_set import FILE, SET, WORLD_FILE, ScenarioSet

SHEET = """
title: A mail about plants
about: Somebody asks for something.
themes: [reminders]
trigger: mail
params: {pot: {choices: [clay, tin, zinc]}}
cast: [friend]
time: "2026-05-04T09:00:00"
events:
  mail: {at: 10, skip: %(skip)s, do: Emails__send_email_to_user_only, sender: a@b.example, subject: Plants}
  later: {at: 20, after: [mail], do: Emails__send_email_to_user_only, sender: a@b.example, subject: More plants}
plan: [{do: Emails__open_email_by_id, email_id: "{{ ids.later }}", after: [mail, later]}]
help: {acts: %(acts)s, after: [mail, later], wrong: "{{ others.pot }}"}
goal: {app: Emails, table: emails, state: created, where: {folder: SENT}}
keep: {Emails: {emails: [created]}}
reference:
  propose: Shall I answer the mail?
  calls:
    - {do: Emails__reply_to_email, email_id: "{{ ids.mail }}", content: Yes, skip: %(skip)s}
    - {do: Emails__reply_to_email, email_id: "{{ ids.later }}", content: Yes}
"""


def written(folder: Path, *, skip: str = "false", acts: str = "[mail.reply]") -> ScenarioSet:
    """A set with one scenario."""
    place = folder / "scenarios" / "plants"
    place.mkdir(parents=True)
    shutil.copy(envs_folder() / SET / WORLD_FILE, folder)
    (place / FILE).write_text(SHEET % {"skip": skip, "acts": acts})
    return ScenarioSet(folder)


def test_nothing_waits_for_an_event_that_is_left_out(tmp_path: Path) -> None:
    scenario = written(tmp_path, skip="\"{{ 'a' == 'a' }}\"").instantiate("plants")
    assert [event.name for event in scenario.events] == ["later"]
    assert scenario.events[0].after == ()
    assert scenario.plan[0].after == ("later",)
    assert scenario.help is not None
    assert scenario.help.after == ("later",)
    assert scenario.solution is not None
    assert len(scenario.solution.calls) == 1


def test_of_several_acts_one_may_be_enough(tmp_path: Path) -> None:
    scenario = written(tmp_path, acts="[[mail.reply, mail.send], \"{{ 'note.' ~ 'add' }}\"]").instantiate("plants")
    assert scenario.help is not None
    assert scenario.help.acts == ({"mail.reply", "mail.send"}, {"note.add"})


@pytest.mark.parametrize("acts", ["[mail.lick]", "[[mail.reply, mail.lick]]", "[\"{{ 'mail.' ~ 'lick' }}\"]"])
def test_an_act_that_does_not_exist_is_told_with_its_file(tmp_path: Path, acts: str) -> None:
    with pytest.raises(PackError, match=r"plants/scenario\.yaml: help\.acts: .*mail\.lick"):
        written(tmp_path, acts=acts).instantiate("plants")


def test_what_other_worlds_have_can_be_wrong_in_this_one(tmp_path: Path) -> None:
    scenario = written(tmp_path).instantiate("plants")
    assert scenario.help is not None
    friend = scenario.values["cast"]["friend"]["first_name"]
    pots = {"clay", "tin", "zinc"} - {scenario.values["p"]["pot"]}
    assert pots == set(scenario.help.wrong)
    assert "ines" in {*scenario.help.strangers, friend.lower()}
    assert friend.lower() not in scenario.help.strangers
