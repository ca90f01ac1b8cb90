"""Actions rebuilt from the record as the policy produced them, whatever their form."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from support.packs import PROTOCOL

from pi_gym.packs import load_pack
from pi_gym.pibench.replay import replay
from pi_gym.pibench.session import PiSession
from pi_gym.session import Trajectory
from pi_gym.session.actions import MAX_ACTION_CHARS, parse_action

#: As a model writes it: spaces, key order and escapes are its own.
ARGUMENTS = '{ "path" : "out.txt",  "content": "caf\\u00e9\\n" }'


def calling(arguments: str = ARGUMENTS) -> dict[str, Any]:
    function = {"name": "write_file", "arguments": arguments}
    return {
        "role": "assistant",
        "content": "  On it. ",
        "reasoning_content": "First the file.\n",
        "tool_calls": [{"id": "chatcmpl-1", "type": "function", "function": function}],
    }


def said(session: PiSession) -> dict[str, Any]:
    return [dict(event.data) for event in session.log if event.kind == "agent"][-1]


def opened() -> PiSession:
    return PiSession(load_pack(PROTOCOL).instantiate("01-three"))


def test_a_message_is_kept_word_for_word() -> None:
    session = opened()
    session.apply(calling())
    kept = said(session)["message"]
    assert kept == {name: value for name, value in calling().items() if name != "role"}
    assert kept["tool_calls"][0]["function"]["arguments"] == ARGUMENTS


def test_a_chat_clients_message_object_is_kept_as_what_it_holds() -> None:
    session = opened()
    dumped = {**calling(), "refusal": None, "audio": None}
    session.apply(SimpleNamespace(model_dump=lambda: dumped))
    assert said(session)["message"] == {name: value for name, value in calling().items() if name != "role"}


@pytest.mark.parametrize("arguments", ['{"path": ', "[1]", '{"a": 1, "a": 2}'])
def test_a_message_that_was_rejected_is_kept_too(arguments: str) -> None:
    session = opened()
    session.apply(calling(arguments))
    assert said(session)["fault"]
    assert said(session)["message"]["tool_calls"][0]["function"]["arguments"] == arguments


@pytest.mark.parametrize(
    "text", ["  Hello. \n", "<think>a</think> b ", '<tool_call> {"name":"x"}</tool_call>', "<tool_call>{"]
)
def test_a_text_is_its_own_record(text: str) -> None:
    session = opened()
    session.apply(text)
    assert said(session)["action"] == text
    assert "message" not in said(session)


def test_a_replay_has_the_very_record() -> None:
    session = opened()
    for action in (calling(), calling('{"path": '), "Done.", {"content": "Which colour?", "reasoning": "ask"}):
        if not session.ended:
            session.apply(action)
    if not session.ended:
        session.truncate("over")
    record = Trajectory.from_json(json.loads(session.trajectory().to_line()))
    again = replay(record, pack=load_pack(PROTOCOL))
    assert again.trajectory().to_line() == record.to_line()


def test_what_is_no_json_or_too_long_is_not_kept() -> None:
    assert (
        parse_action({"content": "x", "tool_calls": [{"function": {"name": "a", "arguments": {1: 2}}}]}).message is None
    )
    assert parse_action({"content": "x" * (MAX_ACTION_CHARS + 1)}).message is None
