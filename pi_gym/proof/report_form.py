"""The form of the report on tasks: its checks in their order, and the table of all tasks."""

from __future__ import annotations

from collections.abc import Iterable

from pi_gym.validation.report import Column, Sheet, TaskReport, task_report

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
    Column("drawn", "form", "drawn"),
    Column("items", "form", "items"),
    Column("on state", "form", "items on state"),
    Column("turns", "reference", "turns"),
    Column("calls", "reference", "calls"),
    Column("writing steps", "step removal", "writing steps"),
    Column("memory", "memory", "Proc"),
    Column("no past", "memory", "Proc without a past"),
    Column("visible request", "memory", "visible request: Proc"),
    Column("memorised", "memorised questions", "Proc"),
    Column("memorised, strict", "memorised questions", "strict Proc"),
    Column("generic", "generic questions", "Proc, most"),
    Column("tokens p50", "tokens", "reference session", "p50"),
    Column("tokens p95", "tokens", "reference session", "p95"),
)


def pack_task_report(task_id: str, sheets: Iterable[Sheet]) -> TaskReport:
    """Put the sheets of one task together."""
    return task_report(task_id, sheets, (OPENING, *CHECKS))
