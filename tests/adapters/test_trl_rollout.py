"""Whole conversations as tokens: what the model made is kept and marked, what the environment said is appended."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from support.asking import AskingGrader
from support.toy_policy import ToyPolicy
from support.toy_tokenizer import END, ToyTokenizer

import pi_gym
from pi_gym.adapters.trl import BadRow, SessionRollout, make_dataset, session_reward
from pi_gym.adapters.trl.chat_tokens import BadTemplate, ChatTokens
from pi_gym.models.scripted import ScriptedModel
from pi_gym.types import Answer

MINI = "PiBench-Mini-v0"


def trainer(tokenizer: Any, room: int = 100_000) -> Any:
    return SimpleNamespace(processing_class=tokenizer, args=SimpleNamespace(max_completion_length=room))


def played(
    rows: list[dict[str, Any]],
    tokenizer: ToyTokenizer,
    room: int = 100_000,
    tool_format: Any = "schemas",
    **options: Any,
) -> tuple[dict[str, Any], ToyPolicy]:
    policy = ToyPolicy(tokenizer, rows, **options)
    rollout = SessionRollout(MINI, tool_format=tool_format, generate=policy)
    return rollout([row["prompt"] for row in rows], trainer(tokenizer, room)), policy


@pytest.fixture(scope="module")
def rows() -> list[dict[str, Any]]:
    return make_dataset(MINI, split="train", size=6, seed=2, for_rollout=True)


@pytest.mark.parametrize("tool_format", ["schemas", "text"])
@pytest.mark.parametrize("drops_thoughts", [False, True])
def test_the_tokens_are_the_conversation(rows: list[dict[str, Any]], tool_format: str, drops_thoughts: bool) -> None:
    tokenizer = ToyTokenizer(drops_thoughts=drops_thoughts)
    out, _ = played(rows, tokenizer, tool_format=tool_format)
    pack = pi_gym.load_pack("mini")
    for place, row in enumerate(rows):
        ids, mask = out["completion_ids"][place], out["env_mask"][place]
        assert len(ids) == len(mask) == len(out["logprobs"][place])
        actions = pack.instantiate(row["task"], row["variant"]).reference
        made = "".join(tokenizer.decode([one]) for one, ours in zip(ids, mask, strict=True) if ours)
        assert made == "".join(action + END for action in actions)
        # Token by token: the whole is the opening, the actions, and what the template writes between them.
        text = tokenizer.decode([*out["prompt_ids"][place], *ids])
        position = len(tokenizer.decode(out["prompt_ids"][place]))
        for action in actions:
            assert text.startswith(action + END, position)
            position = text.find("<|im_start|>assistant\n", position) + len("<|im_start|>assistant\n")
        assert all(p == (-0.5 if ours else 0.0) for p, ours in zip(out["logprobs"][place], mask, strict=True))


def test_the_environment_s_words_are_masked(rows: list[dict[str, Any]]) -> None:
    tokenizer = ToyTokenizer()
    out, _ = played(rows, tokenizer)
    masked = [
        "".join(tokenizer.decode([one]) for one, ours in zip(ids, mask, strict=True) if not ours)
        for ids, mask in zip(out["completion_ids"], out["env_mask"], strict=True)
    ]
    assert all("<|im_start|>tool\n" in text for text in masked)
    assert "<|im_start|>user\n" in "".join(masked)
    assert "as the last line, please." in "".join(masked)


def test_every_session_of_a_batch_moves_at_a_time(rows: list[dict[str, Any]]) -> None:
    _, policy = played(rows, ToyTokenizer())
    longest = max(len(pi_gym.load_pack("mini").instantiate(r["task"], r["variant"]).reference) for r in rows)
    assert policy.batches[0] == len(rows)
    assert len(policy.batches) == longest


def test_rewards_are_the_sessions_scores(rows: list[dict[str, Any]]) -> None:
    out, _ = played(rows, ToyTokenizer())
    logged: dict[str, float] = {}
    rewards = session_reward([], [], None, logged.__setitem__, pi_result=out["pi_result"])
    assert rewards == pytest.approx([1.0] * len(rows), abs=1e-12)
    assert logged["pi_gym/proc"] == 1.0


def test_actions_that_fail_are_counted(rows: list[dict[str, Any]]) -> None:
    """Of a tool, of the syntax, and the one that ends the session."""
    tokenizer = ToyTokenizer()
    said = [
        '<tool_call>{"name": "read_file", "arguments": {"path": "nowhere.txt"}}</tool_call>',
        "<tool_call>{",
        '<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>',
    ]

    def generate(prompts: list[list[int]], trainer: Any) -> Any:
        return [tokenizer(said.pop(0) + END, add_special_tokens=False)["input_ids"]], None

    rollout = SessionRollout(MINI, generate=generate, max_steps=3)
    (session,) = rollout.play(rows[:1], tokenizer, max_completion_length=100_000)
    assert session.result.values["invalid_actions"] == 3
    assert session.trajectory.truncated


def test_without_logprobs_there_are_none(rows: list[dict[str, Any]]) -> None:
    assert played(rows, ToyTokenizer(), logprobs=False)[0]["logprobs"] is None


def test_a_log_probability_that_the_backend_does_not_know_is_handed_on(rows: list[dict[str, Any]]) -> None:
    """As TRL gives those of vLLM that are no numbers; it leaves the token out of its correction."""
    tokenizer = ToyTokenizer()
    policy = ToyPolicy(tokenizer, rows[:1])

    def generate(prompts: list[list[int]], trainer: Any) -> Any:
        made, (drawn,) = policy(prompts, trainer)
        return made, [[None, *drawn[1:]] if len(policy.batches) == 1 else drawn]

    (one,) = SessionRollout(MINI, generate=generate).play(rows[:1], tokenizer, max_completion_length=100_000)
    assert one.sample.logprobs is not None
    assert one.sample.logprobs[0] is None
    assert None not in one.sample.logprobs[1:]
    first, *others = one.trajectory.policy_outputs
    assert first["logprobs"] is None
    assert all(len(output["logprobs"]) == len(output["token_ids"]) for output in others)


@pytest.mark.parametrize("room", [1, 40, 150, 400, 700])
def test_no_completion_outgrows_its_room(rows: list[dict[str, Any]], room: int) -> None:
    tokenizer = ToyTokenizer()
    policy = ToyPolicy(tokenizer, rows)

    def generate(prompts: list[list[int]], trainer: Any) -> Any:
        policy.going = [place for place, line in enumerate(policy.left) if line][: len(prompts)]
        return [tokenizer("Which one?" + END, add_special_tokens=False)["input_ids"]] * len(prompts), None

    out = SessionRollout(MINI, generate=generate)([row["prompt"] for row in rows], trainer(tokenizer, room))
    for ids, mask in zip(out["completion_ids"], out["env_mask"], strict=True):
        assert len(ids) == len(mask) <= room
        assert mask[-1] == 1  # what the environment says last would teach nothing
    assert all(outcome.score is not None for outcome in out["pi_result"])


def test_a_message_that_the_model_did_not_end_is_ended(rows: list[dict[str, Any]]) -> None:
    tokens = ChatTokens(ToyTokenizer())
    came = [{"role": "user", "content": "Yes."}]
    assert tokens.following(came, ended=False) == [1, *tokens.following(came, ended=True)]


def test_a_template_without_tools_says_what_to_pass(rows: list[dict[str, Any]]) -> None:
    with pytest.raises(BadTemplate, match="tool_format='text'"):
        played(rows, ToyTokenizer(shows_tools=False))
    out, _ = played(rows, ToyTokenizer(shows_tools=False), tool_format="text")
    assert "read_file(path: str" in ToyTokenizer().decode(out["prompt_ids"][0])


def test_a_tokenizer_without_a_template_is_refused() -> None:
    with pytest.raises(BadTemplate, match="no chat template"):
        ChatTokens(SimpleNamespace(chat_template=None))


@pytest.mark.parametrize(
    "prompt", [[], "hello", [{"role": "user", "content": "hello"}], [{"role": "user", "content": "pi_gym session {"}]]
)
def test_a_prompt_without_a_session_is_refused(prompt: Any) -> None:
    with pytest.raises(BadRow, match="for_rollout=True"):
        SessionRollout(MINI)([prompt], trainer(ToyTokenizer()))


def test_sessions_that_a_model_of_ours_fails_have_no_reward(rows: list[dict[str, Any]]) -> None:
    tokenizer = ToyTokenizer()
    down = ScriptedModel(lambda _: Answer(error="down"))
    rollout = SessionRollout(MINI, generate=ToyPolicy(tokenizer, rows), grader=AskingGrader(), responder=down)
    out = rollout([row["prompt"] for row in rows], trainer(tokenizer))
    logged: dict[str, float] = {}
    assert session_reward([], [], None, logged.__setitem__, **out) == [None] * len(rows)
    assert logged == {"pi_gym/unscored": 1.0, "pi_gym/cut_short": 0.0}
