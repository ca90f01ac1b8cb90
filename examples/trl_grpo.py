"""Train with GRPO: groups of sessions from one start, compared with each other.

    python examples/trl_grpo.py --model MODEL --out runs/grpo
    python examples/trl_grpo.py --model MODEL --out runs/grpo --play conversation --steps 100 --group 8

docs/training_gpu.md has the arguments for one GPU, where vLLM generates in the trainer's process; it was not run there.
`--dry-run` tries without a GPU whether they fit.

With `--play tools` TRL's own tool loop plays: a session is an `environment_factory` object, its tools are the model's,
and the user is spoken to by `reply_to_user`. With `--play conversation` a `rollout_func` plays, with messages of the
user's role. Rows name task, variant and seed, so that all members of a group have the same start. What the environment
says is masked in both; a session without a score, because a served user was out of reach, has the reward None, which
TRL masks.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from datasets import Dataset
from shared.curve import Curve
from shared.dry_run import build, small_model, without_gpu
from shared.generator import Generator
from shared.trainers import (
    Clock,
    Judge,
    LogCurve,
    add_arguments,
    env_arguments,
    forecast,
    keep_sessions,
    load,
    make_generator,
    read_arguments,
    session_rollout,
    session_rows,
    trainer_arguments,
    use_threads,
)
from transformers import PreTrainedTokenizerBase, PrinterCallback
from trl import GRPOConfig, GRPOTrainer

from pi_gym.adapters.trl import environment_factories, session_results, session_reward

#: The values of TRL's log that the curve keeps.
LOGGED = {
    "reward": "reward",
    "loss": "loss",
    **{f"pi_gym/{name}": name for name in ("proc", "strict_proc", "comp", "unscored", "cut_short")},
}


def arguments() -> argparse.Namespace:
    """The arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    add_arguments(parser)
    learn = parser.add_argument_group("GRPO")
    learn.add_argument("--play", choices=("tools", "conversation"), default="tools")
    learn.add_argument("--steps", type=int, default=50)
    learn.add_argument("--starts", type=int, default=4, help="different sessions in a step")
    learn.add_argument("--group", type=int, default=4, help="how often each is played")
    learn.add_argument("--micro", type=int, default=4, help="sessions at a time in memory")
    learn.add_argument("--rate", type=float, default=1e-5, help="learning rate")
    learn.add_argument("--beta", type=float, default=0.0, help="weight of the divergence from the first model")
    learn.add_argument("--temperature", type=float, default=1.0)
    learn.add_argument("--max-calls", type=int, default=12, help="rounds of tool calls in a session, with --play tools")
    learn.add_argument("--save-steps", type=int, default=10)
    learn.add_argument("--keep-every", type=int, default=10, help="sessions of every so many steps are kept; 0: none")
    learn.add_argument("--resume", action="store_true", help="go on from the last checkpoint in --out")
    gpu = parser.add_argument_group("GPU")
    gpu.add_argument("--vllm", choices=("none", "colocate", "server"), default="none", help="who generates")
    gpu.add_argument("--vllm-url", default="http://127.0.0.1:8000", help="of the server")
    gpu.add_argument("--opening", type=int, default=2048, help="tokens that vLLM has room for before --room")
    gpu.add_argument("--vllm-memory", type=float, default=0.35, help="share of the card, with colocate")
    gpu.add_argument("--lora-rank", type=int, default=0, help="train adapters of this rank (peft); 0: all weights")
    gpu.add_argument("--checkpointing", action="store_true", help="trade time for memory")
    gpu.add_argument("--dry-run", action="store_true", help="build all around a small model, and leave nothing")
    asked = read_arguments(parser)
    if _trl_evaluates(asked) and (asked.judge_room or asked.judge_temperature):
        parser.error(
            "--judge-room and --judge-temperature: expected none with --play tools or --vllm, where TRL evaluates,"
            " in the room and at the temperature of training; leave them out"
        )
    return asked


def _trl_evaluates(asked: argparse.Namespace) -> bool:
    """Whether TRL's own loop evaluates: it has the model where the environment's tools or vLLM play."""
    return bool(asked.play == "tools" or asked.vllm != "none")


def config(asked: argparse.Namespace) -> GRPOConfig:
    """The trainer's configuration: a step is `starts` x `group` sessions."""
    batch = asked.starts * asked.group
    if batch % asked.micro:
        raise SystemExit(f"--micro {asked.micro}: expected a divisor of --starts x --group, which is {batch}")
    served: dict[str, Any] = {"use_vllm": False}
    if asked.vllm != "none":
        served = {
            "use_vllm": True,
            "use_cpu": False,
            "vllm_mode": asked.vllm,
            "vllm_gpu_memory_utilization": asked.vllm_memory,
            **(
                {"vllm_server_base_url": asked.vllm_url}
                if asked.vllm == "server"
                else {"vllm_enable_sleep_mode": True, "vllm_max_model_length": asked.room + asked.opening}
            ),
        }
    if asked.dry_run:
        served |= without_gpu(colocate=asked.vllm == "colocate")
    common = {**trainer_arguments(asked), "gradient_checkpointing": asked.checkpointing}
    return GRPOConfig(
        max_steps=asked.steps,
        per_device_train_batch_size=asked.micro,
        gradient_accumulation_steps=batch // asked.micro,
        num_generations=asked.group,
        num_generations_eval=1,
        per_device_eval_batch_size=asked.wave,
        max_completion_length=asked.room,
        max_tool_calling_iterations=asked.max_calls if asked.play == "tools" else None,
        temperature=asked.temperature,
        learning_rate=asked.rate,
        beta=asked.beta,
        save_steps=asked.save_steps,
        **{**common, **served},
    )


