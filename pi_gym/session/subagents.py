"""Answering asks of kind "policy" with a function of the caller's: a sub-agent with a copy of the workspace."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from pi_gym.session.faults import describe_with_place
from pi_gym.state import Workspace
from pi_gym.state.tree import Folder
from pi_gym.tools.file_changes import MAX_TAKEN_BYTES, MAX_TAKEN_FILES
from pi_gym.tools.spawn import SubagentReport
from pi_gym.types import Answer, Ask, ToolRequest


@dataclass(frozen=True, slots=True)
class SubagentTask:
    """The task that a sub-agent is given.

    Args:
        task: what it shall do, in the agent's words.
        label: the agent's name for it; may be empty.
        root: the absolute path under which the agent knows the workspace.
        workspace: a copy of the files; what is changed in it is brought back.
    """

    task: str
    label: str
    root: str
    workspace: Workspace


#: Does the task and gives its report; a `SubagentReport` also says itself which files are brought back.
Subagent: TypeAlias = Callable[[SubagentTask], str | SubagentReport]


@dataclass(frozen=True, slots=True)
class SubagentResponder:
    """Answers asks of kind "policy", one after the other.

    Args:
        subagent: does the work. What it raises leaves the session unscored, with error kind "policy".
    """

    subagent: Subagent

    def __call__(self, asks: Sequence[Ask]) -> tuple[Answer, ...]:
        """The answers, in order."""
        return tuple(map(self._answer, asks))

    def _answer(self, ask: Ask) -> Answer:
        if not isinstance(ask.request, ToolRequest) or ask.request.kind != "policy":
            return Answer(error=f"a sub-agent answers no asks of kind {ask.kind!r}")
        payload = ask.request.payload
        before: Workspace = payload["workspace"]
        copy = before.fork()
        try:
            report = self.subagent(SubagentTask(payload["task"], payload["label"], payload["root"], copy))
            if isinstance(report, str):
                report = report_of(report, before, copy)
            elif not isinstance(report, SubagentReport):
                raise TypeError(f"a sub-agent gives its report as text, not a {type(report).__name__}")
            return Answer(report.to_json())
        except Exception as error:
            return Answer(error=describe_with_place(error))


def report_of(text: str, before: Workspace, after: Workspace) -> SubagentReport:
    """A report with what differs between a workspace and a changed fork of it."""
    mark = before.mark()
    changes = after.changes(mark)
    touched = after.touched(mark)
    files = {path: after.read(path) or b"" for path in (*changes.created, *changes.modified)}
    overflow = ""
    if len(files) > MAX_TAKEN_FILES:
        overflow = f"it changed more than {MAX_TAKEN_FILES} files"
    elif sum(map(len, files.values())) > MAX_TAKEN_BYTES:
        overflow = f"it wrote more than {MAX_TAKEN_BYTES} bytes"
    if overflow:
        return SubagentReport(text, overflow=overflow)
    folders = tuple(path for path in touched if isinstance(after.node(path), Folder) and not before.is_folder(path))
    deleted = tuple(path for path in touched if after.node(path) is None and before.node(path) is not None)
    return SubagentReport(text, files, folders, deleted)
