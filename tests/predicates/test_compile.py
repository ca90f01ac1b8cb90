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
    ],
)
def test_a_list_holds_where_all_of_it_does(spec: Any, holds: bool) -> None:
    assert check(spec, X).holds is holds


@pytest.mark.parametrize(
    ("spec", "field", "reason"),
    [
        ({"rely": "x"}, "c", "Did you mean 'reply'"),
        ({"reply": "x", "file": "a"}, "c", "'reply', 'file'"),
        ({}, "c", "Unknown predicate"),
        ([], "c", "a list of at least 1"),
        ("x", "c", "expected a predicate"),
        ([YES, {"file": "a", "text": {"matches": "("}}], "c[1].text.matches", "re2"),
        ({"app": "a", "table": "t", "count": {"min": 2, "max": 1}}, "c.count", "not below min"),
        ({"app_changes": {"none": True, "only": {"a": "any"}}}, "c.app_changes.none", "no other key"),
        ({"app_changes": {}}, "c.app_changes", "at least one"),
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
    spec: list[Any] = []
    spec.append(spec)
    with pytest.raises(SpecError, match="levels deep"):
        compile_predicate(spec, "c")


def test_the_examples_of_the_page_are_valid() -> None:
    page = (Path(__file__).parents[2] / "docs" / "predicates.md").read_text()
    examples = [part.partition("```")[0] for part in page.split("```yaml\n")[1:]]
    assert len(examples) >= 3
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
        [{"reply": T}, {"reply": dict.fromkeys(PARSERS, T)}],
        {"file": T, "state": T, "which": T, "text": T},
        [{"app_changes": {"only": {"a": {"b": [T]}}}}, {"resolved": T}, {"function": "any"}],
        {"app": T, "table": T, "where": {"a": T, "b": {"min": T}}, "count": {"min": T, "max": T}, "state": T},
    ],
)
def test_template_syntax_stands_for_any_value_in_an_unrendered_spec(spec: Any) -> None:
    check_shape(spec, "c")


@pytest.mark.parametrize("spec", [{"reply": {T: "x"}}, {"rely": T}, {"file": T, "txet": T}, {"file": T, "which": "x"}])
def test_an_unrendered_spec_still_needs_known_keys(spec: Any) -> None:
    with pytest.raises(SpecError):
        check_shape(spec, "c")


KEYS = sorted({*operations(), *PARSERS, "text", "state", "which", "where", "table", "count", "only", "min", "with"})
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


CONTENT: list[dict[str, Any]] = [
    {"contains": "a"},
    {"lacks": "a"},
    {"equals": "a"},
    {"starts_with": "a"},
    {"matches": "a.*b"},
    {"not_matches": "(a*)*(a|aa)*b$"},
]
COMPILED = [compile_predicate({"file": "**", "which": "some", "text": content}, "c") for content in CONTENT]


@given(st.binary(max_size=60), st.sampled_from(["a.md", "a.csv", "a.json", "memory/x"]))
@settings(max_examples=300, deadline=None)
def test_no_content_makes_a_predicate_raise(content: bytes, path: str) -> None:
    found = evidence({path: content}, {path: b"a\nb"})
    for predicate in COMPILED:
        assert predicate.test(found).why


@given(st.text(st.characters(), max_size=30))
@settings(deadline=None)
def test_no_reply_makes_a_predicate_raise(reply: str) -> None:
    for text in (reply, reply + "\ud800"):
        for content in CONTENT:
            assert check({"reply": content}, Evidence(replies=(text,))).why


def test_a_text_too_long_to_read_fails_with_the_reason() -> None:
    assert "at most" in check({"file": "a.md", "text": {"lacks": "zz"}}, evidence({"a.md": "x" * 400_001})).why
