"""Train on preferences: of two sessions from one start, the one with the higher score is preferred.

    python examples/trl_dpo.py --model MODEL --out runs/dpo
    python examples/trl_dpo.py --model MODEL --out runs/dpo --run runs/collected

Without `--run` the model itself plays train variants, each several times. A run is a folder that `pi_gym.collect(…,
group_size=G)` or `pi-gym rollout --group-size G` filled, by a served model for example; the ids of its tokens are used
where the policy gave them. Sessions are from one start where task, variant and seed are the same. Both sessions of a
pair are weighed by what the agent wrote in them; the environment's tokens are masked.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import torch
from datasets import Dataset
from shared.curve import Curve
from shared.trainers import (
    Judge,
    LogCurve,
    add_arguments,
    group_sessions,
    load,
    read_arguments,
    trainer_arguments,
    use_threads,
)
from transformers import PrinterCallback
from trl import DPOConfig, DPOTrainer
from trl.trainer.dpo_trainer import DataCollatorForPreference

import pi_gym
from pi_gym.adapters.trl import TokenSample, token_sample
from pi_gym.environments import base_env, make_env
from pi_gym.sampling import split_tasks, split_variants

#: The values of TRL's log that the curve keeps.
LOGGED = {"loss": "loss", "rewards/margins": "margin", "rewards/accuracies": "accuracy"}


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    pair = parser.add_argument_group("pairs")
    pair.add_argument("--run", type=Path, help="a run with groups, its scores as they are; else the model plays")
    pair.add_argument("--starts", type=int, default=64, help="different sessions that the model plays")
    pair.add_argument("--group", type=int, default=4, help="how often it plays each")
    pair.add_argument("--temperature", type=float, default=1.0)
    pair.add_argument("--gap", type=float, default=0.1, help="scores that are nearer make no pair")
    learn = parser.add_argument_group("DPO")
    learn.add_argument("--epochs", type=float, default=1.0)
    learn.add_argument("--rate", type=float, default=5e-6, help="learning rate")
    learn.add_argument("--beta", type=float, default=0.1)
    learn.add_argument("--batch", type=int, default=8, help="pairs in a step")
    learn.add_argument("--micro", type=int, default=2, help="of these, at a time in memory")
    learn.add_argument("--save-steps", type=int, default=20)
    learn.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --out")
    return read_arguments(parser)


def pairs(records: Iterable[pi_gym.Trajectory], gap: float) -> list[tuple[pi_gym.Trajectory, pi_gym.Trajectory]]:
    """The best session and the worst one of each start, where their scores are far enough apart."""
    groups: dict[tuple[str, int, int, str], list[pi_gym.Trajectory]] = {}
    for record in records:
        if record.return_ is not None and record.actions:
            start = record.task_id, record.variant, record.seed, record.history_mode
            groups.setdefault(start, []).append(record)
    found = []
    for group in groups.values():
        ranked = sorted(group, key=lambda record: record.return_ or 0.0)
        worst, best = ranked[0], ranked[-1]
        if (best.return_ or 0.0) - (worst.return_ or 0.0) >= gap:
            found.append((best, worst))
    return found


def require_train(asked: argparse.Namespace, records: Sequence[pi_gym.Trajectory]) -> None:
    """See that a run may be learnt from: it is of the environment that is evaluated, and of its train split."""
    others = {record.env_id for record in records} - {asked.env}
    if others:
        raise SystemExit(f"--run {asked.run}: expected sessions of --env {asked.env}, got {', '.join(sorted(others))}")
    tasks = {name for pack in base_env(make_env(asked.env, {})).packs for name in split_tasks(pack, "train")}
    first, last = split_variants("train")
    outside = [one for one in records if one.task_id not in tasks or not first <= one.variant <= last]
    if outside:
        raise SystemExit(
            f"--run {asked.run}: {len(outside)} of {len(records)} sessions are not of the train split, such as"
            f" {outside[0].task_id}, variant {outside[0].variant}; the others are for evaluation: collect with"
            " split='train'"
        )


class Collator(DataCollatorForPreference):
    """TRL's collator, for completions in which only the agent's tokens count."""

    def torch_call(self, examples: list[dict[str, Any]]) -> dict[str, Any]:
        """A batch: the chosen sessions, then the rejected ones."""
        batch = super().torch_call(examples)
        for place, (kind, example) in enumerate((k, e) for k in ("chosen", "rejected") for e in examples):
            begin, mask = len(example["prompt_ids"]), torch.tensor(example[f"{kind}_mask"])
            batch["completion_mask"][place, begin : begin + len(mask)] = mask
        return batch


class SessionDPOTrainer(DPOTrainer):
    """TRL's trainer, for rows that are tokens already."""

    def _prepare_dataset(self, dataset: Any, *others: Any, **named: Any) -> Any:
        return dataset


def config(asked: argparse.Namespace) -> DPOConfig:
    """The trainer's configuration."""
    return DPOConfig(
        **trainer_arguments(asked),
        num_train_epochs=asked.epochs,
        learning_rate=asked.rate,
        beta=asked.beta,
        per_device_train_batch_size=asked.micro,
        gradient_accumulation_steps=max(asked.batch // asked.micro, 1),
        max_length=None,
        # The masks are no arguments of the model's, and the collator needs them.
        remove_unused_columns=False,
        save_steps=asked.save_steps,
    )


def rows_of(asked: argparse.Namespace, records: Sequence[pi_gym.Trajectory], tokenizer: Any) -> list[dict[str, Any]]:
    """The pairs as tokens."""

    def sample(record: pi_gym.Trajectory) -> TokenSample:
        return token_sample(record, tokenizer, tool_format=asked.tool_format)

    found = pairs(records, asked.gap)
    print(f"{len(found)} pairs of {len(records)} sessions")
    if not found:
        raise SystemExit(
            f"no two sessions of one start are {asked.gap} apart: play more of them (--starts, --group), with a higher"
            " --temperature, in another --out, or begin with a better model (trl_sft.py)"
        )
    return [sample(best).preferred_to(sample(worst)) for best, worst in found]


def main() -> None:
    """Evaluate, pair, train, evaluate."""
    asked = arguments()
    use_threads(asked)
    curve = Curve.begun(asked.out, vars(asked), resume=asked.resume)
    model, tokenizer = load(asked.model, freeze_embeddings=asked.freeze_embeddings)
    judge = Judge(asked, curve)
    judge("before", model, tokenizer)
    if asked.run:
        records = list(pi_gym.read_trajectories(asked.run))
        require_train(asked, records)
    else:
        records = group_sessions(asked, model, tokenizer, seed=asked.seed, file=asked.out / "played.jsonl")
    trainer = SessionDPOTrainer(
        model=model,
        args=config(asked),
        train_dataset=Dataset.from_list(rows_of(asked, records, tokenizer)),
        processing_class=tokenizer,
        data_collator=Collator(pad_token_id=tokenizer.pad_token_id),
        callbacks=[LogCurve(curve, "dpo", LOGGED)],
    )
    trainer.remove_callback(PrinterCallback)
    trainer.train(resume_from_checkpoint=asked.resume and any((asked.out / "trainer").glob("checkpoint-*")))
    trainer.save_model(str(asked.out / "model"))
    tokenizer.save_pretrained(asked.out / "model")
    judge("after", model, tokenizer)
    print(curve.table())


if __name__ == "__main__":
    main()
