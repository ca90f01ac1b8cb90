"""Tables: Markdown, CSV, LaTeX. The facets of texts that are no matter of cells hold for them too."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Any

from pi_gym.predicates.cells import bare
from pi_gym.predicates.figures import Written, written_numbers
from pi_gym.predicates.file_tables import FileTable, file_tables, format_of
from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.text import fold
from pi_gym.predicates.wording import listed, shown
from pi_gym.results.content import ResultText
from pi_gym.results.days import written_days
from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Aspect, AspectReading, Demand, Facet, Parts
from pi_gym.results.file_facets import FILE_FACETS
from pi_gym.results.sameness import (
    leading_number,
    same_cell,
    same_figures,
    same_number,
    same_significance,
    same_within,
    significances,
)

#: Rows whose order is compared: the pairs of more would fill the memory.
MAX_ORDERED = 400
#: A sign behind a name that refers to a note: "apalutamide*", "apalutamide (*)".
_NOTE_SIGN = re.compile(r"(?<=\w) ?(?:\(?\\?\*{1,3}\)?|[†‡★☆])$")
#: Behind the name of a program: "bosun 1.3.0", "bosun (v1.3.0)".
_VERSION = re.compile(r"(?<=[a-z]) \(?v?\d+(?:\.\d+){2,}\)?$")
#: A unit or a remark behind a head: "street (wer in %)".
_IN_BRACKETS = re.compile(r"(?<=\S) ?\([^()]*\)$")


@lru_cache(maxsize=256)
def _tables(path: str, text: str) -> tuple[FileTable, ...]:
    return tuple(map(_with_bare_heads, _headed(path, text)))


def _headed(path: str, text: str) -> tuple[FileTable, ...]:
    """The tables of a text, their heads with whatever stands behind them in brackets."""
    return tuple(file_tables(text, format_of(path) if path else "markdown"))


def _with_bare_heads(table: FileTable) -> FileTable:
    """A table whose heads stand without what follows them in brackets, but where two would be one."""
    heads = [_bare_head(name) for name in table.columns]
    if heads == [*table.columns]:
        return table
    columns = (bare if heads.count(bare) == 1 else name for name, bare in zip(table.columns, heads, strict=True))
    return FileTable(tuple(columns), table.rows, table.title)


def _bare_head(name: str) -> str:
    return _IN_BRACKETS.sub("", name)


def table_of(document: ResultText, reading: AspectReading) -> FileTable | None:
    """The table of a text: the first that has the key's columns; without a key, the first."""
    for one in _tables(document.path, document.text):
        if all(_column(one, name) in one.columns for name in reading.key):
            return one
    return None


def keyed_rows(table: FileTable, reading: AspectReading) -> Iterator[tuple[str, int]]:
    """The rows that are meant, as (key, place); rows with the same key are numbered."""
    columns = [table.folded(_column(table, name)) for name in reading.key or table.columns[:1]]
    meant = set(map(key_of, reading.rows))
    seen: dict[str, int] = {}
    for place in range(len(table.rows)):
        key = key_of(" / ".join(column[place] for column in columns))
        if meant and key not in meant:
            continue
        seen[key] = seen.get(key, 0) + 1
        yield (key if seen[key] == 1 else f"{key} ({seen[key]})"), place


def key_of(text: str) -> str:
    """A row's key of its cells, joined by " / "."""
    return " / ".join(_as_key(fold(part)) for part in text.split(" / "))


def _as_key(cell: str) -> str:
    """A cell of a key: an amount, however it is written ("1,234.50", "1234,5"), or a name without version and sign."""
    cell = _NOTE_SIGN.sub("", cell)
    if not any(sign in cell for sign in ".,"):
        return cell
    cell = _VERSION.sub("", cell)
    head, comma, tail = cell.rpartition(",")
    point = bool(comma) and "." not in cell and len(tail) <= 2
    number = leading_number(f"{head.replace(' ', '')}.{tail}" if point else cell)
    return cell if number is None else f"{number.value:.10g}"


def _cells(document: ResultText, reading: AspectReading) -> Iterator[tuple[tuple[str, str], str]]:
    """Key and bare text of the cells that are meant; without `of`, all but the keys'."""
    table = table_of(document, reading)
    if table is None:
        return
    names = [_column(table, name) for name in reading.key or table.columns[:1]]
    meant = [fold(name) for name in reading.of] or [name for name in table.columns if name not in names]
    for key, place in keyed_rows(table, reading):
        for name in meant:
            column = _column(table, name)
            if column in table.columns:
                yield (key, name), table.column(column)[place]


def _column(table: FileTable, name: str) -> str:
    """The column of a name, whatever stands in brackets behind it, or of a number from 1 where its head is open."""
    folded = fold(name)
    if folded in table.columns:
        return folded
    bare = _bare_head(folded)
    if bare in table.columns:
        return bare
    numbered = folded.isdecimal() and 1 <= int(folded) <= len(table.columns)
    return table.columns[int(folded) - 1] if numbered else folded


