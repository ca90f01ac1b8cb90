"""The operation `notebook_edit`: notebooks stay valid, and what is not edited keeps its bytes."""

from __future__ import annotations

import json
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.state import Workspace, World
from pi_gym.tools import Registry, ToolContext, ToolResult
from pi_gym.tools.notebook import notebook_edit
from pi_gym.types import ToolCall

TOOLS = Registry((notebook_edit,))
CODE = {
    "cell_type": "code",
    "execution_count": 7,
    "id": "first",
    "metadata": {"tags": ["keep"]},
    "outputs": [{"name": "stdout", "output_type": "stream", "text": ["1e3\n"]}],
    "source": ["x = 1e3\n", "print(x)"],
}
TEXT = {"cell_type": "markdown", "id": "second", "metadata": {}, "source": ["# Ünïcode\n", "words"]}


def notebook(*cells: dict[str, Any], minor: int = 5) -> dict[str, Any]:
    return {"cells": list(cells), "metadata": {"own": {"rate": 0.10}}, "nbformat": 4, "nbformat_minor": minor}


def context_with(content: str) -> ToolContext:
    return ToolContext(World(Workspace({"a.ipynb": content.encode()})))


def edit(context: ToolContext, path: str = "a.ipynb", **arguments: Any) -> ToolResult:
    return TOOLS.run(ToolCall("notebook_edit", {"path": path, **arguments}), context)


def text_of(context: ToolContext, path: str = "a.ipynb") -> str:
    text = context.workspace.text(path)
    assert text is not None
    return text


def cells_of(context: ToolContext, path: str = "a.ipynb") -> list[Any]:
    read = nbformat.reads(text_of(context, path), as_version=nbformat.NO_CONVERT)
    nbformat.validate(read)
    return list(read.cells)


def test_replacing_code_clears_its_outputs_and_keeps_its_metadata() -> None:
    context = context_with(json.dumps(notebook(CODE, TEXT), indent=1, ensure_ascii=False))
    result = edit(context, cell_index=0, new_source="y = 2\n")
    assert result.ok
    assert "outputs were cleared" in result.text
    first, second = cells_of(context)
    assert (first.source, first.outputs, first.execution_count, first.id) == ("y = 2\n", [], None, "first")
    assert first.metadata == {"tags": ["keep"]}
    assert second.source == "# Ünïcode\nwords"


@pytest.mark.parametrize("form", [{"indent": 1}, {"indent": 4}, {"indent": "\t"}, {}, {"separators": (",", ":")}])
@pytest.mark.parametrize("escaped", [True, False])
@pytest.mark.parametrize("end", ["", "\n"])
def test_what_is_not_edited_keeps_its_bytes(form: dict[str, Any], escaped: bool, end: str) -> None:
    before = notebook(CODE, TEXT, {**TEXT, "id": "third", "source": ["é"]})
    context = context_with(json.dumps(before, ensure_ascii=escaped, **form) + end)
    assert edit(context, cell_index=1, new_source="new é\nlines").ok
    after = notebook(CODE, {**TEXT, "source": ["new é\n", "lines"]}, before["cells"][2])
    assert text_of(context) == json.dumps(after, ensure_ascii=escaped, **form) + end
    assert edit(context, cell_index=1, new_source="# Ünïcode\nwords").ok
    assert text_of(context) == json.dumps(before, ensure_ascii=escaped, **form) + end


def test_numbers_and_odd_spacing_outside_the_cell_stay_as_they_were_written() -> None:
    head = '{"nbformat":4, "metadata" : {"x": 1.50e+2,\n"y":[ ]}, "cells" : [ {'
    context = context_with(head + '"cell_type":"raw","metadata":{},"source":"a"} ],"nbformat_minor": 2}')
    assert edit(context, cell_index=0, new_source="b").ok
    assert text_of(context).startswith(head)
    assert text_of(context).endswith('} ],"nbformat_minor": 2}')
    assert cells_of(context)[0].source == "b"


