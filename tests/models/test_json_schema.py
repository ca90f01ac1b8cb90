import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.models.json_schema import BOUNDS, BadSchema, fault, portable

IDS = {
    "type": "object",
    "properties": {
        "i1": {"$ref": "#/$defs/verdict"},
        "more": {"type": "array", "items": {"enum": ["i1", "i2"]}, "minItems": 1, "maxItems": 2},
    },
    "required": ["i1"],
    "additionalProperties": False,
    "$defs": {
        "verdict": {
            "type": "object",
            "title": "a note",
            "properties": {"reason": {"type": "string", "minLength": 1}, "met": {"type": "boolean"}},
            "required": ["reason", "met"],
        }
    },
}
GOOD = {"i1": {"reason": "r", "met": True}}


@pytest.mark.parametrize("value", [GOOD, {**GOOD, "more": ["i2"]}, {"i1": {"reason": "r", "met": False, "x": 1}}])
def test_what_fits_has_no_fault(value):
    assert fault(value, IDS) == ""


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ([], "answer: expected type 'object', got a list"),
        (None, "answer: expected type 'object', got null"),
        ({}, "answer: 'i1' is missing"),
        ({**GOOD, "i9": 1}, "answer: it has more than additionalProperties allows"),
        ({"i1": {"reason": "r", "met": 1}}, "answer.i1.met: expected type 'boolean', got a number"),
        ({"i1": {"reason": "r", "met": "yes"}}, "answer.i1.met: expected type 'boolean', got text"),
        ({"i1": {"reason": "", "met": True}}, "answer.i1.reason: expected minLength 1, got text"),
        ({**GOOD, "more": []}, "answer.more: expected minItems 1, got a list"),
        ({**GOOD, "more": ["i1"] * 3}, "answer.more: expected maxItems 2, got a list"),
        ({**GOOD, "more": ["i1", "i3"]}, "answer.more[1]: expected enum ['i1', 'i2'], got text"),
    ],
)
def test_a_fault_names_its_place(value, told):
    assert fault(value, IDS) == told


@pytest.mark.parametrize(
    ("value", "schema", "fits"),
    [
        (1, {"type": "integer"}, True),
        (1.0, {"type": "integer"}, True),
        (1.5, {"type": "integer"}, False),
        (True, {"type": "integer"}, False),
        (True, {"type": "number"}, False),
        (True, {"const": 1}, False),
        (True, {"enum": [1]}, False),
        (0, {"enum": [False]}, False),
        (None, {"type": ["string", "null"]}, True),
        (3, {"minimum": 3, "maximum": 3}, True),
        (3, {"maximum": 2}, False),
        ("abc", {"maxLength": 2}, False),
        ("x", {"anyOf": [{"type": "null"}, {"type": "string"}]}, True),
        (5, {"anyOf": [{"type": "null"}, {"type": "string"}]}, False),
        ({"a": 1}, {"additionalProperties": {"type": "string"}}, False),
        ({"a": 1}, {"maxProperties": 0}, False),
        ("x", {"pattern": "y"}, False),
        (float("inf"), {"type": "integer"}, False),
        ([[True]], {"const": [[1]]}, False),
    ],
)
def test_each_keyword_is_kept_to(value, schema, fits):
    assert (fault(value, schema) == "") is fits


def test_a_name_that_the_model_made_up_is_not_repeated():
    told = fault({"the secret": 1}, {"additionalProperties": {"type": "string"}})
    assert told == "answer.*: expected type 'string', got a number"
    assert "secret" not in fault({**GOOD, "secret": 1}, IDS)


def test_of_several_forms_the_first_one_tells_what_is_wrong():
    assert fault(5, {"anyOf": [{"type": "null"}, {"type": "string"}]}) == "answer: expected type 'null', got a number"


def test_a_value_of_any_depth_is_judged():
    deep: object = 1
    for _ in range(900):
        deep = [deep]
    nested = {"$defs": {"list": {"items": {"$ref": "#/$defs/list"}}}, "$ref": "#/$defs/list"}
    assert fault(deep, nested) == "answer: nested too deeply"
    assert fault(deep, {"type": "array"}) == ""


@pytest.mark.parametrize("schema", [{"type": "text"}, {"$ref": "#/$defs/gone"}, {"$ref": "https://example.org/a"}])
def test_a_schema_that_cannot_be_checked_against_is_no_pass(schema):
    with pytest.raises(BadSchema):
        fault("x", schema)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)


@given(JSON)
def test_any_value_is_judged_and_fits_its_own_constant(value):
    assert fault(value, {"const": value}) == ""
    assert fault(value, IDS) != "" or value["i1"].keys() >= {"reason", "met"}


def test_a_portable_schema_has_no_bound_anywhere_and_is_else_the_same():
    whole = {
        "type": "object",
        "properties": {
            "maxLength": {"type": "string", "maxLength": 3},  # a property's name is no keyword
            "list": {"type": "array", "items": {"anyOf": [{"type": "integer", "minimum": 1}]}, "maxItems": 2},
        },
        "required": ["maxLength"],
        "additionalProperties": {"type": "string", "minLength": 1},
        "$defs": {"one": {"enum": ["a"], "minProperties": 1}},
    }
    assert portable(whole) == {
        "type": "object",
        "properties": {
            "maxLength": {"type": "string"},
            "list": {"type": "array", "items": {"anyOf": [{"type": "integer"}]}},
        },
        "required": ["maxLength"],
        "additionalProperties": {"type": "string"},
        "$defs": {"one": {"enum": ["a"]}},
    }
    assert whole["properties"]["maxLength"] == {"type": "string", "maxLength": 3}
    assert not BOUNDS & portable(IDS)["properties"]["more"].keys()
