"""Tables: Markdown, CSV, LaTeX. The facets of texts that are no matter of cells hold for them too."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from functools import lru_cache
from typing import Any

from pi_gym.predicates.cells import bare
from pi_gym.predicates.figures import Written, written_numbers
from pi_gym.predicates.file_tables import FileTable, file_tables, format_of
from pi_gym.predicates.text import fold
from pi_gym.results.content import Document
from pi_gym.results.days import written_days
from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Aspect, Facet, Parts, Reading
from pi_gym.results.files import FILE_FACETS
from pi_gym.results.sameness import leading_number, same_cell, same_figures, same_number


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
    meant = {fold(name) for name in reading.rows}
    seen: dict[str, int] = {}
    for place in range(len(table.rows)):
        key = " / ".join(column[place] for column in columns)
        if meant and key not in meant:
            continue
        seen[key] = seen.get(key, 0) + 1
        yield (key if seen[key] == 1 else f"{key} ({seen[key]})"), place


def _cells(document: Document, reading: Reading) -> Iterator[tuple[tuple[str, str], str]]:
    """Key and bare text of the cells that are meant; without `of`, all but the keys'."""
    table = table_of(document, reading)
    if table is None:
        return
    names = [fold(name) for name in reading.key] or [table.columns[0]]
    meant = [fold(name) for name in reading.of] or [name for name in table.columns if name not in names]
    for key, place in keyed_rows(table, reading):
        for name in meant:
            column = _column(table, name)
            if column in table.columns:
                yield (key, name), table.column(column)[place]


def _column(table: FileTable, name: str) -> str:
    """The column of a name, or of a number from 1 where its head is open."""
    if name in table.columns or not name.isdecimal() or not 1 <= int(name) <= len(table.columns):
        return name
    return table.columns[int(name) - 1]


def _columns(document: Document, reading: Reading) -> Parts:
    table = table_of(document, Reading(key=reading.key))
    return {} if table is None else {name: place for place, name in enumerate(table.columns)}


def _rows(document: Document, reading: Reading) -> Parts:
    table = table_of(document, reading)
    return {} if table is None else {key: True for key, _ in keyed_rows(table, reading)}


def _order(document: Document, reading: Reading) -> Parts:
    """For each two rows, which comes first: a row too many leaves the order of the others."""
    table = table_of(document, reading)
    keys = [] if table is None else [key for key, _ in keyed_rows(table, reading)]
    return {(min(one, other), max(one, other)): one for place, one in enumerate(keys) for other in keys[place + 1 :]}


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


def _figures(document: Document, reading: Reading) -> Parts:
    """The numbers with decimals in the cells that are meant, whatever is written around them."""
    return {
        place: tuple(Written(abs(one.value), one.decimals) for one in _numbers(text) if one.decimals > 0)
        for place, text in _cells(document, reading)
    }


def _dates(document: Document, reading: Reading) -> Parts:
    return {place: days[0].style for place, text in _cells(document, reading) if (days := written_days(text))}


KINDS = {"table": "A file with one table: Markdown, CSV or LaTeX."}
FACETS: tuple[Facet, ...] = (
    Aspect("columns", _columns, "has the right columns, in the right order", "columns"),
    Aspect("rows", _rows, "has the right rows", "rows", of="rows by their keys"),
    Aspect("order", _order, "has its rows in the right order", "order", lacking="skip"),
    Aspect("cells", _values, "has the right values, in any rounding", "{cells: Cost}", "columns", _same_value),
    Aspect("decimals", _decimals, "gives its figures with the right decimals", "decimals", "columns", lacking="skip"),
    Aspect("spread", _spread, "gives the right figures behind its means", "spread", "columns", _same_spread, "skip"),
    Aspect("figures", _figures, "gives the right figures in its cells", "{figures: Gain}", "columns", same_figures),
    Aspect("dates", _dates, "writes its dates in the right way", "{dates: seen}", "columns", lacking="skip"),
    *FILE_FACETS,
    *DEMANDS,
)
