from __future__ import annotations

import json
from typing import Any

import pytest

from pi_gym.errors import SpecError
from pi_gym.predicates import Outcome, compile_predicate

from .helpers import check, evidence

VALUE = {"name": "Run A", "runs": [{"id": 1, "ok": True}, {"id": 2, "ok": True}], "acc": 71.3, "day": "2026-11-21"}


def data(condition: Any, text: str, path: str = "a.json") -> Outcome:
    return check({"file": path, "data": condition}, evidence({path: text}))


@pytest.mark.parametrize(
    ("good", "bad"),
    [
        ({"path": "runs[0].id", "equals": 1}, {"path": "runs[0].id", "equals": "1"}),
        ({"path": "runs[-1].id", "equals": 2.0}, {"path": "runs[2].id", "equals": 2}),
        ({"path": "runs", "length": 2}, {"path": "runs", "length": {"max": 1}}),
        ({"path": "runs[*].ok", "equals": True}, {"path": "runs[*].ok", "equals": 1}),
        ({"path": "runs", "each": {"contains": "id"}}, {"path": "runs[*].id", "max": 1}),
        ({"path": "name", "contains": "run"}, {"path": "name", "equals": "run a"}),
        ({"path": "name", "one_of": ["x", "Run A"]}, {"path": "name", "one_of": ["x"]}),
        ({"path": "acc", "number": {"value": 71.3, "decimals": 1}}, {"path": "acc", "equals": 71.4}),
        ({"path": "acc", "equals": 71, "tolerance": 0.5}, {"path": "acc", "equals": 71, "tolerance": 0.1}),
        ({"path": "gone", "exists": False}, {"path": "name", "exists": False}),
        ({"path": "runs", "has": [{"id": 1, "ok": True}]}, {"path": "runs", "has": [{"id": 1}]}),
        ({"path": "day", "equals": "2026-11-21"}, {"path": "day", "equals": "2026-11-22"}),
        ({"keys": ["acc", "day", "name", "runs"]}, {"keys": ["acc"]}),
        ({"has_keys": ["acc"]}, {"path": "runs[0]", "has_keys": ["acc"]}),
        ([{"path": "acc", "min": 71}, {"path": "acc", "max": 72}], [{"path": "acc", "max": 71}]),
    ],
)  # fmt: skip
def test_data_condition_tells_good_from_bad(good: Any, bad: Any) -> None:
    for text, path in (
        (json.dumps(VALUE), "a.json"),
        (json.dumps(VALUE).replace('"2026-11-21"', "2026-11-21"), "a.yaml"),
    ):
        outcome = data(good, text, path)
        assert outcome, outcome.why
        assert not data(bad, text, path)


def test_json_lines_are_a_list() -> None:
    assert data({"path": "[*].id", "min": 1}, '{"id": 1}\n\n{"id": 2}\n', "a.jsonl")
    assert not data({"path": "[*].id", "exists": True}, "", "a.jsonl")


@pytest.mark.parametrize(
    ("text", "path", "why"),
    [
        ("{", "a.json", "no valid JSON"),
        ("[" * 100_000, "a.json", "nested"),
        ("[" * 100_000, "a.yaml", "nested"),
        ("- " * 100_000, "a.yaml", "nested"),
        ("[" * 200 + "]" * 200, "a.json", "nested"),
        ("a: &x [1]\nb: *x\n", "a.yml", "aliases"),
        ("day: 2026-13-45", "a.yaml", "no valid YAML"),
        ("a: !!python/object:os.system x", "a.yaml", "no valid YAML"),
        ("a", "a.txt", "no data format"),
        ('"' + "x" * 1_000_001 + '"', "a.json", "characters"),
        ("9" * 5000, "a.json", "no valid JSON"),
    ],
)
def test_malformed_data_fails_with_the_reason(text: str, path: str, why: str) -> None:
    assert why in data({"exists": True}, text, path).why


@pytest.mark.parametrize("path", ["a[", "", "a[x]", "a]b"])
def test_a_wrong_path_names_its_field(path: str) -> None:
    with pytest.raises(SpecError) as caught:
        compile_predicate({"file": "a.json", "data": [{"path": path, "equals": 1}]}, "c")
    assert caught.value.field == "c.data[0].path"


def test_yaml_is_capped_lower_than_json() -> None:
    text = '"' + "x" * 400_000 + '"'
    assert data({"exists": True}, text)
    assert "at most 300000" in data({"exists": True}, text, "a.yaml").why
