"""JSON put together from parts is the JSON of the whole."""

from __future__ import annotations

import copy
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.models.encoded import Encoded, EncodedList, encode, encode_object

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda part: st.lists(part, max_size=3) | st.dictionaries(TEXT, part, max_size=3),
    max_leaves=6,
)
MESSAGES = st.lists(st.dictionaries(TEXT, VALUES, max_size=2), max_size=5)


def whole(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


@given(st.dictionaries(TEXT, VALUES, max_size=5), st.data())
def test_an_object_with_encoded_members_is_that_of_the_plain_ones(members, data):
    chosen = {name for name in members if data.draw(st.booleans())}
    mixed = {name: encode(value) if name in chosen else value for name, value in members.items()}
    assert encode_object(mixed) == whole(members)


@given(MESSAGES, st.data())
def test_a_list_that_grows_and_is_changed_is_encoded_as_it_is_each_time(messages, data):
    encoded, shown = EncodedList(), []
    for message in messages:
        shown = [*shown, message]
        if data.draw(st.booleans()):  # as where the oldest results are shortened
            shown = [{**shown[0], "short": True}, *shown[1:]]
        if data.draw(st.booleans()):
            shown = shown[1:]
        assert encoded.of(shown).data == whole(shown)


class Counting(dict):
    """A message that tells how often it was looked through."""

    looks = 0

    def items(self):
        self.looks += 1
        return super().items()


def test_an_element_is_encoded_once_however_often_the_list_is():
    encoded, message = EncodedList(), Counting(role="user", content="Hello.")
    for _ in range(3):
        assert encoded.of([message]).data == whole([dict(message)])
    assert message.looks == 1


def test_a_copy_of_a_list_takes_no_other_element_for_one_that_it_knows():
    encoded, messages = EncodedList(), [{"content": "first"}]
    encoded.of(messages)
    copied = copy.deepcopy(encoded)
    # The copy knows the old identities; here one of them belongs to something else.
    messages[0]["content"] = "second"
    assert copied.of(messages).data == whole(messages)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {1, 2}, object()])
def test_what_json_does_not_have_is_refused(value):
    with pytest.raises((ValueError, TypeError)):
        encode_object({"value": value})


def test_an_encoded_value_is_sent_as_it_is():
    assert encode_object({"tools": Encoded(b"[1]")}) == b'{"tools":[1]}'
