"""The messages and tools that a record gives are those that the live environment gave, element by element."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.asking import AskingGrader, AskingUser
from support.packs import PROTOCOL, TINY
from support.play import FINISHING, agreeing, ask, call, opened, step, write

from pi_gym.errors import StateMismatch
from pi_gym.packs import load_pack
from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.family import PIBENCH
from pi_gym.pibench.playback import play_back
from pi_gym.pibench.rejudging import rejudge
from pi_gym.proof.adversaries import GENERIC_QUESTIONS
from pi_gym.session import Trajectory
from pi_gym.session.conversation import conversation, offered_tools
from pi_gym.types import Answer, Ask, Message, ToolCall

RESEARCHER = load_pack("researcher")
ADD_JOB = call("cron", action="add", message="Stretch.", every_seconds=60)


def live(env: PiEnv, actions: Iterable[object], **options: Any) -> tuple[list[dict[str, Any]], list[Any]]:
    """All messages and the tools that an environment gave, for actions until they or the session end."""
    _, info = env.reset(seed=3, options=options)
    messages, tools = list(info["new_messages"]), info["tools"]
    for action in actions:
        _, _, terminated, truncated, info = env.step(action)
        messages += info["new_messages"]
        assert info["tools"] == []
        if terminated or truncated:
            break
    return messages, tools


def record_of(env: PiEnv) -> Trajectory:
    """The session's record, as it comes back from its line."""
    assert env.session is not None
    return Trajectory.from_json(json.loads(env.session.trajectory(agent="test").to_line()))


def rebuilt(record: Trajectory) -> tuple[list[dict[str, Any]], list[Any]]:
    return [one.message.to_openai() for one in conversation(record)], json.loads(offered_tools(record, PIBENCH))


def malformed(task: Any) -> list[object]:
    return [
        '<tool_call>{"name": "list_dir"',
        '{"name": "read_file"}</tool_call>',
        {"role": "user", "content": "I am the user."},
        {"role": "assistant", "content": None, "tool_calls": [{"function": {"name": "glob", "arguments": "{"}}]},
        [ToolCall("ask_user", {"question": "Which one?"}), ToolCall("list_dir")],
        {"role": "assistant", "content": "<think>Hm.</think>Looking.", "tool_calls": []},
        "<think>\ud800 so</think><tool_call>" + json.dumps({"name": "no_tool", "arguments": {"x": "\ud83d"}}),
        call("read_file", path="no/such/file", offset=-1, limit=1.5),
        7,
        *task.reference[:1],
    ]


def asking(task: Any) -> list[object]:
    questions: Sequence[str] = GENERIC_QUESTIONS
    return [
        Message("assistant", "", (ToolCall("ask_user", {"question": questions[0], "options": ["é", 1e22, None]}),)),
        [ToolCall("list_dir", {"recursive": True}), ToolCall("glob", {"pattern": "*", "n": 2**80, "f": -0.0})],
        call("message", content="On it.") + ask(f"{questions[1]} And which format, and which file?"),
        "<think>Think.</think>Which file should I use?",
        *([ask("Anything else?")] * 20),
    ]


PLAYERS: dict[str, Callable[[Any], Iterable[object]]] = {
    "reference": lambda task: task.reference,
    "silent": lambda task: [""] * 40,
    "malformed": malformed,
    "asking": asking,
}


@pytest.mark.parametrize("player", PLAYERS)
@pytest.mark.parametrize("task_id", RESEARCHER.task_ids)
def test_every_task_and_agent(task_id: str, player: str) -> None:
    env = PiEnv("researcher", max_steps=20)
    task = RESEARCHER.instantiate(task_id, 0)
    given_then = live(env, PLAYERS[player](task), task=task_id, variant=0)
    assert rebuilt(record_of(env)) == given_then


@pytest.mark.parametrize("limit", [{"max_steps": 3}, {"max_turns": 1}], ids=str)
@pytest.mark.parametrize("player", ["asking", "reference"])
def test_calls_that_a_limit_leaves_without_result(limit: dict[str, int], player: str) -> None:
    env = PiEnv(PROTOCOL, **limit)  # type: ignore[arg-type]
    task = load_pack(PROTOCOL).instantiate("01-three", 0)
    together = call("list_dir") + call("list_dir") + ask("Which colour?")
    given_then = live(env, [together, *PLAYERS[player](task)], task="01-three")
    assert record_of(env).truncated
    assert rebuilt(record_of(env)) == given_then


@pytest.mark.parametrize("end", ["Done.", call("list_dir")], ids=["reply", "call"])
def test_what_is_said_near_the_limit_of_calls_and_beyond_it(end: str) -> None:
    env = PiEnv(PROTOCOL, max_tool_calls=2)
    task = load_pack(PROTOCOL).instantiate("01-three", 0)
    together = call("list_dir") + call("list_dir") + call("list_dir") + ask("Which colour?")
    actions = [together, 3 * call("list_dir"), call("list_dir"), call("list_dir"), end, *task.reference]
    given_then = live(env, actions, task="01-three")
    assert any("[no tool call left" in message["content"] for message in given_then[0])
    assert any("Not run" in message["content"] for message in given_then[0])
    assert rebuilt(record_of(env)) == given_then


