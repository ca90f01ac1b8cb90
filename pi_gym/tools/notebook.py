"""Editing Jupyter notebooks cell by cell, so that they stay notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pi_gym.tools.declare import ToolContext, ToolError, operation
from pi_gym.tools.files import text_of
from pi_gym.tools.notebook_text import NEW, Cell, NoNotebook, NotebookText, read_notebook

_ID = "cell-"


@operation("write")
def notebook_edit(
    context: ToolContext,
    path: str,
    cell_index: int,
    new_source: str | None = None,
    cell_type: Literal["code", "markdown", "raw"] | None = None,
    edit_mode: Literal["replace", "insert", "delete"] = "replace",
) -> str:
    """Edit one cell of a Jupyter notebook (.ipynb, nbformat 4). Replacing a code cell's source clears its outputs.
    Inserting at 0 where no file is makes a new notebook.

    Args:
        path: the notebook, relative to the workspace root.
        cell_index: the cell, counted from 0; an inserted cell gets this number and those behind it move on.
        new_source: the cell's whole new text; not for delete.
        cell_type: the cell's type; null keeps it, and means code for a new cell.
        edit_mode: what to do with the cell.
    """
    name = context.target(path)
    if edit_mode == "delete" and (new_source or cell_type):
        raise ToolError("delete takes neither new_source nor cell_type; leave them out, or use another edit_mode.")
    if edit_mode == "insert" and new_source is None:
        raise ToolError("There is nothing to write: give new_source, the text of the new cell.")
    if edit_mode == "replace" and new_source is None and cell_type is None:
        raise ToolError("There is nothing to write: give new_source, cell_type or both.")
    fresh = context.workspace.node(name) is None and edit_mode == "insert"
    if fresh and not name.endswith(".ipynb"):
        raise ToolError(f"{name!r} does not exist, and the name of a new notebook ends in .ipynb.")
    try:
        notebook = read_notebook(NEW if fresh else text_of(context, name))
    except NoNotebook as error:
        raise ToolError(f"{name!r} is no notebook that can be edited: {error}.") from None
    _check_index(name, cell_index, len(notebook.cells), edit_mode)
    if edit_mode == "delete":
        text, kind, note = notebook.deleted(cell_index), str(notebook.cells[cell_index]["cell_type"]), ""
    elif edit_mode == "insert":
        kind, note = cell_type or "code", ""
        text = notebook.inserted(cell_index, _new_cell(notebook, kind, new_source or ""))
    else:
        old = notebook.cells[cell_index]
        cell = _changed(old, _source(old) if new_source is None else new_source, cell_type or str(old["cell_type"]))
        if cell == old:
            raise ToolError(f"Cell {cell_index} is so already; there is nothing to change.")
        kind = str(cell["cell_type"])
        note = " Its outputs were cleared." if old.get("outputs") else ""
        text = notebook.replaced(cell_index, cell)
    context.workspace.write(name, text.encode(errors="replace"))
    count = len(notebook.cells) + {"insert": 1, "delete": -1, "replace": 0}[edit_mode]
    done = {"insert": "Inserted", "delete": "Deleted", "replace": "Replaced"}[edit_mode]
    where = f"{name}, a new notebook" if fresh else name
    return f"{done} cell {cell_index} ({kind}) in {where}; it has {count} cell{'' if count == 1 else 's'} now.{note}"


def _check_index(name: str, index: int, count: int, mode: str) -> None:
    last = count if mode == "insert" else count - 1
    if not 0 <= index <= last:
        holds = f"{name!r} has {count} cell{'' if count == 1 else 's'}"
        range_ = f"0 to {last}" if last > 0 else "0"
        fits = f"{mode} takes {range_}" if last >= 0 else f"there is none to {mode}"
        raise ToolError(f"cell_index {index} is out of range: {holds}, so {fits}.")


def _new_cell(notebook: NotebookText, kind: str, source: str) -> Cell:
    cell: Cell = {"cell_type": kind}
    if kind == "code":
        cell["execution_count"] = None
    if notebook.minor >= 5:  # earlier formats know no ids
        cell["id"] = _free_id(notebook.cells)
    cell["metadata"] = {}
    if kind == "code":
        cell["outputs"] = []
    as_text = bool(notebook.cells) and isinstance(notebook.cells[0]["source"], str)
    cell["source"] = source if as_text else source.splitlines(keepends=True)
    return cell


def _free_id(cells: Sequence[Cell]) -> str:
    """The next number behind those that were given before."""
    numbers = [
        int(rest)
        for cell in cells
        if isinstance(cell.get("id"), str) and cell["id"].startswith(_ID)
        if (rest := cell["id"].removeprefix(_ID)).isascii() and rest.isdigit() and len(rest) < 12
    ]
    return f"{_ID}{max(numbers, default=0) + 1}"


def _changed(old: Cell, source: str, kind: str) -> Cell:
    """The cell with another source or type; its metadata and its id stay."""
    cell = dict(old)
    if source == _source(old) and kind == old["cell_type"]:
        return cell
    cell["source"] = source if isinstance(old["source"], str) else source.splitlines(keepends=True)
    if kind != old["cell_type"]:
        cell["cell_type"] = kind
        # What only the other type has would make the notebook invalid.
        for key in ("attachments",) if kind == "code" else ("outputs", "execution_count"):
            cell.pop(key, None)
    if kind == "code":
        cell |= {"outputs": [], "execution_count": None}
    return dict(sorted(cell.items())) if list(old) == sorted(old) else cell


def _source(cell: Cell) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)