def _columns(document: ResultText, reading: AspectReading) -> Parts:
    table = table_of(document, AspectReading(key=reading.key))
    return {} if table is None else {name: place for place, name in enumerate(table.columns)}


def _rows(document: ResultText, reading: AspectReading) -> Parts:
    table = table_of(document, reading)
    return {} if table is None else {key: True for key, _ in keyed_rows(table, reading)}


def _order(document: ResultText, reading: AspectReading) -> Parts:
    """For each two rows, which comes first: by its place, or by its number in the column that is meant.

    A row too many leaves the order of the others. Of more than `MAX_ORDERED` rows the first are compared.
    """
    table = table_of(document, reading)
    if table is None:
        return {}
    if not reading.of:
        keys = [key for key, _ in islice(keyed_rows(table, reading), MAX_ORDERED)]
        return {(min(a, b), max(a, b)): a for place, a in enumerate(keys) for b in keys[place + 1 :]}
    cells = islice(_cells(document, reading), MAX_ORDERED)
    ranks = {key[0]: number.value for key, text in cells if (number := leading_number(text))}
    return {
        (min(a, b), max(a, b)): "neither" if ranks[a] == ranks[b] else min(a, b, key=ranks.__getitem__)
        for place, a in enumerate(ranks)
        for b in [*ranks][place + 1 :]
    }


def _values(document: ResultText, reading: AspectReading) -> Parts:
    return dict(_cells(document, reading))


@lru_cache(maxsize=4_096)
def _numbers(text: str) -> tuple[Written, ...]:
    """The numbers of a cell, which several aspects read."""
    return written_numbers(bare(text).replace("--", " - "))


def _decimals(document: ResultText, reading: AspectReading) -> Parts:
    found: dict[Hashable, Any] = {}
    for place, text in _cells(document, reading):
        numbers = _numbers(text)
        if numbers:
            found[place] = tuple(sorted({one.decimals for one in numbers}))
    return found


def _significant(document: ResultText, reading: AspectReading) -> Parts:
    """The least and the most significant figures of the first number of a cell."""
    return significances((place, bare(text)) for place, text in _cells(document, reading))


def _units(document: ResultText, reading: AspectReading) -> Parts:
    """The units in brackets behind the heads of columns, which other aspects leave out."""
    meant = set(map(fold, reading.of))
    for one, written in zip(_tables(document.path, document.text), _headed(document.path, document.text), strict=True):
        if all(_column(one, name) in one.columns for name in reading.key):
            pairs = zip(one.columns, written.columns, strict=True)
            units = {name: head[len(name) :].strip(" ()").replace("μ", "u").replace("µ", "u") for name, head in pairs}
            return {name: unit for name, unit in units.items() if unit and (name in meant or not meant)}
    return {}


def _spread(document: ResultText, reading: AspectReading) -> Parts:
    """The figure behind the first number of a cell."""
    found: dict[Hashable, Any] = {}
    for place, text in _cells(document, reading):
        numbers = _numbers(text)
        if numbers:
            found[place] = numbers[1:]
    return found


def _same_spread(found: tuple[Written, ...], right: tuple[Written, ...], reading: AspectReading) -> bool:
    # The sign of a range's second number is its dash.
    return len(found) == len(right) and all(
        same_number(Written(abs(one.value), one.decimals), Written(abs(other.value), other.decimals))
        for one, other in zip(found, right, strict=True)
    )


def _figures(document: ResultText, reading: AspectReading) -> Parts:
    """The numbers with decimals in the cells that are meant, whatever is written around them."""
    return {
        place: tuple(Written(abs(one.value), one.decimals) for one in _numbers(text) if one.decimals > 0)
        for place, text in _cells(document, reading)
    }


def _dates(document: ResultText, reading: AspectReading) -> Parts:
    return {place: days[0].style for place, text in _cells(document, reading) if (days := written_days(text))}


@dataclass(frozen=True, slots=True)
class CountedTables:
    """So many tables stand in the file."""

    count: int

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        found = len(_tables(content.path, content.text))
        return "" if found == self.count else f"has {found} tables; expected {self.count}"


def _parse_tables(node: Node) -> CountedTables:
    return CountedTables(node.integer(1))


@dataclass(frozen=True, slots=True)
class TableLength:
    """The table has so many rows below its header."""

    span: Span

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        tables = _tables(content.path, content.text)
        rows = len(tables[0].rows) if tables else 0
        return "" if rows in self.span else f"has {rows} rows; expected {self.span}"


def _parse_count(node: Node) -> TableLength:
    return TableLength(node.span())


