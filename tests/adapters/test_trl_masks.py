"""One step of TRL's GRPO on a session of full size: which tokens are learnt, checked one by one."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
from support.tiny_model import save_tiny_model

import pi_gym
from pi_gym.adapters.trl import SessionRollout, environment_factories, make_dataset, session_reward
from pi_gym.session.actions import parse_action

os.environ.setdefault("TRL_EXPERIMENTAL_SILENCE", "1")
trl = pytest.importorskip("trl", reason="needs trl and torch: make test-train")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.timeout(600),
    pytest.mark.filterwarnings("ignore"),  # of torch, transformers and trl
]

RESEARCHER = "PiBench-Researcher-v0"
TASK = "01-baseline-table"
GROUP = 2


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def tokenizer(folder: Path) -> Any:
    from transformers import AutoTokenizer

    return AutoTokenizer.from_pretrained(folder, padding_side="left")


def rows(**options: Any) -> list[dict[str, Any]]:
    return make_dataset(RESEARCHER, split="train", size=1, tasks=[TASK], **options)


def reference(row: dict[str, Any]) -> tuple[str, ...]:
    return pi_gym.load_pack("researcher").instantiate(row["task"], row["variant"]).reference


def one_step(
    folder: Path, tokenizer: Any, data: list[dict[str, Any]], out: Path, trainer_class: Any = None, **how: Any
) -> tuple[Any, dict[str, Any]]:
    """A trainer after one step, and the batch that it learnt from."""
    from datasets import Dataset

    batches: list[dict[str, Any]] = []

    class Watched(trainer_class or trl.GRPOTrainer):  # type: ignore[misc]
        def _generate_and_score_completions(self, inputs: Any) -> Any:
            batches.append(super()._generate_and_score_completions(inputs))
            return batches[-1]

    trainer = Watched(
        model=str(folder),
        reward_funcs=session_reward,
        args=trl.GRPOConfig(
            output_dir=str(out),
            max_steps=1,
            per_device_train_batch_size=GROUP,
            num_generations=GROUP,
            max_completion_length=60_000,
            learning_rate=1e-3,
            beta=0.0,
            logging_steps=1,
            report_to="none",
            save_strategy="no",
            use_cpu=True,
            bf16=False,
            gradient_checkpointing=False,
        ),
        train_dataset=Dataset.from_list(data),
        processing_class=tokenizer,
        **how,
    )
    trainer.train()
    (batch,) = batches
    return trainer, batch


def learnt(batch: dict[str, Any], place: int) -> list[tuple[int, bool]]:
    """The tokens of a completion, and whether the loss looks at them: as the trainer multiplies its masks."""
    mask = batch["completion_mask"][place] * batch["tool_mask"][place]
    kept = batch["completion_mask"][place].bool()
    return list(zip(batch["completion_ids"][place][kept].tolist(), mask[kept].bool().tolist(), strict=True))


def segments(tokens: Sequence[tuple[int, bool]], tokenizer: Any) -> Iterator[tuple[bool, str]]:
    """The completion as texts that are learnt and texts that are not, in turns."""
    ids: list[int] = []
    last = tokens[0][1]
    for token, made in [*tokens, (-1, not tokens[-1][1])]:
        if made != last:
            yield last, tokenizer.decode(ids)
            ids = []
        ids.append(token)
        last = made


class Scripted:
    """The reference in the group's first place; in its second the same with a reply for nothing in front."""

    def __init__(self, tokenizer: Any, actions: Sequence[str]) -> None:
        self.tokenizer = tokenizer
        self.left = [list(actions), ["Hello.", *actions]]

    def __call__(self, prompts: list[list[int]], trainer: Any) -> tuple[list[list[int]], None]:
        going = [left for left in self.left if left][: len(prompts)]
        return [self.tokenizer(left.pop(0) + "<|im_end|>")["input_ids"] for left in going], None


def test_a_conversation_s_masks(folder: Path, tokenizer: Any, tmp_path: Path) -> None:
    (row,) = rows(for_rollout=True)
    actions = reference(row)
    rollout = SessionRollout(RESEARCHER, generate=Scripted(tokenizer, actions))
    trainer, batch = one_step(folder, tokenizer, [row], tmp_path, rollout_func=rollout)
    played = [list(actions), ["Hello.", *actions]]
    for place, made in enumerate(played):
        tokens = learnt(batch, place)
        assert len(tokens) > 2_000  # of full size
        parts = list(segments(tokens, tokenizer))
        assert [text for ours, text in parts if ours] == [f"{action}<|im_end|>" for action in made]
        between = [text for ours, text in parts if not ours]
        assert between == said_between(made, row, tokenizer)
    assert trainer.state.log_history[0]["grad_norm"] > 0


