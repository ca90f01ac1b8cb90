"""What a model may answer, and what is refused: nothing of the wrong form becomes a verdict."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.errors import AnswerError
from pi_gym.users.answer_forms import clauses_schema, decisions_schema, read_clauses, read_decisions

YES = {"reason": "the file says so", "decision": "YES"}
NO = {"reason": "nothing says so", "decision": "NO"}
CLAUSE = {"quote": "Which colour?", "reason": "the colour", "kind": "targeted", "intents": ["i1"]}


def test_decisions_are_read_by_id() -> None:
    found = read_decisions({"i2": NO, "i1": YES}, ("i1", "i2"))
    assert list(found) == ["i1", "i2"]
    assert (found["i1"].yes, found["i2"].yes, found["i2"].reason) == (True, False, "nothing says so")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "expected an object"),
        ("YES", "expected an object"),
        ([YES, NO], "expected an object"),
        ({}, "2 missing"),
        ({"i1": YES}, r"1 missing \(i2\)"),
        ({"i1": YES, "i2": NO, "i3": NO}, r"1 unknown \(i3\)"),
        ({"i1": YES, "i2": "NO"}, "i2: expected an object"),
        ({"i1": YES, "i2": {"decision": "NO"}}, r"i2: 1 missing \(reason\)"),
        ({"i1": YES, "i2": {**NO, "score": 1}}, r"i2: 1 unknown \(score\)"),
        ({"i1": YES, "i2": {**NO, "decision": "no"}}, "expected the decision YES or NO"),
        ({"i1": YES, "i2": {**NO, "decision": True}}, "expected the decision YES or NO"),
        ({"i1": YES, "i2": {**NO, "decision": None}}, "expected the decision YES or NO"),
        ({"i1": YES, "i2": {**NO, "reason": 3}}, "reason: expected text"),
        ({"i1": YES, "i2": {**NO, "reason": "x" * 5000}}, "at most 400 characters"),
    ],
)
def test_decisions_of_another_form_are_refused(value: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        read_decisions(value, ("i1", "i2"))


def test_clauses_are_read_in_order_and_generic_ones_hit_nothing() -> None:
    generic = {**CLAUSE, "quote": "Anything else?", "kind": "generic", "intents": ["i2"]}
    found = read_clauses({"clauses": [generic, CLAUSE]}, ("i1", "i2"))
    assert [(one.quote, one.intents) for one in found] == [("Anything else?", ()), ("Which colour?", ("i1",))]


@pytest.mark.parametrize(
    "value",
    [
        None,
        [CLAUSE],
        {},
        {"clauses": CLAUSE},
        {"clauses": [CLAUSE] * 25},
        {"clauses": [None]},
        {"clauses": [{**CLAUSE, "kind": "open"}]},
        {"clauses": [{**CLAUSE, "intents": "i1"}]},
        {"clauses": [{**CLAUSE, "intents": ["i9"]}]},
        {"clauses": [{**CLAUSE, "intents": [["i1"]]}]},
        {"clauses": [{**CLAUSE, "intents": ["i1", "i2", "i1"]}]},
        {"clauses": [{**CLAUSE, "quote": None}]},
        {"clauses": [{**CLAUSE, "more": 1}]},
        {"clauses": [], "done": True},
    ],
)
def test_clauses_of_another_form_are_refused(value: Any) -> None:
    with pytest.raises(AnswerError):
        read_clauses(value, ("i1", "i2"))


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["YES", "i1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["i1", "i2", "reason", "decision", "clauses", "intents"]), inner, max_size=3)
    ),
    max_leaves=8,
)


@given(junk)
def test_junk_is_refused_and_never_anything_else(value: Any) -> None:
    for read in (read_decisions, read_clauses):
        try:
            read(value, ("i1", "i2"))
        except AnswerError:
            continue
        assert read is read_clauses
        assert value == {"clauses": []}


def test_the_schemas_fix_the_ids_and_put_the_reason_before_the_decision() -> None:
    schema = decisions_schema(("i1", "i7"))
    assert schema["required"] == ["i1", "i7"]
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]["i7"]["properties"]) == ["reason", "decision"]
    clause = clauses_schema(("i1", "i7"))["properties"]["clauses"]["items"]
    assert list(clause["properties"]) == ["quote", "reason", "kind", "intents"]
    assert clause["properties"]["intents"] == {
        "type": "array",
        "items": {"type": "string", "enum": ["i1", "i7"]},
        "maxItems": 2,
    }
