"""Tables: Markdown, CSV, LaTeX. The facets of texts that are no matter of cells hold for them too."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pi_gym.predicates.cells import bare
from pi_gym.predicates.figures import Written, written_numbers
from pi_gym.predicates.file_tables import FileTable, file_tables, format_of
from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.text import fold
from pi_gym.results.content import Document
from pi_gym.results.days import written_days
from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Aspect, Demand, Facet, Parts, Reading
from pi_gym.results.files import FILE_FACETS
from pi_gym.results.sameness import leading_number, same_cell, same_number


@lru_cache(maxsize=256)
def _tables(path: str, text: str) -> tuple[FileTable, ...]:
    return file_tables(text, format_of(path) if path else "markdown")


def table_of(document: Document, reading: Reading) -> FileTable | None:
    """The table of a text: the first that has the key's columns; without a key, the first."""
    wanted = [fold(name) for name in reading.key]
    for one in _tables(document.path, document.text):
        if all(name in one.columns for name in wanted):
            return one
    return None


def keyed_rows(table: FileTable, reading: Reading) -> Iterator[tuple[str, int]]:
    """The rows that are meant, as (key, place); rows with the same key are numbered."""
    names = [fold(name) for name in reading.key] or [table.columns[0]]
    columns = [table.folded(name) for name in names]
    meant = {_as_key(fold(name)) for name in reading.rows}
    seen: dict[str, int] = {}
    for place in range(len(table.rows)):
        key = " / ".join(_as_key(column[place]) for column in columns)
        if meant and key not in meant:
            continue
        seen[key] = seen.get(key, 0) + 1
        yield (key if seen[key] == 1 else f"{key} ({seen[key]})"), place


def _as_key(cell: str) -> str:
    """A cell of a key; an amount is itself however it is written ("1,234.50", "1234,5")."""
    if not any(sign in cell for sign in ".,"):
        return cell
    head, comma, tail = cell.rpartition(",")
    point = bool(comma) and "." not in cell and len(tail) <= 2
    number = leading_number(f"{head.replace(' ', '')}.{tail}" if point else cell)
    return cell if number is None else f"{number.value:.10g}"


def _cells(document: Document, reading: Reading) -> Iterator[tuple[tuple[str, str], str]]:
    """Key and bare text of the cells that are meant; without `of`, all but the keys'."""
    table = table_of(document, reading)
    if table is None:
        return
    names = [fold(name) for name in reading.key] or [table.columns[0]]
    meant = [fold(name) for name in reading.of] or [name for name in table.columns if name not in names]
    for key, place in keyed_rows(table, reading):
        for name in meant:
            if name in table.columns:
                yield (key, name), table.column(name)[place]


def _columns(document: Document, reading: Reading) -> Parts:
    table = table_of(document, Reading(key=reading.key))
    return {} if table is None else {name: place for place, name in enumerate(table.columns)}


def _rows(document: Document, reading: Reading) -> Parts:
    table = table_of(document, reading)
    return {} if table is None else {key: True for key, _ in keyed_rows(table, reading)}


def _order(document: Document, reading: Reading) -> Parts:
    """For each two rows, which comes first: by its place, or by its number in the column that is meant.

    A row too many leaves the order of the others.
    """
    table = table_of(document, reading)
    if table is None:
        return {}
    if not reading.of:
        keys = [key for key, _ in keyed_rows(table, reading)]
        return {(min(a, b), max(a, b)): a for place, a in enumerate(keys) for b in keys[place + 1 :]}
    ranks = {key[0]: number.value for key, text in _cells(document, reading) if (number := leading_number(text))}
    return {
        (min(a, b), max(a, b)): "neither" if ranks[a] == ranks[b] else min(a, b, key=ranks.__getitem__)
        for place, a in enumerate(ranks)
        for b in [*ranks][place + 1 :]
    }


def _values(document: Document, reading: Reading) -> Parts:
    return dict(_cells(document, reading))


def _same_value(found: str, right: str, reading: Reading) -> bool:
    if reading.tolerance:
        one, other = leading_number(found), leading_number(right)
        if one is not None and other is not None:
            return abs(one.value - other.value) <= reading.tolerance + 1e-6
    return same_cell(found, right)


def _numbers(text: str) -> tuple[Written, ...]:
    return written_numbers(bare(text).replace("--", " - "))


def _decimals(document: Document, reading: Reading) -> Parts:
    found: dict[Hashable, Any] = {}
    for place, text in _cells(document, reading):
        numbers = _numbers(text)
        if numbers:
            found[place] = tuple(sorted({one.decimals for one in numbers}))
    return found


def _spread(document: Document, reading: Reading) -> Parts:
    """What stands behind the first number of a cell."""
    found: dict[Hashable, Any] = {}
    for place, text in _cells(document, reading):
        numbers = _numbers(text)
        if numbers:
            found[place] = numbers[1:]
    return found


def _same_spread(found: tuple[Written, ...], right: tuple[Written, ...], reading: Reading) -> bool:
    # The sign of a range's second number is its dash.
    return len(found) == len(right) and all(
        same_number(Written(abs(one.value), one.decimals), Written(abs(other.value), other.decimals))
        for one, other in zip(found, right, strict=True)
    )


def _dates(document: Document, reading: Reading) -> Parts:
    return {place: days[0].style for place, text in _cells(document, reading) if (days := written_days(text))}


@dataclass(frozen=True, slots=True)
class CountedTables:
    """So many tables stand in the file."""

    count: int

    def fault(self, content: Document) -> str:
        """See `Condition`."""
        found = len(_tables(content.path, content.text))
        return "" if found == self.count else f"has {found} tables; expected {self.count}"


def _parse_tables(node: Node) -> CountedTables:
    return CountedTables(node.integer(1))


@dataclass(frozen=True, slots=True)
class TableLength:
    """The table has so many rows below its header."""

    span: Span

    def fault(self, content: Document) -> str:
        """See `Condition`."""
        tables = _tables(content.path, content.text)
        rows = len(tables[0].rows) if tables else 0
        return "" if rows in self.span else f"has {rows} rows; expected {self.span}"


def _parse_count(node: Node) -> TableLength:
    return TableLength(node.span())


KINDS = {"table": "A file with one table: Markdown, CSV or LaTeX."}
FACETS: tuple[Facet, ...] = (
    Aspect("columns", _columns, "has the right columns, in the right order", "columns"),
    Aspect("rows", _rows, "has the right rows", "rows", of="rows by their keys"),
    Aspect("order", _order, "has its rows in the right order", "{order: rank}", "a column that ranks", lacking="skip"),
    Aspect("cells", _values, "has the right values, in any rounding", "{cells: Cost}", "columns", _same_value),
    Aspect("decimals", _decimals, "gives its figures with the right decimals", "decimals", "columns", lacking="skip"),
    Aspect("spread", _spread, "gives the right figures behind its means", "spread", "columns", _same_spread, "skip"),
    Aspect("dates", _dates, "writes its dates in the right way", "{dates: seen}", "columns", lacking="skip"),
    Demand("tables", _parse_tables, "has so many tables", "{tables: 1}", "a whole number", whole=True),
    Demand("count", _parse_count, "has so many rows", "{count: 14}", "N or `{min, max}`"),
    *FILE_FACETS,
    *DEMANDS,
)
