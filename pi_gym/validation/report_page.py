"""The report of a validation as a Markdown page."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pi_gym.validation.report import Finding, Report, Spread, TaskReport

_VARIANTS_SHOWN = 8


def report_page(report: Report) -> str:
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
    head += ["", report.notice] if report.notice else ["", report.limits, "", *_overview(report)]
    whole = _section(report.whole, "The pack as a whole") if report.whole is not None else []
    return "\n".join([*head, *whole, *(line for task in report.tasks for line in _section(task))]) + "\n"


def _overview(report: Report) -> list[str]:
    titles = ["task", "result", *(column.title for column in report.overview)]
    lines = [f"| {' | '.join(titles)} |", f"| {' | '.join('---' for _ in titles)} |"]
    for task in report.tasks:
        cells = [_cell(task.number(one.check, one.name), one.value) for one in report.overview]
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
