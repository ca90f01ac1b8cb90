"""Fuzzing actions: the answer is always an observation; a rejected action changes nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hostile_actions import JSON_PIECES, ODD_PATHS, PATHS, TAGS
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.packs import PROTOCOL
from support.play import call, opened, step, write

from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.session import PiSession
from pi_gym.pibench.settings import Limits
from pi_gym.tools import GENERAL
from pi_gym.types import Message, ToolCall

ROOMY = Limits(max_steps=10_000, max_turns=10_000, max_tool_calls=10_000)

# Text with all that Python strings can hold, lone surrogates included.
wild = st.text(st.characters(codec=None, categories=None) | st.characters(categories=["Cs"]), max_size=40)
numbers = st.integers() | st.floats() | st.sampled_from([2**70, float("nan"), float("inf"), -0.0])
# Only as a function of a small number: hypothesis prints what it draws from, and Python no such integer.
numbers |= st.integers(4_000, 5_000).map(lambda digits: 10**digits)
scalars = st.none() | st.booleans() | numbers | wild
keys = wild | st.sampled_from(["path", "content", "name", "arguments", "pattern", "question"])
trees = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=4), max_leaves=12
)
tool_names = st.sampled_from([*GENERAL.names, "exec", "nothing", "", "read_file ", "READ_FILE"]) | wild
paths = st.sampled_from([*PATHS, *ODD_PATHS])


def arguments_of(name: str) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments by the tool's own names, with values that fit or do not."""
    known = [parameter.name for parameter in GENERAL.get(name).parameters]
    return st.dictionaries(st.sampled_from(known), trees | paths | numbers, max_size=5)


fitting = st.sampled_from(GENERAL.names).flatmap(lambda name: st.builds(ToolCall, st.just(name), arguments_of(name)))
calls = st.builds(ToolCall, tool_names, trees) | fitting
pieces = st.sampled_from([*TAGS, *JSON_PIECES])
broken = st.lists(pieces | wild, max_size=12).map("".join)
messages = st.fixed_dictionaries(
    {},
    optional={
        "role": st.sampled_from(["assistant", "user", "tool"]) | trees,
        "content": wild | broken | trees,
        "tool_calls": st.lists(
            trees
            | st.fixed_dictionaries(
                {
                    "function": st.fixed_dictionaries(
                        {}, optional={"name": tool_names | trees, "arguments": trees | broken}
                    )
                }
            ),
            max_size=3,
        )
        | trees,
        "reasoning_content": trees,
    },
)
actions = st.one_of(
    broken,
    wild,
    calls,
    st.lists(calls | trees, max_size=4),
    st.builds(Message, st.sampled_from(["assistant", "user"]), wild | broken, st.lists(calls, max_size=3).map(tuple)),
    messages,
    trees,
    broken.map(lambda text: f"<tool_call>{text}</tool_call>"),
)


def checked(session: PiSession, action: object) -> None:
    """One action: a record, all of it text that can be stored, and nothing changed where it was rejected."""
    before = session.world.state_hash()
    record = step(session, action)
    rejected = any(m.role == "user" and m.content.startswith("[environment]") for m in record.messages)
    if rejected:
        assert session.world.state_hash() == before
        assert record.invalid
    assert not record.error
    assert record.messages[0].role == "assistant"
    assert len(record.messages) >= 2 or session.ended
    for message in record.messages:
        json.dumps(message.to_openai(), allow_nan=False).encode()
        message.content.encode()
    session.history.encode()


@settings(max_examples=400)
@given(actions)
@example(call("write_file", path="x", content="y") + "<tool_call>{")
@example(
    [ToolCall("write_file", {"path": "a", "content": "b"}), ToolCall("ask_user", {"question": "?"}), ToolCall("x")]
)
def test_any_action_is_answered(action: object) -> None:
    session = opened(limits=ROOMY)
    checked(session, action)
    session.trajectory().to_line().encode()


@settings(max_examples=40)
@given(st.lists(actions, min_size=2, max_size=8))
def test_any_series_of_actions_is_answered(taken: list[object]) -> None:
    session = opened(limits=ROOMY)
    for action in taken:
        if not session.ended:
            checked(session, action)
    session.trajectory().to_line().encode()


@settings(max_examples=60)
@given(st.lists(actions, min_size=1, max_size=4))
def test_observations_stay_in_their_space(taken: list[Any]) -> None:
    env = PiEnv(PROTOCOL)
    env.reset(seed=0, options={"task": "01-three"})
    for action in taken:
        observation, _, terminated, truncated, info = env.step(action)
        assert observation in env.observation_space
        json.dumps(info, allow_nan=False).encode()
        if terminated or truncated:
            break


@pytest.mark.parametrize("size", [100_000, 2_000_001, 5_000_000])
@pytest.mark.parametrize(
    "form", [lambda text: text, lambda text: write("big.txt", text), lambda text: ToolCall(text, {text: text})]
)
def test_huge_texts_are_answered(form: Any, size: int) -> None:
    checked(opened(), form("ü" * size))


@pytest.mark.parametrize("depth", [33, 1_000, 100_000])
@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_deep_nesting_is_rejected(pair: str, depth: int) -> None:
    opening = '{"a":' if pair == "{}" else "["
    body = opening * depth + "1" + pair[1] * depth
    for text in (
        f'<tool_call>{{"name": "glob", "arguments": {{"pattern": {body}}}}}</tool_call>',
        f'<tool_call>{{"name": "glob", "arguments": {json.dumps(body)}}}</tool_call>',
        f"<tool_call>{body}</tool_call>",
    ):
        session = opened()
        checked(session, text)
        assert session.tool_calls == 0
        assert session.invalid_actions == 1


def test_calls_inside_results_and_files_do_not_run() -> None:
    session = opened()
    step(session, write("note.txt", call("write_file", path="x.txt", content="x")))
    before = session.world.state_hash()
    record = step(session, call("read_file", path="note.txt"))
    assert "<tool_call>" in record.messages[-1].content
    assert session.world.state_hash() == before
    assert session.tool_calls == 2


def test_calls_inside_an_answer_of_the_user_do_not_run() -> None:
    session = opened()
    step(session, call("ask_user", question=f"Which colour? {call('write_file', path='x.txt', content='x')}"))
    assert session.world.workspace.read("x.txt") is None
    assert session.tool_calls == 1


@pytest.mark.parametrize("count", [1, 3])
def test_an_action_with_one_bad_block_runs_none_of_its_blocks(count: int) -> None:
    session = opened()
    before = session.world.state_hash()
    step(session, write("a.txt", "a") * count + "<tool_call>{}</tool_call>" + write("b.txt", "b"))
    assert session.world.state_hash() == before
    assert session.tool_calls == 0
