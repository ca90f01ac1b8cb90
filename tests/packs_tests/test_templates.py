"""Templates: strict, typed where a leaf is one expression, and named where they fail."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.errors import SpecError
from pi_gym.templates import (
    Namespace,
    check_syntax,
    compile_tree,
    prompt_hash,
    render_prompt,
    render_text,
    template_tree,
)

CONTEXT = {"p": Namespace({"n": 3, "rows": [1, 2], "name": "Bo"}, "p")}


@pytest.mark.parametrize(
    ("raw", "value"),
    [
        ("plain", "plain"),
        ("{{ p.n }}", 3),
        (" {{ p.rows }} ", [1, 2]),
        ("{{ p.n + 1 }}", 4),
        ("{{ none }}", None),
        ("n = {{ p.n }}", "n = 3"),
        ("{{ p.n }}{{ p.n }}", "33"),
        ("{{ p.n }} and {{ p.name }}", "3 and Bo"),
        ("{% for r in p.rows %}{{ r }};{% endfor %}", "1;2;"),
        ("{{ p.name | upper }}", "BO"),
        ("{{ 2.5 | fixed(2) }}", "2.50"),
        ('{{ ["a, b", p.n, "-"] | csv_line }}', '"a, b",3,-'),
        ({"a": ["{{ p.n }}", {"b": "{{ p.name }}"}], "c": 7, "d": None}, {"a": [3, {"b": "Bo"}], "c": 7, "d": None}),
        ("{# a comment #}x", "x"),
    ],
)
def test_a_tree_renders_to_values(raw: Any, value: Any) -> None:
    rendered = compile_tree(raw, "field")(CONTEXT)
    assert rendered == value
    assert type(rendered) is type(value)


@pytest.mark.parametrize(
    ("raw", "field", "says"),
    [
        ("{{ q }}", "field", "q"),
        ("{{ p.nothing }}", "field", "nothing"),
        ("x {{ p.nothing }}", "field", "p has: n, name, rows"),
        ({"a": [1, "{{ p.nothing }}"]}, "field.a[1]", "nothing"),
        ("{{ p.n.x }}", "field", "x"),
        ("{{ p.n", "field", "template"),
        ("{% if %}", "field", "template"),
        ("x {{ p.n / 0 }}", "field", "ZeroDivision"),
        ("{{ p.n / 0 }}", "field", "ZeroDivision"),
        ("{{ p.rows + 1 }}", "field", "TypeError"),
        ("{{ p.name.__class__.__mro__ }}", "field", ""),
        ("{{ p.rows | nothing }}", "field", "nothing"),
    ],
)
def test_a_fault_names_the_field(raw: Any, field: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        compile_tree(raw, "field")(CONTEXT)
    assert caught.value.field == field
    assert says in caught.value.reason


@given(st.text().filter(lambda text: not any(mark in text for mark in ("{{", "{%", "{#"))))
def test_text_without_braces_is_itself(text: str) -> None:
    assert compile_tree(text, "f")({}) == text


@given(st.text())
def test_values_are_not_templates(text: str) -> None:
    assert render_text("{{ x }}", {"x": text}, "f") == text


NAMES = ("p.n", "p.name", "p.rows", "q", "p.nothing", "none", "true", "loop", "range", "p.name.upper", "p._x", "not")
PIECES = (*(f"{{{{ {name} }}}}" for name in NAMES), "{{p.n}}", "x", " ", "{", "}", "\n", "\r\n", "%")


def outcome(render: Callable[[], str]) -> str:
    try:
        return f"gives {render()}"
    except (SpecError, *template_tree._FAULTS):
        return "fails"


@given(st.lists(st.sampled_from(PIECES)).map("".join).filter(lambda source: "{{" in source))
def test_plain_templates_are_filled_in_as_jinja_does(source: str) -> None:
    found = outcome(lambda: render_text(source, CONTEXT, "f"))
    assert found == outcome(lambda: template_tree._template(source).render(CONTEXT))


def test_syntax_can_be_checked_without_values() -> None:
    check_syntax({"a": ["{{ p.n }}", "{% if x %}y{% endif %}", 3, None]}, "field")
    for raw, field in (({"a": ["{% if %}"]}, "field.a[0]"), ({"a": "{{ 1 | nothing }}"}, "field.a"), ("{{ x", "field")):
        with pytest.raises(SpecError) as caught:
            check_syntax(raw, "field")
        assert caught.value.field == field


def test_random_and_clock_are_not_at_hand() -> None:
    for raw in ("{{ [1, 2] | random }}", "{{ now() }}", "{{ lipsum() }}"):
        with pytest.raises(SpecError):
            compile_tree(raw, "f")({})


def test_prompts_are_strict_and_have_one_hash() -> None:
    with pytest.raises(SpecError):
        render_prompt("system.md")
    assert len(prompt_hash()) == 64
    assert prompt_hash() == prompt_hash()


@pytest.mark.parametrize("name", ["get", "items", "keys", "values"])
def test_names_that_a_mapping_has_itself_are_refused(name: str) -> None:
    with pytest.raises(SpecError, match=rf"p\.{name}"):
        Namespace({name: 1}, "p")


def test_a_missing_name_lists_those_there_are() -> None:
    with pytest.raises(AttributeError, match="p has: n, name, rows"):
        _ = CONTEXT["p"].nothing
