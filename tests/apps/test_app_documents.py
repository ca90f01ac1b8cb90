"""An app's page says all that its declarations hold."""

from __future__ import annotations

from pathlib import Path

import pytest

from pi_gym.apps import app_names, document, load_app

FOLDER = Path(__file__).parents[2] / "docs" / "apps"


@pytest.mark.parametrize("name", app_names())
def test_the_page_names_every_operation_parameter_table_and_column(name: str) -> None:
    page, app = document(name), load_app(name)
    for operation in app.operations:
        assert f"### {operation.name.partition('__')[2]}\n" in page
        assert operation.description in page
        for parameter in operation.parameters:
            assert f"| `{parameter.name}` |" in page
    for table, spec in app.tables.items():
        assert (f"### {table}\n" in page) == (table != "signed_in")
        assert all(f"| `{column}` |" in page for column in spec.columns if table != "signed_in")


def test_there_is_no_page_without_an_app() -> None:
    assert {path.stem for path in FOLDER.glob("*.md")} == set(app_names())
