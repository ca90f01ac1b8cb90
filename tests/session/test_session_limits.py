"""Limits: told, truncated, yet scored; and the end of the session goes before any limit."""

from __future__ import annotations

import pickle

import pytest
from support.packs import protocol
from support.play import FINISHING, ask, call, opened, play, statuses, step, write

from pi_gym.pibench.replay import replay
from pi_gym.pibench.settings import Limits, SessionConfig
from pi_gym.types import StepRecord


def test_max_steps_truncates_and_scores() -> None:
    session = opened(limits=Limits(max_steps=3))
    records = play(session, "Which colour?", "<tool_call>broken", write("out.txt", "done"), "never reached")
    assert [record.truncated for record in records] == [False, False, True]
    assert (session.scored, session.end_reason, session.steps) == (True, "max_steps", 3)
    assert statuses(session) == ["inferred", "open", "open"]
    assert records[-1].reward == pytest.approx(0.5 * session.comp)  # type: ignore[operator]


def test_malformed_actions_count_as_steps() -> None:
    session = opened(limits=Limits(max_steps=2))
    play(session, "<tool_call>", "<tool_call>")
    assert session.truncated
    assert session.invalid_actions == 2


def test_terminated_wins_where_the_last_reply_meets_the_step_limit() -> None:
    session = opened(limits=Limits(max_steps=len(FINISHING)))
    records = play(session, *FINISHING)
    assert (records[-1].terminated, records[-1].truncated) == (True, False)
    assert (session.end_reason, session.proc) == ("", 1.0)


def test_max_turns_truncates_and_pays_what_the_last_turn_earned() -> None:
    session = opened(limits=Limits(max_turns=2))
    records = play(session, "One.", "What size?", "never reached")
    assert len(records) == 2
    assert (records[-1].truncated, session.end_reason) == (True, "max_turns")
    assert statuses(session) == ["provided", "inferred", "open"]
    assert records[-1].reward == pytest.approx(0.5 / 3)


def test_at_the_turn_limit_the_user_reveals_nothing_more() -> None:
    session = opened(limits=Limits(max_turns=1))
    record = step(session, "One.")
    assert statuses(session) == ["open"] * 3
    assert [m.role for m in record.messages] == ["assistant"]


def test_terminated_wins_at_the_turn_limit() -> None:
    session = opened(protocol().instantiate("02-beat"), limits=Limits(max_turns=1))
    records = play(session, write("beat.txt", "beat"), "Written.")
    assert (records[-1].terminated, records[-1].truncated) == (True, False)


def test_the_final_reply_in_the_last_turn_terminates() -> None:
    session = opened(protocol().instantiate("02-beat"), limits=Limits(max_turns=2))
    records = play(session, "One.", "Two.")
    assert (records[-1].terminated, session.end_reason) == (True, "")


# -- calls of a turn ---------------------------------------------------------------------------------------------------


def said(record: StepRecord) -> list[str]:
    return [message.content for message in record.messages[1:]]


def test_the_limits_are_told_in_the_system_message() -> None:
    session = opened(limits=Limits(max_steps=50, max_turns=7, max_tool_calls=3))
    told = session.messages[0].content
    assert "A turn has at most 3 tool calls" in told
    assert "at most 7 turns and 50 actions" in told
    assert told in session.history


def test_results_near_the_limit_say_how_many_calls_are_left_and_evidence_has_the_tools_own() -> None:
    session = opened(limits=Limits(max_tool_calls=22))
    listed = said(step(session, call("list_dir")))[0]
    assert "left" not in listed
    notes = [one.removeprefix(listed) for one in said(step(session, 21 * call("list_dir")))]
    told = [f"\n[{count} tool calls left in this turn]" for count in (20, 10, 5, 4, 3, 2)]
    assert [note for note in notes if note] == [
        *told,
        "\n[1 tool call left in this turn]",
        "\n[no tool call left in this turn; reply to the user now]",
    ]
    assert {one.result for one in session.evidence(session.log).calls} == {listed}


