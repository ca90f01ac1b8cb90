"""Limits: truncated, yet scored; and the end of the session goes before any limit."""

from __future__ import annotations

import pytest
from support.packs import protocol
from support.play import FINISHING, call, opened, play, statuses, step, write

from pi_gym.pibench.settings import Limits, SessionConfig


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


def test_max_tool_calls_counts_per_turn() -> None:
    session = opened(limits=Limits(max_tool_calls=2))
    play(session, 2 * call("list_dir"), "One.", 2 * call("list_dir"))
    assert not session.ended
    record = step(session, call("list_dir"))
    assert (record.truncated, session.end_reason, session.scored) == (True, "max_tool_calls", True)


def test_calls_beyond_the_limit_do_not_run() -> None:
    session = opened(limits=Limits(max_tool_calls=1))
    record = step(session, write("out.txt", "done") + write("b.txt", "b"))
    assert session.world.workspace.text("b.txt") is None
    assert session.tool_calls == 1
    assert record.truncated
    assert session.verdicts[0].verdict == "passed"


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
