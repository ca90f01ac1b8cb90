"""Names and texts of which nothing can be seen count as blank."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.apps import call_tool
from support.every_app import all_apps, app_of, forked

from pi_gym.apps import app_names
from pi_gym.apps.texts import is_blank

INVISIBLE = " \t\n\u00a0\u00ad\u034f\u115f\u180e\u200b\u200d\u2028\u2060\u2800\u3000\u3164\ufe0f\ufeff\U000e0020"
BLANK = "\u200b\u3164 \u2060"


@given(st.text(INVISIBLE))
def test_what_cannot_be_seen_is_blank(text: str) -> None:
    assert is_blank(text)


@given(st.text(INVISIBLE), st.characters(categories=["L", "N", "P", "S"]).filter(lambda one: one not in INVISIBLE))
def test_one_letter_that_can_be_seen_is_enough(text: str, letter: str) -> None:
    blank_letters = ("FILLER", "BRAILLE PATTERN BLANK")
    if not unicodedata.name(letter, "").endswith(blank_letters):
        assert not is_blank(text + letter)
        assert not is_blank(letter + text)


@pytest.mark.parametrize("app", app_names())
def test_where_blanks_are_refused_invisible_characters_are_too(app: str) -> None:
    apps = all_apps("notes")
    tried = 0
    for operation in apps.operations("write"):
        texts = [one.name for one in operation.parameters if str in (one.type, *getattr(one.type, "__args__", ()))]
        if app_of(operation) != app or not texts or operation.name.endswith("__login"):
            continue
        context, arguments = apps.possible(operation)
        for name in texts:
            blank = call_tool(forked(context), operation.name, **{**arguments, name: "  "})
            if not blank.ok:
                tried += 1
                invisible = call_tool(forked(context), operation.name, **{**arguments, name: BLANK})
                assert not invisible.ok, f"{operation.name}, {name}: {invisible.text}"
    assert tried
