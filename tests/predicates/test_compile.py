from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_gym.errors import SpecError
from pi_gym.predicates import Evidence, check_shape, compile_predicate
from pi_gym.predicates.compile import operations
from pi_gym.predicates.text_specs import PARSERS

from .helpers import check, evidence

YES, NO = {"reply": "x"}, {"reply": "y"}
X = Evidence(replies=("x",))


@pytest.mark.parametrize(
    ("spec", "holds"),
    [
        ([YES, YES], True),
        ([YES, NO], False),
        ({"all": [YES, NO]}, False),
        ({"any": [NO, YES]}, True),
        ({"any": [NO, NO]}, False),
        ({"not": NO}, True),
        ({"not": [YES, NO]}, True),
        ({"not": YES}, False),
        ({"at_least": {"n": 2, "of": [YES, NO, YES]}}, True),
        ({"at_least": {"n": 3, "of": [YES, NO, YES]}}, False),
    ],
)
def test_combinators(spec: Any, holds: bool) -> None:
    assert check(spec, X).holds is holds


@pytest.mark.parametrize(
    ("spec", "field", "reason"),
    [
        ({"rely": "x"}, "c", "Did you mean 'reply'"),
        ({"reply": "x", "file": "a"}, "c", "'reply', 'file'"),
        ({}, "c", "Unknown predicate"),
        ([], "c", "a list of at least 1"),
        ("x", "c", "expected a predicate"),
        ({"all": [YES, {"any": [{"file": "a", "table": {"cells": [{"row": {"a": []}}]}}]}]},
         "c.all[1].any[0].table.cells[0]", "one of value"),
        ({"at_least": {"n": 3, "of": [YES]}}, "c.at_least.n", "up to 1"),
        ({"call": "x", "count": {"min": 2, "max": 1}}, "c.count", "not below min"),
        ({"changes": {"none": True, "at_most": 1}}, "c.changes.none", "no other key"),
        ({"changes": {}}, "c.changes", "at least one"),
        ({"app": "a"}, "c", "'table' is missing"),
        ({"app_changes": {"only": {"a": {"t": ["made"]}}}}, "c.app_changes.only.a.t[0]", "a row's id"),
    ],
)  # fmt: skip
def test_a_wrong_spec_names_field_and_reason(spec: Any, field: str, reason: str) -> None:
    with pytest.raises(SpecError) as caught:
        compile_predicate(spec, "c")
    assert caught.value.field == field
    assert reason in caught.value.reason


def test_a_spec_that_contains_itself_is_refused() -> None:
    spec: dict[str, Any] = {}
    spec["not"] = spec
    with pytest.raises(SpecError, match="levels deep"):
        compile_predicate(spec, "c")


def test_the_examples_of_the_page_are_valid() -> None:
    page = (Path(__file__).parents[2] / "docs" / "predicates.md").read_text()
    examples = [part.partition("```")[0] for part in page.split("```yaml\n")[1:]]
    assert len(examples) >= 6
    for example in examples:
        check_shape(yaml.safe_load(example), "example")


def test_the_page_names_every_text_condition() -> None:
    page = (Path(__file__).parents[2] / "docs" / "predicates.md").read_text()
    assert not [key for key in PARSERS if f"`{key}" not in page]


T = "{{ value }}"


@pytest.mark.parametrize(
    "spec",
    [
        T,
        [T, {"all": T}, {"not": T}, {"at_least": {"n": T, "of": [T]}}, {"at_least": T}],
        [{"reply": T}, {"reply": dict.fromkeys(PARSERS, T)}, {"reply": {"number": {"value": T, "decimals": T}}}],
        {"file": T, "state": T, "which": T, "text": T, "table": T, "data": T, "edits": T, "kept": T},
        {"file": "a", "table": {"columns": T, "rows": T, "cells": [T, {"row": T, "column": T, "number": T}]}},
        {"file": "a", "table": {"sorted_by": T, "numbers": {"a": T, T: [T]}, "column_decimals": T, "which": T}},
        {"file": "a", "data": [T, {"path": T, "equals": T}], "edits": {"lines": [{"from": T, "to": T}], "allow": T}},
        {"file": T, "exists": T},
        {"call": T, "arguments": {"a": T, "b": {"min": T}}, "count": {"min": T, "max": T}, "ok": T},
        [{"changes": {"only": T}}, {"app_changes": {"only": {"a": {"b": [T]}}}}, {"resolved": T}, {"function": "any"}],
        {"app": T, "table": T, "where": {"a": T}, "each": T, "count": T, "state": T},
    ],
)
def test_template_syntax_stands_for_any_value_in_an_unrendered_spec(spec: Any) -> None:
    check_shape(spec, "c")


