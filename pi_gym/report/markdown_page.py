"""A report as Markdown: its tables, and the figures of its charts as tables."""

from __future__ import annotations

from collections.abc import Iterator

from pi_gym.markdown_text import plain_markdown, table_lines
from pi_gym.report.report_parts import BenchmarkReport, ReportTable, TableCell, TableColumn, written


def markdown_page(report: BenchmarkReport, intervals: str) -> str:
    """The report for reading.

    Args:
        report: the report.
        intervals: how its intervals are made, a paragraph.
    """
    return "\n".join(_lines(report, intervals)).rstrip() + "\n"


def _lines(report: BenchmarkReport, intervals: str) -> Iterator[str]:
    yield from ("# Report", "", intervals, "")
    yield from (f"- **Note:** {plain_markdown(text, 1000)}" for text in report.warnings)
    yield from _table(report.runs)
    for section in report.sections:
        yield from ("", f"# {plain_markdown(section.title)}", "")
        yield from (f"- **Not comparable:** {plain_markdown(text, 1000)}" for text in section.warnings)
        for part in section.parts:
            yield from _table(part if isinstance(part, ReportTable) else part.as_table())


def _table(table: ReportTable) -> Iterator[str]:
    title = f"{table.number}: {table.title}" if table.number else table.title
    yield from ("", f"## {plain_markdown(title)}", "")
    heads = [plain_markdown(one.title) + (" (%)" if one.unit == "%" else "") for one in table.columns]
    rows = [[_cell(cell, head) for cell, head in zip(row, table.columns, strict=True)] for row in table.rows]
    yield from table_lines(heads, rows, [place for place, numeric in enumerate(table.numeric) if numeric])
    yield ""
    yield from (f"{plain_markdown(note, 1000)}\n" for note in table.notes)


def _cell(cell: TableCell, head: TableColumn) -> str:
    text = " ".join(filter(None, written(cell, head)))
    return plain_markdown(text) if isinstance(cell, str) else text