def test_calls_beyond_the_limit_do_not_run_and_a_reply_ends_the_turn_as_ever() -> None:
    session = opened(limits=Limits(max_tool_calls=1))
    record = step(session, write("out.txt", "done") + write("b.txt", "b"))
    assert (record.truncated, record.invalid, record.failed) == (False, True, ("call_2",))
    assert said(record)[1].startswith("[environment] Not run: this turn has had its 1 tool call. Reply to the user")
    assert session.world.workspace.text("b.txt") is None
    assert [one.name for one in session.evidence(session.log).calls] == ["write_file"]
    step(session, "Which colour?")
    assert (session.turn, statuses(session)[0]) == (2, "inferred")
    assert said(step(session, write("b.txt", "b")))[0].startswith("Created b.txt")


def test_each_turn_has_its_calls() -> None:
    session = opened(limits=Limits(max_tool_calls=2))
    play(session, 2 * call("list_dir"), "One.", 2 * call("list_dir"), "Two.", 2 * call("list_dir"))
    assert not session.ended
    assert "refused" not in {event.kind for event in session.log}


def test_only_an_agent_that_calls_three_times_more_is_cut_and_graded() -> None:
    session = opened(limits=Limits(max_tool_calls=1))
    records = play(session, *[call("list_dir")] * 3)
    assert [said(record)[0].rpartition(". ")[2] for record in records[1:]] == [
        "2 more actions with calls would end the conversation.",
        "The next action with calls would end the conversation.",
    ]
    record = step(session, 2 * write("late.txt", "x"))
    assert (record.truncated, session.end_reason, session.scored) == (True, "max_tool_calls", True)
    assert said(record)[-1].endswith("The conversation ends here.")
    assert session.world.workspace.text("late.txt") is None
    assert len({message.tool_call_id for one in (*records, record) for message in one.messages[1:]}) == 5


def test_refusals_are_counted_for_each_turn() -> None:
    session = opened(limits=Limits(max_tool_calls=1))
    play(session, *[call("list_dir")] * 3, "One.", *[call("list_dir")] * 3)
    assert not session.ended


def test_a_question_at_the_limit_is_let_through_and_ends_the_turn() -> None:
    session = opened(limits=Limits(max_tool_calls=1))
    record = play(session, call("list_dir"), call("list_dir") + ask("Which colour?"))[-1]
    assert [message.role for message in record.messages] == ["assistant", "tool", "tool"]
    assert (session.turn, statuses(session)[0]) == (2, "inferred")
    assert record.messages[-1].content == "Make it blue."


def test_a_message_at_the_limit_is_refused_since_a_reply_says_as_much() -> None:
    session = opened(limits=Limits(max_tool_calls=1))
    play(session, call("list_dir"), call("message", content="it is large"), "Done.")
    assert statuses(session)[1] == "open"


def test_a_session_at_its_limit_is_forked_pickled_and_replayed_as_it_is() -> None:
    session = opened(limits=Limits(max_tool_calls=1))
    play(session, call("list_dir"), call("list_dir"))
    ends = [session, session.fork(), pickle.loads(pickle.dumps(session))]
    for one in ends:
        play(one, call("list_dir"), call("list_dir"))
    lines = {one.trajectory().to_line() for one in ends}
    assert len(lines) == 1
    assert ends[0].end_reason == "max_tool_calls"
    again = replay(ends[0].trajectory(), pack=protocol())
    assert {again.trajectory().to_line()} == lines


def test_a_rejected_action_is_told_apart_from_one_of_which_calls_failed() -> None:
    session = opened()
    rejected = step(session, "<tool_call>{")
    partly = step(session, call("list_dir") + call("read_file", path="none.md") + call("nothing"))
    assert (rejected.invalid, rejected.failed) == (True, ())
    assert (partly.invalid, partly.failed) == (True, ("call_2", "call_3"))
    assert step(session, call("list_dir")).failed == ()
    assert session.invalid_actions == 2


@pytest.mark.parametrize("value", [0, -1, 1.5, True, "3"])
@pytest.mark.parametrize("name", ["max_steps", "max_turns", "max_tool_calls"])
def test_limits_must_be_positive_integers(name: str, value: object) -> None:
    with pytest.raises(ValueError, match=name):
        Limits(**{name: value})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options", [{"patience": -1}, {"patience": 1.0}, {"patience": True}, {"tools": "some"}, {"history": "mine"}]
)
def test_settings_that_do_not_exist_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(options))):
        SessionConfig(**options)  # type: ignore[arg-type]
