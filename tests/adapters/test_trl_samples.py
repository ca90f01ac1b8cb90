"""Recorded sessions as tokens: the same as those that a rollout makes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from support.toy_policy import ToyPolicy
from support.toy_tokenizer import END, ToyTokenizer

import pi_gym
from pi_gym.adapters.trl import PlayedSession, SessionRollout, make_dataset, token_sample
from pi_gym.adapters.trl.chat_tokens import BadTokens
from pi_gym.errors import BadArgument, SessionError

MINI = "PiBench-Mini-v0"
FORMATS = ("schemas", "text")


def played(rows: list[dict[str, Any]], tool_format: Any = "schemas", room: int = 100_000) -> list[PlayedSession]:
    tokenizer = ToyTokenizer()
    rollout = SessionRollout(MINI, tool_format=tool_format, generate=ToyPolicy(tokenizer, rows))
    return rollout.play(rows, tokenizer, max_completion_length=room)


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return make_dataset(MINI, split="train", size=6, seed=2)


@pytest.mark.parametrize("tool_format", FORMATS)
def test_a_record_gives_the_tokens_of_its_rollout(rows: list[dict[str, Any]], tool_format: Any) -> None:
    for one in played(rows, tool_format):
        assert one.result.score == pytest.approx(1.0)
        assert token_sample(one.trajectory, ToyTokenizer(), tool_format=tool_format) == one.sample


@pytest.mark.parametrize("tool_format", FORMATS)
def test_a_record_without_tokens_gives_them_too(rows: list[dict[str, Any]], tool_format: Any, tmp_path: Path) -> None:
    """As for the reference agent, which writes text."""
    sessions = played(rows, tool_format)
    pi_gym.collect(MINI, "reference", split="train", sessions=6, seed=2, out=tmp_path / "run")
    records = {(one.task_id, one.variant): one for one in pi_gym.read_trajectories(tmp_path / "run")}
    assert len(records) == len(sessions)
    for one in sessions:
        record = records[one.trajectory.task_id, one.trajectory.variant]
        assert not record.policy_outputs
        sample = token_sample(record, ToyTokenizer(), tool_format=tool_format)
        assert sample == replace(one.sample, logprobs=None)


def test_what_the_policy_gave_is_not_tokenised_again(rows: list[dict[str, Any]]) -> None:
    (one,) = played(rows[:1])
    outputs = [{**output, "token_ids": [7, 7, 1], "logprobs": [-1.0] * 3} for output in one.trajectory.policy_outputs]
    sample = token_sample(replace(one.trajectory, policy_outputs=tuple(outputs)), ToyTokenizer())
    made = [number for number, ours in zip(sample.completion_ids, sample.env_mask, strict=True) if ours]
    assert made == [7, 7, 1] * len(outputs)
    assert sample.logprobs is not None
    assert sum(sample.logprobs) == -len(made)


def test_only_what_the_agent_wrote_has_labels(rows: list[dict[str, Any]]) -> None:
    tokenizer = ToyTokenizer()
    for one in played(rows):
        row = one.sample.sft_row()
        assert len(row["input_ids"]) == len(row["labels"])
        learned = [(number, label) for number, label in zip(row["input_ids"], row["labels"], strict=True) if label >= 0]
        assert all(number == label for number, label in learned)
        text = tokenizer.decode([label for _, label in learned])
        assert text == "".join(action + END for action in one.trajectory.actions)


def test_tokens_of_another_tokenizer_are_not_learnt(rows: list[dict[str, Any]]) -> None:
    (one,) = played(rows[:1])
    outputs = tuple({**output, "token_ids": [0x110005]} for output in one.trajectory.policy_outputs)
    with pytest.raises(BadTokens, match="another tokenizer"):
        token_sample(replace(one.trajectory, policy_outputs=outputs), ToyTokenizer())


def test_room_for_no_action_is_an_error(rows: list[dict[str, Any]]) -> None:
    (one,) = played(rows[:1])
    with pytest.raises(SessionError, match="no action within max_length=100"):
        token_sample(one.trajectory, ToyTokenizer(), max_length=100)


@pytest.mark.parametrize("cut", [1, 30, 200])
def test_a_sample_ends_with_an_action_within_its_length(rows: list[dict[str, Any]], cut: int) -> None:
    for one in played(rows):
        whole = len(one.sample.prompt_ids) + len(one.sample.completion_ids)
        sample = token_sample(one.trajectory, ToyTokenizer(), max_length=whole - cut)
        length = len(sample.prompt_ids) + len(sample.completion_ids)
        assert length <= whole - cut
        assert sample.completion_ids == one.sample.completion_ids[: len(sample.completion_ids)]
        assert sample.env_mask[-1] == 1


def test_the_same_row_again_is_another_sample(rows: list[dict[str, Any]]) -> None:
    records = [one.trajectory for one in played([rows[0], rows[1], rows[0]])]
    assert [record.sample for record in records] == [0, 0, 1]
    assert len({record.key for record in records}) == 3


def test_nothing_is_learnt_from_a_session_without_an_action(rows: list[dict[str, Any]]) -> None:
    (one,) = played(rows[:1], room=1)
    with pytest.raises(SessionError, match="no action"):
        token_sample(one.trajectory, ToyTokenizer())


def test_without_a_trainer_there_must_be_something_that_generates(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(BadArgument, match="generate="):
        SessionRollout(MINI).play(rows, ToyTokenizer(), max_completion_length=100)