def said_between(actions: Sequence[str], row: dict[str, Any], tokenizer: Any) -> list[str]:
    """What the environment says between the actions, by the environment itself and the chat template."""
    import gymnasium as gym

    env = gym.make(RESEARCHER, disable_env_checker=True).unwrapped
    env.reset(seed=row["seed"], options={"task": row["task"], "variant": row["variant"]})
    found = []
    for action in actions[:-1]:
        *_, info = env.step(action)
        news = [message for message in info["new_messages"] if message["role"] != "assistant"]
        whole = tokenizer.apply_chat_template(
            [{"role": "system", "content": "?"}, *news], tokenize=False, add_generation_prompt=True
        )
        opened = tokenizer.apply_chat_template([{"role": "system", "content": "?"}], tokenize=False)
        found.append("\n" + whole.removeprefix(opened))
    return found


def test_a_tool_loop_s_masks(folder: Path, tokenizer: Any, tmp_path: Path) -> None:
    """TRL's own loop, with the reference's calls as what the model generates."""
    (row,) = rows()
    said = [as_tools(action) for action in reference(row)]

    class Told(trl.GRPOTrainer):  # type: ignore[misc]
        turn = 0

        def _generate_single_turn(self, prompt_ids: Any, *others: Any, **named: Any) -> Any:
            text = said[self.turn] if self.turn < len(said) else "Goodbye."
            self.turn += 1
            ids = self._tokenizer(text + "<|im_end|>")["input_ids"]
            return [list(ids) for _ in prompt_ids], None

    factories = environment_factories(RESEARCHER)
    _, batch = one_step(folder, tokenizer, [row], tmp_path, Told, environment_factory=factories)
    environment = factories[row["environment"]]()
    environment.reset(**row)
    results = []
    for text in said:
        calls = [json.loads(call) for call in re.findall(r"<tool_call>\n(.*?)\n</tool_call>", text, re.S)]
        results.append([getattr(environment, call["name"])(**call["arguments"]) for call in calls])
    for place in range(GROUP):
        parts = list(segments(learnt(batch, place), tokenizer))
        ours = [text for made, text in parts if made]
        assert ours == [f"{text}<|im_end|>" for text in [*said, "Goodbye."]]
        theirs = [text for made, text in parts if not made]
        assert len(theirs) == len(results)
        for text, brought in zip(theirs, results, strict=True):
            position = 0
            for result in brought:
                found = text.find(str(result).strip(), position)
                assert found >= 0
                position = found + len(str(result).strip())


def as_tools(action: str) -> str:
    """An action as Qwen2.5 writes it in TRL's tool loop, where a reply is a call."""
    parsed = parse_action(action)
    calls = [{"name": call.name, "arguments": dict(call.arguments)} for call in parsed.calls]
    calls = calls or [{"name": "reply_to_user", "arguments": {"content": parsed.content}}]
    return "\n".join(f"<tool_call>\n{json.dumps(call)}\n</tool_call>" for call in calls)


@pytest.mark.parametrize("play", ["tools", "conversation"])
def test_a_random_model_is_trained(folder: Path, tokenizer: Any, tmp_path: Path, play: str) -> None:
    """What it writes is noise; the path holds, and what it said nothing with is not learnt."""
    conversation = play == "conversation"
    how: dict[str, Any] = (
        {"rollout_func": SessionRollout(RESEARCHER, max_steps=3)}
        if conversation
        else {"environment_factory": environment_factories(RESEARCHER, max_steps=3)}
    )
    data = rows(for_rollout=conversation)

    class Short(trl.GRPOTrainer):  # type: ignore[misc]
        def _generate_single_turn(self, *args: Any, **named: Any) -> Any:
            self.generation_config.max_new_tokens = 16
            return super()._generate_single_turn(*args, **named)

    trainer, batch = one_step(folder, tokenizer, data, tmp_path, Short, **how)
    assert trainer.state.global_step == 1
    assert batch["completion_mask"].sum() > 0
    for place in range(GROUP):
        parts = list(segments(learnt(batch, place), tokenizer))
        assert parts[0][0]
        assert not any("<|im_start|>user" in text for ours, text in parts if ours)
    assert "rewards/session_reward/mean" in trainer.state.log_history[0]
