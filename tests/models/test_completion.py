"""Reading what servers send, whatever it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.models.completion import BadCompletion, Completion, read_completion, value_of
from pi_gym.models.json_schema import fault
from pi_gym.types import ModelRequest

SCHEMA = {"type": "object", "properties": {"met": {"type": "boolean"}}, "required": ["met"]}
REQUEST = ModelRequest((), SCHEMA)
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
        value = value_of(Completion(text), REQUEST)
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
    assert value_of(read_completion(body({"content": content})), REQUEST) == value


@pytest.mark.parametrize(
    "content",
    ['```json\n{"met": true}\n```', 'true {"met": true}', '{"met": true}{"met": false}', "[" * 100_000, "9" * 5_000],
)
def test_what_is_around_an_answer_makes_it_none(content):
    with pytest.raises(BadCompletion):
        value_of(Completion(content), REQUEST)


SECRET = "the-user-wants-it-blue"
WRONG = [
    Completion(SECRET),
    Completion(json.dumps({SECRET: True})),
    Completion(json.dumps({"met": SECRET})),
    Completion(json.dumps([SECRET])),
    Completion(f'{{"met": true}} {SECRET}'),
    Completion(f'{{"met": true, "{SECRET}": 1}}'),
    Completion("", refusal=SECRET),
    Completion(SECRET, finish="length"),
    Completion(SECRET, finish="content_filter"),
]


@pytest.mark.parametrize("completion", WRONG)
def test_why_an_answer_is_none_repeats_nothing_of_it_and_the_record_has_it(completion):
    with pytest.raises(BadCompletion) as caught:
        value_of(completion, ModelRequest((), {**SCHEMA, "additionalProperties": False}))
    assert SECRET not in str(caught.value)
    assert SECRET in caught.value.said


def test_an_answer_with_a_fault_that_the_schema_cannot_say_is_none():
    request = ModelRequest((), SCHEMA, check=lambda value: "" if value["met"] else "it is not met")
    assert value_of(Completion('{"met": true}'), request) == {"met": True}
    with pytest.raises(BadCompletion, match="not as asked for: it is not met"):
        value_of(Completion('{"met": false}'), request)


@pytest.mark.parametrize(
    ("completion", "schema", "too_long"),
    [
        (Completion("And then. And then", finish="length"), None, True),
        (Completion("<think>What could she", finish="length"), None, False),  # it never began to speak
        (Completion("", finish="length"), None, False),
        (Completion('{"met": tr', finish="length"), SCHEMA, False),
        (Completion("", finish="stop"), None, False),
        (Completion("I will not.", finish="content_filter"), None, False),
    ],
)
def test_only_a_free_text_that_does_not_end_is_too_long(completion, schema, too_long):
    with pytest.raises(BadCompletion) as caught:
        value_of(completion, ModelRequest((), schema, fallback="Blue."))
    assert caught.value.too_long is too_long
