"""Fuzzing apps: any arguments give a text, and an error changes nothing."""

from __future__ import annotations

import json
from typing import Any, Literal, get_args, get_origin

from hypothesis import given, settings
from hypothesis import strategies as st
from support.apps import IDA, app_context, call_tool, done

from pi_gym.apps import app_names, load_app
from pi_gym.tools import Operation

wild: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
TELLING = ["", " ", "~", "~/", "~/a", "~/a/b", "a", "~/memory/HISTORY.md", "..", "/", "\0", "rye", "+title", "-"]
telling = st.sampled_from([*TELLING, IDA["username"], "x" * 20_000, "\ud800"])


def fitting(kind: Any) -> st.SearchStrategy[Any]:
    """Values of a parameter's type, the awkward ones among them."""
    if get_origin(kind) is Literal:
        return st.sampled_from(get_args(kind))
    if get_origin(kind) is list:
        return st.lists(fitting(get_args(kind)[0]), max_size=3)
    if get_args(kind):
        return st.one_of(*(st.none() if one is type(None) else fitting(one) for one in get_args(kind)))
    numbers = st.integers(-2, 6) | st.sampled_from([100_001, 2**62, -(2**63)])
    return {str: telling | st.text(max_size=8), int: numbers, bool: st.booleans(), float: st.floats(-9, 9)}[kind]


def arguments_of(operation: Operation) -> st.SearchStrategy[dict[str, Any]]:
    fixed = {one.name: fitting(one.type) | wild for one in operation.parameters}
    return st.fixed_dictionaries({}, optional=fixed)


calls = st.sampled_from([one for name in app_names() for one in load_app(name).operations]).flatmap(
    lambda operation: st.tuples(st.just(operation.name), arguments_of(operation))
)


@settings(max_examples=150)
@given(st.lists(calls, min_size=1, max_size=8), st.booleans())
def test_any_arguments_give_a_text_and_an_error_changes_nothing(
    listed: list[tuple[str, dict[str, Any]]], sign_in: bool
) -> None:
    context = app_context(*app_names())
    context.workspace.write("a/b", b"1")
    context.workspace.write("memory/HISTORY.md", b"log")
    if sign_in:
        done(context, "simple_note__login", **IDA)
        done(context, "file_system__login", username=IDA["username"], password="oven")
    for name, arguments in listed:
        before = context.world.state_hash()
        result = call_tool(context, name, **arguments)
        assert result.text
        if result.ok:
            json.loads(result.text)
        else:
            assert context.world.state_hash() == before
    assert context.workspace.read("memory/HISTORY.md") == b"log"