@pytest.mark.parametrize(
    "spec", [{"reply": {T: "x"}}, {"rely": T}, {"file": T, "txet": T}, {"reply": {"max_words": "x"}}]
)
def test_an_unrendered_spec_still_needs_known_keys(spec: Any) -> None:
    with pytest.raises(SpecError):
        check_shape(spec, "c")


KEYS = sorted(
    {
        *operations(),
        *PARSERS,
        "text",
        "table",
        "data",
        "edits",
        "kept",
        "state",
        "which",
        "where",
        "each",
        "arguments",
        "lines",
    }
    | {
        "columns",
        "cells",
        "rows",
        "row",
        "column",
        "sorted_by",
        "numbers",
        "value",
        "path",
        "from",
        "to",
        "n",
        "of",
        "min",
    }
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["a.md", "*.csv", T, "any"]),
)
SPECS = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=12,
)
ATOM = st.builds(
    lambda key, value, rest: {key: value, **rest},
    st.sampled_from(sorted(operations())),
    SPECS,
    st.dictionaries(st.sampled_from(KEYS), SPECS, max_size=2),
)


@given(SPECS | ATOM, st.booleans())
@settings(max_examples=300, deadline=None)
def test_any_spec_compiles_or_is_refused(spec: Any, lenient: bool) -> None:
    try:
        check_shape(spec, "c")
    except SpecError:
        with pytest.raises(SpecError):
            compile_predicate(spec, "c", {"any": lambda found: True})
        return
    try:
        predicate = compile_predicate(spec, "c", {"any": lambda found: True})
    except SpecError:
        return
    assert predicate.test(evidence({"a.md": "| a |\n|---|\n| 1 |\n"}, replies=("x",))).why


CONTENT = [
    {"text": {"contains": "a", "words": ["b"], "number": {"value": 1, "near": "c"}}},
    {"text": {"headings": ["a"]}},
    {"text": {"section": {"heading": "a", "bullets": 1}}},
    {"text": {"matches": "a.*b", "count": {"matches": "a", "max": 3}}},
    {"text": {"lacks_number": 1}},
    {"table": {"cells": [{"row": {"a": 1}, "column": "b", "mean": 1, "std": 1}]}},
    {"table": {"sorted_by": "a", "column_decimals": {"a": 1}, "which": "any"}},
    {"table": {"column_values": {"a": ["x"]}, "format": "latex"}},
    {"data": {"path": "a[*].b", "number": 1}},
    {"data": {"equals": {"a": [1]}}},
    {"edits": {"lines": [{"from": "a", "to": "b"}], "allow": ["c"]}},
    {"kept": 0.5},
]
COMPILED = [compile_predicate({"file": "**", "which": "some", **content}, "c") for content in CONTENT]
BITS = [
    "| a | b |",
    "\n|---|---|\n",
    "| 1 | 2 ± 3 |",
    "# a\n",
    "\\begin{tabular}",
    "\\end{tabular}",
    "{",
    "}",
    "[",
    "1.5",
    "\\",
    "%",
    "&",
    '"',
    "&x",
    "- ",
    ":",
]


@given(
    st.binary(max_size=60)
    | st.lists(st.sampled_from(BITS) | st.text(max_size=3), max_size=12)
    .map("".join)
    .map(lambda t: t.encode("utf-8", "replace")),
    st.sampled_from(["a.md", "a.csv", "a.tsv", "a.tex", "a.json", "a.jsonl", "a.yaml", "memory/x"]),
)
@settings(max_examples=300, deadline=None)
def test_no_content_makes_a_predicate_raise(content: bytes, path: str) -> None:
    found = evidence({path: content}, {path: b"a\nb"})
    for predicate in COMPILED:
        assert predicate.test(found).why


@given(st.text(st.characters(), max_size=30))
@settings(deadline=None)
def test_no_reply_makes_a_predicate_raise(reply: str) -> None:
    for text in (reply, reply + "\ud800"):
        for content in CONTENT[:5]:
            assert check({"reply": content["text"]}, Evidence(replies=(text,))).why
