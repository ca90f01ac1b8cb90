"""Habits of the phone's owner: they hold over whatever is done, stand on the phone, and only add to a scenario."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest

from pi_gym.pare.proposals import recognise
from pi_gym.pare.scenario import Scenario
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare_proof.plays import ScenarioCase
from pi_gym.types import ToolCall
from tests.support.pare_play import accepted, call, opened, variants_of

SCENARIOS = installed_scenarios()
HABITS = sorted(SCENARIOS.home.habits)
TASKS = ("moved-appointment", "viewing-clash", "stranded-friend", "code-for-the-cart")
PLACES = [(habit, task) for habit in HABITS for task in TASKS if habit in SCENARIOS.source(task).habits]


def world_with(habit: str, task: str) -> Scenario:
    return SCENARIOS.instantiate(task, variants_of(task, wanted=True, count=1, habit=habit)[0])


def succeeds(scenario: Scenario, calls: Sequence[ToolCall]) -> bool:
    session = ScenarioCase(SCENARIOS, scenario).after_calls(tuple(calls))
    return session.scores["success"] == 1.0


def calls_of(scenario: Scenario) -> tuple[ToolCall, ...]:
    assert scenario.solution is not None
    return scenario.solution.calls


@pytest.mark.parametrize(("habit", "task"), PLACES)
def test_help_that_leaves_the_habit_out_is_no_success(habit: str, task: str) -> None:
    scenario = world_with(habit, task)
    calls = calls_of(scenario)
    assert succeeds(scenario, calls)
    assert not succeeds(scenario, calls[:-1])


@pytest.mark.parametrize(("habit", "task"), PLACES)
def test_what_is_wanted_stands_on_the_phone(habit: str, task: str) -> None:
    scenario = world_with(habit, task)
    ids = SCENARIOS.source(task).ids
    for app, tables in SCENARIOS.home.habits[habit].apps.items():
        for table, rows in tables.items():
            for name in rows:
                row = scenario.world.apps[app].table(table).get(ids[name])
                assert row is not None
                assert any("done for me" in str(value) for value in row.values())


def test_a_reminder_for_another_time_is_not_the_one() -> None:
    scenario = world_with("check", "moved-appointment")
    *others, last = calls_of(scenario)
    wrong = {**last.arguments, "due_datetime": str(last.arguments["due_datetime"])[:-5] + "45:00"}
    assert not succeeds(scenario, [*others, ToolCall(last.name, wrong)])
    assert succeeds(
        scenario, [*others, ToolCall(last.name, {**last.arguments, "title": "Check: the visit's new time"})]
    )


def test_a_log_that_loses_its_older_lines_or_names_another_app_is_no_success() -> None:
    scenario = world_with("log", "moved-appointment")
    *others, last = calls_of(scenario)
    text = str(last.arguments["content"])
    line = text.rpartition("\n")[2]
    free = text.replace("as agreed", "the visit moved to its new time")
    for content, right in ((free, True), (line, False), (text.replace("Calendar: as", "Emails: as"), False)):
        assert succeeds(scenario, [*others, ToolCall(last.name, {**last.arguments, "content": content})]) is right


@pytest.mark.parametrize("habit", HABITS)
def test_a_proposal_may_speak_of_the_habit_and_of_nothing_else_like_it(habit: str) -> None:
    scenario = world_with(habit, "moved-appointment")
    assert scenario.help is not None
    assert scenario.solution is not None
    today = scenario.time.date()
    own, other = {
        "log": (' I would write it into your note "LOG", too.', " I'd also delete your note with the groceries."),
        "check": (" I'd also set the reminder Check: visit.", " I'd also set a reminder for you an hour before."),
    }[habit]
    assert recognise(scenario.solution.propose + own, scenario.help, today).right
    assert not recognise(scenario.solution.propose + other, scenario.help, today).right


def test_most_worlds_have_a_habit_and_each_is_as_frequent_whether_help_is_wanted_or_not() -> None:
    worlds = [SCENARIOS.instantiate(task, number) for task in SCENARIOS.task_ids for number in range(20)]
    for wanted in (True, False):
        found = Counter(world.habit for world in worlds if (world.help is not None) == wanted)
        assert 0.15 <= found[""] / found.total() <= 0.35
        assert min(found[habit] for habit in HABITS) / found.total() >= 0.25


@pytest.mark.parametrize("task", SCENARIOS.task_ids)
def test_a_scenario_has_no_habit_over_a_table_that_it_is_about_itself(task: str) -> None:
    source = SCENARIOS.source(task)
    own = {(app, table) for app, tables in source.sheet.keep.items() for table in tables}
    for habit in source.habits:
        kept = SCENARIOS.home.habits[habit].keep
        assert own.isdisjoint((app, table) for app, tables in kept.items() for table in tables)


@pytest.mark.parametrize("habit", HABITS)
def test_what_was_forgotten_may_be_offered_afterwards_and_what_was_done_is_not_wanted_again(habit: str) -> None:
    number = variants_of("moved-appointment", wanted=True, count=1, habit=habit)[0]
    session = accepted(opened("moved-appointment", number))
    scenario = session.scenario
    assert scenario.solution is not None
    offer = {
        "log": "Shall I add a line about it to your note, too?",
        "check": "Shall I set the reminder Check: the visit?",
    }[habit]
    *others, last = scenario.solution.calls
    for done in others:
        session.apply(call(done.name, **done.arguments))
    session.apply("That is done.")
    paid = session.standing
    session.apply(scenario.solution.propose)
    assert session.standing.mode == "observe"
    assert session.standing.rejected == paid.rejected + 1
    session.apply(offer)
    assert session.standing.mode == "execute"
    assert session.standing.rejected == paid.rejected + 1
    session.apply(call(last.name, **last.arguments))
    session.apply("That is done, too.")
    assert session.scores["success"] == 1.0
