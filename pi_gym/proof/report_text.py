"""A validation report for people: a row per task, then each task's checks, failures and notes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pi_gym.proof.report import Finding, Report, Spread, TaskReport

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
    ("memorised", "memorised questions", "strict Proc", "mean"),
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
