"""The report of a validation: numbers and findings, per task and check, as data, Markdown and JSON."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Level: TypeAlias = Literal["failure", "note"]

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


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that an author should look at.

    Args:
        check: the check, one of `CHECKS`.
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
        check: the check, one of `CHECKS`.
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
        rows: one per check, in the order of `CHECKS`.
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


def task_report(task_id: str, sheets: Iterable[Sheet]) -> TaskReport:
    """Put the sheets of one task together."""
    by_check: dict[str, list[Sheet]] = {check: [] for check in (OPENING, *CHECKS)}
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
        notice: what to know before reading it; empty where there is nothing.
    """

    pack: str
    pack_hash: str
    variants: tuple[int, ...]
    tasks: tuple[TaskReport, ...]
    notice: str = ""
    whole: TaskReport | None = None

    @property
    def ok(self) -> bool:
        """Whether every task passes every check, and the pack as a whole."""
        return all(task.ok for task in self.tasks) and (self.whole is None or self.whole.ok)

    def markdown(self) -> str:
        """A row per task, and for each a table with failures and notes below it."""
        return markdown(self)

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


# -- for people ------------------------------------------------------------------------------------------------------

_VARIANTS_SHOWN = 8
LIMITS = (
    "This proves that the tasks can be solved and checked, and that what they hide can be found out. It says nothing of"
    " how hard they are for a model."
)
#: Columns of the table of all tasks: title, check, number, which value of its spread.
_COLUMNS = (
    ("drawn", "form", "drawn", "mean"),
    ("items", "form", "items", "mean"),
    ("on state", "form", "items on state", "mean"),
    ("turns", "reference", "turns", "mean"),
    ("calls", "reference", "calls", "mean"),
    ("writing steps", "step removal", "writing steps", "mean"),
    ("memory", "memory", "Proc", "mean"),
    ("no past", "memory", "Proc without a past", "mean"),
    ("visible request", "memory", "visible request: Proc", "mean"),
    ("memorised", "memorised questions", "Proc", "mean"),
    ("memorised, strict", "memorised questions", "strict Proc", "mean"),
    ("generic", "generic questions", "Proc, most", "mean"),
    ("tokens p50", "tokens", "reference session", "p50"),
    ("tokens p95", "tokens", "reference session", "p95"),
)


def markdown(report: Report) -> str:
    """The report as Markdown."""
    failed = sum(not task.ok for task in report.tasks)
    verdict = "every task passes" if not failed else f"{failed} of {len(report.tasks)} tasks fail"
    if report.whole is not None and not report.whole.ok:
        verdict += ", and the pack as a whole does not" if not failed else "; the pack as a whole fails"
    head = [
        f"# Pack {report.pack}: {verdict}",
        "",
        f"Content {report.pack_hash[:12]}, {len(report.variants)} variants: {_listed(report.variants, 40)}.",
    ]
    head += ["", report.notice] if report.notice else ["", LIMITS, "", *_overview(report.tasks)]
    whole = _section(report.whole, "The pack as a whole") if report.whole is not None else []
    return "\n".join([*head, *whole, *(line for task in report.tasks for line in _section(task))]) + "\n"


def _overview(tasks: Sequence[TaskReport]) -> list[str]:
    titles = ["task", "result", *(title for title, *_ in _COLUMNS)]
    lines = [f"| {' | '.join(titles)} |", f"| {' | '.join('---' for _ in titles)} |"]
    for task in tasks:
        cells = [_cell(task.number(check, name), which) for _, check, name, which in _COLUMNS]
        lines.append(f"| {' | '.join([task.task_id, 'passes' if task.ok else 'FAILS', *cells])} |")
    return lines


def _cell(spread: Spread | None, which: str) -> str:
    if spread is None:
        return ""
    value = float(getattr(spread, which))
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _section(task: TaskReport, title: str = "") -> list[str]:
    lines = ["", f"## {title or task.task_id}: {'passes' if task.ok else 'FAILS'}", ""]
    lines += ["| check | result | measured: mean (least to most) |", "| --- | --- | --- |"]
    for row in task.rows:
        result = "ok" if row.ok else f"FAILED on {row.failed} of {row.variants}"
        measured = "; ".join(f"{name} {spread}" for name, spread in row.numbers.items())
        lines.append(f"| {row.check} | {result} | {measured} |")
    for level, title in (("failure", "Failures"), ("note", "Notes")):
        grouped = _grouped(finding for finding in task.findings if finding.level == level)
        lines += ["", f"{title}:", "", *grouped] if grouped else []
    return lines


def _grouped(findings: Iterable[Finding]) -> list[str]:
    """One line per check and subject: the first reason, and the variants that share the subject."""
    groups: dict[tuple[str, str], list[Finding]] = {}
    for finding in findings:
        groups.setdefault((finding.check, finding.subject), []).append(finding)
    lines = []
    for (check, subject), group in groups.items():
        numbers = sorted({finding.variant for finding in group} - {-1})
        where = f" (variant{'s' if len(numbers) > 1 else ''} {_listed(numbers, _VARIANTS_SHOWN)})" if numbers else ""
        lines.append(f"- {check}, {subject}{where}: {_line(group[0].reason)}")
    return lines


def _listed(numbers: Sequence[int], most: int) -> str:
    shown = ", ".join(str(number) for number in numbers[:most])
    return shown if len(numbers) <= most else f"{shown} and {len(numbers) - most} more"


def _line(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= 600 else text[:600] + " …"
