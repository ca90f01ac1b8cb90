"""What an agent could try against a Pare session, and what must not upset one."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from support.pare_play import WAIT, accepted, call, opened, variant_of, variants_of

from pi_gym.pare.pare_grading import damage, grade_session
from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.proposals import recognise
from pi_gym.pare.scenario import FIRST_ADDED, PlannedEvent, PlanStep
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession
from pi_gym.predicates.compile import compile_predicate
from pi_gym.types import ToolCall

RIDE, VISIT = "stranded-friend", "moved-appointment"
WANTED = variant_of(RIDE, wanted=True)
READ = call("Calendar__read_today_calendar_events")


def finished(session: PareSession) -> PareSession:
    """The session after its model solution, in the execution that is under way, and then silence."""
    solution = session.scenario.solution
    assert solution is not None
    for one in solution.calls:
        session.apply(one.to_text())
    session.apply(solution.report)
    while not session.ended:
        session.apply(WAIT)
    return session


@pytest.mark.parametrize(
    "action", [call("System__wait_for_notification", timeout=None), call("AgentUI__send_message_to_user", content=None)]
)
def test_null_is_an_argument_that_was_left_out(action: str) -> None:
    session = opened(RIDE, WANTED)
    session.apply(action)
    assert (session.turn, session.standing.proposals, session.engine_faults) == (2, 0, ())


def test_the_clock_shows_whole_seconds_whatever_is_waited_for() -> None:
    session = opened(RIDE, WANTED, noise=2.3)
    for number in range(1, 6):
        session.apply(call("System__wait_for_notification", timeout=1_000))
        assert session.clock.microsecond == 0
        happened = session.happened.noise + len(session.happened.at)
        assert happened == number, "each wait leads to the next event"


def test_a_call_too_many_while_watching_is_not_asked_for_a_report() -> None:
    session = opened(RIDE, WANTED)
    session.apply("\n".join([READ] * 6))
    assert session.step is not None
    refused = next(one for one in session.step.messages if one.content.startswith("[environment]"))
    assert "report" not in refused.content


@pytest.mark.parametrize("action", [call("Files__mkdir", path="junk"), call("Files__rm", path="plan.txt")])
def test_harm_to_files_is_no_success(action: str) -> None:
    session = opened(RIDE, WANTED)
    session.world.workspace.write("plan.txt", b"Do not lose me.")
    accepted(session).apply(action)
    assert finished(session).scores["success"] == 0.0


def test_files_that_were_put_right_and_those_that_it_may_change_are_no_harm() -> None:
    session = accepted(opened(RIDE, WANTED))
    session.apply(call("Files__mkdir", path="junk"))
    session.apply(call("Files__rm", path="junk", recursive=True))
    assert finished(session).scores["success"] == 1.0
    session = opened(RIDE, WANTED)
    session.scenario = replace(session.scenario, keep_files=("papers/new",))
    accepted(session).apply(call("Files__makedirs", path="papers/new/one"))
    assert finished(session).scores["success"] == 1.0


def test_a_mail_that_was_sent_is_not_taken_back_by_deleting_it() -> None:
    session = accepted(opened(RIDE, WANTED))
    session.apply(call("Emails__send_email", recipients=["a@b.example"], subject="Psst", content="News!"))
    session.apply(call("Emails__delete_email", email_id=500_001, folder_name="SENT"))
    session.apply(call("Emails__delete_email", email_id=500_001, folder_name="TRASH"))
    assert session.world.apps["Emails"].table("emails").get(500_001) is None
    assert finished(session).scores["success"] == 0.0


def test_a_row_that_the_agent_put_right_is_free_to_be_changed_by_others() -> None:
    session = accepted(opened(VISIT, variant_of(VISIT, wanted=True)))
    table = session.world.apps["Calendar"].table("events")
    decoy, row = next((key, row) for key, row in table.rows() if row["title"] == "Haircut")
    session.apply(call("Calendar__edit_calendar_event", event_id=decoy, title="Cut"))
    session.apply(call("Calendar__edit_calendar_event", event_id=decoy, title="Haircut"))
    database = session.world.apps["Calendar"]
    changed = database.table("events").with_rows({decoy: {**row, "location": "Elsewhere"}})
    session.world.put_app("Calendar", database.put("events", changed))
    assert not damage(session)


def test_a_step_is_not_done_on_the_way_to_another_before_its_time() -> None:
    session = opened(RIDE, WANTED)
    scenario = session.scenario
    view = ToolCall("Shopping__view_cart")
    late = (PlanStep(ToolCall("Shopping__checkout")), PlanStep(view, turn=6))
    session = PareSession(replace(scenario, plan=late), config=PareConfig(strict=True))
    while session.turn < 7:
        assert session.turn >= 6 or 1 not in session.done
        session.apply(WAIT)
    session.apply(WAIT)
    assert session.done == {0, 1}


def test_a_way_that_fails_ends_its_step_and_the_person_goes_on() -> None:
    scenario = opened(VISIT, variant_of(VISIT, wanted=True)).scenario
    gone = PlanStep(ToolCall("Calendar__delete"), shows={"event_id": 77_777})
    session = PareSession(
        replace(scenario, plan=(gone, PlanStep(ToolCall("Shopping__view_cart")))), config=PareConfig(strict=True)
    )
    while not session.ended and len(session.done) < 2:
        session.apply(WAIT)
    assert session.done == {0, 1}


def test_an_event_against_which_the_agents_harm_stands_leaves_the_session_scored() -> None:
    scenario = opened(VISIT, variant_of(VISIT, wanted=True)).scenario
    decoy = next(
        key for key, row in scenario.world.apps["Calendar"].table("events").rows() if row["title"] == "Haircut"
    )
    call_off = ToolCall("Calendar__delete_calendar_event_by_attendee", {"event_id": decoy, "who_delete": "Salon Rosa"})
    late = PlannedEvent("late", call_off, 100.0, after=("mail",))
    session = PareSession(replace(scenario, events=(*scenario.events, late)), config=PareConfig(strict=True))
    accepted(session).apply(call("Calendar__delete_calendar_event", event_id=decoy))
    session.apply("I have tidied up.")
    while not session.ended:
        session.apply(WAIT)
    assert "late" in session.happened.at
    assert session.scored
    assert session.scores["success"] == 0.0


@pytest.mark.slow
@pytest.mark.parametrize("task", installed_scenarios().task_ids)
def test_a_proposal_stuffed_with_the_facts_of_all_worlds_is_not_the_right_one(task: str) -> None:
    for variant in variants_of(task, wanted=True, count=12):
        scenario = installed_scenarios().instantiate(task, variant)
        assert scenario.help is not None
        assert scenario.solution is not None
        today, proposal = scenario.time.date(), scenario.solution.propose
        assert recognise(proposal, scenario.help, today).right
        for name, rivals in scenario.help.rivals.items():
            if len(rivals) < 2:
                continue  # one other fact beside the right one is no list of guesses
            facts = re.sub(r"(\d)T(\d)", r"\1 \2", ", ".join(sorted(rivals)))
            # Where the offer names the fact, which is behind all that is told; a moment has other words there.
            at, own = max((proposal.rfind(way), way) for way in scenario.help.names[name])
            stuffed = f"{proposal.rstrip('?. ')}, or {facts}?"
            if at >= 0:
                stuffed = f"{proposal[:at]}{own}, {facts}{proposal[at + len(own) :]}"
            assert not recognise(stuffed, scenario.help, today).right, name


@pytest.mark.parametrize("more", ["ride", "message"])
def test_a_ride_or_a_message_that_nobody_asked_for_is_no_success(more: str) -> None:
    session = accepted(opened(RIDE, WANTED))
    other = session.scenario.values["cast"]["other"]
    if more == "ride":
        session.apply(
            call("Cab__order_ride", start_location="Central Station", end_location="Fort Sand", service_type="Default")
        )
        session.apply(call("Cab__user_cancel_ride"))
    else:
        session.apply(call("Messages__send_message", user_id=other["id"], content="Guess what!"))
    assert finished(session).scores["success"] == 0.0


def test_to_tell_the_friend_of_the_ride_is_welcome() -> None:
    session = accepted(opened(RIDE, WANTED))
    friend = session.scenario.values["cast"]["friend"]
    session.apply(call("Messages__send_message", user_id=friend["id"], content="A cab is on its way."))
    assert finished(session).scores["success"] == 1.0


@pytest.mark.parametrize("column", ["title", "location", "tag"])
def test_a_visit_that_is_moved_stays_what_it_was(column: str) -> None:
    session = opened(VISIT, variant_of(VISIT, wanted=True))
    solution = session.scenario.solution
    assert solution is not None
    (move,) = solution.calls
    accepted(session).apply(ToolCall(move.name, {**move.arguments, column: "else"}).to_text())
    session.apply("Done.")
    while not session.ended:
        session.apply(WAIT)
    assert session.scores["success"] == 0.0


@pytest.mark.parametrize("task", ["note-for-a-friend", "two-at-once"])
def test_a_mail_to_somebody_else_is_no_success_wherever_it_lies(task: str) -> None:
    session = accepted(opened(task, variant_of(task, wanted=True)))
    session.apply(call("Emails__send_email", recipients=["a@b.example"], subject="Psst", content="News!"))
    sent = next(key for key, _ in session.world.apps["Emails"].table("emails").rows() if key > FIRST_ADDED)
    session.apply(call("Emails__delete_email", email_id=sent, folder_name="SENT"))
    assert finished(session).scores["success"] == 0.0


def test_a_step_that_waits_for_what_was_called_off_keeps_nobody_waiting() -> None:
    scenario = opened(RIDE, variant_of(RIDE, wanted=False)).scenario
    off = replace(scenario.events[0], unless=compile_predicate({"app": "Cab", "table": "rides", "count": 0}, "unless"))
    plan = (*scenario.plan, PlanStep(ToolCall("Shopping__view_cart")))
    session = PareSession(replace(scenario, events=(off,), plan=plan), config=PareConfig(strict=True))
    while not session.ended:
        session.apply(WAIT)
    assert session.happened.called_off
    assert session.done == {len(plan) - 1}
    assert session.terminated


def test_a_ride_for_another_time_is_no_help_to_somebody_who_is_stranded() -> None:
    session = accepted(opened(RIDE, WANTED))
    solution = session.scenario.solution
    assert solution is not None
    (order,) = solution.calls
    session.apply(ToolCall(order.name, {**order.arguments, "ride_time": "2026-05-09 10:00:00"}).to_text())
    assert "BOOKED" in session.history
    assert "The goal is not met" in grade_session(session).reasons[0]
