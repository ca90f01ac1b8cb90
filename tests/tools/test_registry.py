from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.errors import UnknownName
from pi_gym.state import Database, Table, Workspace, World
from pi_gym.tools import GENERAL, Registry, ToolContext, ToolError, operation
from pi_gym.tools.outgoing import Outgoing
from pi_gym.tools.parameters import REQUIRED
from pi_gym.tools.registry import MAX_RESULT_CHARS
from pi_gym.types import ToolCall, ToolRequest


def finish(context: ToolContext, arguments: Mapping[str, Any], value: Any) -> str:
    if value == "bad":
        raise ToolError("The command failed")
    context.workspace.write("out.txt", str(value).encode())
    return f"{arguments['command']}: {value}"


@operation("write", resume=finish)
def shell(context: ToolContext, command: str) -> str | ToolRequest:
    """Run a command.

    Args:
        command: the command.
    """
    return ToolRequest("shell", {"command": command})


@operation("write")
def spoil(context: ToolContext, how: str) -> str:
    """Change everything and fail.

    Args:
        how: the way to fail.
    """
    context.workspace.write("new.md", b"x")
    context.workspace.delete("a.md")
    context.world.put_app("mail", Database({"mails": Table()}))
    context.outbox.append(Outgoing("hello"))
    if how == "bug":
        raise ZeroDivisionError
    if how == "path":
        context.path("..")
    if how == "workspace":
        context.workspace.delete("nothing")
    raise ToolError("No such thing")


@operation("read", audience=("user",))
def much(context: ToolContext, offset: int = 0) -> str:
    """Give much text. And more.

    Args:
        offset: where to begin.
    """
    return "x" * 50_000


TOOLS = Registry((shell, spoil, much))


@pytest.fixture
def context() -> ToolContext:
    return ToolContext(World(Workspace({"a.md": b"text\n"})), "/w")


def test_names_keep_their_order() -> None:
    assert GENERAL.names == (
        "read_file", "write_file", "edit_file", "list_dir", "glob", "grep", "message", "ask_user",
    )  # fmt: skip
    assert GENERAL.subset(["grep", "read_file"]).names == ("read_file", "grep")
    assert TOOLS.merged(GENERAL).names == (*TOOLS.names, *GENERAL.names)
    assert TOOLS.audience("user").names == ("much",)
    assert [schema["function"]["name"] for schema in GENERAL.schemas()] == list(GENERAL.names)
    assert [line.partition("(")[0] for line in GENERAL.signatures().split("\n")] == list(GENERAL.names)


def test_unknown_names_are_refused_with_the_closest() -> None:
    with pytest.raises(UnknownName, match="'grep'"):
        GENERAL.subset(["gerp"])
    with pytest.raises(ValueError, match="two operations"):
        Registry((shell, shell))


def test_unknown_tool_lists_the_closest_names(context: ToolContext) -> None:
    result = GENERAL.run(ToolCall("raed_file", {}), context)
    assert not result.ok
    assert "Did you mean 'read_file'" in result.text


def test_wrong_arguments_show_how_the_tool_is_called(context: ToolContext) -> None:
    result = GENERAL.run(ToolCall("write_file", {"path": "x"}), context)
    assert result.text == (
        "Error: write_file did not run: argument 'content' is missing: a string (the whole new content). "
        "It is called as write_file(path: str, content: str)."
    )
    listed: Any = ["x"]
    assert "must be an object, not a list of 1" in GENERAL.run(ToolCall("write_file", listed), context).text


@pytest.mark.parametrize("how", ["path", "workspace", "tool"])
def test_a_failed_call_leaves_the_world_as_it_was(context: ToolContext, how: str) -> None:
    workspace, mark, before = context.workspace, context.workspace.mark(), context.world.state_hash()
    result = TOOLS.run(ToolCall("spoil", {"how": how}), context)
    assert not result.ok
    assert result.text.startswith("Error: ")
    assert context.world.state_hash() == before
    assert context.workspace is workspace
    assert not workspace.changes(mark)
    assert context.outbox == []


def test_a_fault_of_ours_passes_through(context: ToolContext) -> None:
    before = context.world.state_hash()
    with pytest.raises(ZeroDivisionError):
        TOOLS.run(ToolCall("spoil", {"how": "bug"}), context)
    assert context.world.state_hash() == before


def test_a_request_pends_and_resumes(context: ToolContext) -> None:
    call = ToolCall("shell", {"command": "ls"})
    pending = TOOLS.run(call, context)
    assert pending.request == ToolRequest("shell", {"command": "ls"})
    assert TOOLS.resume(call, context, "bad").text == "Error: The command failed."
    assert TOOLS.resume(call, context, "done").text == "ls: done"
    assert context.workspace.read("out.txt") == b"done"


def test_long_results_are_cut_and_say_how_to_page(context: ToolContext) -> None:
    text = TOOLS.run(ToolCall("much"), context).text
    assert len(text) == MAX_RESULT_CHARS
    assert text.endswith("[result cut: 50000 characters, at most 16000 are shown; page with offset]")


WORDS = st.sampled_from(
    ["a.md", "A.md", "n/b.md", "n", ".", "", "..", "/w/a.md", "/etc", "*.md", "**/*", "{a,b", "[", "(", "a+", "content",
     "dirs", "hello", "memory/HISTORY.md", "\0", "\ud800", "x" * 2_000, "bin"]
)  # fmt: skip
VALUES = st.one_of(
    WORDS,
    st.text(max_size=20),
    st.none(),
    st.booleans(),
    st.integers(-3, 5),
    st.sampled_from([10**30, 10**5_000, 1.0, 0.5, float("nan"), {}, {"a": 1}]),
    st.lists(WORDS, max_size=3),
)


@settings(max_examples=300, deadline=None)
@given(st.data())
def test_no_arguments_raise_and_errors_change_nothing(data: st.DataObject) -> None:
    files = {"a.md": b"hello\nworld\nhello\n", "n/b.md": b"text", "bin": b"\0", "memory/HISTORY.md": b"log"}
    context = ToolContext(World(Workspace(files)), "/w", protected=("memory/HISTORY.md",))
    tool = data.draw(st.sampled_from(list(GENERAL)))
    typed = {int: st.integers(-1, 3), bool: st.booleans(), str: st.one_of(WORDS, st.text(max_size=8))}
    fitting = {p.name: typed.get(p.type, VALUES) for p in tool.parameters}
    required = {p.name: fitting[p.name] for p in tool.parameters if p.default is REQUIRED}
    optional = {name: strategy for name, strategy in fitting.items() if name not in required}
    arguments = data.draw(
        st.one_of(
            st.fixed_dictionaries(required, optional=optional),
            st.dictionaries(st.one_of(st.sampled_from(list(fitting)), st.text(max_size=5)), VALUES, max_size=4),
        )
    )
    before = context.world.state_hash()
    result = GENERAL.run(ToolCall(tool.name, arguments), context)
    assert len(result.text) <= MAX_RESULT_CHARS
    if not result.ok or tool.effect == "read":
        assert context.world.state_hash() == before
    if not result.ok:
        assert result.text.startswith("Error: ")
        assert context.outbox == []
    assert context.workspace.read("memory/HISTORY.md") == b"log"
