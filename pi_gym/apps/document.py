"""The page of an app, written from its declarations."""

from __future__ import annotations

from collections.abc import Iterator

from pi_gym.apps.catalog import load_app
from pi_gym.apps.columns import SIGNED_IN
from pi_gym.apps.declare import SEPARATOR, App
from pi_gym.tools.declare import Operation
from pi_gym.tools.parameters import REQUIRED, type_text


def document(name: str) -> str:
    """An app's page in Markdown: what it does, its operations, its tables.

    >>> document("simple_note").startswith("# Simple Note")
    True
    """
    return "\n".join(_lines(load_app(name)))


def _lines(app: App) -> Iterator[str]:
    yield f"# {app.title}\n\n{app.about}\n"
    yield "Written from the declarations in `pi_gym/apps/" + app.name + "`; see [apps.md](../apps.md).\n"
    yield f"## Operations\n\n{len(app.operations)}, named `{app.name}{SEPARATOR}…`.\n"
    for operation in app.operations:
        yield from _operation(operation)
    yield "## Tables\n\nFor `apps:` in task.yaml and for predicates on the app. Every row has an integer `id` too.\n"
    for name, table in app.tables.items():
        if name != SIGNED_IN:
            yield f"### {name}\n\n| column | type | default | holds |\n| --- | --- | --- | --- |"
            for column, spec in table.columns.items():
                default = "required" if spec.default is REQUIRED else f"`{_json(spec.default)}`"
                yield f"| `{column}` | {_cell(type_text(spec.type))} | {default} | {_cell(spec.description)} |"
            yield ""


def _operation(operation: Operation) -> Iterator[str]:
    short = operation.name.partition(SEPARATOR)[2]
    yield f"### {short}\n\n{operation.description}\n\nEffect: {operation.effect}.\n"
    if operation.parameters:
        yield "| parameter | type | default | meaning |\n| --- | --- | --- | --- |"
        for one in operation.parameters:
            default = "required" if one.default is REQUIRED else f"`{_json(one.default)}`"
            yield f"| `{one.name}` | {_cell(type_text(one.type))} | {default} | {_cell(one.description)} |"
        yield ""


def _json(value: object) -> str:
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    return f'"{value}"' if isinstance(value, str) else str(value)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