@dataclass(frozen=True, slots=True)
class TrueRows:
    """Every row is about something known, and says of it what is true; which of the known ones are there is open.

    Args:
        key: columns that tell rows apart.
        rows: by key, what is true by column.
        least: the share of the rows that must be true.
        span: how many rows there are.
        tolerance: by how much a number may be off before it is rounded.
    """

    key: tuple[str, ...]
    rows: Mapping[str, Mapping[str, str]]
    least: float
    span: Span
    tolerance: float

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        reading = AspectReading(key=self.key)
        table = table_of(content, reading)
        if table is None:
            return f"has no table with the columns {listed(self.key)}"
        wrong = [fault for key, place in keyed_rows(table, reading) if (fault := self._wrong(table, key, place))]
        if len(table.rows) not in self.span:
            return f"has {len(table.rows)} rows; expected {self.span}"
        return wrong[0] if len(wrong) > (1 - self.least) * len(table.rows) else ""

    def _is_true(self, found: str, right: str) -> bool:
        one, other = leading_number(found), leading_number(right)
        if same_cell(found, right) or one is None or other is None:
            return same_cell(found, right)
        return one.decimals > 0 and abs(one.value - other.value) <= self.tolerance + 0.5 * 10.0**-one.decimals + 1e-6

    def _wrong(self, table: FileTable, key: str, place: int) -> str:
        if key not in self.rows:
            return f"has a row {shown(key)}, which is unknown or there twice"
        for name, right in self.rows[key].items():
            cells = table.column(_column(table, name))
            if not cells or not self._is_true(cells[place], right):
                return f"has {shown(cells[place] if cells else '')} as {name} of {key}; right is {shown(right)}"
        return ""


def _parse_true_rows(node: Node) -> TrueRows:
    fields = node.fields(("key", "rows", "least", "min", "max", "tolerance"))
    rows = {
        key_of(key): {name: str(one.scalar()) for name, one in row.named().items()}
        for key, row in node.need(fields, "rows").named().items()
    }
    return TrueRows(
        tuple(str(one.scalar()) for one in node.need(fields, "key").one_or_more()),
        rows,
        fields["least"].number() if "least" in fields else 1.0,
        Span(fields["min"].integer() if "min" in fields else 1, fields["max"].integer() if "max" in fields else None),
        fields["tolerance"].number() if "tolerance" in fields else 0.0,
    )


@dataclass(frozen=True, slots=True)
class Rounded:
    """All figures of some columns have so many decimals, whatever rows there are."""

    columns: tuple[str, ...]
    decimals: int

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        table = table_of(content, AspectReading(key=self.columns))
        if table is None:
            return f"has no table with the columns {listed(self.columns)}"
        for name in self.columns:
            for cell in table.column(_column(table, name)):
                wrong = [one for one in _numbers(cell) if one.decimals != self.decimals]
                if wrong:
                    return f"has {shown(cell)} in {name}; expected {self.decimals} decimals"
        return ""


def _parse_rounded(node: Node) -> Rounded:
    fields = node.fields(("of", "to"))
    columns = tuple(str(one.scalar()) for one in node.need(fields, "of").one_or_more())
    return Rounded(columns, node.need(fields, "to").integer())


KINDS = {"table": "A file with one table: Markdown, CSV or LaTeX."}
FACETS: tuple[Facet, ...] = (
    Aspect("columns", _columns, "has the right columns, in the right order", "columns"),
    Aspect("rows", _rows, "has the right rows", "rows", of="rows by their keys"),
    Aspect("order", _order, "has its rows in the right order", "{order: rank}", "a column that ranks", lacking="skip"),
    Aspect("cells", _values, "has the right values, in any rounding", "{cells: Cost}", "columns", same_within),
    Aspect("decimals", _decimals, "gives its figures with the right decimals", "decimals", "columns", lacking="skip"),
    Aspect(
        "significant",
        _significant,
        "gives its figures with so many significant figures as is right",
        "{significant: left}",
        "columns",
        same_significance,
        "skip",
    ),
    Aspect("units", _units, "has the right units in brackets behind its heads", "{units: potency}", "columns"),
    Aspect("spread", _spread, "gives the right figures behind its means", "spread", "columns", _same_spread, "skip"),
    Aspect("figures", _figures, "gives the right figures in its cells", "{figures: Gain}", "columns", same_figures),
    Aspect("dates", _dates, "writes its dates in the right way", "{dates: seen}", "columns", lacking="skip"),
    Demand("tables", _parse_tables, "has so many tables", "{tables: 1}", "a whole number", whole=True),
    Demand("count", _parse_count, "has so many rows", "{count: 14}", "N or `{min, max}`"),
    Demand(
        "true_rows",
        _parse_true_rows,
        "has rows that are true, whichever of the known ones they are",
        "{true_rows: {key: System, rows: {tide-s: {WER: 12.4}}, min: 1}}",
        '`{key, rows: {KEY: {COLUMN: CELL}}, least, min, max, tolerance}`, keys of several columns with " / "',
    ),
    Demand(
        "rounded",
        _parse_rounded,
        "gives all figures of some columns with so many decimals, whatever its rows are",
        "{rounded: {of: [claimed, ours], to: 2}}",
        "`{of: COLUMNS, to: N}`",
    ),
    *FILE_FACETS,
    *DEMANDS,
)
