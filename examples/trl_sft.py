"""Fine-tune a small model on sessions: imitation of references first, then rejection sampling on its own sessions.

    python examples/trl_sft.py --model MODEL --out runs/sft
    python examples/trl_sft.py --model MODEL --out runs/sft --demonstrations 256 --rounds 3 --group 8

Imitation plays train variants as their references do, and trains on what these write. Rejection sampling then lets the
model play other train variants, several times each, keeps of each the best session if it is good, trains on what is
kept, and begins again. What the environment says is never learnt: its tokens have no labels. The validation and holdout
splits are played before, between and after; all of it goes to `curve.json`.

A run that was interrupted goes on with `--resume`: stages that are finished are not run again.
"""

from __future__ import annotations

import argparse
import gc
import json
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import takewhile
from math import ceil
from pathlib import Path
from typing import Any

from datasets import Dataset
from shared.curve import Curve
from shared.exchanged_words import exchange_words
from shared.forecast import measure
from shared.noisy_reference import NoisyReference
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
from trl import SFTConfig, SFTTrainer

import pi_gym
from pi_gym.adapters.trl import TokenSample, token_sample


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    learn = parser.add_argument_group("imitation")
    learn.add_argument("--demonstrations", type=int, default=96, help="reference sessions; 0: no imitation")
    learn.add_argument("--noise", type=float, default=0.0, help="share of steps and lines that references leave out")
    learn.add_argument(
        "--exchange",
        type=float,
        default=0.0,
        help="share of references in which words stand for other words; for tokenizers of whole words",
    )
    learn.add_argument("--epochs", type=float, default=2.0)
    learn.add_argument("--rate", type=float, default=3e-4, help="learning rate")
    learn.add_argument("--batch", type=int, default=4, help="sessions in a step")
    learn.add_argument("--micro", type=int, default=4, help="of these, at a time in memory")
    choose = parser.add_argument_group("rejection sampling")
    choose.add_argument("--rounds", type=int, default=1, help="0: none")
    choose.add_argument("--starts", type=int, default=48, help="different sessions in a round")
    choose.add_argument("--group", type=int, default=4, help="how often each is played")
    choose.add_argument("--temperature", type=float, default=1.0)
    choose.add_argument("--good", type=float, default=0.95, help="a session with a lower score is not kept")
    choose.add_argument("--round-rate", type=float, default=3e-5, help="learning rate of a round")
    parser.add_argument("--resume", action="store_true", help="go on with the run in --out")
    return read_arguments(parser)


def demonstrations(asked: argparse.Namespace, tokenizer: Any) -> list[TokenSample]:
    """Train variants as their references play them, with the mistakes that were asked for."""
    run = asked.out / "demonstrations"
    pi_gym.collect(
        asked.env,
        NoisyReference(asked.noise) if asked.noise else "reference",
        split="train",
        tasks=asked.tasks,
        sessions=asked.demonstrations,
        seed=asked.seed,
        out=run,
        resume=run.exists(),
    )
    records = pi_gym.read_trajectories(run)
    return [token_sample(record, tokenizer, tool_format=asked.tool_format) for record in records]


def best(
    records: Iterable[pi_gym.Trajectory], good: float, sample: Callable[[pi_gym.Trajectory], TokenSample]
) -> list[TokenSample]:
    """The good session of each start with the highest score, of equal ones the shorter one.

    Samples are made of the records, which end with the last action that was played: what a session was cut off in is
    not learnt.
    """
    chosen: dict[tuple[str, int, int], tuple[tuple[float, int], TokenSample]] = {}
    for record in records:
        if record.return_ is None or record.return_ < good or not record.actions:
            continue
        tokens = sample(record)
        rank = record.return_, -len(tokens.completion_ids)
        start = record.task_id, record.variant, record.seed
        if start not in chosen or rank > chosen[start][0]:
            chosen[start] = rank, tokens
    return [tokens for _, tokens in chosen.values()]


