"""Answers of a model, taken or refused: nothing of the wrong form becomes a verdict."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.errors import AnswerError
from pi_gym.users.answer_forms import ClausesForm, DecisionsForm, MessageForm

YES = {"reason": "the file says so", "decision": "YES"}
NO = {"reason": "nothing says so", "decision": "NO"}
CLAUSE = {"sentence": "s1", "asks": "the colour", "intents": ["i1"]}
DECISIONS = DecisionsForm(("i1", "i2"))
CLAUSES = ClausesForm(("s1", "s2", "s10"), ("i1", "i2", "i3"))


def test_decisions_are_read_by_id() -> None:
    found = DECISIONS.read({"i2": NO, "i1": YES})
    assert list(found) == ["i1", "i2"]
    assert (found["i1"].yes, found["i2"].yes, found["i2"].reason) == (True, False, "nothing says so")


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "expected an object, got null"),
        ("YES", "expected an object, got text"),
        ([YES, NO], "expected an object, got a list"),
        ({}, "2 missing"),
        ({"i1": YES}, r"1 missing \(i2\)"),
        ({"i1": YES, "i2": NO, "i3": NO}, "1 unknown; expected i1, i2"),
        ({"i1": YES, "i2": "NO"}, "i2: expected an object"),
        ({"i1": YES, "i2": {"decision": "NO"}}, r"i2: 1 missing \(reason\)"),
        ({"i1": YES, "i2": {**NO, "score": 1}}, "i2: 1 unknown"),
        ({"i1": YES, "i2": {**NO, "decision": "no"}}, "expected the decision YES or NO"),
        ({"i1": YES, "i2": {**NO, "decision": True}}, "expected the decision YES or NO"),
        ({"i1": YES, "i2": {**NO, "decision": None}}, "expected the decision YES or NO"),
        ({"i1": YES, "i2": {**NO, "reason": 3}}, "reason: expected text"),
    ],
)
def test_decisions_of_another_form_are_refused(value: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        DECISIONS.read(value)


def test_a_long_reason_is_recorded_cut_and_takes_nothing_from_the_decision() -> None:
    found = DECISIONS.read({"i1": {**YES, "reason": "x" * 50_000}, "i2": NO})
    assert found["i1"].yes
    assert len(found["i1"].reason) < 1_100


def test_clauses_come_in_reading_order_and_each_once() -> None:
    late = {**CLAUSE, "sentence": "s10", "intents": []}
    again = {**CLAUSE, "asks": " The  colour", "intents": ["i1", "i1"]}
    found = CLAUSES.read({"clauses": [late, CLAUSE, again, late]})
    assert [(one.sentence, one.intents) for one in found] == [("s1", ("i1",)), ("s10", ())]


@pytest.mark.parametrize(
    ("value", "told"),
    [
        (None, "expected an object"),
        ([CLAUSE], "expected an object"),
        ({}, "1 missing"),
        ({"clauses": CLAUSE}, "expected a list"),
        ({"clauses": [None]}, "clause 1: expected an object"),
        ({"clauses": [CLAUSE, {**CLAUSE, "sentence": "s3"}]}, "clause 2: expected the id of a sentence"),
        ({"clauses": [{**CLAUSE, "sentence": "Which colour?"}]}, "expected the id of a sentence"),
        ({"clauses": [{**CLAUSE, "sentence": 1}]}, "expected the id of a sentence"),
        ({"clauses": [{**CLAUSE, "intents": "i1"}]}, "expected a list of i1, i2, i3"),
        ({"clauses": [{**CLAUSE, "intents": ["i9"]}]}, "expected a list of i1, i2, i3"),
        ({"clauses": [{**CLAUSE, "intents": [["i1"]]}]}, "expected a list of i1, i2, i3"),
        ({"clauses": [{**CLAUSE, "intents": ["i1", "i2", "i3"]}]}, "at most 2 intents, got 3"),
        ({"clauses": [{**CLAUSE, "asks": None}]}, "asks: expected text"),
        ({"clauses": [{**CLAUSE, "more": 1}]}, "1 unknown"),
        ({"clauses": [], "done": True}, "1 unknown"),
    ],
)
def test_clauses_of_another_form_are_refused(value: Any, told: str) -> None:
    with pytest.raises(AnswerError, match=told):
        CLAUSES.read(value)


def test_a_message_is_text_of_a_bounded_length() -> None:
    assert MessageForm(9).read(" Blue. ") == "Blue."
    for value in (None, 3, ["x"], "", " \n", "x" * 10):
        with pytest.raises(AnswerError):
            MessageForm(9).read(value)


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["YES", "i1", "s1"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["i1", "i2", "reason", "decision", "clauses", "intents", "sentence", "asks"]),
            inner,
            max_size=3,
        )
    ),
    max_leaves=8,
)


@given(junk)
def test_junk_is_refused_and_never_anything_else(value: Any) -> None:
    for form in (DECISIONS, CLAUSES):
        if not form.fault(value):
            assert form is CLAUSES
            assert value == {"clauses": []}


@given(st.text(min_size=6, alphabet="ξψζδ"))
def test_what_is_told_of_a_fault_repeats_nothing_that_the_model_wrote(secret: str) -> None:
    wrong = [secret, [secret], {secret: secret}, {"i1": secret, "i2": {**NO, "decision": secret}, secret: 1},
             {"clauses": [{**CLAUSE, "sentence": secret}]}, {"clauses": [{**CLAUSE, "intents": [secret]}]},
             {"clauses": [{secret: 1}]}]  # fmt: skip
    for value in wrong:
        for form in (DECISIONS, CLAUSES, MessageForm(2)):
            assert form.fault(value)
            assert secret not in form.fault(value)


def test_the_schemas_fix_the_ids_and_put_the_reason_before_the_decision() -> None:
    schema = DecisionsForm(("i1", "i7")).schema
    assert schema["required"] == ["i1", "i7"]
    assert schema["additionalProperties"] is False
    assert list(schema["properties"]["i7"]["properties"]) == ["reason", "decision"]
    clause = CLAUSES.schema["properties"]["clauses"]["items"]
    assert list(clause["properties"]) == ["sentence", "asks", "intents"]
    assert clause["properties"]["sentence"] == {"type": "string", "enum": ["s1", "s2", "s10"]}


def test_a_form_can_wait_in_a_pickle() -> None:
    check = pickle.loads(pickle.dumps(CLAUSES.fault))
    assert check({"clauses": [CLAUSE]}) == ""
    assert check({"clauses": [{**CLAUSE, "sentence": "s9"}]})
