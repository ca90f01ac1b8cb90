from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.errors import SpecError
from pi_gym.predicates import Evidence, compile_predicate

from .helpers import check, reads


@pytest.mark.parametrize(
    ("condition", "good", "bad"),
    [
        ("done and dusted", "All  Done and\ndusted.", "done"),
        ({"contains": ["alpha", "beta"]}, "Beta, then alpha", "alpha"),
        ({"contains": 'it\'s "so" - now'}, "It’s “so” – now", "it is so"),
        ({"contains": "Total: 5"}, "**Total**: 5", "Total 5"),
        ({"lacks": ["alpha", "beta"]}, "gamma", "ALPHA"),
        ({"matches": r"^total: \d+$"}, "x\nTotal: 12\ny", "total: 12 of 13"),
        ({"not_matches": r"\bTODO\b"}, "all done", "todo: more"),
        ({"equals": "yes."}, " Yes. ", "yes. And no."),
        ({"starts_with": "dear"}, "Dear all,", "Oh dear"),
        ({"contains": "Alpha", "case": True}, "x Alpha", "x alpha"),
        ({"matches": "Alpha", "case": True}, "x Alpha", "x alpha"),
    ],
)
def test_text_condition_tells_good_from_bad(condition: Any, good: str, bad: str) -> None:
    assert reads(condition, good)
    assert not reads(condition, bad)


def test_what_a_reader_does_not_see_does_not_count() -> None:
    assert not reads("secret", "Fine. <!-- secret --> Bye")
    assert not reads("secret", "Fine. <!-- secret")
    assert reads("secret", "se\u200bcret")


def test_the_replies_are_read_as_one() -> None:
    assert check({"reply": {"contains": ["alpha", "beta"]}}, Evidence(replies=("alpha", "beta")))
    assert not check({"reply": {"lacks": "x"}}, Evidence())


@pytest.mark.parametrize(
    ("condition", "field", "reason"),
    [
        ({"contians": "x"}, "check.reply", "Did you mean 'contains'"),
        ({"matches": "(a"}, "check.reply.matches", "re2"),
        ({"contains": ["a", 3]}, "check.reply.contains[1]", "the number 3"),
        ({"case": True}, "check.reply", "at least one"),
        (3, "check.reply", "the number 3"),
    ],
)
def test_a_wrong_text_condition_names_field_and_reason(condition: Any, field: str, reason: str) -> None:
    with pytest.raises(SpecError) as caught:
        compile_predicate({"reply": condition}, "check")
    assert caught.value.field == field
    assert reason in caught.value.reason


PRINTED = st.text(st.characters(exclude_categories=["C"])).filter(lambda text: "<!--" not in text)


@given(PRINTED, st.sampled_from(["contains", "lacks", "equals", "starts_with"]))
def test_every_text_finds_itself(text: str, key: str) -> None:
    try:
        predicate = compile_predicate({"reply": {key: text}}, "check")
    except SpecError:
        return
    assert predicate.test(Evidence(replies=(text,))).holds is (key != "lacks")
