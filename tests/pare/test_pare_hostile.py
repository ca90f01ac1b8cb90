"""What an agent could try against a Pare session, and what must not upset one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from support.pare_play import WAIT, accepted, call, opened, solved, variant_of

from pi_gym.pare.pare_settings import PareConfig
from pi_gym.pare.session import PareSession

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
