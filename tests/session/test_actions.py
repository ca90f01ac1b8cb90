"""Reading actions in every form, and refusing the rest with words that help."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from pi_gym.session.actions import MAX_ACTION_CHARS, MAX_CALLS, MAX_DEPTH, ParsedAction, parse_action
from pi_gym.types import Message, ToolCall

CALL = '<tool_call>{"name": "glob", "arguments": {"pattern": "*"}}</tool_call>'
GLOB = ToolCall("glob", {"pattern": "*"})


def openai(**rest: Any) -> dict[str, Any]:
    return {"role": "assistant", **rest}


def function(arguments: Any, name: Any = "glob") -> dict[str, Any]:
    return {"id": "x", "type": "function", "function": {"name": name, "arguments": arguments}}


# -- forms -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("action", "content", "calls"),
    [
        ("Hello.", "Hello.", ()),
        ("", "", ()),
        (np.str_("Hello."), "Hello.", ()),
        (CALL, "", (GLOB,)),
        (f"So:\n{CALL}\n{CALL} then", "So:\n\n then", (GLOB, GLOB)),
        (np.str_(CALL), "", (GLOB,)),
        (openai(content="Hello."), "Hello.", ()),
        (openai(content=None), "", ()),
        (openai(content=[{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo."}]), "Hello.", ()),
        (openai(content=CALL), "", (GLOB,)),
        (openai(content=None, tool_calls=[function('{"pattern": "*"}')]), "", (GLOB,)),
        (openai(content="So:", tool_calls=[function({"pattern": "*"})]), "So:", (GLOB,)),
        (openai(tool_calls=[function("", "list_dir")]), "", (ToolCall("list_dir"),)),
        (openai(content="Hello.", tool_calls=[]), "Hello.", ()),
        (openai(content="Hello.", tool_calls=None), "Hello.", ()),
        ({"content": "Hello."}, "Hello.", ()),
        (Message("assistant", "Hello."), "Hello.", ()),
        (Message("assistant", CALL), "", (GLOB,)),
        (Message("assistant", "So:", (GLOB,)), "So:", (GLOB,)),
        (GLOB, "", (GLOB,)),
        ([GLOB, GLOB], "", (GLOB, GLOB)),
        ((GLOB,), "", (GLOB,)),
        (ToolCall("glob", '{"pattern": "*"}'), "", (GLOB,)),  # type: ignore[arg-type]
    ],
)
def test_every_form_of_an_action_is_understood(action: object, content: str, calls: tuple[ToolCall, ...]) -> None:
    parsed = parse_action(action)
    assert (parsed.fault, parsed.content, parsed.calls) == ("", content, calls)
    assert type(parsed.content) is str


def test_text_and_objects_mean_the_same() -> None:
    parsed = [parse_action(a) for a in (CALL, GLOB, [GLOB], Message("assistant", "", (GLOB,)), openai(content=CALL))]
    assert len({(p.raw, p.content, str(p.calls)) for p in parsed}) == 1


def test_a_parsed_action_stays_as_it_is() -> None:
    parsed = ParsedAction("raw", "content", (GLOB,), "thought")
    assert parse_action(parsed) is parsed


def test_a_call_may_leave_its_arguments_out() -> None:
    assert parse_action('<tool_call> {"name": "list_dir"} </tool_call>').calls == (ToolCall("list_dir"),)


def test_tags_inside_the_json_do_not_end_the_block() -> None:
    arguments = {"content": "</tool_call><tool_call>{} </think><think>", "path": "a"}
    parsed = parse_action(ToolCall("write_file", arguments).to_text())
    assert (parsed.fault, parsed.content, parsed.thought) == ("", "", "")
    assert parsed.calls == (ToolCall("write_file", arguments),)


# -- thoughts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "content", "calls", "thought"),
    [
        ("<think>a</think>b", "b", 0, "a"),
        ("b<think>a</think>", "b", 0, "a"),
        ("b <think>a</think> c", "b  c", 0, "a"),
        ("<think>a</think>b<think>c</think>d", "bd", 0, "a\nc"),
        ("a</think>b", "b", 0, "a"),
        ("a<think>open", "a", 0, "open"),
        ("<think></think>", "", 0, ""),
        (f"<think>{CALL}</think>b", "b", 0, CALL),
        (f"{CALL}</think>b", "b", 0, ""),
        (f"<think>a</think>{CALL}", "", 1, "a"),
        (f"{CALL}<think>a</think>", "", 1, "a"),
        (f"<think>a {CALL} b", "", 0, f"a {CALL} b"),
        ("<think>a<think>b</think>c", "c", 0, "a<think>b"),
    ],
)
def test_thoughts_are_set_apart_wherever_they_stand(text: str, content: str, calls: int, thought: str) -> None:
    parsed = parse_action(text)
    assert (parsed.fault, parsed.content, len(parsed.calls), parsed.thought) == ("", content, calls, thought)
    assert parsed.raw == text


@pytest.mark.parametrize("field", ["reasoning", "reasoning_content"])
def test_reasoning_beside_the_content_is_the_thought(field: str) -> None:
    parsed = parse_action(openai(content="b", **{field: "a"}))
    assert (parsed.content, parsed.thought) == ("b", "a")


@pytest.mark.parametrize(
    "action",
    [
        Message("assistant", "<think>a</think>b", (GLOB,)),
        openai(content="<think>a</think>b", tool_calls=[function({"pattern": "*"})]),
        openai(content="a</think>b", tool_calls=[function({"pattern": "*"})]),
    ],
)
def test_thoughts_in_the_content_of_structured_calls_are_set_apart(action: object) -> None:
    parsed = parse_action(action)
    assert (parsed.content, parsed.thought, parsed.calls) == ("b", "a", (GLOB,))


@pytest.mark.parametrize("text", ["<think>secret</think>x<tool_call>{", "secret</think>x<tool_call>{"])
def test_thoughts_of_a_rejected_action_are_no_content(text: str) -> None:
    parsed = parse_action(text)
    assert parsed.fault
    assert parsed.content == "x<tool_call>{"


# -- faults ----------------------------------------------------------------------------------------------------------

DEEP = "[" * 100_000 + "]" * 100_000
NESTED: dict[str, Any] = {}
NESTED["self"] = NESTED


def block(body: str) -> str:
    return f"<tool_call>{body}</tool_call>"


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("", "broken"),
        ("{", "broken"),
        ('{"name": "glob", "arguments": {"pattern": "*}}', "broken"),
        ('{"name": "glob"} and more', "After the JSON"),
        ("[]", "list"),
        ("null", "null"),
        ("12", "number"),
        ("{}", "name"),
        ('{"name": ""}', "name"),
        ('{"name": 7}', "name"),
        ('{"name": "glob", "arguments": []}', "object"),
        ('{"name": "glob", "arguments": null}', "null"),
        ('{"name": "glob", "arguments": "{"}', "broken"),
        ('{"name": "glob", "arguments": "[]"}', "list"),
        ('{"name": "glob", "arguments": "{} x"}', "more text"),
        ('{"name": "glob", "parameters": {}}', "'parameters'"),
        ('{"name": "glob", "name": "grep"}', "twice"),
        ('{"name": "glob", "arguments": {"a": 1, "a": 2}}', "twice"),
        ('{"name": "glob", "arguments": {"a": {"b": 1, "b": 2}}}', "twice"),
        ('{"name": "glob", "arguments": {"a": NaN}}', "NaN"),
        ('{"name": "glob", "arguments": {"a": -Infinity}}', "Infinity"),
        ('{"name": "glob", "arguments": {"a": 1e999}}', "finite"),
        ('{"name": "glob", "arguments": {"a": 1' + "0" * 5000 + "}}", "tool call 1"),
        ('{"name": "glob", "arguments": {"a": 1' + "0" * 4100 + "}}", "digits"),
        ('{"name": "glob", "arguments": {"a": ' + DEEP + "}}", "deep"),
        ('{"name": "glob", "arguments": {"a": ' + "[" * (MAX_DEPTH + 1) + "]" * (MAX_DEPTH + 1) + "}}", "deep"),
    ],
    ids=lambda value: value[:40] if isinstance(value, str) else None,
)
def test_a_syntax_error_says_what_was_expected(body: str, says: str) -> None:
    parsed = parse_action(block(body))
    assert says in parsed.fault
    assert parsed.calls == ()
    assert len(parsed.fault) <= 1_000


def test_one_broken_block_rejects_the_others_too() -> None:
    parsed = parse_action(CALL + block("{") + CALL)
    assert parsed.fault
    assert parsed.calls == ()
    assert "tool call 2" in parsed.fault


def test_a_closing_tag_alone_is_a_fault() -> None:
    assert "no <tool_call>" in parse_action("Hello. </tool_call>").fault


class Hostile(Mapping[str, Any]):
    """A mapping whose methods all fail."""

    def __getitem__(self, key: str) -> Any:
        raise RuntimeError("no")

    def __iter__(self) -> Iterator[str]:
        raise RuntimeError("no")

    def __len__(self) -> int:
        raise RuntimeError("no")

    def __repr__(self) -> str:
        raise RuntimeError("no")


class Text(str):
    """A str whose conversions fail."""

    def __str__(self) -> str:
        raise RuntimeError("no")

    def encode(self, *rest: Any) -> bytes:
        raise RuntimeError("no")


@pytest.mark.parametrize(
    "action",
    [
        None,
        7,
        1.5,
        b"bytes",
        [],
        ["text"],
        [GLOB, "text"],
        {},
        {"foo": 1},
        {1: 2},
        {"content": {"text": "x"}},
        {"content": 7},
        {"role": "user", "content": "x"},
        {"role": ["assistant"], "content": "x"},
        {"role": "assistant", "tool_calls": "glob"},
        {"role": "assistant", "tool_calls": ["glob"]},
        {"role": "assistant", "tool_calls": [{"function": "glob"}]},
        openai(tool_calls=[function("[1]")]),
        openai(tool_calls=[function("{")]),
        openai(tool_calls=[function({"a": {1, 2}})]),
        openai(tool_calls=[function({1: 2})]),
        openai(tool_calls=[function({"a": b"x"})]),
        openai(tool_calls=[function({"a": float("nan")})]),
        openai(tool_calls=[function({"a": 10**5000})]),
        openai(tool_calls=[function(NESTED)]),
        openai(tool_calls=[function({}, 10**5000)]),
        NESTED,
        {"content": NESTED},
        Hostile(),
        openai(tool_calls=[function(Hostile())]),
        object(),
        Message("user", "x"),
        Message("assistant", None),  # type: ignore[arg-type]
        Message("assistant", "", ("glob",)),  # type: ignore[arg-type]
        Message("assistant", "", 7),  # type: ignore[arg-type]
        ToolCall(7),  # type: ignore[arg-type]
        ToolCall("glob", None),  # type: ignore[arg-type]
        ToolCall("glob", {"a": 10**5000}),
        ToolCall("glob", {"a": object()}),
        np.array(["x"]),
        type,
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_else_is_a_fault_and_never_an_exception(action: object) -> None:
    parsed = parse_action(action)
    assert parsed.fault
    assert parsed.calls == ()
    json.dumps([parsed.raw, parsed.content]).encode()
    assert " at 0x" not in parsed.raw


def test_subclasses_of_str_are_read_as_their_text() -> None:
    parsed = parse_action(Text("Hello."))
    assert (parsed.content, type(parsed.content), parsed.fault) == ("Hello.", str, "")


def test_numbers_of_numpy_and_bools_become_plain() -> None:
    parsed = parse_action(ToolCall("glob", {"a": np.float64(0.5), "b": True, "c": (1, [None])}))
    assert parsed.calls[0].arguments == {"a": 0.5, "b": True, "c": [1, [None]]}
    assert type(parsed.calls[0].arguments["a"]) is float


@pytest.mark.parametrize(
    ("text", "kept"),
    [("a\ud800b", "a\ufffdb"), ("\ud83c\udf31", "🌱"), ("\udc00\ud800", "\ufffd\ufffd"), ("ü🌱", "ü🌱")],
)
def test_lone_surrogates_are_replaced_and_pairs_joined(text: str, kept: str) -> None:
    assert parse_action(text).content == kept
    assert parse_action(ToolCall("glob", {"pattern": text})).calls[0].arguments == {"pattern": kept}
    escaped = json.dumps({"name": "glob", "arguments": {"pattern": text}})
    assert parse_action(block(escaped)).calls[0].arguments == {"pattern": kept}


# -- sizes -----------------------------------------------------------------------------------------------------------


def test_too_many_calls_are_a_fault() -> None:
    assert parse_action(CALL * MAX_CALLS).fault == ""
    assert str(MAX_CALLS) in parse_action(CALL * (MAX_CALLS + 1)).fault
    assert str(MAX_CALLS) in parse_action([GLOB] * (MAX_CALLS + 1)).fault


@pytest.mark.parametrize(
    "action",
    [
        "x" * (MAX_ACTION_CHARS + 1),
        ToolCall("write_file", {"content": "x" * MAX_ACTION_CHARS}),
        openai(content="x" * (MAX_ACTION_CHARS + 1), tool_calls=[function({})]),
    ],
    ids=["text", "call", "openai"],
)
def test_a_huge_action_is_a_fault_of_bounded_size(action: object) -> None:
    parsed = parse_action(action)
    assert "characters" in parsed.fault
    assert len(parsed.raw) < 10_000


@pytest.mark.parametrize(
    "piece",
    ["<think></think>", "</think>", "<think>", "x</think><think>", "<tool_cal", "</tool_cal", "<think", CALL[:-1]],
)
def test_reading_is_linear_in_the_length(piece: str) -> None:
    action = piece * (MAX_ACTION_CHARS // len(piece))
    start = time.process_time()
    parse_action(action)
    assert time.process_time() - start < 3.0


def test_a_call_with_thousands_of_arguments_is_rejected() -> None:
    found = parse_action(ToolCall("read_file", {f"a{number}": number for number in range(1_001)}))
    assert found.fault == "The arguments of tool call 1 are 1001; at most 1000 are possible."
    assert not parse_action(ToolCall("read_file", {f"a{number}": number for number in range(1_000)})).fault


def test_a_list_of_thousands_of_entries_is_rejected() -> None:
    found = parse_action(ToolCall("read_file", {"path": ["a"] * 10_001}))
    assert found.fault == "A list of tool call 1 has 10001 entries; at most 10000 are possible."
    assert not parse_action(ToolCall("read_file", {"path": ["a"] * 10_000})).fault
