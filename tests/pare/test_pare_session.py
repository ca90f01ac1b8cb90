"""The laws of a Pare session: modes, permission, rewards, clock, ends, copies."""

from __future__ import annotations

import json
import pickle
from time import process_time

import pytest
from support.pare_play import WAIT, accepted, call, opened, solved, variant_of

from pi_gym.errors import SessionError
from pi_gym.pare.pare_grading import grade_session
from pi_gym.pare.pare_settings import PareConfig, PareReward
from pi_gym.pare.person_turn import person_view
from pi_gym.pare.scenario_set import installed_scenarios
from pi_gym.pare.session import PareSession

RIDE, VISIT = "stranded-friend", "moved-appointment"
READ = call("Calendar__read_today_calendar_events")
WRITE = call("Notes__create_note", title="x", content="y")
WANTED = variant_of(RIDE, wanted=True)
QUIET = variant_of(RIDE, wanted=False)


def proposal(session: PareSession) -> str:
    solution = session.scenario.solution
    assert solution is not None
    return solution.propose


def after_evidence(**settings: object) -> PareSession:
    session = opened(RIDE, WANTED, **settings)
    while not session.happened.at:
        session.apply(WAIT)
    return session


def test_the_solution_is_paid_for_the_acceptance_and_for_success() -> None:
    session = solved(opened(RIDE, WANTED))
    assert session.terminated
    assert session.scores == {"success": 1.0, "score": 1.0, "return": 2.0}


def test_rewards_of_steps_sum_to_the_return() -> None:
    session, total = opened(RIDE, WANTED), 0.0
    for action in ["Anything I can do?", WAIT, proposal(session), WAIT, WAIT, *[WAIT] * 20]:
        if session.ended:
            break
        session.apply(action)
        assert session.step is not None
        assert session.step.reward == sum(session.step.components.values())
        total += session.step.reward
    assert session.scores["return"] == total


@pytest.mark.parametrize("mode", ["observe", "waiting"])
def test_writes_without_consent_are_refused_and_change_nothing(mode: str) -> None:
    session = after_evidence()
    if mode == "waiting":
        session.standing = session.standing.with_proposal("Shall I?", PareReward())
    before = {name: database.state_hash() for name, database in session.world.apps.items()}
    session.apply(WRITE)
    assert session.step is not None
    assert session.step.invalid
    assert "consent" in session.step.messages[-1].content
    assert {name: database.state_hash() for name, database in session.world.apps.items()} == before
    assert session.standing.mode == mode


def test_reads_are_free_until_the_turn_has_had_its_calls() -> None:
    session = after_evidence()
    turn = session.turn
    for _ in range(4):
        session.apply(READ)
    assert session.turn == turn
    session.apply(READ)
    assert session.turn == turn + 1, "the fifth call ends the turn as waiting does"


def test_an_execution_has_its_calls_and_then_asks_for_a_report() -> None:
    session = accepted(opened(RIDE, WANTED))
    for _ in range(10):
        session.apply(READ)
    session.apply(READ)
    assert session.step is not None
    assert "report" in session.step.messages[-1].content
    assert session.step.invalid
    session.apply("That is all I could do.")
    assert session.standing.mode == "observe"


def test_a_proposal_before_the_evidence_is_rejected_and_can_be_made_again() -> None:
    session = opened(RIDE, WANTED)
    session.apply(proposal(session))
    assert session.step is not None
    assert session.step.reward == -1.0
    assert session.standing.mode == "observe"
    assert solved(session).scores == {"success": 1.0, "score": 0.5, "return": 1.0}


def test_a_second_proposal_replaces_one_that_waits_and_costs_what_a_rejected_one_does() -> None:
    session = after_evidence()
    session.standing = session.standing.with_proposal("Shall I call somebody?", PareReward())
    session.apply(proposal(session))
    assert session.step is not None
    assert session.step.components["rejected"] == -1.0
    assert session.standing.replaced == 1
    assert session.standing.mode == "execute"


