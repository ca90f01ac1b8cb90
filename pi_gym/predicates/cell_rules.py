"""Rules for one cell of a table."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pi_gym.predicates.cells import cell_numbers, key
from pi_gym.predicates.figures import NumberRule, Written, parse_precision
from pi_gym.predicates.file_tables import FileTable
from pi_gym.predicates.node import Node, Scalar
from pi_gym.predicates.text import fold
from pi_gym.predicates.text_rules import TextCondition
from pi_gym.predicates.text_specs import parse_text
from pi_gym.predicates.wording import shown


@dataclass(frozen=True, slots=True)
class Expected:
    """The expected content of a cell: a number (then the cell is it), or a text (then it is that, but for case)."""

    value: NumberRule | str

    def takes(self, cell: str) -> bool:
        """Whether the bare cell is that."""
        if isinstance(self.value, str):
            return fold(cell) == self.value
        numbers = cell_numbers(cell)
        return numbers is not None and self.value.takes(numbers.mean)

    def fault(self, cell: str) -> str:
        """The reason why the bare cell is something else, or ""."""
        return "" if self.takes(cell) else f"is {shown(cell)}; expected {self}"

    def __str__(self) -> str:
        return shown(self.value) if isinstance(self.value, str) else str(self.value)


@dataclass(frozen=True, slots=True)
class Selector:
    """The one row meant: by what its cells are, or by its number from 1 (from the end where negative)."""

    cells: tuple[tuple[str, Expected], ...]
    index: int = 0

    def find(self, table: FileTable) -> int | str:
        """The row's index, or why there is not exactly one."""
        if self.index:
            at = self.index - 1 if self.index > 0 else len(table.rows) + self.index
            return at if 0 <= at < len(table.rows) else f"has no row {self.index}; it has {len(table.rows)}"
        hits: Iterable[int] = range(len(table.rows))
        for name, expected in self.cells:
            if isinstance(expected.value, str):
                folded = table.folded(name)
                hits = [at for at in hits if folded[at] == expected.value]
            else:
                cells = table.column(name)
                hits = [at for at in hits if expected.takes(cells[at])]
        hits = list(hits)
        if len(hits) == 1:
            return hits[0]
        return f"has {len(hits)} rows with {self}; expected exactly one"

    def __str__(self) -> str:
        if self.index:
            return f"number {self.index}"
        return ", ".join(f"{name} = {expected}" for name, expected in self.cells)


@dataclass(frozen=True, slots=True)
class CellRule:
    """One cell, by row and column.

    Args:
        row: which row.
        column: which column.
        expected: what the cell is.
        text: what its text says.
        mean: the number before a ±.
        std: the number after it.
        n: the count.
    """

    row: Selector
    column: str
    expected: Expected | None
    text: TextCondition | None
    mean: NumberRule | None
    std: NumberRule | None
    n: int | None

    @property
    def columns(self) -> list[str]:
        """The columns that the rule reads."""
        return [*(name for name, _ in self.row.cells), self.column]

    def fault(self, table: FileTable) -> str:
        """The reason why the cell is not as asked, as the rest of a sentence about the table; "" where it is."""
        at = self.row.find(table)
        if isinstance(at, str):
            return at
        cell = table.column(self.column)[at]
        fault = self._fault(cell)
        return f"has, in the row {self.row}, column {self.column!r}, a cell that {fault}" if fault else ""

    def _fault(self, cell: str) -> str:
        if self.expected is not None and (fault := self.expected.fault(cell)):
            return fault
        if self.text is not None and (fault := self.text.fault_of(cell)):
            return fault
        numbers = cell_numbers(cell)
        parts: tuple[tuple[str, NumberRule | None, Written | None], ...] = (
            ("mean", self.mean, numbers.mean if numbers else None),
            ("spread (after ±)", self.std, numbers.std if numbers else None),
        )
        for name, rule, found in parts:
            if rule is not None and (found is None or not rule.takes(found)):
                return f"is {shown(cell)}; expected the {name} {rule}"
        if self.n is not None and (numbers is None or numbers.n != self.n):
            return f"is {shown(cell)}; expected n = {self.n}"
        return ""


def parse_column(node: Node) -> str:
    """A column's name in the form in which names are compared."""
    name = key(node.string("a column's name"))
    if not name:
        raise node.wrong("a column's name")
    return name


def parse_expected(node: Node) -> Expected:
    """A text or a number that a cell must be; null means an empty cell."""
    if node.templated:
        return Expected("")
    value: Scalar = node.scalar()
    if isinstance(value, int | float) and not isinstance(value, bool):
        return Expected(NumberRule(node.number()))
    return Expected("" if value is None else key(str(value)))


def _parse_selector(node: Node) -> Selector:
    if isinstance(node.raw, int) and not isinstance(node.raw, bool) and node.raw:
        return Selector((), node.raw)
    if not node.templated and not isinstance(node.raw, Mapping):
        raise node.wrong("{column: value} or a row's number from 1 (-1 is the last)")
    return Selector(tuple((key(name), parse_expected(one)) for name, one in node.named().items()))


def parse_cell(node: Node) -> CellRule:
    """One of `cells`."""
    fields = node.fields(("row", "column", "value", "text", "number", "mean", "std", "n", "decimals", "tolerance"))
    precision = parse_precision(fields)
    get = fields.get
    value, text, number, mean, std, n = (get(name) for name in ("value", "text", "number", "mean", "std", "n"))
    if not node.templated and all(one is None for one in (value, text, number, mean, std, n)):
        raise node.wrong("one of value, text, number, mean, std, n")
    if value and number:
        raise node.wrong("either value or number")
    expected = parse_expected(value) if value else None
    if number:
        expected = Expected(NumberRule(number.number(), *precision))
    return CellRule(
        row=_parse_selector(node.need(fields, "row")),
        column=parse_column(node.need(fields, "column")),
        expected=expected,
        text=parse_text(text) if text else None,
        mean=NumberRule(mean.number(), *precision) if mean else None,
        std=NumberRule(std.number(), *precision) if std else None,
        n=n.integer() if n else None,
    )
