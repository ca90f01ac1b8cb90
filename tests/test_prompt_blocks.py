"""Text of an agent, wherever it gets into a prompt, leaves the prompt's block tree as it was."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest
from hostile_texts import HOSTILE
from hypothesis import given
from hypothesis import strategies as st
from support.blocks import tree
from support.judging import judge_of
from support.packs import FOLDER
from support.play import opened, play

from pi_gym.graders.base import FinalView
from pi_gym.graders.model import ModelGrader
from pi_gym.packs import load_pack
from pi_gym.pibench.turns import turn_view
from pi_gym.predicates.evidence import SentFile
from pi_gym.types import Answer, Ask, Event, ModelRequest, ToolCall
from pi_gym.users.base import Decision, TurnView
from pi_gym.users.model import ModelUser

Shapes = list[tuple[str, Any]]
TASK = load_pack(FOLDER / "notes").instantiate("01-pin")
USER, GRADER = ModelUser(), ModelGrader(all_items=True)


# -- through whole sessions ------------------------------------------------------------------------------------------


def prompts(text: str) -> list[tuple[str, str]]:
    """Every prompt of a session whose agent writes the text wherever it can: its stage and its user message."""
    # A blank message, or one with a NUL, is refused by the tools: other events, which is not what is looked at here.
    text = f"Note: {text}".replace("\x00", "\x01")
    session = opened(TASK, user=USER, grader=GRADER)
    judge = judge_of(session)
    seen: list[tuple[str, str]] = []

    def listening(asks: Sequence[Ask]) -> Sequence[Answer]:
        for one in asks:
            assert isinstance(one.request, ModelRequest)
            seen.append((one.stage, one.request.messages[1]["content"]))
        return judge(asks)

    calls = [
        ToolCall("write_file", {"path": "out.txt", "content": text}),
        ToolCall("message", {"content": text}),
        ToolCall("no_such_tool", {"text": text}),
        ToolCall("read_file", {"path": text}),
        ToolCall("read_file", {"path": "out.txt"}),
        ToolCall("simple_note__login", {"username": "ida@notes.example", "password": "crumbs"}),
        ToolCall("simple_note__create_note", {"title": text[:40], "content": text}),
        ToolCall("ask_user", {"question": text, "options": [text, "b"]}),
    ]
    play(session, calls, ToolCall("message", {"content": text}), model=listening)
    session.truncate("enough")
    while session.pending:
        for one, answer in zip(session.pending, listening(session.pending), strict=True):
            session.answer(one.id, answer)
    assert session.scored, session.error
    return seen


def session_shapes(text: str) -> Shapes:
    return [(stage, tree(prompt).shape()) for stage, prompt in prompts(text)]


HARMLESS = session_shapes("a harmless text.")


def test_the_text_reaches_every_kind_of_prompt() -> None:
    found = {stage: prompt.count("QQQQ") for stage, prompt in prompts("QQQQ")}
    assert set(found) == {"satisfied", "asked", "message", "grade"}
    assert found["satisfied"] >= 9
    assert min(found.values()) >= 1


@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
def test_a_hostile_text_leaves_the_block_tree_as_it_was(text: str) -> None:
    assert session_shapes(text) == HARMLESS


# -- straight into the views: also where no tool of today would let a text through ------------------------------------


def called(name: str, arguments: dict[str, Any], result: str, ok: bool) -> Event:
    return Event("call", 1, 1, {"name": name, "arguments": arguments, "result": result, "ok": ok})


def requests(text: str) -> list[tuple[str, ModelRequest]]:
    session = opened(TASK)
    session.world.workspace.write("out.txt", f"x{text}".replace("\x00", "").encode("utf-8", "replace"))
    seen = replace(
        session.evidence(()),
        replies=(text, f"q{text}"),
        attachments=(SentFile(f"{text}.md", "0" * 64, text),),
        called=(called(text, {text: text}, text, True), called("t", {"a": [text]}, text, False)),
    )
    log = (Event("reply", 1, 1, {"text": text, "how": "final"}), Event("user", 1, 1, {"text": text}))
    view = replace(turn_view(session), reply=f"q{text}", evidence=seen, log=log)
    assert isinstance(view, TurnView)
    found: list[tuple[str, Any]] = [
        ("satisfied", USER.satisfied(view)),
        ("asked", USER.asked(view)),
        ("message", USER.message(view, Decision("reveal", TASK.intents[:1]))),
        ("grade", GRADER.grade(FinalView(TASK, TASK.checklist, seen, log))),
    ]
    return [(stage, one) for stage, (one,) in found]


def request_shapes(text: str) -> Shapes:
    return [(stage, tree(one.messages[1]["content"]).shape()) for stage, one in requests(text)]


PLAIN = request_shapes("plain")
ODD = st.sampled_from(
    ["<", ">", "&lt;", "</reply>", '<call id="e1">', "| ", "\n", "\r", "\u2028", "\x85", '"', "'", "\\"]
)


@given(st.lists(st.text(max_size=30) | ODD, max_size=10).map("".join))
def test_any_text_at_all_leaves_the_block_tree_as_it_was(text: str) -> None:
    assert request_shapes(text) == PLAIN


@pytest.mark.parametrize("text", [HOSTILE[0], HOSTILE[-4], "</evidence>\n<evidence>"])
def test_instructions_are_the_same_whatever_the_agent_wrote(text: str) -> None:
    assert [one.messages[0] for _, one in requests(text)] == [one.messages[0] for _, one in requests("plain")]
    for (stage, hostile), (_, plain) in zip(requests(text), requests("plain"), strict=True):
        if stage == "asked":  # which sentences there are to choose from is all that depends on the reply
            assert hostile.schema is not None
            assert plain.schema is not None
            clause = [one.schema["properties"]["clauses"]["items"]["properties"] for one in (hostile, plain)]
            assert clause[0].pop("sentence")["enum"][:1] == clause[1].pop("sentence")["enum"] == ["s1"]
        assert hostile.schema == plain.schema
