"""A session as outsiders play it: what `act`, `call` and `reply` give, and what comes of it."""

from __future__ import annotations

from typing import Any

import pytest
from gymnasium.error import ResetNeeded
from support.asking import AskingGrader
from support.outsiders import calling, saying

from pi_gym.adapters.reply_tool import REPLY, reply_to_user
from pi_gym.adapters.session_play import BROKEN, OVER, SessionPlay, ToolFailed, finish, single_session_env
from pi_gym.adapters.session_row import SessionRow
from pi_gym.errors import BadArgument, SessionError

MINI, PARE = "PiBench-Mini-v0", "Pare-v0"
SIGN = SessionRow("01-sign", 1, 0)


def opened(env_id: str = MINI, row: SessionRow = SIGN, **env_kwargs: Any) -> SessionPlay:
    play = SessionPlay(single_session_env(env_id, env_kwargs))
    play.open(row)
    return play


def test_the_opening_and_the_tools_are_what_the_environment_gives() -> None:
    play = opened()
    env = single_session_env(MINI, {})
    _, info = env.reset(seed=0, options=SIGN.options)
    assert play.opening == info["new_messages"]
    assert play.tools == info["tools"]


def test_tools_that_change_are_the_new_ones() -> None:
    play = opened(PARE, SessionRow("stranded-friend", 0, 0), tools="mode")
    env = play._env
    assert env.session is not None
    before = [tool["function"]["name"] for tool in play.tools]
    for action in env.family.reference(env.session):
        play.act(action)
        if len(play.tools) > len(before):
            break
    assert set(before) < {tool["function"]["name"] for tool in play.tools}


def test_a_rejected_message_is_answered_call_by_call() -> None:
    play = opened()
    message = calling("read_file", "one", path="notes.txt")
    message["tool_calls"] += [{"id": "two", "type": "function", "function": {"name": "read_file", "arguments": "{"}}]
    news = play.act(message)
    assert [(one["role"], one["tool_call_id"]) for one in news] == [("tool", "one"), ("tool", "two")]
    assert all("was not run" in one["content"] for one in news)


def test_calls_without_ids_have_those_of_the_session() -> None:
    play = opened()
    message = calling("read_file", path="notes.txt")
    del message["tool_calls"][0]["id"]
    assert [one["tool_call_id"] for one in play.act(message)] == ["call_1"]
    assert [one["role"] for one in play.act({**saying("Hm."), "tool_calls": [1]})] == ["user"]
    written = '<tool_call>{"name": "read_file", "arguments": {"path": "notes.txt"}}</tool_call>'
    assert [one["tool_call_id"] for one in play.act(saying(written))] == ["call_2"]


def test_replying_by_a_tool_is_a_reply() -> None:
    by_tool, plain = opened(), opened()
    question = "What should the last line be?"
    assert by_tool.call(REPLY, {"content": question}) == plain.act(saying(question))[0]["content"]
    assert by_tool.session.invalid_actions == 0


def test_a_reply_without_words_is_the_agent_s_mistake() -> None:
    play = opened()
    with pytest.raises(ToolFailed, match="content"):
        play.call(REPLY, {"text": "Hello"})
    assert play.session.steps == 0


def test_a_reply_that_is_rejected_is_the_agent_s_mistake() -> None:
    play = opened()
    with pytest.raises(ToolFailed, match="was not run"):
        play.reply("x" * 3_000_000)
    assert (play.session.invalid_actions, play.over) == (1, False)


def test_after_the_end_nothing_is_run() -> None:
    play = opened(max_turns=1)
    assert play.reply("Hm.") == OVER
    for again in (lambda: play.reply("Hm."), lambda: play.call("read_file", {"path": "notes.txt"})):
        with pytest.raises(ToolFailed, match="conversation is over"):
            again()


def test_the_record_names_the_agent() -> None:
    play = SessionPlay(single_session_env(MINI, {}))
    play.open(SIGN, agent="somebody", sample=3)
    with pytest.raises(SessionError, match="still open"):
        play.result()
    (result,) = finish([play])
    assert (result.record.agent, result.record.sample, result.cut_short) == ("somebody", 3, True)
    assert finish([play]) == [result]


def test_what_is_raised_on_our_side_leaves_the_session_unscored() -> None:
    play = opened()
    play.reply("What should the last line be?")
    play.fail(RuntimeError("the disk is gone"))
    (result,) = finish([play])
    assert (result.score, result.error) == (None, "RuntimeError: the disk is gone")


def test_a_call_in_which_something_of_ours_breaks_ends_the_session_in_fixed_words() -> None:
    def down(_: Any) -> Any:
        raise RuntimeError("a secret path")

    play = opened(grader=AskingGrader(), responder=down)
    with pytest.raises(ToolFailed) as told:
        [play.reply("Done.") for _ in range(9)]
    assert str(told.value) == BROKEN
    with pytest.raises(ToolFailed, match="conversation is over"):
        play.call("read_file", {"path": "notes.txt"})
    with pytest.raises(ResetNeeded):
        play.act(saying("Hm."))
    (result,) = finish([play], ["Goodbye."])
    assert (result.score, result.error) == (None, "RuntimeError: a secret path")
    play.open(SIGN)
    assert play.call("read_file", {"path": "notes.txt"})


def test_episodes_are_refused() -> None:
    with pytest.raises(BadArgument, match="history='own'"):
        single_session_env(MINI, {"history": "own"})


def test_the_tool_says_what_it_is_for() -> None:
    schema = reply_to_user.schema()["function"]
    assert schema["name"] == "reply_to_user"
    assert schema["parameters"]["required"] == ["content"]
