"""The scenarios that are installed: in each, the model solution is right, and nothing less is."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from support.pare_play import WAIT, accepted, call, opened, solved, variant_of, variants_of

from pi_gym.installed import envs_folder
from pi_gym.pare.pare_grading import grade_session
from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.scenario import Scenario, Solution
from pi_gym.pare.scenario_set import SET, ScenarioSet, installed_scenarios
from pi_gym.pare.session import PareSession

TASKS = installed_scenarios().task_ids
#: What harms a row, by app and table: the operation, and the parameter that gets the row's id.
HARMS = {
    ("Calendar", "events"): ("Calendar__delete_calendar_event", "event_id"),
    ("Contacts", "contacts"): ("Contacts__delete_contact", "contact_id"),
    ("Emails", "emails"): ("Emails__delete_email", "email_id"),
    ("Notes", "notes"): ("Notes__delete_note", "note_id"),
    ("Reminders", "reminders"): ("Reminders__delete_reminder", "reminder_id"),
}
OWN_CARD = ("Contacts", 1)


def solution_of(session: PareSession) -> Solution:
    solution = session.scenario.solution
    assert solution is not None
    return solution


def silent(session: PareSession) -> PareSession:
    """The session after an agent that says and does no more."""
    while not session.ended:
        session.apply(WAIT)
    return session


def success_of(task: str, variant: int, *calls: str) -> float:
    """The success of an agent that does just this once its proposal was accepted."""
    session = accepted(opened(task, variant))
    for one in calls:
        session.apply(one)
    session.apply("Done.")
    success = silent(session).scores["success"]
    assert success is not None
    return success


def solution_calls(task: str, variant: int, **instead: object) -> list[str]:
    """The calls of a model solution, with other arguments where they have such."""
    calls = solution_of(opened(task, variant)).calls
    return [call(one.name, **one.arguments | {name: instead[name] for name in instead if name in one.arguments})
            for one in calls]  # fmt: skip


@pytest.mark.parametrize("task", TASKS)
def test_the_model_solution_gets_the_greatest_return(task: str) -> None:
    for variant in variants_of(task, wanted=True, count=6):
        session = solved(opened(task, variant))
        assert session.scores["return"] == 2.0, (variant, grade_session(session).reasons)
        assert session.terminated


@pytest.mark.parametrize("task", TASKS)
def test_to_be_silent_is_right_where_no_help_is_wanted_and_nowhere_else(task: str) -> None:
    for variant in variants_of(task, wanted=False, count=2):
        assert silent(opened(task, variant)).scores["return"] == 1.0
    for variant in variants_of(task, wanted=True, count=4):
        session = silent(opened(task, variant))
        assert session.scores["success"] == 0.0
        # With the goal met by the person alone, it would have ended before its last turn.
        assert session.ending.reason == "max_turns"


@pytest.mark.parametrize("task", TASKS)
def test_a_proposal_where_no_help_is_wanted_is_rejected(task: str) -> None:
    proposal = solution_of(opened(task, variant_of(task, wanted=True))).propose
    for variant in variants_of(task, wanted=False, count=2):
        session = opened(task, variant)
        session.apply(proposal)
        assert silent(session).scores["return"] == -1.0


@pytest.mark.parametrize("task", TASKS)
def test_about_one_world_in_six_wants_no_help(task: str) -> None:
    made = [installed_scenarios().instantiate(task, variant) for variant in range(120)]
    assert 8 <= sum(scenario.help is None for scenario in made) <= 36


@pytest.mark.parametrize("task", TASKS)
def test_without_consent_the_calls_of_the_solution_are_refused(task: str) -> None:
    for variant in variants_of(task, wanted=True, count=2):
        session = opened(task, variant)
        help_ = session.scenario.help
        assert help_ is not None
        while not session.happened.knows(help_.after):
            session.apply(WAIT)
        for one in solution_calls(task, variant):
            before = len(session.history)
            session.apply(one)
            assert "needs consent" in session.history[before:]
        assert silent(session).scores["success"] == 0.0


@pytest.mark.parametrize("task", TASKS)
def test_a_proposal_before_its_evidence_is_rejected(task: str) -> None:
    for variant in variants_of(task, wanted=True, count=2):
        session = opened(task, variant)
        session.apply(solution_of(session).propose)
        (settled,) = (event for event in session.log if event.kind == "settled")
        assert settled.data["note"] == "too early"


@pytest.mark.parametrize("task", TASKS)
def test_harm_to_any_other_row_is_no_success(task: str) -> None:
    variant = variant_of(task, wanted=True)
    calls = solution_calls(task, variant)
    assert success_of(task, variant, *calls) == 1.0
    for harm in harms(installed_scenarios().instantiate(task, variant)):
        assert success_of(task, variant, harm, *calls) == 0.0, harm


def harms(scenario: Scenario) -> Iterator[str]:
    """Calls each of which harms a row that is none of the scenario's business."""
    for (app, table), (name, parameter) in HARMS.items():
        kept = scenario.keep.get((app, table), frozenset())
        assert kept is not None
        rows = scenario.world.apps[app].table(table).rows()
        yield from (call(name, **{parameter: key}) for key, _ in rows if key not in kept and (app, key) != OWN_CARD)
    yield call("Apartment__save_apartment", apartment_id=1)
    yield call("Reminders__add_reminder", title="More", due_datetime="2026-06-01 10:00:00", description="")


