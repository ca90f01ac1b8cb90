"""OpenEnv's harnesses play sessions in this process, and TRL's rollout worker does in its own."""

from __future__ import annotations

import functools
import pickle
import queue
import time
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import pytest
from support.byte_tokenizer import byte_tokenizer
from support.completion_server import CompletionServer
from support.outsiders import by_gym, calling, need, saying, scripted

import pi_gym
from pi_gym.adapters.session_row import BadRow, SessionRow
from pi_gym.adapters.trl import make_dataset

need("openenv", "openenv")
from openenv.core.harness import HarnessRunLimits, MCPHarnessAdapter  # noqa: E402
from support.openenv_server import scripted_model  # noqa: E402

from pi_gym.adapters.openenv.conversation_harness import ConversationHarness  # noqa: E402
from pi_gym.adapters.openenv.resource_sessions import PlayedResources  # noqa: E402

MINI, TASK, VARIANT = "PiBench-Mini-v0", "01-sign", 4
SIGN = SessionRow("01-sign", 1, 0)
QUESTION = "What should the last line be?"
END, CONTEXT, IDLE = "<|im_end|>", 20_000, "Well."


def test_openenv_s_own_harness_plays_by_tools() -> None:
    moves = [calling("read_file", path="notes.txt"), calling("reply_to_user", content=QUESTION), saying("Done.")]
    expected = by_gym(MINI, {}, [SIGN], [scripted([moves[0], saying(QUESTION), saying("Done.")], then=None)])[0]
    session = PlayedResources(MINI).create(asdict(SIGN))
    done = MCPHarnessAdapter().run_white_box(scripted_model(scripted(moves)), session, HarnessRunLimits())
    found = session.verify(done.messages)
    assert found.env_reward == expected.score
    assert [one["content"] for one in done.messages if one["role"] == "tool"] == expected.heard[:2]


def test_a_tool_s_failure_is_a_result_that_the_model_reads() -> None:
    session = PlayedResources(MINI).create(asdict(SIGN))
    result = session.call_tool("read_file", {"path": "nowhere.txt"})
    assert "no file" in result.data
    assert result.error == result.data
    assert not result.done


def test_failed_calls_are_marked_in_the_trace_and_others_are_not() -> None:
    both = calling("read_file", "a", path="nowhere.txt")
    both["tool_calls"] += calling("read_file", "b", path="notes.txt")["tool_calls"]
    session = PlayedResources(MINI).create(asdict(SIGN))
    done = ConversationHarness().run_white_box(scripted_model(scripted([both])), session, HarnessRunLimits(max_turns=1))
    assert [one.result.error is not None for one in done.tool_trace] == [True, False]
    assert [one["tool_call_id"] for one in done.messages if one["role"] == "tool"] == ["a", "b"]


def test_a_rollout_out_of_turns_is_graded_as_things_stand() -> None:
    script = scripted([saying(QUESTION)])
    (expected,) = by_gym(MINI, {}, [SIGN], [scripted([saying(QUESTION)], then=None)])
    session = PlayedResources(MINI).create(asdict(SIGN))
    done = ConversationHarness().run_white_box(scripted_model(script), session, HarnessRunLimits(max_turns=1))
    found = session.verify(done.messages)
    assert (found.env_reward, found.artifacts["cut_short"]) == (expected.score, True)
    assert found.metrics["turns"] == 1.0


def test_a_task_that_names_no_session_is_refused() -> None:
    with pytest.raises(BadRow, match="'variant'"):
        PlayedResources(MINI).create({"task": "01-sign"})
    with pytest.raises(BadRow, match="for_rollout=True"):
        PlayedResources(MINI).create([{"role": "user", "content": "Hello"}])


def test_the_factory_goes_to_other_processes() -> None:
    factory = pickle.loads(pickle.dumps(functools.partial(PlayedResources, MINI)))()
    assert factory.create(asdict(SIGN)).initial_messages()[0]["role"] == "system"


def reference() -> list[str]:
    actions = pi_gym.load_pack("mini").instantiate(TASK, VARIANT).reference
    return [one.replace("<tool_call>", "<tool_call>\n").replace("</tool_call>", "\n</tool_call>") for one in actions]


def one_of_two_is_idle(actions: list[str]) -> Callable[[str], str]:
    """A policy that plays the reference in every second conversation, and idles in the others."""
    begun = iter(range(1_000_000))

    def answer(prompt: str) -> str:
        said = [part.split(END)[0] for part in prompt.split("<|im_start|>assistant\n")[1:-1]]
        idle = next(begun) % 2 == 1 if not said else said[0] == IDLE
        return (IDLE if idle else actions[len(said)]) + END

    return answer


@pytest.mark.filterwarnings("ignore")  # of torch, trl, …
@pytest.mark.timeout(500)
def test_trl_s_harness_worker_plays_and_scores_sessions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    for name in ("aiohttp", "trl"):
        need(name, "openenv")
    from accelerate.state import PartialState
    from datasets import Dataset
    from support.trl_worker import made_worker
    from trl.experimental.async_grpo.openenv_harness import HarnessRolloutWorker

    PartialState(cpu=True)  # TRL's log asks for it
    tokenizer, actions, samples = byte_tokenizer(), reference(), list[Any]()
    rows = make_dataset(MINI, tasks=[TASK], variants=[VARIANT], size=1, for_rollout=True)
    with CompletionServer(tokenizer, one_of_two_is_idle(actions), max_model_len=CONTEXT) as server:
        options = {
            "model_name": "toy",
            "dataset": Dataset.from_list([{"prompt": row["prompt"]} for row in rows]),
            "reward_funcs": [],
            "processing_class": tokenizer,
            "eos_token_ids": [tokenizer.eos_token_id],
            "num_generations": 2,
            "max_inflight_tasks": 2,
            "max_tokens": 300,
            "max_tool_calling_iterations": 40,
            "vllm_server_url": server.url,
            "harness_session_factory": functools.partial(PlayedResources, MINI),
            "harness_adapter": ConversationHarness(),
        }
        worker = made_worker(options, HarnessRolloutWorker)
        worker.update_model_version(3)
        try:
            worker.start()
            until = time.monotonic() + 300
            while len(samples) < 2:
                try:
                    samples.append(worker.rollout_buffer.get(timeout=0.5))
                except queue.Empty:
                    worker.check_health(60)
                    assert time.monotonic() < until
        finally:
            worker.stop()
    first, second = sorted((one for one in samples if one.group_id == 0), key=lambda one: -one.metrics["reward"])
    assert first.metrics["reward"] == pytest.approx(1.0, abs=1e-12)
    assert second.metrics["reward"] < 0.5
    # What is trained on is what the model said, token by token, in one row; all else is context.
    made = tokenizer.decode(first.input_ids[first.completion_mask == 1])
    assert made == "".join(action + END for action in actions)
    assert "<|im_start|>user\n" in tokenizer.decode(first.input_ids)
