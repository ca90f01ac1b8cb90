"""Many sessions of the agent that is a served model, and the tokens that it brings."""

from __future__ import annotations

import asyncio
import json
import threading
from typing import Any

import pytest
from support.chat_server import ChatServer
from support.faulty_server import Body, FaultyServer
from support.packs import TINY

from pi_gym import collect, collect_async
from pi_gym.baselines.served.chat_agent import ChatAgent
from pi_gym.models.config import BadModel
from pi_gym.rollout.agents import BrokenAgent, make_agent

ENV = "PiBench-v0"
KWARGS = {"pack": str(TINY)}
COUNT = 24


def saying(text: str = "Done.") -> Any:
    return lambda body: {"content": text}


def moving() -> set[int | None]:
    """The threads in which policies move that block; other tests may have left some."""
    return {thread.ident for thread in threading.enumerate() if thread.name.startswith("pi_gym-moves")}


class Meeting:
    """Answers nobody before so many have asked."""

    def __init__(self, count: int) -> None:
        self._barrier = threading.Barrier(count, timeout=60)
        self._left, self._lock = count, threading.Lock()
        self._before, self.threads = moving(), set[int | None]()

    def __call__(self, body: Any) -> Any:
        with self._lock:
            waits = self._left > 0
            self._left -= 1
        if waits:
            self._barrier.wait()
            self.threads |= moving() - self._before
        return {"content": "Done."}


def test_sessions_wait_for_the_server_together_without_threads_and_ask_for_its_models_once() -> None:
    meeting = Meeting(COUNT)
    with ChatServer(meeting) as server:
        summary = collect(
            ENV,
            f"toy@{server.url}",
            sessions=COUNT,
            concurrency=COUNT,
            split="train",
            env_kwargs=KWARGS,
        )
    assert (summary.scored, summary.first_error) == (COUNT, "")
    assert meeting.threads == set()
    assert server.listed == 1


def test_its_places_are_those_of_its_model() -> None:
    meeting = Meeting(3)
    with ChatServer(meeting) as server:
        options = {"max_concurrency": 3, "temperature": 0.7}
        summary = collect(ENV, f"toy@{server.url}", sessions=8, split="train", env_kwargs=KWARGS, policy_kwargs=options)
    assert summary.scored == 8
    assert {body["temperature"] for body in server.bodies} == {0.7}


def test_it_plays_on_the_callers_loop_too() -> None:
    with ChatServer(Meeting(6)) as server:
        running = collect_async(ENV, f"toy@{server.url}", sessions=6, split="train", env_kwargs=KWARGS)
        assert asyncio.run(running).scored == 6


def test_a_wrong_argument_is_told_by_name() -> None:
    with pytest.raises(BrokenAgent, match="temprature"):
        make_agent("toy@127.0.0.1:1", {"temprature": 1})
    with pytest.raises(BadModel, match="temperature: expected a number from 0 to 2"):
        make_agent("toy@127.0.0.1:1", {"temperature": 3})


# -- tokens ----------------------------------------------------------------------------------------------------------


def completion(choice: dict[str, Any], **more: Any) -> Body:
    message = {"role": "assistant", "content": "Done."}
    return Body(json.dumps({"choices": [{"finish_reason": "stop", "message": message, **choice}], **more}))


LOGPROBS = {"content": [{"token": "Done", "logprob": -0.25}, {"token": ".", "logprob": -1.5}]}


def test_tokens_are_asked_for_and_kept() -> None:
    answer = completion({"token_ids": [11, 12], "logprobs": LOGPROBS}, prompt_token_ids=[1, 2, 3])
    with FaultyServer([answer]) as server:
        options = {"token_ids": True, "logprobs": True}
        summary = collect(ENV, f"toy@{server.url}", tasks=["03-ping"], env_kwargs=KWARGS, policy_kwargs=options)
        plain = collect(ENV, f"toy@{server.url}", tasks=["03-ping"], env_kwargs=KWARGS)
    (record,) = summary.trajectories
    assert record.policy_outputs[0] == {
        "step": 1, "text": None, "token_ids": [11, 12], "logprobs": [-0.25, -1.5], "prompt_token_ids": [1, 2, 3],
    }  # fmt: skip
    assert len(record.policy_outputs) == record.steps
    assert server.requests[0]["return_token_ids"] is server.requests[0]["logprobs"] is True
    assert plain.trajectories[0].policy_outputs == ()
    assert "logprobs" not in server.requests[-1]


@pytest.mark.parametrize(
    ("option", "choice", "told"),
    [
        ("token_ids", {}, "holds no token_ids; vLLM gives them"),
        ("logprobs", {"logprobs": None}, "holds no logprobs"),
        ("logprobs", {"logprobs": {"content": [{"token": "a"}]}}, "finite number, got a NoneType"),
        ("token_ids", {"token_ids": ["a"]}, "expected an integer"),
    ],
)
def test_a_server_that_does_not_give_its_tokens_fails(option: str, choice: dict[str, Any], told: str) -> None:
    with FaultyServer([completion(choice)]) as server:
        options = {option: True, "retries": 0}
        summary = collect(ENV, f"toy@{server.url}", tasks=["03-ping"], env_kwargs=KWARGS, policy_kwargs=options)
    assert dict(summary.error_kinds) == {"policy": 1}
    assert told in summary.first_error


def test_the_message_is_kept_as_the_server_gave_it() -> None:
    arguments = '{ "path":"a.txt" , "content": "\\u00e9" }'
    call = {"id": "call-7", "type": "function", "function": {"name": "write_file", "arguments": arguments}}
    message = {"content": "", "reasoning_content": "A file first.", "tool_calls": [call]}
    with ChatServer(lambda body: message) as server:
        agent = ChatAgent.from_text(f"toy@{server.url}")
        (record,) = collect(ENV, agent, tasks=["03-ping"], env_kwargs={**KWARGS, "max_steps": 2}).trajectories
    first = next(event for event in record.events if event.kind == "agent")
    assert first.data["message"] == message
