"""The operation `exec`: what it asks for, and how an answer changes the world. Nothing is run here."""

from __future__ import annotations

import json
import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.state import Workspace, World
from pi_gym.state.workspace import MAX_CHANGED_FILES, MAX_FILE_BYTES
from pi_gym.tools import EVERY, GENERAL, ToolContext, ToolResult
from pi_gym.tools.shell_result import MAX_OUTPUT_CHARS, NoShellResult, ShellResult, printable
from pi_gym.types import ToolCall

ROOT = "/home/ana/workspace"
CALL = ToolCall("exec", {"command": "make"})


@pytest.fixture
def context() -> ToolContext:
    files = {"a.md": b"old\n", "n/b.md": b"b", "n/c.md": b"c", "memory/HISTORY.md": b"log"}
    return ToolContext(World(Workspace(files)), ROOT, protected=("memory/HISTORY.md",))


def resumed(context: ToolContext, value: Any) -> ToolResult:
    return EVERY.resume(CALL, context, value.to_json() if isinstance(value, ShellResult) else value)


def test_exec_is_offered_only_where_it_is_named() -> None:
    assert "exec" not in GENERAL
    assert "exec" in EVERY
    assert EVERY.get("exec").call_form() == 'exec(command: str, working_dir: str = ".")'


def test_a_call_asks_for_the_command_over_the_workspace_as_it_is(context: ToolContext) -> None:
    result = EVERY.run(ToolCall("exec", {"command": "ls", "working_dir": f"{ROOT}/n/"}), context)
    assert result.request is not None
    assert result.request.kind == "shell"
    payload = pickle.loads(pickle.dumps(result.request)).payload
    context.workspace.write("a.md", b"later")
    assert (payload["command"], payload["working_dir"], payload["root"]) == ("ls", "n", ROOT)
    assert payload["workspace"].read("a.md") == b"old\n"
    assert result.request.payload["workspace"].read("a.md") == b"old\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"command": " \n"}, "empty"),
        ({"command": "x" * 50_001}, "write a script"),
        ({"command": "a\0b"}, "NUL"),
        ({"command": "ls", "working_dir": "a.md"}, "is a file"),
        ({"command": "ls", "working_dir": "m"}, "no directory 'm'"),
        ({"command": "ls", "working_dir": "../x"}, "cannot leave"),
        ({"command": "ls", "working_dir": "/etc"}, "outside the workspace"),
        ({"command": ["ls"]}, "expected a string"),
    ],
)
def test_a_call_that_cannot_run_asks_for_nothing(context: ToolContext, arguments: Any, reason: str) -> None:
    result = EVERY.run(ToolCall("exec", arguments), context)
    assert not result.ok
    assert result.request is None
    assert reason in result.text


def test_what_the_command_changed_is_brought_back(context: ToolContext) -> None:
    files = {"a.md": b"new", "x/y/z.bin": b"\0\xff", "n": b"a file now"}
    done = ShellResult(2, "made\n", files=files, folders=("x", "x/y", "empty"), deleted=("n", "n/b.md", "n/c.md"))
    result = resumed(context, done)
    assert result == ToolResult("[exit status 2]\nmade\n")
    workspace = context.workspace
    assert {path: blob.data for path, blob in workspace.walk()} == files | {"memory/HISTORY.md": b"log"}
    assert workspace.is_folder("empty")


def test_protected_files_stay(context: ToolContext) -> None:
    done = ShellResult(files={"memory/HISTORY.md": b"forged"}, deleted=("memory",))
    result = resumed(context, done)
    assert context.workspace.read("memory/HISTORY.md") == b"log"
    assert result.text.count("[not kept: memory") == 2
    assert "read-only" in result.text
    resumed(context, ShellResult(deleted=("memory/HISTORY.md",)))
    assert context.workspace.read("memory/HISTORY.md") == b"log"


@pytest.mark.parametrize("path", ["../x", "/etc/x", "~x", "a\\b", "x\0", "a/./b", "", "e\u0301", "\ud800", " x"])
def test_names_that_no_workspace_holds_are_left_out(context: ToolContext, path: str) -> None:
    before = context.workspace.state_hash()
    result = resumed(context, ShellResult(files={path: b"x"}, folders=(path,), deleted=(path,)))
    assert result.ok
    assert context.workspace.state_hash() == before
    assert "[not kept: " in result.text