def train(
    asked: argparse.Namespace, model: Any, tokenizer: Any, samples: Sequence[TokenSample], curve: Curve, stage: str
) -> None:
    """Train on samples, as a stage of the run."""
    imitating = stage == "imitation"
    config = SFTConfig(
        **trainer_arguments(asked, stage),
        num_train_epochs=asked.epochs if imitating else 1.0,
        learning_rate=asked.rate if imitating else asked.round_rate,
        lr_scheduler_type="cosine",
        warmup_steps=0.05,
        adam_beta2=0.98,
        per_device_train_batch_size=asked.micro,
        gradient_accumulation_steps=max(asked.batch // asked.micro, 1),
        max_length=None,
        packing=False,
        train_sampling_strategy="group_by_length",
        save_steps=50,
        dataset_kwargs={"skip_prepare_dataset": True},
    )
    trainer = SFTTrainer(
        model=model,
        args=config,
        train_dataset=Dataset.from_list([sample.sft_row() for sample in samples]),
        processing_class=tokenizer,
        callbacks=[LogCurve(curve, stage, {"loss": "loss", "mean_token_accuracy": "token_accuracy"})],
    )
    trainer.remove_callback(PrinterCallback)
    batch = config.per_device_train_batch_size * config.gradient_accumulation_steps
    steps = ceil(config.num_train_epochs * len(samples) / batch)
    told = measure(model, lambda: samples, micro=asked.micro, bf16=asked.bf16, played=False)
    print(told.text(steps=steps, sessions=batch, evaluated=0), flush=True)
    # Millions of objects hold the samples; to look through them for garbage takes longer than a small model's step.
    gc.collect()
    gc.freeze()
    # What was begun and not finished goes on from its last checkpoint.
    begun = any(Path(config.output_dir).glob("checkpoint-*"))
    trainer.train(resume_from_checkpoint=begun)
    # With it goes what its optimizer keeps, which the evaluation needs the room of.
    del trainer
    gc.unfreeze()
    gc.collect()


def round_of(asked: argparse.Namespace, number: int, model: Any, tokenizer: Any, curve: Curve) -> list[TokenSample]:
    """Let the model play, and keep its best sessions."""
    file = asked.out / f"round-{number}.jsonl"
    seed = asked.seed + 1000 * number  # other variants each time
    records = group_sessions(asked, model, tokenizer, seed=seed, file=file)
    kept = best(records, asked.good, partial(token_sample, tokenizer=tokenizer, tool_format=asked.tool_format))
    scores = [record.return_ for record in records if record.return_ is not None]
    mean = sum(scores) / len(scores) if scores else 0.0
    print(f"round {number}: mean score {mean:.3f}, {len(kept)} of {asked.starts} starts have a session to learn from")
    if not curve.logs(f"round-{number}"):
        curve.log(f"round-{number}", reward=mean, kept=len(kept) / asked.starts)
    return kept


def main() -> None:
    """Evaluate, imitate, choose; evaluate after each."""
    asked = arguments()
    use_threads(asked)
    stages = [*(["imitation"] if asked.demonstrations else []), *(f"round-{n}" for n in range(1, asked.rounds + 1))]
    curve = Curve.begun(asked.out, vars(asked), resume=asked.resume)
    done = list(takewhile(lambda stage: (asked.out / stage / "done.json").exists(), stages))
    judge = Judge(asked, curve)
    model, tokenizer = load(asked.out / done[-1] if done else asked.model, freeze_embeddings=asked.freeze_embeddings)
    if not done:
        judge("before", model, tokenizer)
    for stage in stages[len(done) :]:
        if stage == "imitation":
            samples = exchange_words(demonstrations(asked, tokenizer), tokenizer, asked.exchange, asked.seed)
        else:
            samples = round_of(asked, int(stage.removeprefix("round-")), model, tokenizer, curve)
        if samples:
            train(asked, model, tokenizer, samples, curve, stage)
        # Kept where there was nothing to learn from, too: a run that goes on begins with the last stage's.
        model.save_pretrained(asked.out / stage)
        tokenizer.save_pretrained(asked.out / stage)
        judge(f"after {stage}", model, tokenizer)
        (asked.out / stage / "done.json").write_text(json.dumps({"samples": len(samples)}) + "\n")
    print(curve.table())


if __name__ == "__main__":
    main()
