"""The page of an app, written from its declarations."""

from __future__ import annotations

from collections.abc import Iterator

from pi_gym.apps.catalog import load_app
from pi_gym.apps.columns import SIGNED_IN
from pi_gym.apps.declare import SEPARATOR, App
from pi_gym.tools.document import operation_lines, table_lines


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
        yield from operation_lines(operation, operation.name.partition(SEPARATOR)[2])
    yield "## Tables\n\nFor `apps:` in task.yaml and for predicates on the app. Every row has an integer `id` too.\n"
    for name, table in app.tables.items():
        if name != SIGNED_IN:
            yield f"### {name}\n"
            rows = ((column, spec.type, spec.default, spec.description) for column, spec in table.columns.items())
            yield from table_lines("column", "holds", rows)