def test_a_name_that_differs_in_case_only_is_left_out_and_the_rest_is_kept(context: ToolContext) -> None:
    result = resumed(context, ShellResult(files={"A.md": b"x", "ok.md": b"y"}))
    assert context.workspace.names("")[0] == ("a.md", False)
    assert context.workspace.read("ok.md") == b"y"
    assert "differs only in case" in result.text


def test_a_name_may_change_its_case(context: ToolContext) -> None:
    resumed(context, ShellResult(files={"A.md": b"old\n"}, deleted=("a.md",)))
    assert context.workspace.read("A.md") == b"old\n"


def test_beyond_a_limit_nothing_is_kept(context: ToolContext) -> None:
    before = context.workspace.state_hash()
    many = {f"f{number:05}": b"" for number in range(MAX_CHANGED_FILES + 1)}
    result = resumed(context, ShellResult(files=many, deleted=("a.md",)))
    assert "none of its changes to files were kept" in result.text
    assert context.workspace.state_hash() == before
    told = resumed(context, ShellResult(files={"x": b"x"}, overflow="it changed more than 2 files"))
    assert "it changed more than 2 files" in told.text
    assert context.workspace.state_hash() == before


def test_a_file_that_is_too_large_is_left_out(context: ToolContext) -> None:
    result = resumed(context, ShellResult(files={"big": b"x" * (MAX_FILE_BYTES + 1), "small": b"x"}))
    assert "not kept: big" in result.text
    assert context.workspace.read("small") == b"x"
    assert context.workspace.read("big") is None


def test_notes_come_before_the_output_so_that_no_output_can_imitate_them(context: ToolContext) -> None:
    refused = tuple((f"l{number}", "a symbolic link") for number in range(14))
    done = ShellResult(137, "x" * MAX_OUTPUT_CHARS, cut=99_999, ended="timeout", refused=refused)
    lines = resumed(context, done).text.split("\n")
    assert lines[:3] == ["[exit status 137]", "[killed: it ran longer than it may]", "[not kept: l0: a symbolic link]"]
    assert lines[-3] == "[not kept: 4 more]"
    assert lines[-2] == "[output cut: 99999 bytes were printed, the first 10000 characters are shown]"


def test_without_a_sandbox_the_agent_is_told(context: ToolContext) -> None:
    result = resumed(context, {"unavailable": "bwrap is not installed. To enable it, install bubblewrap"})
    assert not result.ok
    assert "not available here" in result.text
    assert "install bubblewrap" in result.text


@pytest.mark.parametrize("value", [None, "text", {}, {"exit": 0}, 3, [], ShellResult().to_json() | {"exit": "x"}])
def test_an_answer_of_another_form_changes_nothing(context: ToolContext, value: Any) -> None:
    before = context.workspace.state_hash()
    assert not resumed(context, value).ok
    assert context.workspace.state_hash() == before


paths = st.text(max_size=8)
results = st.builds(
    ShellResult,
    exit=st.integers(0, 255),
    output=st.text(max_size=20),
    files=st.dictionaries(paths, st.binary(max_size=20)),
    folders=st.lists(paths, max_size=3).map(tuple),
    deleted=st.lists(paths, max_size=3).map(tuple),
    refused=st.lists(st.tuples(paths, paths), max_size=3).map(tuple),
)


@given(results)
def test_results_survive_json(result: ShellResult) -> None:
    assert ShellResult.from_json(json.loads(json.dumps(result.to_json()))) == result


@given(results)
def test_any_result_gives_a_text_and_keeps_what_is_protected(result: ShellResult) -> None:
    context = ToolContext(World(Workspace({"memory/HISTORY.md": b"log"})), ROOT, protected=("memory/HISTORY.md",))
    assert resumed(context, result).ok
    assert context.workspace.read("memory/HISTORY.md") == b"log"


def test_base64_that_is_none_is_no_result() -> None:
    with pytest.raises(NoShellResult):
        ShellResult.from_json(ShellResult().to_json() | {"files": {"a": {"base64": "%"}}})


def test_printed_bytes_become_text_without_control_characters() -> None:
    assert printable(b"a\tb\r\n\xc3\xa4\x00\x1b[0m\xff\x7f") == "a\tb\r\nä\ufffd\ufffd[0m\ufffd\ufffd"
