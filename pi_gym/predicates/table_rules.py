"""The TABLE condition: what one table of a file must hold.

By default the file must hold exactly one table with the columns that the condition names, and at most
`MAX_TABLES` in all: one table per guess satisfies nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Protocol

from pi_gym.predicates.cell_rules import CellRule, Expected, parse_cell, parse_column, parse_expected
from pi_gym.predicates.cells import cell_numbers, key
from pi_gym.predicates.figures import NumberRule, parse_precision
from pi_gym.predicates.file_tables import FORMATS, MAX_ROWS, FileTable, file_tables, format_of
from pi_gym.predicates.node import Node, Span
from pi_gym.predicates.text import MAX_TEXT_CHARS
from pi_gym.predicates.wording import listed, plural, shown

MAX_TABLES = 5


class TableRule(Protocol):
    """One requirement on a table."""

    def fault(self, table: FileTable) -> str:
        """The reason why the table does not meet it, as the rest of a sentence about the table; "" where it does."""
        ...


@dataclass(frozen=True, slots=True)
class RowsRule:
    """The number of rows lies in a range."""

    span: Span

    def fault(self, table: FileTable) -> str:
        """See `TableRule`."""
        return "" if len(table.rows) in self.span else f"has {plural(len(table.rows), 'row')}; expected {self.span}"


@dataclass(frozen=True, slots=True)
class Sorted:
    """The rows are sorted by a column, by number where all of its cells are numbers. One row is no order."""

    column: str
    descending: bool
    numeric: bool | None

    def fault(self, table: FileTable) -> str:
        """See `TableRule`."""
        cells = table.column(self.column)
        if len(cells) < 2:
            return f"has {plural(len(cells), 'row')}, which is no order"
        numbers = [number.mean.value for cell in cells if (number := cell_numbers(cell))]
        numeric = len(numbers) == len(cells) if self.numeric is None else self.numeric
        if numeric and len(numbers) < len(cells):
            return f"has cells in {self.column!r} that are no numbers: {listed(cells)}"
        keys: list[float] | list[str] = numbers if numeric else [key(cell) for cell in cells]
        pairs = list(pairwise(keys))
        ordered = all(a >= b if self.descending else a <= b for a, b in pairs)  # type: ignore[operator]
        if ordered:
            return ""
        return f"is not sorted by {self.column!r} ({'desc' if self.descending else 'asc'}ending): {listed(cells)}"


@dataclass(frozen=True, slots=True)
class Decimals:
    """The rule that every number of a column, a spread too, is written with exactly so many decimals."""

    column: str
    decimals: int

    def fault(self, table: FileTable) -> str:
        """See `TableRule`."""
        seen = False
        for cell in table.column(self.column):
            numbers = cell_numbers(cell)
            for number in (numbers.mean, numbers.std) if numbers else ():
                if number is not None and number.decimals != self.decimals:
                    return f"has the cell {shown(cell)} in {self.column!r}; expected {self.decimals} decimals"
                seen = True
        return "" if seen else f"has no numbers in {self.column!r}"


@dataclass(frozen=True, slots=True)
class Values:
    """The cells of a column, from top to bottom or in any order."""

    column: str
    expected: tuple[Expected, ...]
    unordered: bool

    def fault(self, table: FileTable) -> str:
        """See `TableRule`."""
        cells = table.column(self.column)
        wanted = f"; expected {listed([str(one) for one in self.expected])}"
        if len(cells) != len(self.expected):
            return f"has {listed(cells)} in {self.column!r}{wanted}"
        left = list(cells)
        for index, one in enumerate(self.expected):
            places = range(len(left)) if self.unordered else (0,)
            hit = next((at for at in places if not one.fault(left[at])), None)
            if hit is None:
                found = listed(cells) if self.unordered else f"{shown(cells[index])} in row {index + 1}"
                return f"has {found} in {self.column!r}{wanted}"
            del left[hit]
        return ""


@dataclass(frozen=True, slots=True)
class TableCondition:
    """All that is asked of a file's tables.

    Args:
        columns: the exact columns, or None.
        named: columns that must be there.
        rules: what the table must meet.
        which: "only", "first" or "any" of the tables with those columns.
        tables: how many tables the file may hold.
        kind: the format, or "" for that of the suffix.
    """

    columns: tuple[str, ...] | None
    named: tuple[str, ...]
    rules: tuple[TableRule, ...]
    which: str
    tables: Span
    kind: str

    def fault(self, text: str, path: str) -> str:
        """The reason why the file's tables are not as asked, as the rest of a sentence about it; "" where they are."""
        if len(text) > MAX_TEXT_CHARS:
            return f"has {len(text)} characters; at most {MAX_TEXT_CHARS} are read"
        found = file_tables(text, self.kind or format_of(path))
        if len(found) not in self.tables:
            return f"holds {plural(len(found), 'table')}; expected {self.tables}"
        fitting = [table for table in found if self._has_columns(table)]
        if not fitting:
            headers = "; ".join(listed(table.title, 12) for table in found[:3]) or "no table"
            wanted = f"exactly {listed(self.columns, 12)}" if self.columns is not None else listed(self.named, 12)
            return f"has no table with the columns {wanted}; found {headers}"
        if self.which == "only" and len(fitting) > 1:
            return f"holds {len(fitting)} tables with those columns; expected exactly one"
        faults = [self._fault(table) for table in (fitting if self.which == "any" else fitting[:1])]
        return "" if "" in faults else f"holds a table that {faults[0]}"

    def _has_columns(self, table: FileTable) -> bool:
        if self.columns is not None and table.columns != self.columns:
            return False
        # A column that occurs twice could hold two answers.
        return all(table.columns.count(name) == 1 for name in self.named)

    def _fault(self, table: FileTable) -> str:
        if len(table.rows) > MAX_ROWS:
            return f"has {len(table.rows)} rows; at most {MAX_ROWS} are read"
        return next((fault for rule in self.rules if (fault := rule.fault(table))), "")


