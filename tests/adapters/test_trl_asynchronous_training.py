"""TRL's asynchronous trainer trains a small model on sessions, on a CPU.

All is TRL's: its rollout process, its queue, staleness, batches, loss, optimizer, callbacks and log. What needs a GPU
has a stand-in where TRL takes one: the transfer of weights (`WeightTransferProtocol`), and the kernel of its attention.
The policy's words are scripted; their log-probabilities are those of the weights that the trainer sent.
"""

from __future__ import annotations

import queue
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.completion_server import CompletionServer
from support.recipe_model import recipe_tokenizer, save_recipe_model

import pi_gym
from pi_gym.adapters.trl import EnvironmentFactory, make_dataset

MINI = "PiBench-Mini-v0"
ROWS = make_dataset(MINI, tasks=["01-sign"], variants=[4, 5, 6, 7])
END, IDLE = "<|im_end|>", "Well."
#: A row of the batch holds a group and not two.
CONTEXT, ROW, GROUP, STEPS = 20_000, 5_000, 2, 3

pytestmark = [pytest.mark.slow, pytest.mark.timeout(600), pytest.mark.filterwarnings("ignore")]  # of torch, trl, …


@pytest.fixture(scope="module", autouse=True)
def _quiet() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRL_EXPERIMENTAL_SILENCE", "1")
        patch.setenv("HF_HUB_OFFLINE", "1")
        for name in ("aiohttp", "datasets", "trl", "torch"):
            pytest.importorskip(name, reason="needs trl, datasets, aiohttp and torch: make test-train")
        yield


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_recipe_model(tmp_path_factory.mktemp("model"))


class Script:
    """A policy that plays the reference in every second session of a world, and idles in the others.

    Attributes:
        wholes: all that a policy says which plays a world's reference.
    """

    def __init__(self) -> None:
        self._actions: dict[str, list[str]] = {}
        self._begun = iter(range(1_000_000))
        for row in ROWS:
            environment = EnvironmentFactory(MINI)()
            environment.reset(**row)
            play = environment._session
            self._actions[play.opening[-1]["content"]] = [
                one.replace("<tool_call>", "<tool_call>\n").replace("</tool_call>", "\n</tool_call>")
                for one in play.session.task.reference
            ]
        assert len(self._actions) == len(ROWS)
        self.wholes = {"".join(one + END for one in actions) for actions in self._actions.values()}

    def __call__(self, prompt: str) -> str:
        """The next action."""
        said = [part.split(END)[0] for part in prompt.split("<|im_start|>assistant\n")[1:-1]]
        idle = next(self._begun) % 2 == 1 if not said else said[0] == IDLE
        (actions,) = (actions for opening, actions in self._actions.items() if opening in prompt)
        return (IDLE if idle else actions[len(said)]) + END


class Run:
    """A run of the trainer, before it is started.

    Attributes:
        script: the policy's words.
        served: the weights as the server has them.
        server: the server.
        trainer: TRL's.
        seen: the batches that the loss was taken over.
    """

    def __init__(self, folder: Path, out: Path, patch: pytest.MonkeyPatch, user: Any = None, **options: Any) -> None:
        from datasets import Dataset
        from support.served_weights import KERNEL, ServedWeights
        from support.trl_worker import made_worker
        from trl.experimental.async_grpo import AsyncGRPOConfig, AsyncGRPOTrainer, async_grpo_trainer, packing

        from pi_gym.adapters.trl.asynchronous import loop_arguments

        patch.setattr(packing, "_flash_attn", lambda: KERNEL)
        patch.setattr(async_grpo_trainer, "get_peak_flops_per_device", lambda *_: None)  # it asks for the GPU's name
        tokenizer = recipe_tokenizer()
        self.served, self.script = ServedWeights(folder), Script()
        self.server = CompletionServer(tokenizer, self.script, max_model_len=CONTEXT, log_probs=self.served.log_probs)
        chosen = {
            "num_generations": GROUP,
            "max_inflight_tasks": GROUP,
            "queue_maxsize": 2 * GROUP,
            "max_completion_length": 300,
            "token_budget": ROW,
            "per_device_train_batch_size": 1,
            "max_steps": STEPS,
            "learning_rate": 1e-3,
            **options,
        }
        config = AsyncGRPOConfig(
            output_dir=str(out),
            use_cpu=True,
            bf16=False,
            report_to="none",
            save_strategy="no",
            vllm_server_base_url=self.server.url,
            **chosen,
        )
        rows = Dataset.from_list(ROWS)
        given = {"config": config, "model": str(folder), "tokenizer": tokenizer, "dataset": rows}
        environments = EnvironmentFactory(MINI, **({"user": user} if user else {}))
        worker = made_worker(loop_arguments(environments, **given, max_length=CONTEXT))
        self.trainer = AsyncGRPOTrainer(
            model=str(folder),
            args=config,
            train_dataset=rows,
            processing_class=tokenizer,
            rollout_worker=worker,
            weight_transfer=self.served,
        )
        self.seen: list[dict[str, Any]] = []
        taken = self.trainer.compute_loss

        def compute_loss(model: Any, inputs: Any, *others: Any, **named: Any) -> Any:
            self.seen.append({name: value.clone() for name, value in inputs.items()})
            return taken(model, inputs, *others, **named)

        self.trainer.compute_loss = compute_loss

    def train(self) -> list[dict[str, Any]]:
        """The steps in TRL's log."""
        with self.server:
            self.trainer.train()
        return [one for one in self.trainer.state.log_history if "loss" in one]


