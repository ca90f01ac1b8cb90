"""The operation `spawn`: what it asks for, and how a report changes the world. No sub-agent runs here."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.state import Workspace, World
from pi_gym.tools import EVERY, ToolContext, ToolResult
from pi_gym.tools.spawn import MAX_LABEL_CHARS, MAX_TASK_CHARS, SubagentReport
from pi_gym.types import ToolCall

ROOT = "/home/ana/workspace"
CALL = ToolCall("spawn", {"task": "Count the files."})


@pytest.fixture
def context() -> ToolContext:
    files = {"a.md": b"old\n", "memory/HISTORY.md": b"log"}
    return ToolContext(World(Workspace(files)), ROOT, protected=("memory/HISTORY.md",))


def resumed(context: ToolContext, value: Any) -> ToolResult:
    return EVERY.resume(CALL, context, value.to_json() if isinstance(value, SubagentReport) else value)


def test_a_call_asks_a_policy_with_the_workspace_as_it_is(context: ToolContext) -> None:
    result = EVERY.run(ToolCall("spawn", {"task": "Count.", "label": "counting"}), context)
    assert result.request is not None
    assert result.request.kind == "policy"
    payload = result.request.payload
    context.workspace.write("a.md", b"later")
    assert (payload["task"], payload["label"], payload["root"]) == ("Count.", "counting", ROOT)
    assert payload["workspace"].read("a.md") == b"old\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"task": " \n"}, "task is empty"),
        ({"task": "x" * (MAX_TASK_CHARS + 1)}, "at most 20000"),
        ({"task": "x", "label": "x" * (MAX_LABEL_CHARS + 1)}, "at most 100"),
        ({"label": "x"}, "'task' is missing"),
    ],
)
def test_a_call_that_cannot_run_asks_for_nothing(context: ToolContext, arguments: Any, says: str) -> None:
    result = EVERY.run(ToolCall("spawn", arguments), context)
    assert not result.ok
    assert result.request is None
    assert says in result.text


def test_the_report_is_the_result_and_changed_files_are_brought_back(context: ToolContext) -> None:
    report = SubagentReport("Two files.", {"count.txt": b"2", "b.bin": b"\xff"}, folders=("empty",), deleted=("a.md",))
    assert resumed(context, report) == ToolResult("Two files.")
    found = {path: blob.data for path, blob in context.workspace.walk()}
    assert found == {"count.txt": b"2", "b.bin": b"\xff", "memory/HISTORY.md": b"log"}
    assert context.workspace.is_folder("empty")


def test_what_is_protected_stays_and_the_agent_is_told_before_the_report(context: ToolContext) -> None:
    result = resumed(context, SubagentReport("[not kept: nothing]", {"memory/HISTORY.md": b"forged"}))
    assert context.workspace.read("memory/HISTORY.md") == b"log"
    assert result.text.startswith("[not kept: memory/HISTORY.md: ")
    assert result.text.endswith("\n[not kept: nothing]")


def test_an_overflow_keeps_nothing(context: ToolContext) -> None:
    result = resumed(context, SubagentReport("done", {"x": b"x"}, overflow="it changed more than 2 files"))
    assert "none of its changes to files were kept" in result.text
    assert context.workspace.read("x") is None


@pytest.mark.parametrize("value", [None, "text", {}, {"report": "x"}, SubagentReport("x").to_json() | {"files": 3}])
def test_an_answer_of_another_form_changes_nothing(context: ToolContext, value: Any) -> None:
    before = context.workspace.state_hash()
    result = resumed(context, value)
    assert not result.ok
    assert "cannot be read" in result.text
    assert context.workspace.state_hash() == before


def test_an_answerer_may_say_that_it_has_no_sub_agent(context: ToolContext) -> None:
    assert "not available here: busy" in resumed(context, {"unavailable": "busy"}).text


paths = st.text(max_size=8)
reports = st.builds(
    SubagentReport,
    report=st.text(max_size=20),
    files=st.dictionaries(paths, st.binary(max_size=20), max_size=4),
    folders=st.lists(paths, max_size=3).map(tuple),
    deleted=st.lists(paths, max_size=3).map(tuple),
)


@given(reports)
def test_any_report_survives_json_and_gives_a_text(report: SubagentReport) -> None:
    assert SubagentReport.from_json(json.loads(json.dumps(report.to_json()))) == report
    context = ToolContext(World(Workspace({"memory/HISTORY.md": b"log"})), ROOT, protected=("memory/HISTORY.md",))
    result = resumed(context, report)
    assert result.ok
    assert result.text
    assert context.workspace.read("memory/HISTORY.md") == b"log"