def adapters(asked: argparse.Namespace) -> Any:
    """The adapters that are trained instead of the weights; None: the weights."""
    if not asked.lora_rank:
        return None
    from peft import LoraConfig

    return LoraConfig(r=asked.lora_rank, target_modules="all-linear")


def require_tools(tokenizer: PreTrainedTokenizerBase) -> None:
    """See that the chat template can hold a conversation with tools; else take Qwen2.5's, if its signs are known."""
    from trl.chat_template_utils import qwen2_5_chat_template, supports_tool_calling

    if supports_tool_calling(tokenizer):
        return
    if "<|im_start|>" not in tokenizer.get_vocab():
        raise SystemExit(
            "--play tools: expected a model whose chat template renders tools, calls and their results; this one's does"
            " not. Use --play conversation --tool-format text, or set the tokenizer's chat_template to one of"
            " trl.chat_template_utils"
        )
    print("the chat template knows no tools: Qwen2.5's is used, which has the same signs")
    tokenizer.chat_template = qwen2_5_chat_template


class Rewards:
    """The reward function; it keeps results while the trainer evaluates, and sessions of some steps of the training.

    Args:
        out: the run's folder.
        every: sessions of every so many steps are kept; 0: none.
    """

    __name__ = "session_reward"

    def __init__(self, out: Path, every: int) -> None:
        self.out, self.every = out, every
        self.results: list[Any] | None = None

    def __call__(self, prompts: Any, completions: Any, **others: Any) -> list[float | None]:
        """Score the sessions."""
        told = {name: value for name, value in others.items() if name != "log_metric"}
        results = session_results(prompts, completions, **told)
        if self.results is not None:
            self.results += results
        elif self.every and (step := others["trainer_state"].global_step + 1) % self.every == 0:
            keep_sessions(self.out, f"step {step:05d}", [one.record for one in results])
        return session_reward(prompts, completions, **others)


def evaluate(asked: argparse.Namespace, trainer: GRPOTrainer, reward: Rewards, curve: Curve, when: str) -> None:
    """Let the trainer play both splits that training never sees, as it plays in training: actions are drawn."""
    for split, size in (("validation", asked.validation), ("holdout", asked.holdout)):
        if size and not curve.has(when, split):
            reward.results = []
            named = asked.play == "conversation"
            rows = session_rows(asked, split, size, for_rollout=named)
            trainer.evaluate(Dataset.from_list(rows))
            curve.evaluated(when, split, reward.results)
            keep_sessions(asked.out, f"{when}, {split}", [one.record for one in reward.results])
            reward.results = None


def main() -> None:
    """Run, or try whether it would."""
    asked = arguments()
    if not asked.dry_run:
        return run(asked)
    with TemporaryDirectory() as folder:
        asked.model, asked.out = str(small_model(asked.model, Path(folder, "model"))), Path(folder, "run")
        run(asked)


def run(asked: argparse.Namespace) -> None:
    """Evaluate, train, evaluate; a dry run ends before."""
    use_threads(asked)
    curve = Curve.begun(asked.out, vars(asked), resume=asked.resume)
    # Frozen weights need no more than half precision; those that are trained do.
    model, tokenizer = load(
        asked.model, half=asked.bf16 and bool(asked.lora_rank), freeze_embeddings=asked.freeze_embeddings
    )
    size = asked.steps * asked.starts
    rows = session_rows(asked, "train", size, for_rollout=asked.play == "conversation")
    reward = Rewards(asked.out, asked.keep_every)
    how: dict[str, Any]
    own: Generator | None = None
    clock: Clock | None = None
    if asked.play == "tools":
        require_tools(tokenizer)
        how = {"environment_factory": environment_factories(asked.env, **env_arguments(asked))}
    else:
        # On a GPU vLLM keeps what it has read; here the cache of `Generator` does.
        if asked.vllm == "none":
            own = make_generator(asked, model, tokenizer, asked.temperature)
        rollout = session_rollout(asked, own)
        clock = Clock(rollout, own) if own else None
        how = {"rollout_func": clock or rollout}
    trainer = GRPOTrainer(
        model=model,
        args=config(asked),
        reward_funcs=reward,
        train_dataset=Dataset.from_list(rows),
        processing_class=tokenizer,
        callbacks=[LogCurve(curve, "grpo", LOGGED, clock)],
        peft_config=adapters(asked),
        **how,
    )
    if asked.dry_run:
        return build(trainer)

    def judge(when: str) -> None:
        if _trl_evaluates(asked):
            evaluate(asked, trainer, reward, curve, when)
        else:
            Judge(asked, curve)(when, trainer.model, tokenizer)

    trainer.remove_callback(PrinterCallback)
    evaluations = 2 * (asked.validation + asked.holdout)
    told = forecast(asked, trainer.model, tokenizer, own)
    print(told.text(steps=asked.steps, sessions=asked.starts * asked.group, evaluated=evaluations), flush=True)
    judge("before")
    trainer.train(resume_from_checkpoint=asked.resume and any((asked.out / "trainer").glob("checkpoint-*")))
    trainer.save_model(str(asked.out / "model"))
    tokenizer.save_pretrained(asked.out / "model")
    judge("after")
    print(curve.table())


if __name__ == "__main__":
    main()
