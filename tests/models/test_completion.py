"""Reading what servers send, whatever it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.models.completion import BadCompletion, Completion, read_completion, value_of
from pi_gym.models.json_schema import fault

SCHEMA = {"type": "object", "properties": {"met": {"type": "boolean"}}, "required": ["met"]}
NAMES = st.sampled_from(["choices", "message", "content", "finish_reason", "usage", "prompt_tokens", "text", "refusal"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4) | st.just('{"met": true}'),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def body(message, **choice):
    return json.dumps({"choices": [{"message": message, "finish_reason": "stop", **choice}]})


@given(JSON | st.builds(lambda message: {"choices": [{"message": message}]}, JSON))
def test_any_body_is_a_completion_or_a_fault(raw):
    try:
        completion = read_completion(json.dumps(raw))
    except BadCompletion:
        return
    assert isinstance(completion.content, str)
    assert completion.prompt_tokens >= 0


@given(st.text() | JSON.map(json.dumps))
def test_any_text_is_an_answer_that_fits_or_a_fault(text):
    try:
        value = value_of(Completion(text), SCHEMA)
    except BadCompletion:
        return
    assert fault(value, SCHEMA) == ""


@pytest.mark.parametrize(
    ("content", "value"),
    [
        ('{"met": true}', {"met": True}),
        (' \n{"met": false}\n', {"met": False}),
        ('<think>{"met": true}</think>{"met": false}', {"met": False}),
        ([{"type": "text", "text": '{"met": '}, {"type": "text", "text": "true}"}], {"met": True}),
    ],
)
def test_the_forms_in_which_servers_send_an_answer(content, value):
    assert value_of(read_completion(body({"content": content})), SCHEMA) == value


@pytest.mark.parametrize(
    "content",
    ['```json\n{"met": true}\n```', 'true {"met": true}', '{"met": true}{"met": false}', "[" * 100_000, "9" * 5_000],
)
def test_what_is_around_an_answer_makes_it_none(content):
    with pytest.raises(BadCompletion):
        value_of(Completion(content), SCHEMA)