def test_lines_that_end_with_carriage_returns_stay_so() -> None:
    text = json.dumps(notebook(TEXT), indent=1).replace("\n", "\r\n")
    context = context_with(text)
    assert edit(context, cell_index=1, new_source="x", edit_mode="insert").ok
    assert text_of(context).replace("\r\n", "").count("\n") == 0
    assert len(cells_of(context)) == 2


def test_a_new_notebook_is_made_where_there_is_none() -> None:
    context = ToolContext(World(Workspace({})))
    result = edit(context, "work/new.ipynb", cell_index=0, new_source="1 + 1", edit_mode="insert")
    assert "a new notebook" in result.text
    assert [cell.source for cell in cells_of(context, "work/new.ipynb")] == ["1 + 1"]
    assert (
        text_of(context, "work/new.ipynb")
        == json.dumps(json.loads(text_of(context, "work/new.ipynb")), indent=1) + "\n"
    )


def test_the_last_cell_can_go_and_another_can_come() -> None:
    context = context_with(json.dumps(notebook(TEXT), indent=2))
    assert edit(context, cell_index=0, edit_mode="delete").ok
    assert cells_of(context) == []
    assert edit(context, cell_index=0, new_source="a", edit_mode="insert").ok
    assert text_of(context) == json.dumps(json.loads(text_of(context)), indent=2)


def test_cells_get_ids_where_the_format_has_them() -> None:
    new = context_with(json.dumps(notebook(CODE)))
    old = context_with(json.dumps(notebook({k: v for k, v in CODE.items() if k != "id"}, minor=4)))
    for context in (new, old):
        assert edit(context, cell_index=0, new_source="a", edit_mode="insert").ok
        assert edit(context, cell_index=2, new_source="b", cell_type="markdown", edit_mode="insert").ok
    assert [cell.id for cell in cells_of(new)] == ["cell-1", "first", "cell-2"]
    assert not any("id" in cell for cell in cells_of(old))


@pytest.mark.parametrize("kind", ["code", "markdown", "raw"])
@pytest.mark.parametrize("before", [CODE, {**TEXT, "attachments": {}}, {**TEXT, "cell_type": "raw"}])
def test_a_change_of_type_leaves_a_valid_cell(before: dict[str, Any], kind: str) -> None:
    context = context_with(json.dumps(notebook(before)))
    result = edit(context, cell_index=0, cell_type=kind)
    assert result.ok == (before["cell_type"] != kind)
    assert cells_of(context)[0].cell_type == kind
    assert cells_of(context)[0].source == "".join(before["source"])


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"cell_index": 2, "new_source": "a"}, "has 2 cells, so replace takes 0 to 1"),
        ({"cell_index": -1, "new_source": "a"}, "out of range"),
        ({"cell_index": 3, "new_source": "a", "edit_mode": "insert"}, "insert takes 0 to 2"),
        ({"cell_index": 0}, "nothing to write"),
        ({"cell_index": 0, "edit_mode": "insert"}, "nothing to write"),
        ({"cell_index": 0, "new_source": "x = 1e3\nprint(x)"}, "so already"),
        ({"cell_index": 0, "new_source": "a", "edit_mode": "delete"}, "takes neither"),
        ({"cell_index": 0, "new_source": "a", "cell_type": "heading"}, "expected one of"),
        ({"cell_index": 0, "new_source": "a", "path": "b.ipynb"}, "no file 'b.ipynb'"),
        ({"cell_index": 1, "new_source": "a", "path": "b.ipynb", "edit_mode": "insert"}, "has 0 cells"),
        ({"cell_index": 0, "new_source": "a", "path": "b.txt", "edit_mode": "insert"}, "ends in .ipynb"),
    ],
)
def test_an_edit_that_cannot_be_done_changes_nothing(arguments: dict[str, Any], reason: str) -> None:
    context = context_with(json.dumps(notebook(CODE, TEXT)))
    before = context.world.state_hash()
    result = edit(context, **arguments)
    assert not result.ok
    assert reason in result.text
    assert context.world.state_hash() == before


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("# words", "not JSON (line 1, column 1"),
        ("", "not JSON"),
        ("[]", "no JSON object but list"),
        ('{"a": 1}', "neither cells nor nbformat"),
        ('{"nbformat": 3, "nbformat_minor": 0, "worksheets": []}', "format is 3, only nbformat 4"),
        ('{"cells": []}', "format is null"),
        ('{"nbformat": 4, "nbformat_minor": 5, "metadata": {}}', "no list of cells"),
        ('{"nbformat": 4, "nbformat_minor": 5, "cells": {}}', "no list of cells"),
        ('{"nbformat": 4, "nbformat_minor": 5, "cells": [1]}', "cell 0 has no cell_type"),
        (json.dumps(notebook({**TEXT, "cell_type": "\ud800"})), "cell 0 has no cell_type"),
        (json.dumps(notebook({**TEXT, "source": 5})), "cell 0 has no source"),
        (json.dumps(notebook({**TEXT, "source": [None]})), "cell 0 has no source"),
        (json.dumps(notebook({**TEXT, "source": {}})), "cell 0 has no source"),
        ("[" * 100_000, "nested too deeply"),
        (json.dumps(notebook(TEXT)).replace("{}", '{"a":' + "[" * 400 + "]" * 400 + "}"), "nested too deeply"),
        ('{"nbformat": ' + "9" * 5_000 + "}", "not JSON"),
    ],
)
def test_what_is_no_notebook_is_named_as_such(content: str, reason: str) -> None:
    result = edit(context_with(content), cell_index=0, new_source="a")
    assert not result.ok
    assert reason in result.text


