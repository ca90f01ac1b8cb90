"""Answering asks: one function for each kind, all of a kind together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from support.asking import AskingUser
from support.packs import TINY, protocol
from support.play import call, opened

from pi_gym.driving.settling import settle
from pi_gym.pibench.env import PiEnv
from pi_gym.session.answerers import Answerers
from pi_gym.types import Answer, Ask

EXEC = call("exec", command="ls")


class Answering:
    """Answers everything, and remembers what it was asked."""

    def __init__(self, value: object = None) -> None:
        self.value, self.batches = value, list[list[str]]()

    def __call__(self, asks: Sequence[Ask]) -> list[Answer]:
        self.batches.append([ask.kind for ask in asks])
        return [Answer(self.value) for _ in asks]


def test_each_kind_goes_to_its_own_function_and_the_rest_to_the_other() -> None:
    shell, other = Answering({"unavailable": "no"}), Answering()
    session = opened(user=AskingUser(3), tools="all")
    answerers = Answerers(shell=shell, other=other)
    session.apply(EXEC)
    settle(answerers.waits(session))
    session.apply("Hm.")
    settle(answerers.waits(session))
    assert shell.batches == [["shell"]]
    assert other.batches == [["model"] * 3] * 3
    assert session.step is not None


def test_a_kind_without_a_function_goes_to_the_other() -> None:
    other = Answering({"unavailable": "no"})
    session = opened(tools="all")
    session.apply(EXEC)
    settle(Answerers(other=other).waits(session))
    assert other.batches == [["shell"]]


@pytest.mark.parametrize("kind", ["shell", "model"])
def test_where_nothing_answers_the_session_ends_unscored(kind: str) -> None:
    session = opened(user=AskingUser(1), tools="all")
    session.apply(EXEC if kind == "shell" else "Hm.")
    settle(Answerers().waits(session))
    assert (session.scored, session.error_kind) == (False, "engine")
    assert f"nothing answers asks of kind {kind!r}" in session.error


def test_an_environment_goes_online_only_where_that_is_asked_for() -> None:
    online = Answering({"results": []})
    for web, kinds in (("offline", []), (online, [["web"]])):
        env = PiEnv(protocol().source, history="none", tools="all", web=web)  # type: ignore[arg-type]
        env.reset(options={"task": "01-three"})
        assert env.session is not None
        env.step(call("web_search", query="roses"))
        assert online.batches == kinds
        assert env.session.trajectory().nondeterministic is bool(kinds)
    with pytest.raises(ValueError, match="web"):
        PiEnv(protocol().source, web="online")  # type: ignore[arg-type]


def test_after_an_answerer_has_raised_the_environment_can_be_reset() -> None:
    def down(asks: Sequence[Ask]) -> list[Answer]:
        raise OSError("the line is down")

    env = PiEnv(protocol().source, history="own", tools="all", web=down)
    env.reset(seed=0)
    with pytest.raises(OSError, match="line is down"):
        env.step(call("write_file", path="kept.txt", content="x") + call("web_search", query="roses"))
    _, info = env.reset()
    assert info["task_id"] == "02-beat"
    assert env.session is not None
    assert env.session.world.workspace.text("kept.txt") == "x"


@pytest.mark.parametrize("given", [{}, [], ["a text"], "a", [Answer("a"), Answer("b")]])
def test_answers_of_another_shape_are_the_callers_mistake_and_said_so(given: Any) -> None:
    env = PiEnv(TINY, tools="all", web=lambda asks: given)
    env.reset(options={"task": "01-list"})
    with pytest.raises(TypeError, match="one Answer for each of the 1 asks"):
        env.step(call("web_search", query="x"))
