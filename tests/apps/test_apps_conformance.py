"""Names and parameters of the apps' operations are those that the benchmark's tasks use."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
import yaml

from pi_gym.apps import all_tools, app_names, load_app
from pi_gym.tools import Operation
from pi_gym.tools.parameters import type_text

LISTED: dict[str, dict[str, str | None]] = yaml.safe_load(Path(__file__).with_name("listed.yaml").read_text("utf-8"))
PAGING = {"page_index": 0, "page_limit": 5}


@pytest.mark.parametrize("app", LISTED)
def test_an_app_has_at_least_the_listed_operations(app: str) -> None:
    assert {one.name for one in load_app(app).operations} >= {f"{app}__{name}" for name in LISTED[app]}


@pytest.mark.parametrize("app", LISTED)
def test_operations_have_the_listed_parameters(app: str) -> None:
    found = {
        one.name: ", ".join(f"{given.name}: {type_text(given.type)}" for given in one.parameters)
        for one in load_app(app).operations
    }
    for name, parameters in LISTED[app].items():
        if parameters is not None:
            assert sorted(found[f"{app}__{name}"].split(", ")) == sorted(parameters.split(", ")), name


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


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda operation: operation.name)
def test_an_operation_is_found_again_by_another_process(operation: Operation) -> None:
    assert pickle.loads(pickle.dumps(operation)) is operation


def test_the_assistant_may_call_them_all() -> None:
    assert {operation.name for operation in OPERATIONS} <= set(all_tools().names)