_KEYS = (
    "columns", "has_columns", "rows", "cells", "sorted_by", "column_decimals", "column_values", "unordered",
    "numbers", "decimals", "tolerance", "which", "tables", "format",
)  # fmt: skip


def _parse_sorted(node: Node) -> Sorted:
    if not isinstance(node.raw, Mapping):
        return Sorted(parse_column(node), False, None)
    fields = node.fields(("column", "order", "numeric"))
    descending = "order" in fields and fields["order"].choice(("asc", "desc")) == "desc"
    numeric = fields["numeric"].boolean() if "numeric" in fields else None
    return Sorted(parse_column(node.need(fields, "column")), descending, numeric)


def _parse_numbers(node: Node, fields: Mapping[str, Node]) -> list[Values]:
    shared = parse_precision(fields)
    found: list[Values] = []
    for name, one in node.named().items():
        own, values = shared, one
        if isinstance(one.raw, Mapping):
            options = one.fields(("values", "decimals", "tolerance"))
            own, values = parse_precision(options), one.need(options, "values")
        rules = (NumberRule(number.number(), *own) for number in values.items())
        found.append(Values(key(name), tuple(Expected(rule) for rule in rules), False))
    return found


def parse_table(node: Node) -> TableCondition:
    """A TABLE condition."""
    fields = node.fields(_KEYS, "table condition")
    if not fields and not node.templated:
        raise node.wrong("at least one condition on the table")
    get = fields.get
    rules: list[TableRule] = []
    names: list[str] = []
    if rows := get("rows"):
        rules.append(RowsRule(rows.span()))
    for one in cells.items() if (cells := get("cells")) else ():
        cell: CellRule = parse_cell(one)
        rules.append(cell)
        names += cell.columns
    if order := get("sorted_by"):
        rules.append(_parse_sorted(order))
    for name, one in decimals.named().items() if (decimals := get("column_decimals")) else ():
        rules.append(Decimals(key(name), one.integer()))
    unordered = "unordered" in fields and fields["unordered"].boolean()
    for name, one in values.named().items() if (values := get("column_values")) else ():
        rules.append(Values(key(name), tuple(parse_expected(value) for value in one.items()), unordered))
    rules.extend(_parse_numbers(numbers, fields) if (numbers := get("numbers")) else ())
    names += [rule.column for rule in rules if isinstance(rule, Sorted | Decimals | Values)]
    names += [parse_column(one) for one in has.items()] if (has := get("has_columns")) else []
    columns = tuple(parse_column(one) for one in get_columns.items()) if (get_columns := get("columns")) else None
    which = fields["which"].choice(("only", "first", "any")) if "which" in fields else "only"
    tables = fields["tables"].span() if "tables" in fields else Span(0, MAX_TABLES if which == "only" else None)
    kind = fields["format"].choice(FORMATS) if "format" in fields else ""
    return TableCondition(columns, tuple(dict.fromkeys(names)), tuple(rules), which, tables, kind)