@pytest.fixture
def run(folder: Path, tmp_path: Path) -> Iterator[Callable[..., Run]]:
    with pytest.MonkeyPatch.context() as patch:
        yield lambda **options: Run(folder, tmp_path, patch, **options)


def weights(model: Any) -> dict[str, Any]:
    return {name: value.detach().clone() for name, value in model.named_parameters()}


def said_in(batch: dict[str, Any]) -> list[str]:
    """What is trained on, sample by sample: the label at the place from which each term of the loss is predicted."""
    labels = batch["shift_labels"][0][batch["token_index"][0]]
    sample = batch["segment_id"][0]
    return [recipe_tokenizer().decode(labels[sample == one]) for one in range(int(sample.max()) + 1)]


def test_the_trainer_learns_from_sessions(run: Callable[..., Run]) -> None:
    made = run()
    before = weights(made.served.model)
    steps = made.train()
    assert len(steps) == STEPS
    # Of each sample what the policy said is trained on, all of it and nothing else, with its own advantage.
    for batch in made.seen:
        for one, text in enumerate(said_in(batch)):
            whole = text in made.script.wholes
            assert whole or set(text.split(END)) == {IDLE, ""}
            of_it = batch["segment_id"][0] == one
            assert set(batch["advantages"][0][of_it].sign().tolist()) == {1.0 if whole else -1.0}
    # The first samples are of the weights that train: were tokens and log-probabilities a place apart, the ratio of
    # the trainer's probability to the server's would not be 1.
    assert steps[0]["ratio"] == pytest.approx(1, abs=1e-4)
    assert steps[0]["kl"] == pytest.approx(0, abs=1e-6)
    assert steps[0]["clip_ratio/region_mean"] == 0

    # Weights go out before the first session, and after each step; the last are those that are served.
    assert len(made.served.names) == 1 + STEPS
    assert made.trainer.model_version == made.trainer.rollout_worker.model_version == 1 + STEPS
    served, trained = weights(made.served.model), weights(made.trainer.model)
    assert set(made.served.names[0]) == set(before)
    assert all(served[name].equal(trained[name]) for name in served)
    assert not any(served[name].equal(before[name]) for name in served)
    assert made.served.destroyed
    assert not made.served.paused
    assert all(0 <= one["sample/staleness_max"] <= made.trainer.args.max_staleness for one in steps)
    assert made.server.refused == 0


def test_the_log_has_what_the_page_says_to_watch(run: Callable[..., Run]) -> None:
    steps = run().train()
    logged = {name for one in steps for name in one}
    assert {"reward", "reward_std", "rewards/pi_session", "pi_gym/proc", "pi_gym/comp", "pi_gym/unscored"} <= logged
    assert {"rollout/fork_frac", "rollout/realign_frac", "tools/loop_exhausted_frac"} <= logged
    assert {"sample/staleness_mean", "sample/forwarded_tokens_mean", "perf/rollout_wait_s"} <= logged
    assert {"completions/clipped_ratio", "pi_gym/strict_proc", "pi_gym/turns"} <= logged
    assert 0 < steps[0]["reward"] < 1
    assert steps[0]["pi_gym/unscored"] == 0


def test_sessions_without_a_score_change_no_weight(run: Callable[..., Run]) -> None:
    down = pi_gym.ModelConfig(base_url="http://127.0.0.1:9/v1", model="down", retries=0, cache=None)
    made = run(user=down, max_steps=1)
    before = weights(made.trainer.model)
    (step,) = made.train()
    (batch, *_) = made.seen
    assert batch["advantages"].numel() > 0
    assert not batch["advantages"].any()
    assert step["loss"] == step["grad_norm"] == 0
    assert step["reward"] is None
    assert step["pi_gym/unscored"] == 1
    after = weights(made.trainer.model)
    assert all(after[name].equal(before[name]) for name in after)


def read(samples: Sequence[Any], version: int, staleness: int) -> tuple[list[Any], dict[str, list[float]]]:
    """What TRL's own dataset gives of some samples to a trainer whose weights are of a version, and what it notes."""
    from trl.experimental.async_grpo.async_grpo_trainer import RolloutQueueDataset

    class Over(Exception):
        """Nothing is left."""

    def health(_: float) -> None:
        raise Over

    waiting: queue.Queue[Any] = queue.Queue()
    for one in samples:
        waiting.put(one)
    noted: dict[str, list[float]] = {name: [] for name in ("sample/dropped_stale_total", "sample/staleness_max")}
    noted |= {"sample/staleness_mean": [], "sample/rollout_queue_size": [], "sample/time_in_queue_s": []}
    dataset = RolloutQueueDataset(
        waiting, lambda: version, health, 1, noted, max_staleness=staleness, poll_interval_s=0.01
    )
    found: list[Any] = []
    with pytest.raises(Over):
        deque(map(found.append, dataset), 0)
    return found, noted


def test_what_is_too_old_is_thrown_away() -> None:
    import numpy as np

    ids = np.arange(3)
    samples = [
        SimpleNamespace(
            model_version=version,
            enqueued_at=None,
            input_ids=ids,
            completion_mask=ids > 0,
            old_log_probs=-ids,
            advantage=0.5,
            group_id=version,
            metrics={},
        )
        for version in (1, 2, 3, 5)
    ]
    kept, noted = read(samples, version=6, staleness=4)
    assert [one["group_id"] for one in kept] == [2, 3, 5]
    assert noted["sample/dropped_stale_total"] == [1]
    assert noted["sample/staleness_max"] == [4, 3, 1]
