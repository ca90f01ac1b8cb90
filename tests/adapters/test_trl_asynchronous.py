"""TRL's own rollout process, spawned as its trainer does, plays and scores sessions against a local server."""

from __future__ import annotations

import inspect
import pickle
import queue
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from support.byte_tokenizer import byte_tokenizer
from support.completion_server import CompletionServer
from support.trl_worker import made_worker

import pi_gym
from pi_gym.adapters.trl import EnvironmentFactory, make_dataset
from pi_gym.errors import BadArgument

MINI, TASK, VARIANT = "PiBench-Mini-v0", "01-sign", 4
NEEDS = "needs trl, datasets and aiohttp: make test-train"
END = "<|im_end|>"
CONTEXT = 20_000

pytestmark = [pytest.mark.slow, pytest.mark.timeout(300)]


@pytest.fixture(scope="module", autouse=True)
def _quiet() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
        patch.setenv("HF_HUB_OFFLINE", "1")
        for name in ("aiohttp", "datasets", "trl"):
            pytest.importorskip(name, reason=NEEDS)
        yield


def config(url: str, **options: Any) -> Any:
    from trl.experimental.async_grpo import AsyncGRPOConfig

    chosen = {"num_generations": 2, "max_inflight_tasks": 2, "max_completion_length": 300, **options}
    return AsyncGRPOConfig(
        output_dir="unused", use_cpu=True, bf16=False, report_to="none", vllm_server_base_url=url, **chosen
    )


def arguments(url: str, max_length: int = CONTEXT, **options: Any) -> dict[str, Any]:
    from datasets import Dataset

    from pi_gym.adapters.trl.asynchronous import loop_arguments

    rows = make_dataset(MINI, tasks=[TASK], variants=[VARIANT], size=1)
    return loop_arguments(
        EnvironmentFactory(MINI),
        config(url, **options),
        model="toy",
        tokenizer=byte_tokenizer(),
        dataset=Dataset.from_list(rows),
        max_length=max_length,
    )


def reference() -> list[str]:
    """The reference's actions as Qwen 2.5 writes them."""
    actions = pi_gym.load_pack("mini").instantiate(TASK, VARIANT).reference
    return [one.replace("<tool_call>", "<tool_call>\n").replace("</tool_call>", "\n</tool_call>") for one in actions]


def spoken(prompt: str) -> list[str]:
    """What the assistant of a prompt has said so far."""
    return [part.split(END)[0] for part in prompt.split("<|im_start|>assistant\n")[1:-1]]


def one_of_two_is_idle(actions: list[str]) -> Callable[[str], str]:
    """A policy that plays the reference in every second conversation, and idles in the others."""
    begun = iter(range(1_000_000))

    def answer(prompt: str) -> str:
        said = spoken(prompt)
        idle = next(begun) % 2 == 1 if not said else said[0] == "Well."
        return ("Well." if idle else actions[len(said)]) + END

    return answer


def rollouts(options: dict[str, Any], count: int) -> tuple[list[Any], dict[str, list[Any]]]:
    """The samples that TRL's worker brings for the third weights, and its metrics, as the trainer takes them."""
    worker = made_worker(options)
    worker.update_model_version(3)
    found: list[Any] = []
    try:
        worker.start()
        until = time.monotonic() + 120
        while len(found) < count:
            try:
                found.append(worker.rollout_buffer.get(timeout=0.5))
            except queue.Empty:
                worker.check_health(60)
                assert time.monotonic() < until
        logged: dict[str, list[Any]] = {}
        # They come by a queue of their own, so that those of the last sample may still be under way.
        while "pi_gym/unscored" not in logged or not worker.metrics_queue.empty():
            for name, value in worker.metrics_queue.get(timeout=60).items():
                logged.setdefault(name, []).append(value)
    finally:
        worker.stop()
    return found, logged


def mean(values: list[Any]) -> float:
    return sum(number for number, _ in values) / sum(share for _, share in values)


