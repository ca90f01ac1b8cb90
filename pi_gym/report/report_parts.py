"""The parts of a report: tables and charts as data, of which Markdown, HTML and JSON are three renderings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

FORMAT = 1


@dataclass(frozen=True, slots=True)
class Estimate:
    """A figure over sessions, with how sure it is.

    Args:
        value: the figure; None where there is nothing to take it of.
        low, high: its 95 % interval over worlds; None where fewer than two worlds say how far they differ.
        std: sample standard deviation over whole repeats; None with fewer than two.
        sessions, worlds: the number of those that it is of.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    std: float | None = None
    sessions: int = 0
    worlds: int = 0

    def to_json(self) -> dict[str, Any]:
        """The figure as a JSON object."""
        return {name: getattr(self, name) for name in ("value", "low", "high", "std", "sessions", "worlds")}


#: What stands in a table: a figure, a count, a text, or nothing.
TableCell: TypeAlias = Estimate | int | str | None
#: How figures are written: "%" as hundredths with one decimal; "" with the decimals that are given.
Unit: TypeAlias = Literal["%", ""]
#: The form of a chart: points with two figures each; rows of dots, a name and a figure each; lines over levels.
ChartForm: TypeAlias = Literal["points", "dots", "lines"]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table.

    Args:
        title: its head; `unit` and `decimals` say how its figures are written.
        signed: its figures are differences, written with their sign.
    """

    title: str
    unit: Unit = ""
    decimals: int = 3
    signed: bool = False


@dataclass(frozen=True, slots=True)
class ReportTable:
    """A table of a report.

    Args:
        name: unique within its section, of letters and dashes.
        title: in a line; `number` is the paper's ("Table 1"), where it has the table.
        columns: of the same number as each row's cells.
        rows: the cells.
        notes: what a reader must know beside it, a sentence each.
    """

    name: str
    title: str
    columns: Sequence[TableColumn]
    rows: Sequence[Sequence[TableCell]]
    number: str = ""
    notes: tuple[str, ...] = ()

    @property
    def numeric(self) -> list[bool]:
        """Of each column whether it holds figures or counts, which stand on the right."""
        return [any(isinstance(row[place], Estimate | int) for row in self.rows) for place in range(len(self.columns))]

    def to_json(self) -> dict[str, Any]:
        """The table as a JSON object, with every figure in full."""
        return {
            "kind": "table",
            "name": self.name,
            "number": self.number,
            "title": self.title,
            "columns": [{"title": one.title, "unit": one.unit} for one in self.columns],
            "rows": [[cell.to_json() if isinstance(cell, Estimate) else cell for cell in row] for row in self.rows],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, slots=True)
class ChartAxis:
    """An axis of a chart.

    Args:
        title: its name; `unit` and `decimals` as in a table's column.
        span: the range that it shows at least, in the figures' own size.
    """

    title: str
    unit: Unit = ""
    decimals: int = 3
    span: tuple[float, float] | None = None


@dataclass(frozen=True, slots=True)
class ChartMark:
    """One mark of a chart.

    Args:
        series: what its colour and its shape stand for.
        x, y: its place, a figure or a name each.
        panel: the small chart that it is in, where there are several.
    """

    series: str
    x: Estimate | str
    y: Estimate | str
    panel: str = ""


@dataclass(frozen=True, slots=True)
class ReportChart:
    """A chart of a report.

    Args:
        name, title, number, notes: as of a table.
        form: see `ChartForm`.
        x, y: the axes.
        marks: what it shows.
        series: the title of what colours and shapes stand for.
        diagonal: a line shows where both axes are the same.
        zero: a line shows where x is 0.
    """

    name: str
    title: str
    form: ChartForm
    x: ChartAxis
    y: ChartAxis
    marks: Sequence[ChartMark]
    number: str = ""
    series: str = "agent"
    diagonal: bool = False
    zero: bool = False
    notes: tuple[str, ...] = ()

    def as_table(self) -> ReportTable:
        """The figures of the chart as a table, for whoever does not see it."""
        has_panels = any(one.panel for one in self.marks)
        axes = [TableColumn(one.title, one.unit, one.decimals, self.zero) for one in (self.x, self.y)]
        heads = [TableColumn(self.series), *([TableColumn("panel")] if has_panels else []), *axes]
        rows = [[one.series, *([one.panel] if has_panels else []), one.x, one.y] for one in self.marks]
        return ReportTable(f"{self.name}-figures", self.title, heads, rows, self.number, self.notes)

    def to_json(self) -> dict[str, Any]:
        """The chart as a JSON object: its figures, as its table has them."""
        return self.as_table().to_json() | {"kind": "chart", "name": self.name, "form": self.form}


ReportPart: TypeAlias = ReportTable | ReportChart


@dataclass(frozen=True, slots=True)
class ReportSection:
    """The part of a report about one family's sessions.

    Args:
        title: its head.
        warnings: what keeps its figures from being compared, a sentence each.
        parts: its tables and charts, in order.
    """

    title: str
    warnings: tuple[str, ...]
    parts: tuple[ReportPart, ...]

    def to_json(self) -> dict[str, Any]:
        """The section as a JSON object."""
        return {"title": self.title, "warnings": list(self.warnings), "parts": [one.to_json() for one in self.parts]}


@dataclass(frozen=True, slots=True)
class BenchmarkReport:
    """A report as data.

    Args:
        runs: the table of what was read.
        warnings: what was left out or is unfinished, a sentence each.
        sections: one for each family.
        draws: how often each interval was drawn.
    """

    runs: ReportTable
    warnings: tuple[str, ...]
    sections: tuple[ReportSection, ...]
    draws: int

    def to_json(self) -> dict[str, Any]:
        """The report as a JSON object."""
        return {
            "format": FORMAT,
            "draws": self.draws,
            "warnings": list(self.warnings),
            "runs": self.runs.to_json(),
            "sections": [one.to_json() for one in self.sections],
        }


def written(cell: TableCell, column: TableColumn) -> tuple[str, str]:
    """A cell as text: what it is, and how sure that is (the spread and the interval; "" where nothing says it).

    >>> written(Estimate(0.5, 0.25, 0.75), TableColumn("Proc", "%"))
    ('50.0', '[25.0, 75.0]')
    """
    if not isinstance(cell, Estimate):
        return ("-" if cell is None else str(cell)), ""
    if cell.value is None:
        return "-", ""
    sign = "+" if column.signed else ""
    value = f"{_number(cell.value, column):{sign}.{_decimals(column)}f}"
    spread = "" if cell.std is None else f"± {_number(cell.std, column):.{_decimals(column)}f}"
    bounds = ""
    if cell.low is not None and cell.high is not None:
        low, high = (f"{_number(one, column):{sign}.{_decimals(column)}f}" for one in (cell.low, cell.high))
        bounds = f"[{low}, {high}]"
    return value, " ".join(filter(None, (spread, bounds)))


def _number(value: float, column: TableColumn) -> float:
    shown = round(100 * value if column.unit == "%" else value, _decimals(column))
    return shown + 0.0  # a zero without a minus


def _decimals(column: TableColumn) -> int:
    return 1 if column.unit == "%" else column.decimals
