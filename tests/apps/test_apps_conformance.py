"""Names and parameters of the apps' operations are those that the benchmark's tasks use."""

from __future__ import annotations

import pytest

from pi_gym.apps import all_tools, app_names, load_app
from pi_gym.tools import Operation
from pi_gym.tools.parameters import REQUIRED, type_text

# Parameters with types, in order; those without a star may be left out.
LISTED = {
    "simple_note": {
        "add_content_to_note": 'note_id*: int, append_or_prepend: "append" | "prepend", added_content*: str',
        "create_note": "title*: str, content: str, tags: list[str] | None, pinned: bool",
        "delete_note": "note_id*: int",
        "login": "username*: str, password*: str",
        "logout": "",
        "search_notes": "query: str, tags: list[str] | None, pinned: bool | None, dont_reorder_pinned: bool,"
        " page_index: int, page_limit: int, sort_by: str | None",
        "show_account": "",
        "show_note": "note_id*: int",
        "show_profile": "email*: str",
        "update_note": "note_id*: int, title: str | None, content: str | None, tags: list[str] | None,"
        " pinned: bool | None",
    },
    "file_system": {
        "copy_directory": "source_directory_path*: str, destination_directory_path*: str, overwrite: bool,"
        " retain_dates: bool",
        "copy_file": "source_file_path*: str, destination_file_path*: str, overwrite: bool, retain_dates: bool",
        "create_directory": "directory_path*: str, recursive: bool",
        "create_file": "file_path*: str, content: str, overwrite: bool",
        "login": "username*: str, password*: str",
        "move_directory": "source_directory_path*: str, destination_directory_path*: str, overwrite: bool,"
        " retain_dates: bool",
        "move_file": "source_file_path*: str, destination_file_path*: str, overwrite: bool, retain_dates: bool",
    },
}
PAGING = {"page_index": 0, "page_limit": 5}


@pytest.mark.parametrize("app", LISTED)
def test_an_app_has_exactly_the_listed_operations_with_the_listed_parameters(app: str) -> None:
    found = {
        operation.name: {
            f"{one.name}{'*' if one.default is REQUIRED else ''}: {type_text(one.type)}" for one in operation.parameters
        }
        for operation in load_app(app).operations
    }
    assert found == {
        f"{app}__{name}": {one.strip() for one in parameters.split(", ") if one}
        for name, parameters in LISTED[app].items()
    }


def test_every_app_is_listed() -> None:
    assert set(app_names()) == set(LISTED)


OPERATIONS = [operation for app in app_names() for operation in load_app(app).operations]


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_schema_and_docstring_are_complete(operation: Operation) -> None:
    schema = operation.schema()["function"]
    assert schema["description"][0].isupper()
    assert schema["description"].endswith(".")
    assert schema["parameters"]["additionalProperties"] is False
    for parameter in operation.parameters:
        assert len(parameter.description) > 8, parameter
        if parameter.name in PAGING:
            assert parameter.default == PAGING[parameter.name]


def test_the_assistant_may_call_them_all() -> None:
    assert {operation.name for operation in OPERATIONS} <= set(all_tools().names)
