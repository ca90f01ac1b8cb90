from __future__ import annotations

from typing import Any

import pytest

from pi_gym.state import Workspace, World
from pi_gym.tools import GENERAL, ToolContext, ToolResult
from pi_gym.types import ToolCall


def run(context: ToolContext, tool: str, **arguments: Any) -> ToolResult:
    return GENERAL.run(ToolCall(tool, arguments), context)


@pytest.fixture
def context() -> ToolContext:
    return ToolContext(World(Workspace({"a.md": b"", "n/b.png": b"\0"})), "/w")


def test_messages_go_to_the_outbox_with_their_files(context: ToolContext) -> None:
    assert run(context, "message", content="Done.").text == "Sent."
    run(context, "message", content="Here.", media=["a.md", "/w/n/b.png"], channel="cli", chat_id="1")
    run(context, "message", content="", media=["a.md"])
    assert [sent.text for sent in context.outbox] == ["Done.", "Here.\n[attached: a.md, n/b.png]", "[attached: a.md]"]


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"content": " "}, "empty"),
        ({"content": "x", "media": ["b.md"]}, "no file 'b.md'"),
        ({"content": "x", "media": ["n"]}, "is a directory"),
        ({"content": "x", "media": ["a.md"] * 21}, "At most 20"),
        ({"content": "x", "media": ["../a.md"]}, "cannot leave the workspace"),
    ],
)
def test_a_faulty_message_is_not_sent(context: ToolContext, arguments: dict[str, Any], reason: str) -> None:
    result = run(context, "message", **arguments)
    assert not result.ok
    assert reason in result.text
    assert context.outbox == []


def test_a_question_is_checked_only(context: ToolContext) -> None:
    assert run(context, "ask_user", question="Which?", options=["a", "b"]) == ToolResult("")
    assert context.outbox == []


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"question": "\n"}, "question is empty"),
        ({"question": "Which?", "options": ["a", ""]}, "option is empty"),
        ({"question": "Which?", "options": ["a"] * 21}, "At most 20"),
        ({"question": "Which?", "options": "a"}, "expected a list"),
    ],
)
def test_a_faulty_question_is_refused(context: ToolContext, arguments: dict[str, Any], reason: str) -> None:
    result = run(context, "ask_user", **arguments)
    assert not result.ok
    assert reason in result.text
