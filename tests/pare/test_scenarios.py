"""The scenarios that are installed, each with the mistakes that lie near."""

from __future__ import annotations

import re

import pytest
from support.pare_play import WAIT, accepted, call, opened, variant_of, variants_of

from pi_gym.pare.scenario import Solution
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession

TASKS = installed_scenarios().task_ids


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
def test_a_proposal_where_no_help_is_wanted_is_rejected(task: str) -> None:
    proposal = solution_of(opened(task, variant_of(task, wanted=True))).propose
    for variant in variants_of(task, wanted=False, count=2):
        session = opened(task, variant)
        session.apply(proposal)
        assert silent(session).scores["return"] == -1.0


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


@pytest.mark.parametrize("task", installed_scenarios().task_ids)
def test_moments_are_written_so_that_they_can_be_compared(task: str) -> None:
    for variant in range(12):
        help_ = installed_scenarios().instantiate(task, variant).help
        told = "" if help_ is None else help_.told
        for moment in re.findall(r"\d{4}-\d+-\d+T[\d:]+", told):
            assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?", moment), (variant, moment)


def test_the_person_looks_at_the_flat_before_they_agree() -> None:
    task = "over-the-limit"
    for variant in variants_of(task, wanted=True, count=2):
        session = accepted(opened(task, variant))
        assert session.standing.gathered_accepted == 1
        looked = [event for event in session.log if event.kind == "person"][-1]
        assert looked.data["call"] == "Apartment__view_apartment"
