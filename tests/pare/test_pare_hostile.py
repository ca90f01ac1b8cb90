"""What an agent could try against a Pare session, and what must not upset one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.pare_play import WAIT, accepted, call, opened, variant_of

from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.scenario import PlannedEvent, PlanStep
from pi_gym.pare.session import PareSession
from pi_gym.types import ToolCall

RIDE, VISIT = "stranded-friend", "moved-appointment"
WANTED = variant_of(RIDE, wanted=True)
READ = call("Calendar__read_today_calendar_events")


def finished(session: PareSession) -> PareSession:
    """The session after its model solution, in the execution that is under way."""
    solution = session.scenario.solution
    assert solution is not None
    for one in solution.calls:
        session.apply(one.to_text())
    session.apply(solution.report)
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
        assert session.happened.noise == number, "each wait leads to the next event"


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
    assert not session._damage()


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
