from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.errors import SpecError
from pi_gym.predicates import Evidence, compile_predicate

from .helpers import check, reads

REPORT = """# Weekly report

Intro line.

## Results
- alpha wins with 71.3
- beta has 69.8

### Details
n = 6

## Open points
None.
"""


@pytest.mark.parametrize(
    ("condition", "good", "bad"),
    [
        ("done and dusted", "All  Done and\ndusted.", "done"),
        ({"contains": ["alpha", "beta"]}, "Beta, then alpha", "alpha"),
        ({"contains": 'it\'s "so" - now'}, "It’s “so” – now", "it is so"),
        ({"contains": "Total: 5"}, "**Total**: 5", "Total 5"),
        ({"contains_any": ["alpha", "beta"]}, "beta", "gamma"),
        ({"lacks": ["alpha", "beta"]}, "gamma", "ALPHA"),
        ({"words": [["diverg", "nan"], "drop"]}, "I dropped the divergent runs", "undropped: divergent"),
        ({"without_words": ["sorry"]}, "fine", "Sorry!"),
        ({"matches": r"^total: \d+$"}, "x\nTotal: 12\ny", "total: 12 of 13"),
        ({"not_matches": r"\bTODO\b"}, "all done", "todo: more"),
        ({"count": {"text": "run", "min": 2, "max": 3}}, "run run", "run"),
        ({"count": {"matches": r"\d+", "max": 2}}, "1 2", "1 2 3"),
        ({"equals": "yes."}, " Yes. ", "yes. And no."),
        ({"starts_with": "dear"}, "Dear all,", "Oh dear"),
        ({"ends_with": "regards"}, "Best regards\n", "regards, me"),
        ({"first_line": {"equals": "title"}}, "\n\nTitle\ntext", "text\nTitle"),
        ({"last_line": "bye"}, "a\nbye\n\n", "bye\na"),
        ({"min_words": 3}, "a b c", "a b"),
        ({"max_words": 3}, "a b c", "a b c d"),
        ({"max_words": 3}, "- a\n- b – c", "- a\n- b – c 4"),
        ({"min_lines": 2}, "a\n\nb", "a\n\n"),
        ({"max_lines": 2}, "a\n\nb", "a\nb\nc"),
        ({"max_chars": 4}, "abcd", "abcde"),
        ({"lacks_number": [70.1, 3]}, "71.3 and 2", "it was 3.0"),
        ({"headings": ["report", ["finding", "result"], "open"]}, REPORT, "# Results\n# Report"),
        ({"section": {"heading": "result", "number": 6, "lacks": "none"}}, REPORT, REPORT.replace("n = 6", "")),
        ({"order": ["alpha", "beta"]}, "alpha beta", "beta alpha"),
        ({"bullets": {"min": 2, "max": 3}}, "- a\n* b\n1. c", "- a"),
        ({"contains": "Alpha", "case": True}, "x Alpha", "x alpha"),
        ({"matches": "Alpha", "case": True}, "x Alpha", "x alpha"),
    ],
)
def test_text_condition_tells_good_from_bad(condition: Any, good: str, bad: str) -> None:
    assert reads(condition, good)
    assert not reads(condition, bad)


@pytest.mark.parametrize(
    ("number", "text", "holds"),
    [
        (71.3, "It is 71.3.", True),
        (71.3, "171.30", False),
        (71.3, "171.3", False),
        (71.3, "71.35", False),
        ({"value": 71.34, "decimals": 1}, "71.3%", True),
        ({"value": 71.34, "decimals": 1}, "71.30", False),
        ({"value": 71.34, "decimals": 1}, "71.4", False),
        ({"value": 0.25, "decimals": 1}, "0.2", True),
        ({"value": 0.25, "decimals": 1}, "0.3", True),
        ({"value": 1234.5, "tolerance": 0.1}, "$1,234.55", True),
        (1234567, "1\u202f234\u00a0567", True),
        (-3.2, "a change of −3.2", True),
        (-3.2, "a range 1-3.2", False),
        (3, "v3, A3, 3rd, 2026-03-03, 3:45 and 1.2.3", False),
        (3, "3f2a", False),
        (12, "12ms", True),
        ({"value": 5, "near": "beta"}, "alpha 5\nbeta 6", False),
        ({"value": 6, "near": "beta"}, "alpha 5\nbeta 6", True),
        ({"value": 6, "near": "beta"}, "Beta is much better. It is 6.", True),
        ({"value": 6, "near": "beta"}, "beta " + " ".join(map(str, range(20))), False),
        ({"value": 6, "near": "beta"}, "Of all the many configurations that were run in the night beta\nhas 6.", True),
        ([71.3, 69.8], "71.3 and 69.8", True),
        ([71.3, 69.8], "71.3", False),
    ],
)
def test_numbers_are_read_as_tokens(number: Any, text: str, holds: bool) -> None:
    assert reads({"number": number}, text) is holds


def test_what_a_reader_does_not_see_does_not_count() -> None:
    assert not reads("secret", "Fine. <!-- secret --> Bye")
    assert not reads("secret", "Fine. <!-- secret")
    assert reads("secret", "se\u200bcret")
    assert not reads({"headings": ["Results"]}, "```\n# Results\n```")


def test_which_reply_is_read() -> None:
    found = Evidence(replies=("alpha", "beta"))
    both = {"contains": ["alpha", "beta"]}
    assert check({"reply": both}, found)
    assert not check({"reply": both, "which": "any"}, found)
    assert check({"reply": "alpha", "which": "any"}, found)
    assert not check({"reply": "alpha", "which": "final"}, found)
    assert not check({"reply": {"lacks": "x"}}, Evidence())


@pytest.mark.parametrize(
    ("condition", "field", "reason"),
    [
        ({"contians": "x"}, "check.reply", "Did you mean 'contains'"),
        ({"matches": "(a"}, "check.reply.matches", "re2"),
        ({"contains": ["a", 3]}, "check.reply.contains[1]", "the number 3"),
        ({"words": [["!!"]]}, "check.reply.words[0][0]", "letters"),
        ({"count": {"min": 1}}, "check.reply.count", "'text' or 'matches'"),
        ({"number": {"decimals": 1}}, "check.reply.number", "'value' is missing"),
        ({"number": "71.3"}, "check.reply.number", "finite number"),
        ({"section": {"heading": "a"}}, "check.reply.section", "condition"),
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


@given(PRINTED, st.sampled_from(["contains", "lacks", "equals", "starts_with", "ends_with"]))
def test_every_text_finds_itself(text: str, key: str) -> None:
    try:
        predicate = compile_predicate({"reply": {key: text}}, "check")
    except SpecError:
        return
    assert predicate.test(Evidence(replies=(text,))).holds is (key != "lacks")


@given(st.floats(-1e6, 1e6), st.integers(0, 4))
def test_a_value_is_found_as_python_rounds_it_and_not_when_a_step_away(value: float, decimals: int) -> None:
    rule = {"number": {"value": value, "decimals": decimals}}
    assert reads(rule, f"the value is {value:.{decimals}f} now")
    assert not reads(rule, f"the value is {value + 2 * 10.0**-decimals:.{decimals}f} now")
