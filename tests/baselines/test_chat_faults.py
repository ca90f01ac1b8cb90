"""The agent that is a served model, where the server is not as it should be."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from itertools import pairwise
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.faulty_server import LONG_S, Body, Drip, Drop, FaultyServer, Gathering, Hang, Say, Status
from support.packs import TINY
from support.served_roles import config

from pi_gym.baselines.served.chat_agent import ChatAgent, ServerFailed
from pi_gym.baselines.served.chat_roles import taking_turns
from pi_gym.rollout import collect

SYSTEM, FIRST, SECOND = (
    {"role": role, "content": role + text} for role, text in (("system", ""), *[("user", t) for t in "12"])
)


def opened(agent: ChatAgent, *messages: Mapping[str, Any]) -> dict[str, Any]:
    """The agent's first move in a session that opens with these messages."""
    agent.reset({}, {"tools": []}, None)  # type: ignore[arg-type]
    return agent.act({}, {"new_messages": list(messages)})


def agent_of(server: FaultyServer, **options: Any) -> ChatAgent:
    own = {name: options.pop(name) for name in ("merge", "context_tokens") if name in options}
    return ChatAgent(config(server.url, **options), **own)


@pytest.mark.parametrize(
    ("fault", "told"),
    [
        (Status(503), "HTTP 503: not now"),
        (Hang(), "no whole response within 0.25 s"),
        (Drip("Hello."), "no whole response within 0.25 s"),
        (Drop(after=40), "no connection"),
        (Body("<html>"), "no chat completion"),
        (Body('{"choices": []}'), "no chat completion"),
        (Body("[" * 100_000), "no chat completion"),
    ],
)
def test_what_fails_is_told_after_the_retries(fault: Any, told: str) -> None:
    waits = isinstance(fault, Hang | Drip)
    with FaultyServer([fault]) as server:
        agent = agent_of(server, retries=1, timeout_s=0.25 if waits else LONG_S, backoff_s=0.0)
        with pytest.raises(ServerFailed, match=told):
            opened(agent, SYSTEM, FIRST)
    assert waits or len(server.requests) == 2


@pytest.mark.parametrize("fault", [Status(500), Status(429), Drop(), Drop(after=40), Body("{}"), Body("x")])
def test_what_passes_costs_a_retry(fault: Any) -> None:
    with FaultyServer([fault, Say("Hello.")]) as server:
        assert opened(agent_of(server), SYSTEM, FIRST)["content"] == "Hello."
    assert len(server.requests) == 2
    assert server.requests[0] == server.requests[1]


def test_a_server_that_lists_no_models_is_taken_to_have_the_usual_context() -> None:
    with FaultyServer([Say("Hello.")]) as server:  # answers every GET with {}
        assert opened(agent_of(server), SYSTEM, FIRST)["content"] == "Hello."


def test_a_refusal_is_what_the_model_says_and_a_cut_off_answer_is_counted() -> None:
    with FaultyServer([Say(None, refusal="I would rather not."), Say("So I", finish="length")]) as server:
        agent = agent_of(server)
        assert opened(agent, SYSTEM, FIRST)["content"] == "I would rather not."
        assert agent.act({}, {"new_messages": []})["content"] == "So I"
    assert agent.metadata["cut_off"] == 1


def test_the_agents_of_a_process_share_the_places_of_their_model() -> None:
    full, lock, there = Gathering(3), threading.Lock(), []

    def script(body: Mapping[str, Any]) -> Say:
        with lock:
            there.append(1)
        return Say("Done.", until=full.come())

    with FaultyServer(script) as server:
        agent = agent_of(server, max_concurrency=3)
        summary = collect("PiBench-v0", agent, sessions=9, split="train", concurrency=9, env_kwargs={"pack": str(TINY)})
    assert summary.unscored == 0
    assert full.over.is_set()
    assert server.peak == 3


# -- roles that take turns -------------------------------------------------------------------------------------------


def strict(body: Mapping[str, Any]) -> Any:
    """As a server whose chat template wants user and assistant to alternate, with tools between."""
    roles = [message["role"] for message in body["messages"]]
    for before, role in pairwise(roles):
        if role == "user" and before in ("user", "tool"):
            return 400, "Conversation roles must alternate user/assistant/user/assistant/..."
    return {"content": "Hello."}


def test_refused_roles_are_merged_from_then_on() -> None:
    with ChatServer(strict) as server:
        agent = ChatAgent(config(server.url))
        for _ in range(2):
            assert opened(agent, SYSTEM, FIRST, SECOND)["content"] == "Hello."
            assert agent.metadata["merged"] == 1
    sent = [[message["content"] for message in body["messages"]] for body in server.bodies]
    assert sent == [["system", "user1", "user2"], ["system", "user1\n\nuser2"], ["system", "user1\n\nuser2"]]


@pytest.mark.parametrize(("merge", "count"), [("always", 2), ("never", 3)])
def test_merging_can_be_had_at_once_or_not_at_all(merge: Any, count: int) -> None:
    with FaultyServer([Say("Hello.")]) as server:
        opened(agent_of(server, merge=merge), SYSTEM, FIRST, SECOND)
    assert len(server.requests[0]["messages"]) == count


def test_never_leaves_a_refusal_as_it_is() -> None:
    with ChatServer(strict) as server, pytest.raises(ServerFailed, match="must alternate"):
        opened(ChatAgent(config(server.url), merge="never"), SYSTEM, FIRST, SECOND)
    assert len(server.bodies) == 1


def test_another_refusal_is_not_asked_twice() -> None:
    with FaultyServer([Status(400, message="no such model")]) as server, pytest.raises(ServerFailed):
        opened(agent_of(server), SYSTEM, FIRST, SECOND)
    assert len(server.requests) == 1


def test_every_word_stays_in_its_order_and_none_is_added() -> None:
    call = {"role": "assistant", "content": "", "tool_calls": [{"id": "call_1"}]}
    result = {"role": "tool", "content": "r", "tool_call_id": "call_1"}
    told = taking_turns([SYSTEM, FIRST, SECOND, call, result, FIRST, {"role": "assistant", "content": "a"}, SECOND])
    assert told == [
        SYSTEM,
        {"role": "user", "content": "user1\n\nuser2"},
        call,
        {**result, "content": "r\n\nuser1"},
        {"role": "assistant", "content": "a"},
        SECOND,
    ]
    assert (FIRST["content"], result["content"]) == ("user1", "r")
    assert taking_turns([result, {**FIRST, "content": ""}]) == [result]


def test_values_out_of_range_are_refused() -> None:
    model = config("http://127.0.0.1:1/v1")
    with pytest.raises(ValueError, match="Did you mean 'auto'"):
        ChatAgent(model, merge="atuo")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="context_tokens"):
        ChatAgent(model, context_tokens=0)
    assert "sk-very-secret" not in json.dumps(ChatAgent(model).recorded)
