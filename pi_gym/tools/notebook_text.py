"""The text of a Jupyter notebook: where its cells stand in it, and how it is written.

Cells are exchanged in the text itself, so that whatever is not edited keeps its bytes.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import re2

Cell: TypeAlias = dict[str, Any]

_DECODER = json.JSONDecoder()
_BLANK = " \t\n\r"
_CELL_TYPES = ("code", "markdown", "raw")
MAX_DEPTH = 100
_INDENT = re2.compile(r"^\s*\{\r?\n([ \t]+)\"")
_LANGUAGE = {"language_info": {"name": "python"}}
#: A notebook without cells, as notebooks are written.
NEW = json.dumps({"cells": [], "metadata": _LANGUAGE, "nbformat": 4, "nbformat_minor": 5}, indent=1) + "\n"


class NoNotebook(ValueError):
    """A text is no notebook of a format that can be edited; the message says why."""


@dataclass(frozen=True, slots=True)
class NotebookText:
    """A notebook's text, read.

    Args:
        text: the whole text.
        cells: the cells, in order.
        spans: for each cell, where it begins and ends in the text.
        inside: where the content of the list of cells begins and ends.
        minor: the minor version of the format.
    """

    text: str
    cells: tuple[Cell, ...]
    spans: tuple[tuple[int, int], ...]
    inside: tuple[int, int]
    minor: int

    def replaced(self, index: int, cell: Cell) -> str:
        """The text with another cell in this place."""
        start, end = self.spans[index]
        return self.text[:start] + self._written(cell) + self.text[end:]

    def inserted(self, index: int, cell: Cell) -> str:
        """The text with one more cell, at this place; what stood there and behind moves on."""
        lead, tail = self._around()
        written = self._written(cell)
        if not self.cells:
            start, end = self.inside
            return f"{self.text[:start]}{lead}{written}{tail}{self.text[end:]}"
        comma = "," + (lead or (" " if self._spaced() else ""))
        if index == len(self.cells):
            end = self.spans[-1][1]
            return f"{self.text[:end]}{comma}{written}{self.text[end:]}"
        start = self.spans[index][0]
        return f"{self.text[:start]}{written}{comma}{self.text[start:]}"

    def deleted(self, index: int) -> str:
        """The text without a cell."""
        if len(self.cells) == 1:
            start, end = self.inside
        elif index < len(self.cells) - 1:
            start, end = self.spans[index][0], self.spans[index + 1][0]
        else:
            start, end = self.spans[index - 1][1], self.spans[index][1]
        return self.text[:start] + self.text[end:]

    # -- how it is written -----------------------------------------------------------------------------------------

    def _indent(self) -> str:
        found = _INDENT.search(self.text)
        return str(found.group(1)) if found else ""

    def _newline(self) -> str:
        return "\r\n" if "\r\n" in self.text else "\n"

    def _spaced(self) -> bool:
        """Whether a blank stands behind the colons and commas of a text on one line."""
        return '": ' in self.text[: self.inside[0]] or '": ' in self.text[self.inside[1] :]

    def _around(self) -> tuple[str, str]:
        """The texts before the first cell and behind the last one."""
        if self.cells:
            return self.text[self.inside[0] : self.spans[0][0]], self.text[self.spans[-1][1] : self.inside[1]]
        indent, newline = self._indent(), self._newline()
        return (f"{newline}{indent * 2}", f"{newline}{indent}") if indent else ("", "")

    def _written(self, cell: Cell) -> str:
        lead, indent = self._around()[0], self._indent()
        # Escapes where the notebook has them; a lone surrogate has no other form.
        plain = self.text.isascii() and "\\u" in self.text
        plain = plain or any("\ud800" <= c <= "\udfff" for c in "".join(_strings(cell)))
        if not indent or "\n" not in lead:
            separators = (", ", ": ") if self._spaced() else (",", ":")
            return json.dumps(cell, ensure_ascii=plain, separators=separators)
        base = lead.rpartition("\n")[2]
        lines = json.dumps(cell, ensure_ascii=plain, indent=indent).split("\n")
        return (self._newline() + base).join(lines)


def read_notebook(text: str) -> NotebookText:
    """Find the cells of a notebook.

    Raises:
        NoNotebook: it is no notebook, or of another major version of the format than 4.
    """
    try:
        whole = json.loads(text)
        if not isinstance(whole, dict):
            raise NoNotebook(f"it holds no JSON object but {type(whole).__name__}")
        if _deeper(whole, MAX_DEPTH):  # a bound of our own: Python's depends on who calls
            raise RecursionError
        major, minor = whole.get("nbformat"), whole.get("nbformat_minor")
        if "cells" not in whole and "nbformat" not in whole:
            raise NoNotebook("the JSON object has neither cells nor nbformat")
        if major != 4 or isinstance(major, bool) or not isinstance(minor, int):
            shown = json.dumps(major)[:40]
            raise NoNotebook(f"its format is {shown}, only nbformat 4 can be edited; convert it first")
        spans, inside = _cell_spans(text)
    except RecursionError:
        raise NoNotebook("its JSON is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise NoNotebook(f"it is not JSON (line {error.lineno}, column {error.colno}: {error.msg})") from None
    except NoNotebook:
        raise
    except ValueError as error:
        raise NoNotebook(f"it is not JSON ({error})") from None
    cells = tuple(whole["cells"])
    for number, cell in enumerate(cells):
        if not isinstance(cell, dict) or cell.get("cell_type") not in _CELL_TYPES:
            raise NoNotebook(
                f"cell {number} has no cell_type that is {', '.join(_CELL_TYPES[:-1])} or {_CELL_TYPES[-1]}"
            )
        if not _is_source(cell.get("source")):
            raise NoNotebook(f"cell {number} has no source, a text or a list of lines")
    return NotebookText(text, cells, tuple(spans), inside, minor)


def _cell_spans(text: str) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """The spans of the cells of a JSON object, and the span between the brackets of their list.

    The text is known to be JSON. Of several lists of cells the last one counts, as JSON readers take it.
    """
    found: tuple[list[tuple[int, int]], tuple[int, int]] | None = None
    at = text.index("{") + 1
    while text[at := _skip(text, at)] != "}":
        key, at = _DECODER.raw_decode(text, at)
        at = _skip(text, _skip(text, at) + 1)
        if key == "cells":
            found = _elements(text, at) if text[at] == "[" else None
        if key == "cells" and found is not None:
            at = found[1][1] + 1
        else:
            at = _DECODER.raw_decode(text, at)[1]
        at = _skip(text, at)
        at += text[at] == ","
    if found is None:
        raise NoNotebook("it has no list of cells")
    return found


def _elements(text: str, start: int) -> tuple[list[tuple[int, int]], tuple[int, int]]:
    """The elements of the list that begins at `start`, as spans, and the span between its brackets."""
    spans, at = [], _skip(text, start + 1)
    while text[at] != "]":
        end = _DECODER.raw_decode(text, at)[1]
        spans.append((at, end))
        at = _skip(text, end)
        at = _skip(text, at + 1) if text[at] == "," else at
    return spans, (start + 1, at)


def _skip(text: str, at: int) -> int:
    while text[at] in _BLANK:
        at += 1
    return at


def _is_source(value: Any) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and all(isinstance(line, str) for line in value))


def _deeper(value: Any, most: int) -> bool:
    """Whether lists and objects are nested more deeply than this."""
    level = [value]
    for _ in range(most + 1):
        parts = (entry.values() if isinstance(entry, dict) else entry for entry in level)
        level = [part for entry in parts for part in entry if isinstance(part, dict | list)]
        if not level:
            return False
    return True


def _strings(value: Any) -> list[str]:
    if isinstance(value, str):
        return [value]
    if isinstance(value, Mapping):
        return [part for key, entry in value.items() for part in (key, *_strings(entry))]
    return [part for entry in value for part in _strings(entry)] if isinstance(value, list) else []
