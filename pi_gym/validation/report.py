"""The report of a validation: numbers and findings, per task and check, as data and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Level: TypeAlias = Literal["failure", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an author should look at.

    Args:
        check: the check, as its family names it.
        variant: the variant's number; -1 where it concerns all of them.
        subject: what it is about, such as "intent decimals" or "stuff-reply".
        reason: what was expected and what came; where a predicate decided, its own reason.
        level: a failure breaks the proof, a note does not.
    """

    check: str
    variant: int
    subject: str
    reason: str
    level: Level = "failure"


@dataclass(slots=True)
class Sheet:
    """The findings of one check on one variant.

    Args:
        check: the check, as its family names it.
        variant: the variant's number; -1 for all.
        numbers: what was measured, by name.
        findings: what was found.
    """

    check: str
    variant: int
    numbers: dict[str, float] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)

    def fail(self, subject: str, reason: str) -> None:
        """Record a failure."""
        self.findings.append(Finding(self.check, self.variant, subject, reason))

    def note(self, subject: str, reason: str) -> None:
        """Record something that an author should know and that breaks no proof."""
        self.findings.append(Finding(self.check, self.variant, subject, reason, "note"))

    def peak(self, name: str, value: float) -> None:
        """Keep the largest value of a number."""
        self.numbers[name] = max(value, self.numbers.get(name, value))


@dataclass(frozen=True, slots=True)
class Spread:
    """One number over the variants: least, mean, most, and the values below which half and 95 % of them lie."""

    low: float
    mean: float
    high: float
    p50: float
    p95: float

    def __str__(self) -> str:
        if self.low == self.high:
            return f"{self.low:.4g}"
        return f"{self.mean:.4g} ({self.low:.4g} to {self.high:.4g})"


@dataclass(frozen=True, slots=True)
class ReportColumn:
    """A column of the table of all tasks.

    Args:
        title: its head.
        check: the check that measures its number, `name`.
        value: which value of the number's spread it shows.
    """

    title: str
    check: str
    name: str
    value: str = "mean"


@dataclass(frozen=True, slots=True)
class CheckRow:
    """One check of one task over all variants.

    Args:
        check: the check.
        ok: no variant has a failure.
        variants: the number of variants that it ran on.
        failed: of these, with a failure.
        numbers: what was measured, by name.
    """

    check: str
    ok: bool
    variants: int
    failed: int
    numbers: Mapping[str, Spread]


@dataclass(frozen=True, slots=True)
class TaskReport:
    """The report on one task.

    Args:
        task_id: the task.
        rows: one per check, in the order of the family's checks.
        findings: failures and notes, in the order of the checks and variants.
    """

    task_id: str
    rows: tuple[CheckRow, ...]
    findings: tuple[Finding, ...]

    @property
    def ok(self) -> bool:
        """Whether nothing failed."""
        return all(row.ok for row in self.rows)

    def number(self, check: str, name: str) -> Spread | None:
        """The spread of a number that a check measured; None where it did not."""
        return next((row.numbers.get(name) for row in self.rows if row.check == check), None)

    @property
    def failures(self) -> tuple[Finding, ...]:
        """The findings that break the proof."""
        return tuple(finding for finding in self.findings if finding.level == "failure")


def task_report(task_id: str, sheets: Iterable[Sheet], checks: Sequence[str]) -> TaskReport:
    """Put the sheets of one task together.

    Args:
        task_id: the task.
        sheets: its sheets, in any order.
        checks: the names of all checks, in the order of the report.
    """
    by_check: dict[str, list[Sheet]] = {check: [] for check in checks}
    for sheet in sheets:
        by_check[sheet.check].append(sheet)
    rows, findings = [], []
    for check, found in by_check.items():
        if not found:
            continue
        found.sort(key=lambda sheet: sheet.variant)
        findings += [finding for sheet in found for finding in sheet.findings]
        failed = {sheet.variant for sheet in found if any(f.level == "failure" for f in sheet.findings)}
        names = dict.fromkeys(name for sheet in found for name in sheet.numbers)
        numbers = {name: _spread([s.numbers[name] for s in found if name in s.numbers]) for name in names}
        rows.append(CheckRow(check, not failed, len({sheet.variant for sheet in found}), len(failed), numbers))
    return TaskReport(task_id, tuple(rows), tuple(findings))


def _spread(values: Sequence[float]) -> Spread:
    return Spread(min(values), sum(values) / len(values), max(values), _quantile(values, 50), _quantile(values, 95))


def _quantile(values: Sequence[float], percent: int) -> float:
    """The smallest value that at least so many percent of the values do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -(-percent * len(ordered) // 100) - 1)]


@dataclass(frozen=True, slots=True)
class Report:
    """The report of validation on a pack.

    Args:
        pack: the pack's name; `pack_hash` its content hash.
        variants: the variants that were played.
        tasks: one report per task, in episode order.
        whole: what holds of all tasks together; None where only some were played.
        notice: what to know before reading it instead of `limits`; empty where there is nothing.
        overview: the columns of the table of all tasks.
        limits: what this proves and what not, for readers.
    """

    pack: str
    pack_hash: str
    variants: tuple[int, ...]
    tasks: tuple[TaskReport, ...]
    notice: str = ""
    whole: TaskReport | None = None
    overview: tuple[ReportColumn, ...] = ()
    limits: str = ""

    @property
    def ok(self) -> bool:
        """Whether every task passes every check, and the pack as a whole."""
        return all(task.ok for task in self.tasks) and (self.whole is None or self.whole.ok)

    def markdown(self) -> str:
        """A row per task, and for each a table with failures and notes below it."""
        from pi_gym.validation.report_page import report_page

        return report_page(self)

    def to_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return {
            "pack": self.pack,
            "pack_hash": self.pack_hash,
            "variants": list(self.variants),
            "ok": self.ok,
            "notice": self.notice,
            "whole": None if self.whole is None else _task_json(self.whole),
            "tasks": [_task_json(task) for task in self.tasks],
        }


def _task_json(task: TaskReport) -> dict[str, Any]:
    return {
        "task_id": task.task_id,
        "ok": task.ok,
        "checks": [_row_json(row) for row in task.rows],
        "findings": [
            {name: getattr(finding, name) for name in Finding.__dataclass_fields__} for finding in task.findings
        ],
    }


def _row_json(row: CheckRow) -> dict[str, Any]:
    numbers = {
        name: {field: getattr(spread, field) for field in Spread.__dataclass_fields__}
        for name, spread in row.numbers.items()
    }
    return {"check": row.check, "ok": row.ok, "variants": row.variants, "failed": row.failed, "numbers": numbers}
