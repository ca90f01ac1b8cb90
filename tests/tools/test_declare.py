from __future__ import annotations

import pickle
from typing import Any, Literal

import pytest

from pi_gym.state import Workspace, World
from pi_gym.tools import GENERAL, ToolContext, ToolError, operation
from pi_gym.tools.parameters import ArgumentError


@operation("write", name="mail__send", audience=("assistant", "user"))
def send(
    context: ToolContext,
    to: list[str],
    count: int,
    ratio: float = 0.5,
    urgent: bool = False,
    folder: Literal["in", "out"] | None = None,
) -> str:
    """Send a mail. It goes out
    at once.

    Args:
        to: addresses,
            one or more.
        count: how many.
        ratio: a share.
        urgent: whether it is urgent.
        folder: where to keep it.

    Returns:
        Words that are not for the agent.
    """
    return f"{to} {count} {ratio} {urgent} {folder}"


def test_schema_comes_from_signature_and_docstring() -> None:
    assert send.schema() == {
        "type": "function",
        "function": {
            "name": "mail__send",
            "description": "Send a mail. It goes out at once.",
            "parameters": {
                "type": "object",
                "properties": {
                    "to": {"type": "array", "items": {"type": "string"}, "description": "addresses, one or more."},
                    "count": {"type": "integer", "description": "how many."},
                    "ratio": {"type": "number", "description": "a share.", "default": 0.5},
                    "urgent": {"type": "boolean", "description": "whether it is urgent.", "default": False},
                    "folder": {
                        "type": ["string", "null"],
                        "enum": ["in", "out", None],
                        "description": "where to keep it.",
                        "default": None,
                    },
                },
                "required": ["to", "count"],
                "additionalProperties": False,
            },
        },
    }
    assert (send.effect, send.audience) == ("write", ("assistant", "user"))


def test_schemas_are_fresh_objects() -> None:
    send.schema()["function"]["name"] = "spoilt"
    assert send.schema()["function"]["name"] == "mail__send"


def test_signature_is_one_line() -> None:
    assert send.signature() == (
        "mail__send(to: list[str], count: int, ratio: float = 0.5, urgent: bool = False, "
        'folder: "in" | "out" | None = None) - Send a mail.'
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"to": ["a"]}, "argument 'count' is missing: an integer (how many)"),
        ({"to": ["a"], "count": "3"}, "argument 'count': expected an integer; it is the string '3'"),
        ({"to": ["a"], "count": True}, "expected an integer; it is true"),
        ({"to": ["a"], "count": 2.5}, "expected an integer; it is the number 2.5"),
        ({"to": ["a"], "count": 10**5_000}, "a number with too many digits"),
        ({"to": "a", "count": 1}, "argument 'to': expected a list, each entry a string; it is the string 'a'"),
        ({"to": ["a", 4], "count": 1}, "entry 1 of it is the number 4"),
        ({"to": ["a"], "count": 1, "ratio": "0.5"}, "expected a number; it is the string '0.5'"),
        ({"to": ["a"], "count": 1, "ratio": float("nan")}, "expected a number; it is the number nan"),
        ({"to": ["a"], "count": 1, "urgent": 1}, "expected true or false; it is the number 1"),
        ({"to": ["a"], "count": 1, "folder": "spam"}, 'expected one of "in", "out", or null; it is the string'),
        ({"to": ["a"], "cuont": 1}, "unknown argument 'cuont', did you mean 'count'?"),
    ],
)
def test_wrong_arguments_say_what_was_expected_and_what_came(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ArgumentError) as error:
        send.check(arguments)
    assert message in str(error.value)


def test_json_does_not_tell_whole_floats_from_integers() -> None:
    assert send.check({"to": [], "count": 3.0, "ratio": 1}) == {"to": [], "count": 3, "ratio": 1.0}


def test_null_leaves_a_parameter_with_a_default_out_unless_it_is_one_of_its_values() -> None:
    assert send.check({"to": [], "count": 3, "ratio": None, "folder": None}) == {"to": [], "count": 3, "folder": None}
    with pytest.raises(ArgumentError, match="argument 'count': expected an integer; it is null"):
        send.check({"to": [], "count": None})


def test_many_errors_are_summed_up() -> None:
    with pytest.raises(ArgumentError, match="and 98 more"):
        send.check({f"x{i}": 1 for i in range(100)})


def no_words(context: ToolContext, path: str) -> str:
    """Read.

    Args:
        context: the session's.
    """
    return path


def no_annotation(context: ToolContext, path) -> str:  # type: ignore[no-untyped-def]
    """Read.

    Args:
        path: where.
    """
    return ""


def no_such_argument(context: ToolContext) -> str:
    """Read.

    Args:
        path: where.
    """
    return ""


def no_such_type(context: ToolContext, path: set[str]) -> str:
    """Read.

    Args:
        path: where.
    """
    return ""


def no_docstring(context: ToolContext) -> str:
    return ""


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (no_words, "'path' has no description"),
        (no_annotation, "'path' has no annotation"),
        (no_such_argument, "describes 'path', which is no parameter"),
        (no_such_type, "not supported"),
        (no_docstring, "has no docstring"),
    ],
)
def test_a_faulty_declaration_fails_at_once(function: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        operation("read")(function)


def test_operations_are_pickled_by_name() -> None:
    assert pickle.loads(pickle.dumps(GENERAL)).get("grep") is GENERAL.get("grep")


@pytest.mark.parametrize(
    "path",
    ["memory/HISTORY.md", "memory/history.md", "memory", "MEMORY", "memory/HISTORY.md/x", "/w/memory/HISTORY.md"],
)
def test_protected_paths_their_parents_and_other_spellings_are_no_targets(path: str) -> None:
    context = ToolContext(World(Workspace()), "/w", protected=("memory/HISTORY.md",))
    with pytest.raises(ToolError, match="read-only"):
        context.target(path)
    assert context.target("memory/MEMORY.md") == "memory/MEMORY.md"
    assert context.path(path)
