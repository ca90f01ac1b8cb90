"""The example of an agent loop of verl's: its tokens, masks and rewards, in verl's own workers without a model."""

from __future__ import annotations

import asyncio
import json
import runpy
import shlex
import sys
import threading
from dataclasses import asdict
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.asking import AskingGrader
from support.outsiders import ROOM, by_gym, calling, need, saying, scripted, text_of
from support.scripts import EXAMPLES

import pi_gym
from pi_gym.adapters.session_play import single_session_env
from pi_gym.adapters.session_row import SessionRow, plan_rows
from pi_gym.errors import BadArgument, SessionError
from pi_gym.models.scripted import ScriptedModel
from pi_gym.types import Answer

need("verl", "verl")
#: Of what verl stands on.
pytestmark = pytest.mark.filterwarnings("ignore")

MINI = "PiBench-Mini-v0"
SIGN = SessionRow("01-sign", 1, 0)
MOVES = [calling("read_file", path="notes.txt"), saying("Grüße 你好 🎉. What should the last line be?")]
PLAY = scripted(MOVES)


@pytest.fixture(scope="module")
def support() -> Any:
    from support import verl_loop

    return verl_loop


def text(number: int) -> str:
    said = PLAY(number)
    assert said is not None
    return text_of(said)


def server_of(support: Any) -> Any:
    return support.ScriptedServer(support.byte_tokenizer(support.TEMPLATE), text)