@pytest.mark.parametrize("task", TASKS)
def test_a_world_is_the_same_each_time(task: str) -> None:
    again = ScenarioSet(envs_folder() / SET)
    for variant in range(3):
        anew = PareSession(again.instantiate(task, variant), config=PareConfig(strict=True))
        assert solved(anew).history.encode() == solved(opened(task, variant)).history.encode()


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("worlds", [1, 8])
def test_proposals_of_other_worlds_are_not_worth_it(task: str, worlds: int) -> None:
    known = [solution_of(opened(task, variant)) for variant in variants_of(task, wanted=True, count=worlds)]
    scores = []
    for variant in range(100, 130):
        session = opened(task, variant)
        while len(session.happened.at) < len(session.scenario.events):
            session.apply(WAIT)
        session.apply(" ".join(solution.propose for solution in known))
        if session.standing.mode == "execute":
            for one in known[0].calls:
                session.apply(call(one.name, **one.arguments))
            session.apply("Done.")
        scores.append(silent(session).scores["score"] or 0.0)
    assert sum(scores) / len(scores) < 0.2


def test_only_the_best_code_for_the_cart_is_success() -> None:
    task = "code-for-the-cart"
    variant = variant_of(task, wanted=True)
    values = installed_scenarios().instantiate(task, variant).values
    for code, success in ((None, 0.0), (values["weak"], 0.0), (values["code"].lower(), 1.0)):
        assert success_of(task, variant, call("Shopping__checkout", discount_code=code)) == success


@pytest.mark.parametrize("task", ["note-for-a-friend", "two-at-once"])
def test_a_message_to_somebody_else_beside_is_no_success(task: str) -> None:
    for variant in variants_of(task, wanted=True, count=4):
        somebody = installed_scenarios().instantiate(task, variant).values["cast"]["other"]["id"]
        more = call("Messages__send_message", user_id=somebody, content="By the way!")
        assert success_of(task, variant, *solution_calls(task, variant), more) == 0.0


def test_the_numbers_of_the_older_note_are_no_success() -> None:
    task = "note-for-a-friend"
    for variant in variants_of(task, wanted=True, count=4):
        values = installed_scenarios().instantiate(task, variant).values
        stale, numbers = " and ".join(map(str, values["stale"])), values["numbers"]
        for text, success in ((stale, 0.0), (f"{numbers}, or was it {stale}?", 0.0), (f"So: {numbers}", 1.0)):
            assert success_of(task, variant, *solution_calls(task, variant, content=text)) == success


def test_an_appointment_that_moves_without_a_word_to_the_friend_is_no_success() -> None:
    task = "two-at-once"
    for variant in variants_of(task, wanted=True, count=4):
        for one in solution_calls(task, variant):
            assert success_of(task, variant, one) == 0.0


def test_another_saved_apartment_than_the_dear_one_is_no_success() -> None:
    task = "over-the-limit"
    variant = variant_of(task, wanted=True)
    world = installed_scenarios().instantiate(task, variant).world
    saved = [key for key, row in world.apps["Apartment"].table("apartments").rows() if row["saved"]]
    successes = [success_of(task, variant, *solution_calls(task, variant, apartment_id=key)) for key in saved]
    assert sorted(successes) == [0.0, 0.0, 1.0]