KINDS = st.sampled_from(["code", "markdown", "raw"])
# Every character that ends a line somewhere, and some that JSON escapes.
SOURCES = st.text(alphabet='ab \n\r\t\f\u2028\x85"\\é😀{}[],', max_size=12)
EDITS = st.lists(
    st.tuples(st.sampled_from(["insert", "replace", "delete"]), st.integers(0, 6), SOURCES, KINDS), max_size=10
)


@settings(max_examples=40)
@given(EDITS, st.sampled_from([None, 1, 4]), st.booleans(), st.integers(0, 5), st.booleans())
def test_any_edits_do_what_they_would_do_to_a_list(
    edits: list[tuple[str, int, str, str]], indent: int | None, escaped: bool, minor: int, listed: bool
) -> None:
    start = {"cell_type": "markdown", "metadata": {}, "source": ["# Ü"] if listed else "# Ü"}
    start |= {"id": "start"} if minor >= 5 else {}
    context = context_with(json.dumps(notebook(start, minor=minor), indent=indent, ensure_ascii=escaped))
    model = [("markdown", "# Ü")]
    for mode, index, source, kind in edits:
        given_ = {} if mode == "delete" else {"new_source": source, "cell_type": kind}
        fits = index <= len(model) if mode == "insert" else index < len(model)
        same = fits and mode == "replace" and model[index] == (kind, source)
        assert edit(context, cell_index=index, edit_mode=mode, **given_).ok == (fits and not same)
        if fits and mode == "insert":
            model.insert(index, (kind, source))
        elif fits and mode == "replace":
            model[index] = (kind, source)
        elif fits:
            del model[index]
        found = json.loads(text_of(context))["cells"]
        assert [(cell["cell_type"], "".join(cell["source"])) for cell in found] == model
    ids = [cell.get("id") for cell in cells_of(context)]
    assert len(set(ids)) == (len(ids) if minor >= 5 else min(len(ids), 1))
    if indent is not None:
        text = text_of(context)
        assert text == json.dumps(json.loads(text), indent=indent, ensure_ascii=text.isascii())