def test_verl_reads_the_rows_and_plays_them_as_its_yaml_says(
    tmp_path: Path, support: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Rows, data set, YAML, agent loop, padding: all verl's but the model."""
    from verl.protocol import DataProto
    from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn

    path = tmp_path / "rows.jsonl"
    monkeypatch.setattr(sys, "argv", ["verl_agent_loop.py", "--size", "5", "--seed", "3", "--out", str(path)])
    monkeypatch.syspath_prepend(EXAMPLES)
    runpy.run_path(str(EXAMPLES / "verl_agent_loop.py"), run_name="__main__")
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    planned = plan_rows(single_session_env(MINI, {"split": "train"}), 5, 3)
    assert [SessionRow.of(row["extra_info"]) for row in rows] == planned
    server = server_of(support)
    worker = support.worker(tmp_path, server)
    data = RLHFDataset(str(path), server.tokenizer, worker.config.data)
    batch = DataProto.from_single_dict(collate_fn([data[place] for place in range(len(data))]))
    done = asyncio.run(worker.generate_sequences(batch))
    expected = by_gym(MINI, {}, planned, [PLAY] * len(planned))
    assert done.batch["rm_scores"].sum(-1).tolist() == pytest.approx([one.score for one in expected])
    assert {"proc", "comp", "cut_short"} <= set(done.meta_info["reward_extra_keys"])
    assert done.batch["response_mask"].sum() == sum(len(one) for said in server.sampled.values() for one in said)


def test_the_command_of_the_page_is_one_that_verl_takes(support: Any) -> None:
    page = (EXAMPLES.parent / "docs" / "verl.md").read_text(encoding="utf-8")
    (command,) = [part for part in page.split("```") if "verl.trainer.main_ppo" in part]
    given = shlex.split(command.partition("verl.trainer.main_ppo")[2].replace("\\\n", ""))
    rollout = support.configuration(*given).actor_rollout_ref.rollout
    assert Path(rollout.agent.agent_loop_config_path.replace("$PWD", str(EXAMPLES.parent))).is_file()
    assert (rollout.prompt_length, rollout.response_length) == (4096, 16384)


def test_the_model_s_tokens_stay_as_sampled_and_all_others_are_masked(support: Any) -> None:
    server = server_of(support)

    async def played() -> Any:
        return await support.loop(server, MINI, {}).run({"logprobs": True}, extra_info=asdict(SIGN))

    output = asyncio.run(played())
    ((name, prompts),) = server.prompts.items()
    assert output.prompt_ids == prompts[0]
    response = list(zip(output.response_ids, output.response_mask, output.response_logprobs, strict=True))
    assert [one for one, own, _ in response if own] == [*chain(*server.sampled[name])]
    assert {logprob for _, own, logprob in response if own} == {support.LOGPROB}
    assert {logprob for _, own, logprob in response if not own} == {0.0}
    # Each request continues the one before, token by token, up to the whole.
    whole = [*output.prompt_ids, *output.response_ids]
    for prompt, sampled in zip(prompts, server.sampled[name], strict=True):
        assert whole[: len(prompt) + len(sampled)] == prompt + sampled
    assert whole == prompts[-1] + server.sampled[name][-1]
    # It reads as the template writes the conversation.
    shown = server.tokenizer.decode(whole)
    assert "<|im_start|>tool\n" in shown
    assert shown.count("<|im_end|>\n<|im_start|>") + 1 == shown.count("<|im_start|>") == output.num_turns
    assert output.extra_fields["min_global_steps"] == 1
    assert output.extra_fields["max_global_steps"] == len(prompts)


def test_a_session_that_outgrows_its_room_is_cut_short_and_graded(support: Any) -> None:
    async def played() -> Any:
        return await support.loop(server_of(support), MINI, {}, room=300).run({}, extra_info=asdict(SIGN))

    output = asyncio.run(played())
    assert len(output.response_ids) == len(output.response_mask) <= 300
    assert output.response_mask[-1] == 1
    assert output.response_logprobs is None
    assert output.extra_fields["reward_extra_info"]["cut_short"] is True
    assert 0 < output.reward_score < 1


def test_an_opening_without_room_is_an_error_that_says_so(support: Any) -> None:
    async def played() -> Any:
        return await support.loop(server_of(support), MINI, {}, prompt=200).run({}, extra_info=asdict(SIGN))

    with pytest.raises(BadArgument, match="max_prompt_length=200 has no room"):
        asyncio.run(played())


def test_a_server_that_gives_no_token_is_no_reward(support: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    from verl.workers.rollout.replica import TokenOutput

    async def nothing(*_: Any, **__: Any) -> Any:
        return TokenOutput(token_ids=[])

    async def played() -> Any:
        server = server_of(support)
        monkeypatch.setattr(server, "generate", nothing)
        return await support.loop(server, MINI, {}).run({}, extra_info=asdict(SIGN))

    with pytest.raises(SessionError, match="gave no token"):
        asyncio.run(played())


def test_verl_s_trainer_is_given_nothing_of_an_unscored_session(
    tmp_path: Path, support: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A group of three: the one without a score is in no batch, so in no baseline, and the group is no failure."""
    from verl.trainer.ppo.v1 import agent_loop_tq

    broken = [True]
    down = ScriptedModel(lambda _: Answer(error="the server is down") if broken and broken.pop() else None)
    kept: dict[str, Any] = {}
    states: list[str] = []

    async def put(key: str, partition_id: str, tag: Any) -> None:
        states.append(tag["status"])

    async def put_batch(keys: list[str], fields: Any, tags: Any, partition_id: str) -> None:
        kept.update(zip(keys, fields, strict=True))

    monkeypatch.setattr(agent_loop_tq, "tq", SimpleNamespace(async_kv_put=put, async_kv_batch_put=put_batch))
    kind = agent_loop_tq.AgentLoopWorkerTQ.__ray_metadata__.modified_class
    worker = support.worker(tmp_path, server_of(support), "actor_rollout_ref.rollout.n=3", kind=kind)
    env = single_session_env(MINI, {"grader": AskingGrader(), "responder": down})
    monkeypatch.setattr(sys.modules["verl_agent_loop"], "single_session_env", lambda *_: env)
    monkeypatch.setattr(sys.modules["verl_agent_loop"], "ENVIRONMENTS", {})
    prompt = {
        "uid": "u",
        "global_steps": 1,
        "agent_name": "pi_gym",
        "raw_prompt": [],
        "extra_info": asdict(SIGN),
    }
    trajectory = {"step": 1, "sample_index": 0, "rollout_n": 0, "validate": False}
    asyncio.run(worker._run_prompt(prompt, {"logprobs": True}, trajectory))
    assert states == ["running", "finished"]
    assert len(kept) == 2
    assert all(one["rm_scores"].sum() > 0 for one in kept.values())


def test_a_session_that_waits_for_a_model_holds_nobody_up(support: Any) -> None:
    """The model answers once the event loop has gone on."""
    went_on = threading.Event()
    answered: list[bool] = []

    def answer(_: Any) -> Any:
        answered.append(went_on.wait(10))

    async def played() -> Any:
        asyncio.get_running_loop().call_later(0.05, went_on.set)
        asking = {"grader": AskingGrader(), "responder": ScriptedModel(answer)}
        return await support.loop(server_of(support), MINI, asking).run({}, extra_info=asdict(SIGN))

    asyncio.run(played())
    assert answered
    assert all(answered)


def test_what_is_hidden_from_the_agent_is_in_no_token(support: Any) -> None:
    server, row = server_of(support), SessionRow("03-paper-alert", 2, 0)

    async def played() -> Any:
        return await support.loop(server, "PiBench-Researcher-v0", {}, prompt=ROOM).run({}, extra_info=asdict(row))

    output = asyncio.run(played())
    task = pi_gym.load_pack("researcher").instantiate(row.task, row.variant)
    # What the person says when she is asked, or sees the work, is hers to tell: the canary and the checklist are not.
    hidden = [text for text in (task.canary, *(one.text for one in task.checklist)) if text]
    assert len(hidden) > 3
    shown = server.tokenizer.decode([*output.prompt_ids, *output.response_ids])
    assert not [text for text in hidden if text in shown]
