"""Operations in apps' messages are named as the agent calls them: with the app in front."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import pi_gym.apps
from pi_gym.apps import app_names, load_app

FOLDER = Path(pi_gym.apps.__file__).parent
NAME = re.compile(r"(?<![A-Za-z_])[a-z]+(?:_[a-z{}]+)*(?![A-Za-z_])")
Documented = ast.Module | ast.ClassDef | ast.FunctionDef


def texts(source: str) -> Iterator[tuple[int, str]]:
    """The texts of a module with their lines, but for docstrings and words alone, which are names of columns.

    What an f-string fills in stands as `{}`.
    """
    tree = ast.parse(source)
    skipped = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, Documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            skipped |= {id(part) for part in node.values}
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


def bare_names(source: str, operations: set[str]) -> list[str]:
    """The places where a text names an operation without its app."""
    patterns = {name: re.compile(re.escape(name).replace(r"\{\}", "[a-z_]+")) for _, text in texts(source)
                for name in NAME.findall(text)}  # fmt: skip
    return [
        f"line {line}: {name} in {text!r}"
        for line, text in texts(source)
        if not NAME.fullmatch(text)
        for name in NAME.findall(text)
        if any(patterns[name].fullmatch(operation) for operation in operations)
    ]


@pytest.mark.parametrize("app", app_names())
def test_messages_name_operations_with_their_app(app: str) -> None:
    operations = {operation.name.partition("__")[2] for operation in load_app(app).operations}
    found = [
        f"{path.name}, {place}"
        for path in sorted((FOLDER / app).glob("*.py"))
        for place in bare_names(path.read_text("utf-8"), operations)
    ]
    assert not found


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ('raise ToolError("None; show_notes lists them.")', True),
        ('raise ToolError(f"None of {n}; show_notes lists them.")', True),
        ('raise ToolError(f"None; show_{kind} lists them.")', True),
        ('raise ToolError("None; bell__show_notes lists them.")', False),
        ('raise ToolError(f"None; bell__show_{kind} lists them.")', False),
        ('raise ToolError("None; show_notes_again is another name.")', False),
        ('SPEC = TableSpec(COLUMNS, find="show_notes")', False),
        ('"""None; show_notes lists them."""', False),
    ],
)
def test_what_counts_as_a_bare_name(line: str, found: bool) -> None:
    assert bool(bare_names(f"{line}\n", {"show_notes"})) == found


@pytest.mark.parametrize("app", app_names())
def test_the_operation_by_which_a_table_finds_ids_exists(app: str) -> None:
    names = {operation.name for operation in load_app(app).operations}
    assert {f"{app}__{table.find}" for table in load_app(app).tables.values() if table.find} <= names