def test_the_last_question_is_closed_where_the_session_ends_with_it() -> None:
    env = PiEnv(PROTOCOL)
    actions = [*FINISHING[:2], ask("finished: large, and which shape?"), "Done."]
    given_then = live(env, actions, task="01-three")
    assert rebuilt(record_of(env)) == given_then


@pytest.mark.parametrize("reply", ["Hm.", ask("Which size?")])
def test_reminders_stand_where_they_were_said(reply: str) -> None:
    env = PiEnv("researcher", tools="all", history="own", max_turns=3)
    messages, tools = live(env, [ADD_JOB, reply, reply, reply])
    assert sum("reminder.due" in message["content"] for message in messages) >= 2
    assert rebuilt(record_of(env)) == (messages, tools)
    # Jobs end with their session: the next task does not list them.
    _, info = env.reset()
    assert not any("reminder.due" in message["content"] for message in info["new_messages"])
    opening = list(info["new_messages"])
    _, _, _, _, after = env.step("Hm.")
    assert rebuilt(record_of(env)) == (opening + after["new_messages"], info["tools"])


@pytest.mark.parametrize("player", PLAYERS)
def test_roles_that_ask_models(player: str) -> None:
    env = PiEnv(TINY, user=AskingUser(2), grader=AskingGrader(), responder=agreeing(), max_steps=9)
    task = load_pack(TINY).instantiate("01-list", 2)
    given_then = live(env, PLAYERS[player](task), task="01-list", variant=2)
    record = record_of(env)
    assert any(event.kind == "ask" for event in record.events) or player == "malformed"
    assert rebuilt(record) == given_then


@pytest.mark.parametrize("stage", ["satisfied", "message", "grade"])
def test_a_session_that_a_failing_model_ends(stage: str) -> None:
    def answer(asks: Sequence[Ask]) -> list[Answer]:
        return [Answer(error="down") if one.stage == stage else Answer() for one in asks]

    env = PiEnv(PROTOCOL, user=AskingUser(), grader=AskingGrader(), responder=answer)
    given_then = live(env, [call("list_dir") + ask("Anything?"), *FINISHING], task="01-three")
    assert record_of(env).error_kind == "model"
    assert rebuilt(record_of(env)) == given_then


def test_a_rescored_record_holds_the_same_conversation() -> None:
    session = opened()
    for action in ["Hm.", *FINISHING]:
        step(session, action)
    record = session.trajectory()
    judgement = rejudge(record, play_back(record, pack=load_pack(PROTOCOL)), session.user, session.grader)
    with pytest.raises(StopIteration) as end:
        next(judgement)
    assert rebuilt(end.value.value) == rebuilt(record)


texts = st.text(max_size=20) | st.sampled_from(["Which colour? ", "</think>", "<tool_call>", write("out.txt", "done")])
values = st.none() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
names = st.sampled_from(["read_file", "write_file", "message", "ask_user", "nothing"])
calls = st.builds(ToolCall, names, st.dictionaries(st.sampled_from(["path", "content", "question", "x"]), values))


@given(st.lists(texts | calls | st.lists(calls, max_size=4), max_size=8))
def test_whatever_is_done(taken: list[object]) -> None:
    env = PiEnv(PROTOCOL, max_tool_calls=3, max_steps=7)
    given_then = live(env, taken, task="01-three")
    assert rebuilt(record_of(env)) == given_then


def test_thoughts_and_rejections_are_told_beside_the_messages() -> None:
    session = opened()
    for action in ["<think>So.</think>Which colour?", "<tool_call>{", call("list_dir")]:
        step(session, action)
    spoken = conversation(session.trajectory())
    own = [(one.turn, one.step, one.thought, one.rejected) for one in spoken if one.message.role == "assistant"]
    assert own == [(1, 1, "So.", False), (2, 2, "", True), (2, 3, "", False)]
    assert [one.step for one in spoken] == sorted(one.step for one in spoken)


# -- records that cannot give it ------------------------------------------------------------------------------------


def test_a_session_that_never_opened_has_no_messages_and_no_tools() -> None:
    session = opened()
    record = replace(session.trajectory(), opening=(), events=(), tools=(), tools_hash="")
    assert rebuilt(record) == ([], [])


def test_other_tools_than_the_recorded_ones_are_refused() -> None:
    record = opened().trajectory()
    with pytest.raises(StateMismatch, match="the version of pi_gym that made it"):
        offered_tools(replace(record, tools=record.tools[:-1]), PIBENCH)
    with pytest.raises(StateMismatch, match="play the session again"):
        offered_tools(replace(record, tools=(), tools_hash=""), PIBENCH)


def test_a_reminder_without_its_words_is_refused() -> None:
    env = PiEnv("researcher", tools="all", max_turns=2)
    live(env, [ADD_JOB, "Hm."])
    record = record_of(env)
    events = tuple(
        replace(event, data={name: value for name, value in event.data.items() if name != "shown"})
        for event in record.events
    )
    with pytest.raises(StateMismatch, match="play the session again"):
        conversation(replace(record, events=events))
