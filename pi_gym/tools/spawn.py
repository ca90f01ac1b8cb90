"""A sub-agent: it works elsewhere, over a copy of the workspace; its report and what it changed are brought back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from pi_gym.tools.declare import ToolContext, ToolError, operation
from pi_gym.tools.file_changes import CHANGE_KEYS, changes_from_json, changes_to_json, take_back
from pi_gym.types import ToolRequest

MAX_TASK_CHARS = 20_000
MAX_LABEL_CHARS = 100
_KEYS = frozenset(("report", *CHANGE_KEYS))


class NoSubagentReport(ValueError):
    """A value is not what `SubagentReport.to_json` writes."""


@dataclass(frozen=True, slots=True)
class SubagentReport:
    """The report of a sub-agent, and the changes that it made: the answer to an ask of kind "policy".

    Args:
        report: its report, for the agent.
        files: the content of every file that is new or differs.
        folders: directories that are new.
        deleted: files and directories that exist no more.
        refused: (what, why) of all that cannot be taken back.
        overflow: why none of its changes can be taken back; empty where they can.
    """

    report: str
    files: Mapping[str, bytes] = field(default_factory=dict)
    folders: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    refused: tuple[tuple[str, str], ...] = ()
    overflow: str = ""

    def to_json(self) -> dict[str, Any]:
        """The report as fresh JSON values."""
        return {"report": self.report, **changes_to_json(self)}

    @classmethod
    def from_json(cls, raw: Any) -> SubagentReport:
        """The report that `to_json` wrote; `NoSubagentReport` for anything else."""
        if not isinstance(raw, Mapping) or set(raw) != _KEYS:
            raise NoSubagentReport(f"expected an object with {', '.join(sorted(_KEYS))}, got {raw!r:.200}")
        try:
            return cls(report=str(raw["report"]), **changes_from_json(raw))
        except (TypeError, ValueError, AttributeError, KeyError) as error:
            raise NoSubagentReport(f"no report of a sub-agent: {error}") from error


def _resume(context: ToolContext, given: Mapping[str, Any], value: Any) -> str:
    if isinstance(value, Mapping) and isinstance(value.get("unavailable"), str):
        raise ToolError(f"spawn is not available here: {value['unavailable']}")
    try:
        report = SubagentReport.from_json(value)
    except NoSubagentReport as error:
        raise ToolError("The sub-agent's report cannot be read; nothing was changed.") from error
    # Notes come first: no report can imitate them.
    notes = [f"[{note}]" for note in take_back(context, report)]
    return "\n".join([*notes, report.report]) if report.report.strip() else "\n".join([*notes, "[no report]"])


@operation("write", resume=_resume)
def spawn(context: ToolContext, task: str, label: str = "") -> ToolRequest:
    """Give an independent task to a sub-agent. It works in the same workspace, sees nothing of this conversation, and
    comes back with a report; what it changed in files is kept.

    Args:
        task: the whole task, with all that the sub-agent has to know.
        label: a short name for it.
    """
    if not task.strip():
        raise ToolError("The task is empty; write what the sub-agent shall do.")
    for name, text, most in (("task", task, MAX_TASK_CHARS), ("label", label, MAX_LABEL_CHARS)):
        if len(text) > most:
            raise ToolError(f"The {name} has {len(text)} characters; at most {most} are possible.")
    payload = {"task": task, "label": label, "root": context.root, "workspace": context.workspace.fork()}
    return ToolRequest("policy", payload)