def test_a_help_is_paid_once_and_every_time_by_the_papers_letter() -> None:
    for every, paid in ((False, 1.0), (True, 2.0)):
        session = accepted(after_evidence(reward=PareReward(every_acceptance=every)))
        session.apply("I could not do it.")
        assert session.standing.mode == "observe"
        session.apply(proposal(session))
        assert session.standing.mode == "execute"
        assert session.standing.earned["accepted"] == paid


def test_a_proposal_of_what_is_done_already_is_rejected() -> None:
    session = opened(VISIT, variant_of(VISIT, wanted=True))
    accepted(session)
    solution = session.scenario.solution
    assert solution is not None
    for one in solution.calls:
        session.apply(one.to_text())
    session.standing = session.standing.with_proposal(solution.propose, PareReward())
    assert person_view(session).met
    session.apply(WAIT)
    assert session.standing.rejected == 1


def test_where_no_help_is_wanted_silence_has_the_full_score_and_a_proposal_none() -> None:
    silent = opened(RIDE, QUIET)
    while not silent.ended:
        silent.apply(WAIT)
    assert silent.terminated
    assert silent.scores == {"success": 1.0, "score": 1.0, "return": 1.0}
    eager = opened(RIDE, QUIET)
    eager.apply("Shall I book a cab for your friend?")
    while not eager.ended:
        eager.apply(WAIT)
    assert eager.scores == {"success": 0.0, "score": -1.0, "return": -1.0}


def test_damage_beside_the_goal_is_no_success() -> None:
    session = accepted(opened(RIDE, WANTED))
    session.apply(call("Notes__delete_note", note_id=1))
    solution = session.scenario.solution
    assert solution is not None
    for one in solution.calls:
        session.apply(one.to_text())
    session.apply(solution.report)
    assert session.scores["success"] == 0.0
    assert session.ending.grading.reasons == ("Notes.notes 1 was deleted.",)


def test_damage_that_was_put_right_is_none() -> None:
    session = accepted(opened(VISIT, variant_of(VISIT, wanted=True)))
    decoy = next(key for key, row in session.world.apps["Calendar"].table("events").rows() if row["title"] == "Haircut")
    session.apply(call("Calendar__edit_calendar_event", event_id=decoy, title="Cut"))
    session.apply(call("Calendar__edit_calendar_event", event_id=decoy, title="Haircut"))
    assert grade_session(session).reasons[0].startswith("The goal is not met")
    assert len(grade_session(session).reasons) == 1


def test_the_last_turn_cuts_the_session_short_and_it_is_graded() -> None:
    session = opened(RIDE, WANTED, max_turns=3)
    for _ in range(3):
        session.apply(WAIT)
    assert (session.truncated, session.end_reason, session.scored) == (True, "max_turns", True)
    with pytest.raises(SessionError, match="over"):
        session.apply(WAIT)


def test_the_clock_moves_by_calls_and_turns_and_jumps_to_the_next_event() -> None:
    session = opened(RIDE, WANTED)
    start = session.clock
    session.apply(READ)
    assert (session.clock - start).total_seconds() == 5
    session.apply(WAIT)
    assert (session.clock - start).total_seconds() == 70
    far = opened(RIDE, WANTED, turn_s=1)
    far.apply(call("System__wait_for_notification", timeout=3_000_000))
    assert 30 <= (far.clock - far.scenario.time).total_seconds() <= 40, "the message came after 30 s"
    assert far.happened.at


def test_thirty_two_days_cost_nothing() -> None:
    session, begin = opened(RIDE, WANTED, turn_s=1), process_time()
    while (session.clock - session.scenario.time).days < 32:
        session.apply(call("System__wait_for_notification", timeout=32 * 86_400))
    assert process_time() - begin < 1.0
    assert not session.ended


@pytest.mark.parametrize("action", ["", "  \n", "<think>nothing to do</think>"])
def test_an_empty_reply_is_a_wait(action: str) -> None:
    session = opened(RIDE, WANTED)
    session.apply(action)
    assert (session.standing.proposals, session.turn) == (0, 2)


