"""The agent that is a served model, against a scripted server over real sockets."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import gymnasium as gym
import pytest
from support.chat_server import ChatServer
from support.packs import PROTOCOL

from pi_gym.rollout import collect, make_agent
from pi_gym.rollout.agents import NotAnAgent

pytest.importorskip("aiohttp")
config = pytest.importorskip("pi_gym.models.config")

from pi_gym.baselines.served.chat_agent import ChatAgent, ServerFailed  # noqa: E402

ENV = "PiBench-Researcher-v0"


def calling(name: str, **arguments: Any) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"tool_calls": [{"id": "chatcmpl-tool-1", "type": "function", "function": function}]}


def by_step(*messages: Mapping[str, Any]) -> Any:
    """Answers by how many assistant messages there are, so that sessions do not depend on each other."""

    def answer(body: Mapping[str, Any]) -> Mapping[str, Any]:
        done = sum(message["role"] == "assistant" for message in body["messages"])
        return messages[min(done, len(messages) - 1)]

    return answer


WORKING = by_step(
    calling("ask_user", question="Which colour, and which size?"),
    calling("write_file", path="out.txt", content="done: blue, round\n"),
    {"content": "finished: it is large."},
)


def play(agent: ChatAgent, task: str = "01-three", steps: int = 30) -> tuple[Any, list[Any]]:
    env = gym.make(ENV, pack=PROTOCOL, disable_env_checker=True)
    observation, info = env.reset(seed=0, options={"task": task, "variant": 0})
    said = list(info["new_messages"])
    agent.reset(observation, info, env)
    for _ in range(steps):
        observation, _, terminated, truncated, info = env.step(agent.act(observation, info))
        said += info["new_messages"]
        if terminated or truncated:
            break
    return env.unwrapped.session, said  # type: ignore[attr-defined]


def agent_of(server: ChatServer, **options: Any) -> ChatAgent:
    options = {"retries": 1, "backoff_s": 0.0, **options}
    context = options.pop("context_tokens", None)
    return ChatAgent(config.ModelConfig(server.url, "toy", **options), context_tokens=context)


def test_a_session_is_played_to_its_end() -> None:
    with ChatServer(WORKING) as server:
        agent = agent_of(server)
        session, _ = play(agent)
    assert (session.terminated, session.proc, session.comp) == (True, 1.0, 1.0)
    assert agent.metadata["requests"] == 3
    assert agent.metadata["completion_tokens"] == 21


def test_the_model_gets_the_environments_messages_and_tools_and_nothing_else() -> None:
    with ChatServer(WORKING) as server:
        session, said = play(agent_of(server))
    last = server.bodies[-1]
    assert last["messages"] == said[: len(last["messages"])]
    assert last["messages"][0] == {"role": "system", "content": session.messages[0].content}
    assert last["tools"] == session.tool_schemas()
    assert set(last) == {"messages", "model", "tools", "temperature", "max_tokens"}


def test_a_message_without_text_and_calls_is_an_empty_reply() -> None:
    with ChatServer(by_step({"content": None})) as server:
        session, _ = play(agent_of(server), steps=2)
    assert [event.data["text"] for event in session.log if event.kind == "reply"] == ["", ""]


def test_broken_arguments_are_answered_by_the_environment() -> None:
    broken = {"id": "c", "type": "function", "function": {"name": "read_file", "arguments": '{"path": '}}
    with ChatServer(by_step({"tool_calls": [broken]}, {"content": "ok"})) as server:
        _, said = play(agent_of(server), steps=2)
    assert any(str(message["content"]).startswith("[environment]") for message in said)


def test_thoughts_are_recorded_and_no_reply() -> None:
    with ChatServer(by_step({"content": "Hello.", "reasoning_content": "Let me see."})) as server:
        session, _ = play(agent_of(server), steps=1)
    (event,) = [event for event in session.log if event.kind == "agent"]
    assert (event.data["thought"], event.data["content"]) == ("Let me see.", "Hello.")


# -- context ---------------------------------------------------------------------------------------------------------


def test_long_results_are_shortened_within_the_servers_own_context() -> None:
    big = calling("write_file", path="big.txt", content="x y z\n" * 1500)
    read = calling("read_file", path="big.txt")
    with ChatServer(by_step(big, read, read, read, {"content": "ok"}), max_model_len=12_000) as server:
        agent = agent_of(server, max_tokens=500)
        play(agent, steps=5)
    assert agent.metadata["shortened_results"] + agent.metadata["left_out_results"] >= 1
    assert agent.metadata["overflows"] == 0
    for body in server.bodies:
        assert len(json.dumps(body)) // 4 <= 12_000
        assert body["messages"][0] == server.bodies[0]["messages"][0]


def test_a_prompt_that_the_server_finds_too_long_is_shortened_and_sent_again() -> None:
    read = calling("read_file", path="big.txt")
    working = by_step(calling("write_file", path="big.txt", content="w " * 9000), read, read, {"content": "ok"})

    def strict(body: Mapping[str, Any]) -> Any:
        if len(json.dumps(body)) > 48_000:
            return 400, "This model's maximum context length is 12000 tokens."
        return working(body)

    with ChatServer(strict) as server:
        agent = agent_of(server, context_tokens=30_000)
        session, _ = play(agent, steps=4)
    assert agent.metadata["overflows"] >= 1
    assert session.steps == 4


def test_an_action_may_be_long_but_never_takes_more_than_half_of_the_context() -> None:
    said = by_step({"content": "Hello."})
    with ChatServer(said, max_model_len=32_768) as server:
        play(ChatAgent.from_text(f"toy@{server.url}"), steps=1)
    assert server.bodies[0]["max_tokens"] == 8_192
    with ChatServer(said, max_model_len=6_000) as server:
        play(ChatAgent.from_text(f"toy@{server.url}"), steps=1)
    assert server.bodies[0]["max_tokens"] == 3_000
    with ChatServer(said) as server:
        play(agent_of(server, max_tokens=None), steps=1)
    assert "max_tokens" not in server.bodies[0]


def test_answers_that_were_cut_off_are_played_and_counted() -> None:
    with ChatServer(by_step({"content": "I am", "finish_reason": "length"}, {"content": "ok"})) as server:
        agent = agent_of(server)
        session, _ = play(agent, steps=2)
    assert [event.data["text"] for event in session.log if event.kind == "reply"] == ["I am", "ok"]
    assert agent.metadata["cut_off"] == 1


# -- failures --------------------------------------------------------------------------------------------------------


def test_what_the_server_says_never_carries_the_key_along(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_GYM_API_KEY", "sk-very-secret")
    with ChatServer(lambda body: (401, "Incorrect API key provided: sk-very-secret")) as server:
        agent = agent_of(server)
        with pytest.raises(ServerFailed, match="Incorrect API key") as caught:
            play(agent)
        assert server.keys == ["Bearer sk-very-secret"]
    assert "sk-very-secret" not in f"{caught.value!r} {agent!r}"
    assert caught.value.__cause__ is None


def test_a_server_that_fails_leaves_the_session_unscored() -> None:
    with ChatServer(lambda body: (400, "no such model")) as server:
        summary = collect(ENV, agent_of(server), sessions=2, env_kwargs={"pack": PROTOCOL})
    assert (summary.scored, summary.unscored, dict(summary.error_kinds)) == (0, 2, {"policy": 2})
    assert "no such model" in summary.first_error


# -- as an agent of a run --------------------------------------------------------------------------------------------


def test_a_rollout_takes_the_agent_as_model_at_url(tmp_path: Path) -> None:
    with ChatServer(WORKING) as server:
        summary = collect(ENV, f"toy@{server.url}", sessions=3, out=tmp_path / "run", env_kwargs={"pack": PROTOCOL})
    assert (summary.scored, summary.plan.agent) == (3, "toy")
    asked = json.loads((tmp_path / "run" / "run.json").read_text())
    assert asked["agent_source"] == "pi_gym.baselines.served.chat_agent:ChatAgent"
    metrics = [json.loads(line) for line in (tmp_path / "run" / "metrics.jsonl").read_text().splitlines()]
    assert [line["agent_metadata"]["requests"] for line in metrics][:1] == [3]
    for path in (tmp_path / "run").iterdir():
        assert server.url not in path.read_text()


def test_an_agent_can_be_pickled() -> None:
    with ChatServer(WORKING) as server:
        agent = agent_of(server)
        play(agent, steps=1)
        session, _ = play(pickle.loads(pickle.dumps(agent)))
    assert session.proc == 1.0


def test_a_text_that_names_no_server_is_refused() -> None:
    with pytest.raises((config.BadModel, NotAnAgent)):
        make_agent("toy@")


@pytest.mark.parametrize(
    ("said", "todo"),
    [
        ("This model's maximum context length is 64 tokens.", "serve the model with a longer context"),
        ('"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser', "pi-gym serve --role agent"),
    ],
)
def test_a_refusal_says_what_to_do(said: str, todo: str) -> None:
    with ChatServer(lambda body: (400, said)) as server, pytest.raises(ServerFailed) as caught:
        play(agent_of(server))
    assert todo in str(caught.value)
    assert said in str(caught.value)
