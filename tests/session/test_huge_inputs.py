"""Megabytes, in whatever form, cost a fraction of a second of CPU time a step."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from time import process_time
from typing import Any

import pytest
from hostile_actions import UNITS
from machine_speed import slowness

from pi_gym.pibench.env import PiEnv
from pi_gym.pibench.session import PiSession
from pi_gym.session.actions import MAX_ACTION_CHARS
from pi_gym.types import ToolCall

#: Steps are to take 0.3 s, on the machine of `slowness`; a slower one takes longer for them.
LIMIT_S = 0.5
CHARS = 1_950_000


@cache
def session() -> PiSession:
    """A session with accounts in all apps, signed in; each test takes a copy."""
    env = PiEnv("researcher", tools="all", exec_backend="off")
    env.reset(seed=0, options={"task": "11-travel-grant"})
    assert env.session is not None
    for account in env.session.task.persona.accounts:
        arguments = {"username": account["username"], "password": account["password"]}
        env.session.apply(ToolCall(f"{account['app']}__login", arguments))
    return env.session


def seconds(action: object) -> float:
    """The time for one action; where it is over the limit, the best of four."""
    found: list[float] = []
    while not found or (len(found) < 4 and found[0] >= LIMIT_S):
        copy = session().fork()
        begin = process_time()
        copy.apply(action)
        found.append(process_time() - begin)
        assert not copy.engine_faults
        assert copy.step is None or not copy.step.error
    return min(found) / (slowness() if min(found) >= LIMIT_S else 1.0)


def text_of(unit: str) -> str:
    return (unit * (CHARS // len(unit)))[:CHARS]


@pytest.mark.parametrize("unit", UNITS, ids=repr)
def test_a_reply_of_megabytes_is_read_soon(unit: str) -> None:
    assert seconds(text_of(unit)) < LIMIT_S


FORMS: dict[str, Callable[[str], Any]] = {
    "block": lambda text: f"<tool_call>{text}</tool_call>",
    "arguments": lambda text: f'<tool_call>{{"name": "read_file", "arguments": {text}}}</tool_call>',
    "argument": lambda text: ToolCall("write_file", {"path": "a.md", "content": text}),
    "name": lambda text: {"role": "assistant", "tool_calls": [{"function": {"name": text, "arguments": text}}]},
    "question": lambda text: ToolCall("ask_user", {"question": text}),
    "message": lambda text: ToolCall("message", {"content": text}),
    "pattern": lambda text: ToolCall("grep", {"pattern": text}),
    "glob": lambda text: ToolCall("glob", {"pattern": text}),
    "edit": lambda text: ToolCall("edit_file", {"path": "README.md", "old_text": text, "new_text": text}),
    "label": lambda text: ToolCall("gmail__label_thread", {"email_thread_id": 1, "label": text}),
}


@pytest.mark.parametrize(
    "unit", ["\ud800", "\ud83d\ude00", "İ", "? ", "- a\n", '{"a":', "[", "**/", "(a", "\n"], ids=repr
)
@pytest.mark.parametrize("form", FORMS)
def test_a_call_of_megabytes_is_answered_soon(form: str, unit: str) -> None:
    assert seconds(FORMS[form](text_of(unit))) < LIMIT_S


@pytest.mark.parametrize(
    "arguments",
    [
        {f"k{number}": number for number in range(120_000)},
        {"question": "Which?", "options": [1] * 400_000},
        {"question": "Which?", "options": ["x"] * 400_000},
    ],
    ids=["unknown names", "bad entries", "entries"],
)
def test_arguments_by_the_thousand_are_answered_soon(arguments: dict[str, Any]) -> None:
    assert seconds(ToolCall("ask_user", arguments)) < LIMIT_S


def test_an_action_over_the_limit_is_refused_and_the_record_keeps_its_beginning() -> None:
    copy = session().fork()
    copy.apply("x" * 10_000_000)
    assert copy.step is not None
    said = f"The action has 10000000 characters; at most {MAX_ACTION_CHARS} are possible. Send it in parts."
    assert said in copy.step.messages[-1].content
    assert copy.step.invalid
    assert len(json.dumps(copy.trajectory().to_json()["events"][-2])) < 10_000
