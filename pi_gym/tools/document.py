"""Operations as Markdown, written from their declarations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from pi_gym.tools.declare import Operation
from pi_gym.tools.parameters import REQUIRED, type_text


def operation_lines(operation: Operation, name: str) -> Iterator[str]:
    """An operation under a heading of level 3: what it does, its effect, a table of its parameters.

    Args:
        operation: the operation.
        name: the heading.
    """
    yield f"### {name}\n\n{operation.description}\n\nEffect: {operation.effect}.\n"
    if operation.parameters:
        rows = ((one.name, one.type, one.default, one.description) for one in operation.parameters)
        yield from table_lines("parameter", "meaning", rows)


def table_lines(first: str, last: str, rows: Iterable[tuple[str, object, object, str]]) -> Iterator[str]:
    """A Markdown table of names with types, defaults and descriptions, and an empty line.

    Args:
        first: the head of the column of names.
        last: the head of the column of descriptions.
        rows: name, type, default (`REQUIRED` where there is none), description.
    """
    yield f"| {first} | type | default | {last} |\n| --- | --- | --- | --- |"
    for name, kind, default, description in rows:
        shown = "required" if default is REQUIRED else f"`{_json(default)}`"
        yield f"| `{name}` | {_cell(type_text(kind))} | {shown} | {_cell(description)} |"
    yield ""


def _json(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f'"{value}"' if isinstance(value, str) else str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
