"""The form of the report on tasks: its checks in their order, and the table of all tasks."""

from __future__ import annotations

from collections.abc import Iterable

from pi_gym.validation.report import ReportColumn, Sheet, TaskReport, task_report

#: The checks in the order of the report.
CHECKS = (
    "reference",
    "untouched",
    "questions",
    "step removal",
    "stuffing",
    "repetition",
    "dump",
    "shotgun",
    "blind shotgun",
    "damage",
    "generic questions",
    "memorised questions",
    "leaks",
    "secrecy",
    "recovery",
    "memory",
    "wrong beliefs",
    "undrawn values",
    "declined",
    "same bytes",
    "shell",
    "variety",
    "other ways",
    "own facets",
    "consistency",
    "form",
    "sizes",
    "tokens",
    "episode",
)
#: The one check of a pack without predicates.
OPENING = "opening"


LIMITS = (
    "This proves that the tasks can be solved and checked, and that what they hide can be found out. It says nothing of"
    " how hard they are for a model."
)
#: Columns of the table of all tasks.
OVERVIEW = (
    ReportColumn("drawn", "form", "drawn"),
    ReportColumn("items", "form", "items"),
    ReportColumn("on state", "form", "items on state"),
    ReportColumn("turns", "reference", "turns"),
    ReportColumn("calls", "reference", "calls"),
    ReportColumn("writing steps", "step removal", "writing steps"),
    ReportColumn("memory", "memory", "Proc"),
    ReportColumn("no past", "memory", "Proc without a past"),
    ReportColumn("visible request", "memory", "visible request: Proc"),
    ReportColumn("memorised", "memorised questions", "Proc"),
    ReportColumn("memorised, strict", "memorised questions", "strict Proc"),
    ReportColumn("generic", "generic questions", "Proc, most"),
    ReportColumn("tokens p50", "tokens", "reference session", "p50"),
    ReportColumn("tokens p95", "tokens", "reference session", "p95"),
)


def pack_task_report(task_id: str, sheets: Iterable[Sheet]) -> TaskReport:
    """Put the sheets of one task together."""
    return task_report(task_id, sheets, (OPENING, *CHECKS))