def test_a_worker_plays_and_scores_whole_conversations() -> None:
    tokenizer, actions = byte_tokenizer(), reference()
    with CompletionServer(tokenizer, one_of_two_is_idle(actions), max_model_len=CONTEXT) as server:
        samples, logged = rollouts(arguments(server.url), 2)
    first, second = sorted((one for one in samples if one.group_id == 0), key=lambda one: -one.metrics["reward"])
    assert first.metrics["reward"] == first.metrics["rewards/pi_session"] == pytest.approx(1.0, abs=1e-12)
    assert second.metrics["reward"] < 0.5
    assert first.advantage == pytest.approx(1, abs=1e-4)
    assert second.advantage == pytest.approx(-1, abs=1e-4)
    assert first.model_version == 3
    # What is trained on is what the model said, token by token, in one row; all else is context.
    made = tokenizer.decode(first.input_ids[first.completion_mask == 1])
    assert made == "".join(action + END for action in actions)
    assert set(first.old_log_probs[first.completion_mask == 1]) == {-0.5}
    assert set(first.old_log_probs[first.completion_mask == 0]) == {0.0}
    whole = tokenizer.decode(first.input_ids)
    opening, _, rest = whole.partition("<|im_start|>user\n")
    assert "You are the personal assistant of Ida Falk" in opening
    assert "reply_to_user" not in whole
    assert rest.count("<|im_start|>user\n") == len([one for one in actions if "<tool_call>" not in one]) - 1 + 2
    assert mean(logged["pi_gym/unscored"]) == 0
    assert 0 < mean(logged["pi_gym/proc"]) < 1
    assert mean(logged["rollout/samples_per_rollout"]) == 1
    assert mean(logged.get("rollout/fork_frac", [(0, 1)])) == 0
    assert server.refused == 0


def test_a_session_ends_where_the_context_has_no_room_for_an_answer() -> None:
    """A server refuses a prompt that is too long, and TRL would ask it for minutes and then end the run."""
    tokenizer, actions = byte_tokenizer(), reference()
    environment = EnvironmentFactory(MINI)()
    environment.reset(task=TASK, variant=VARIANT, seed=0)
    play = environment._session
    opening = tokenizer.apply_chat_template(
        play.opening, tools=play.session.tool_schemas(), add_generation_prompt=True, return_dict=False
    )
    room = len(opening) + 300 + 40  # less than the first call and its result take
    with CompletionServer(tokenizer, lambda prompt: actions[len(spoken(prompt))] + END, max_model_len=room) as server:
        samples, logged = rollouts(arguments(server.url, max_length=room), 2)
    assert server.refused == 0
    assert {len(body["prompt"]) for body in server.bodies} == {len(opening)}
    assert {one.metrics["reward"] for one in samples} == {0.0}
    assert mean(logged["tools/loop_exhausted_frac"]) == 1


def test_sessions_that_a_model_of_ours_fails_have_no_reward() -> None:
    down = pi_gym.ModelConfig(base_url="http://127.0.0.1:9/v1", model="down", retries=0, cache=None)
    options = arguments("unset")
    options["environment_factory"] = EnvironmentFactory(MINI, user=down)
    actions = reference()
    with CompletionServer(byte_tokenizer(), lambda p: actions[len(spoken(p))] + END, max_model_len=CONTEXT) as server:
        samples, logged = rollouts({**options, "vllm_server_url": server.url}, 2)
    assert all(one.advantage == 0 for one in samples)
    assert all(one.metrics["reward"] != one.metrics["reward"] for one in samples)
    assert mean(logged["pi_gym/unscored"]) == 1


def test_what_goes_to_the_process_is_picklable() -> None:
    options = pickle.loads(pickle.dumps(arguments("http://127.0.0.1:1")))
    environment = options["environment_factory"]()
    environment.reset(**options["dataset"][0])
    assert environment._session.session.task.id == TASK


@pytest.mark.parametrize(
    ("options", "match"),
    [({"max_inflight_tasks": -1}, "sessions are played"), ({"max_completion_length": CONTEXT}, "room")],
)
def test_what_cannot_be_played_is_refused(options: dict[str, Any], match: str) -> None:
    with pytest.raises(BadArgument, match=match):
        arguments("http://127.0.0.1:1", **options)


def test_trl_s_own_worker_gives_a_reward_function_no_environments() -> None:
    """Why there is a worker of ours; where this fails, TRL has changed, and `session_reward` may do."""
    from trl.experimental.async_grpo.async_rollout_worker import _AsyncRolloutLoop

    assert "environments=" not in inspect.getsource(_AsyncRolloutLoop._score_group)