@pytest.mark.parametrize(
    "action",
    [
        "<tool_call>{broken",
        call("Nothing__here"),
        call("Calendar__get_calendar_event", event_id="three"),
        call("System__wait_for_notification", timeout=-1),
        call("System__wait_for_notification", timeout="soon"),
        call("System__wait_for_notification", timeout=10**12),
        call("AgentUI__wait", why="x"),
        call("Messages__search", query="(" * 300),
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "x", "arguments": "{"}}]},
    ],
)
def test_mistakes_are_observations(action: object) -> None:
    session = opened(RIDE, WANTED)
    session.apply(action)
    assert session.step is not None
    assert session.step.reward == 0.0
    assert not session.ended
    assert not session.engine_faults


def test_the_person_is_told_what_gives_nothing_away() -> None:
    session = after_evidence()
    session.apply("Shall I book a cab for Central Station?")
    text = session.new_messages[-1].content
    scenario = session.scenario
    assert scenario.help is not None
    hidden = [way for ways in scenario.help.names.values() for way in ways]
    said = next(line for line in text.splitlines() if line.startswith("Your proposal was rejected"))
    assert not [way for way in hidden if way in said]


def test_notifications_are_cut_for_the_person_and_whole_for_the_agent() -> None:
    session = opened(VISIT, 0)
    session.apply(WAIT)
    event = next(one for one in session.log if one.kind == "notification")
    body = session.scenario.events[0].call.arguments["content"]
    assert body in event.data["whole"]
    assert body not in event.data["short"]
    assert event.data["short"].endswith("…")
    assert event.data["whole"] in session.history


@pytest.mark.parametrize("rate", [2.0, 6.0])
def test_noise_comes_at_the_rate_that_was_asked_for(rate: float) -> None:
    session = opened(RIDE, WANTED, noise=rate)
    while not session.ended:
        session.apply(WAIT)
    minutes = (session.clock - session.scenario.time).total_seconds() / 60
    assert abs(session.happened.noise - rate * minutes) <= 1


def test_tools_fail_at_the_rate_that_was_asked_for() -> None:
    failed = calls = 0
    for variant in range(40):
        session = opened(RIDE, variant, tool_failure=0.2, max_turns=10)
        while not session.ended:
            session.apply(READ)
            calls += 1
            failed += session.step is not None and session.step.invalid
    assert 0.15 < failed / calls < 0.25
    assert calls > 1_000


@pytest.mark.parametrize("task_id", installed_scenarios().task_ids)
@pytest.mark.parametrize("noise", [0.0, 6.0])
def test_noise_changes_no_verdict_of_the_solution(task_id: str, noise: float) -> None:
    for variant in range(4):
        assert solved(opened(task_id, variant, noise=noise, tool_failure=0.2 * bool(noise))).scores["success"] == 1.0


@pytest.mark.parametrize("task_id", installed_scenarios().task_ids)
def test_a_fork_and_a_pickle_go_on_alike(task_id: str) -> None:
    first = opened(task_id, 0)
    first.apply(WAIT)
    fork, copy = first.fork(), pickle.loads(pickle.dumps(first))
    for session in (first, fork, copy):
        solved(session)
    assert first.history == fork.history == copy.history
    assert first.trajectory().to_line() == fork.trajectory().to_line() == copy.trajectory().to_line()


def test_the_record_tells_everything_and_is_json() -> None:
    session = solved(opened(RIDE, WANTED))
    record = json.loads(session.trajectory(agent="reference").to_line())
    assert (record["family"], record["task_id"], record["scored"]) == ("pare", RIDE, True)
    assert record["labels"]["accepted"] == 1
    kinds = [event["kind"] for event in record["events"]]
    assert {"happening", "notification", "person", "settled", "graded"} <= set(kinds)


def test_settings_out_of_range_are_refused() -> None:
    with pytest.raises(ValueError, match="max_turns: expected an integer of 1 or more, got 0"):
        PareConfig(max_turns=0)
    with pytest.raises(ValueError, match="tool_failure: expected a number from 0 to 1"):
        PareConfig(tool_failure=1.5)
    with pytest.raises(ValueError, match=r"PareReward\.accepted"):
        PareReward(accepted=float("nan"))
