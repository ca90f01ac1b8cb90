"""The tables that a file holds: Markdown pipe tables, CSV and TSV, LaTeX tabulars. All are read in one pass."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from pi_gym.predicates.cells import bare, key
from pi_gym.predicates.latex import latex_grids
from pi_gym.predicates.markdown import fenced
from pi_gym.predicates.text import fold, visible

MAX_ROWS = 20_000
FORMATS = ("markdown", "csv", "tsv", "latex")
_SUFFIXES = {".csv": "csv", ".tsv": "tsv", ".tex": "latex"}
_MAX_CACHED_CHARS = 200_000
_COMMENTED = ("markdown",)

Grid = list[list[str]]


@dataclass(frozen=True)
class FileTable:
    """One table of a file.

    Args:
        columns: the header's cells as keys (bare and without case), in order.
        rows: the cells' source text, every row as wide as the header.
        title: the header as it stands, for messages.
    """

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: tuple[str, ...]
    _bare: dict[int, list[str]] = field(default_factory=dict, repr=False, compare=False)
    _folded: dict[str, list[str]] = field(default_factory=dict, repr=False, compare=False)

    def folded(self, name: str) -> list[str]:
        """The bare cells of a column, in the form in which texts are compared without case."""
        if name not in self._folded:
            self._folded[name] = list(map(fold, self.column(name)))
        return self._folded[name]

    def column(self, name: str) -> list[str]:
        """The bare cells of a column; empty where there is none of that name."""
        if name not in self.columns:
            return []
        index = self.columns.index(name)
        cells = self._bare.get(index)
        if cells is None:
            # Threads may both fill this, with the same content.
            cells = self._bare[index] = [bare(row[index]) for row in self.rows]
        return cells


def format_of(path: str) -> str:
    """The format that a file's suffix names; Markdown where it names none."""
    return _SUFFIXES.get("." + path.rsplit(".", 1)[-1].lower() if "." in path else "", "markdown")


def _split_row(line: str) -> list[str]:
    line = line.strip()
    cells = line.split("|")
    if "\\" in line:
        cells = list(_rejoined(cells))
    if line.startswith("|"):
        cells = cells[1:]
    if len(cells) > 1 and not cells[-1].strip():
        cells = cells[:-1]
    return cells


def _rejoined(pieces: Sequence[str]) -> Iterator[str]:
    """Cells of a row that was split at every pipe: one after an odd number of backslashes belongs to its cell."""
    parts: list[str] = []
    for index, piece in enumerate(pieces):
        slashes = len(piece) - len(piece.rstrip("\\"))
        if slashes % 2 and index < len(pieces) - 1:
            parts.append(piece[:-1] + "|")
        else:
            yield "".join([*parts, piece])
            parts = []


def _is_rule(cells: Sequence[str]) -> bool:
    for cell in cells:
        middle = cell.strip().removeprefix(":").removesuffix(":")
        if not middle or middle.strip("-"):
            return False
    return bool(cells)


def _markdown_grids(text: str) -> list[Grid]:
    lines = text.split("\n")
    inside = fenced(lines)
    grids: list[Grid] = []
    at = 0
    while at + 1 < len(lines):
        if inside[at] or "|" not in lines[at] or "-" not in lines[at + 1] or inside[at + 1]:
            at += 1
            continue
        rule = _split_row(lines[at + 1])
        header = _split_row(lines[at]) if _is_rule(rule) else []
        if not header or len(header) != len(rule):
            at += 1
            continue
        grid = [header]
        at += 2
        while at < len(lines) and not inside[at] and "|" in lines[at]:
            grid.append(_split_row(lines[at]))
            at += 1
        grids.append(grid)
    return grids


def _separated_grids(text: str, delimiter: str) -> list[Grid]:
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=delimiter)
    try:
        grid = [row for row in reader if any(cell.strip() for cell in row)]
    except csv.Error:
        return []
    return [grid] if grid else []


def _separator(text: str) -> str:
    """The sign between the cells of a CSV file: what its header has."""
    header = text.lstrip().partition("\n")[0]
    return ";" if ";" in header and "," not in header else ","


_READERS: Mapping[str, Callable[[str], list[Grid]]] = {
    "markdown": _markdown_grids,
    "csv": lambda text: _separated_grids(text, _separator(text)),
    "tsv": lambda text: _separated_grids(text, "\t"),
    "latex": latex_grids,
}


def _table(grid: Grid) -> FileTable:
    width = len(grid[0])
    # Cells beyond the header are shown by no renderer, so they count for nothing.
    rows = tuple(tuple(row[:width]) + ("",) * (width - len(row)) for row in grid[1:])
    return FileTable(tuple(key(cell) for cell in grid[0]), rows, tuple(bare(cell) for cell in grid[0]))


def _parse(text: str, kind: str) -> tuple[FileTable, ...]:
    return tuple(_table(grid) for grid in _READERS[kind](visible(text, kind in _COMMENTED)))


_parse_cached = lru_cache(maxsize=32)(_parse)


def file_tables(text: str, kind: str) -> tuple[FileTable, ...]:
    """All tables of a text, in order; those of the latest small texts are kept.

    Args:
        text: the file's content.
        kind: one of `FORMATS`.
    """
    return _parse_cached(text, kind) if len(text) <= _MAX_CACHED_CHARS else _parse(text, kind)
