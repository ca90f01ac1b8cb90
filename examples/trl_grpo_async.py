"""Train a policy with TRL's asynchronous GRPO: sessions are played all the time, beside the training, on other GPUs.

    python examples/trl_grpo_async.py check                      # no GPU: data, chat template, trainer
    python examples/trl_grpo_async.py before --out runs/grpo     # evaluate the served policy
    accelerate launch … examples/trl_grpo_async.py train --out runs/grpo
    python examples/trl_grpo_async.py after --out runs/grpo      # evaluate again

The policy's vLLM server must be up. With the last step TRL has handed its weights to the server, and so the second
evaluation asks the trained policy. docs/training_gpu.md has the commands that start the server and the training, and
how the numbers are chosen. Needs TRL 1.16, vLLM 0.22 to 0.31 and at least two GPUs.
"""

from __future__ import annotations

import argparse
import copy
import json
import pickle
import sys
import urllib.request
from collections.abc import Sequence
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any

from shared.curve import Curve

import pi_gym
from pi_gym.adapters.trl import EnvironmentFactory, SessionResult, make_dataset
from pi_gym.pibench.family import PIBENCH

ROLES = ("user", "grader")
PAGE = "docs/training_gpu.md has the command that starts it"
#: The values of TRL's log that the curve keeps.
LOGGED = {
    "reward": "reward",
    "pi_gym/proc": "proc",
    "pi_gym/strict_proc": "strict_proc",
    "pi_gym/comp": "comp",
    "pi_gym/unscored": "unscored",
    "sample/staleness_mean": "staleness",
}


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Asynchronous GRPO on pi_gym with TRL and vLLM.")
    add = parser.add_argument
    add("stage", choices=("check", "before", "train", "after"))
    add("--out", type=Path, default=Path("runs/grpo-async"), help="checkpoints, evaluations and the curve")
    add("--resume", action="store_true", help="go on: `before` in its sessions, `train` from the last checkpoint")

    some = parser.add_argument_group("sessions")
    some.add_argument("--env", default="PiBench-Researcher-v0")
    some.add_argument("--rows", type=int, default=4000, help="training sessions, each another world")
    some.add_argument("--eval-sessions", type=int, default=60, help="of each split, before and after")
    some.add_argument("--seed", type=int, default=0)
    for role in ROLES:
        some.add_argument(f"--{role}-url", help=f"the server that plays the {role}, with /v1; rules where left out")
        some.add_argument(f"--{role}-model")

    some = parser.add_argument_group("policy")
    some.add_argument("--model", default="Qwen/Qwen3-4B-Instruct-2507")
    some.add_argument("--policy-url", default="http://127.0.0.1:8000", help="its vLLM server, without /v1")
    some.add_argument(
        "--max-length", type=int, default=65_536, help="tokens of a session; the server's --max-model-len"
    )
    some.add_argument("--max-answer", type=int, default=4096, help="tokens of one action")
    some.add_argument("--lora-rank", type=int, default=0, help="train adapters of this rank; 0: all weights")

    some = parser.add_argument_group("GRPO")
    some.add_argument("--group", type=int, default=8, help="sessions of the same start, compared with each other")
    some.add_argument("--inflight", type=int, default=64, help="sessions played at a time")
    some.add_argument("--accumulate", type=int, default=8, help="rows of --max-length tokens per GPU and step")
    some.add_argument("--queue", type=int, default=64, help="finished sessions that may wait for the trainer")
    some.add_argument("--staleness", type=int, default=4, help="steps that the weights may have moved on since")
    some.add_argument("--steps", type=int, default=300)
    some.add_argument("--learning-rate", type=float, default=1e-6)
    some.add_argument("--save-steps", type=int, default=25)

    a = parser.parse_args(words)
    for role in ROLES:
        if bool(getattr(a, f"{role}_url")) != bool(getattr(a, f"{role}_model")):
            parser.error(f"--{role}-url and --{role}-model: one of them is given, both are needed")
    if a.policy_url.rstrip("/").endswith("/v1"):
        parser.error("--policy-url: without /v1, as TRL wants it")
    if a.group < 2 or a.inflight % a.group:
        parser.error(f"--inflight {a.inflight}: a multiple of --group, which is at least 2, got {a.group}")
    return a


def roles(a: argparse.Namespace) -> dict[str, pi_gym.ModelConfig]:
    """Arguments of the environment: who plays user and grader; a server that is away for a minute is waited for."""
    return {
        role: pi_gym.ModelConfig(base_url=url, model=getattr(a, f"{role}_model"), bound_schemas=True, retries=12)
        for role in ROLES
        if (url := getattr(a, f"{role}_url"))
    }


def grpo_config(a: argparse.Namespace, **options: Any) -> Any:
    from trl.experimental.async_grpo import AsyncGRPOConfig

    return AsyncGRPOConfig(
        output_dir=str(a.out / "checkpoints"),
        vllm_server_base_url=a.policy_url,
        num_generations=a.group,
        max_completion_length=a.max_answer,  # of one action: TRL asks for each by itself
        max_inflight_tasks=a.inflight,
        queue_maxsize=a.queue,
        max_staleness=a.staleness,
        weight_sync_steps=1,  # after every step, and so after the last: what is served then is what was trained
        token_budget=a.max_length,
        per_device_train_batch_size=1,
        gradient_accumulation_steps=a.accumulate,
        max_steps=a.steps,
        learning_rate=a.learning_rate,
        save_steps=a.save_steps,
        seed=a.seed,
        report_to="none",
        **options,
    )


def worker_arguments(a: argparse.Namespace, config: Any, tokenizer: Any) -> dict[str, Any]:
    """The arguments that TRL sends to the process that plays: environments are made there."""
    from datasets import Dataset

    rows = make_dataset(a.env, split="train", size=a.rows, seed=a.seed)
    return {
        "environments": EnvironmentFactory(a.env, **roles(a)),
        "config": config,
        "model": a.model,
        "tokenizer": tokenizer,
        "dataset": Dataset.from_list(rows),
        "max_length": a.max_length,
    }


def made_trainer(a: argparse.Namespace, config: Any, **options: Any) -> Any:
    """TRL's trainer with sessions that are played and scored by our worker."""
    from peft import LoraConfig
    from transformers import AutoTokenizer
    from trl.experimental.async_grpo import AsyncGRPOTrainer

    from pi_gym.adapters.trl.asynchronous import SessionWorker

    given = worker_arguments(a, config, AutoTokenizer.from_pretrained(a.model, padding_side="left"))
    return AsyncGRPOTrainer(
        model=a.model,
        args=config,
        train_dataset=given["dataset"],
        processing_class=given["tokenizer"],
        rollout_worker=SessionWorker.of(**given) if config.process_index == 0 else None,
        peft_config=LoraConfig(r=a.lora_rank, target_modules="all-linear") if a.lora_rank else None,
        **options,
    )


def train(a: argparse.Namespace) -> None:
    from transformers.trainer_utils import get_last_checkpoint

    config = grpo_config(a)
    trainer = made_trainer(a, config)
    require_whole_weights(trainer)
    trainer.train(resume_from_checkpoint=get_last_checkpoint(config.output_dir) if a.resume else None)
    trainer.save_model(str(a.out / "model"))
    if trainer.accelerator.is_main_process:
        (a.out / "log.json").write_text(json.dumps(trainer.state.log_history, indent=1))


def require_whole_weights(trainer: Any) -> None:
    """See that the policy is served under the name that sessions and evaluations ask for.

    TRL hands adapters alone to a server that takes them, each time under another name; the model's own name would go on
    to stand for the untrained weights, and nothing would say so.
    """
    if trainer._lora_sync:
        sys.exit("the policy's server runs with --enable-lora; start it without")


def evaluate(a: argparse.Namespace) -> None:
    """Let the served policy play worlds, and tasks, that are not trained on."""
    require_server(a)
    curve = Curve.begun(a.out, vars(a), resume=a.resume or a.stage == "after")
    when = f"after-{a.steps}" if a.stage == "after" else "before"
    for split in ("validation", "holdout"):
        if curve.has(when, split):
            continue
        out = a.out / f"{when}-{split}"
        pi_gym.collect(
            a.env,
            f"{a.model}@{a.policy_url.rstrip('/')}/v1",
            split=split,  # type: ignore[arg-type]
            sessions=a.eval_sessions,
            concurrency=min(a.eval_sessions, a.inflight),
            seed=a.seed,
            env_kwargs=roles(a),
            policy_kwargs={"temperature": 1.0, "max_tokens": a.max_answer, "context_tokens": a.max_length},
            out=out,
            resume=out.exists(),
        )
        curve.evaluated(when, split, [SessionResult.of(one, PIBENCH) for one in pi_gym.read_trajectories(out)])
    if a.stage == "after":
        curve.logged.clear()  # TRL's log holds the steps of all starts
        log_curve(curve, json.loads((a.out / "log.json").read_text()))
        print(curve.table())


def require_server(a: argparse.Namespace) -> None:
    """Look before a start of minutes whether the server is one that takes weights, and of this model."""
    url = a.policy_url.rstrip("/")
    try:
        with urllib.request.urlopen(f"{url}/v1/models", timeout=10) as answer:
            card = json.load(answer)["data"][0]
        with urllib.request.urlopen(f"{url}/get_world_size", timeout=10) as answer:
            json.load(answer)["world_size"]
    except (OSError, ValueError, LookupError, TypeError) as error:
        sys.exit(f"no policy at {url} that takes weights ({error}): {PAGE}")
    for name, got, wanted in (("model", card["id"], a.model), ("--max-model-len", card["max_model_len"], a.max_length)):
        if got != wanted:
            sys.exit(f"{url}: its {name} is {got}, expected {wanted}: {PAGE}")


def log_curve(curve: Curve, log: Sequence[dict[str, Any]]) -> None:
    """Note what TRL logged."""
    for one in log:
        found = {ours: one[theirs] for theirs, ours in LOGGED.items() if one.get(theirs) is not None}
        if "reward" in found:
            curve.log("grpo", step=one["step"], **found)


def check(a: argparse.Namespace) -> None:
    """Try all that can be tried without a GPU and a server, and print what is found."""
    tokenizer, told = local_tokenizer(a.model)
    config = grpo_config(a, use_cpu=True)
    given = worker_arguments(a, config, tokenizer)
    factory = pickle.loads(pickle.dumps(given["environments"]))
    environment, row = factory(), given["dataset"][0]
    environment.reset(**row)
    print(f"data\n  {len(given['dataset'])} sessions; the first is {row['task']}, variant {row['variant']}")
    print(f"  {factory!r} was pickled, and plays it")
    print(f"chat template\n  {told}")
    if tokenizer is None:
        return
    from pi_gym.adapters.trl.asynchronous import loop_arguments

    pickle.dumps(loop_arguments(**given))
    openings, wholes = measured(a, tokenizer)
    print(f"  openings of {median(openings):,.0f} tokens in the median, at most {max(openings):,};")
    print(f"  sessions of the references of {median(wholes):,.0f}, at most {max(wholes):,}")
    if max(openings) + a.max_answer > a.max_length:
        raise ValueError(f"--max-length {a.max_length}: no room for an answer behind an opening of {max(openings)}")
    if find_spec("vllm") is None:
        print("trainer\n  not built: vLLM, also one for the CPU, is not installed")
    else:
        dry_run(a)


def dry_run(a: argparse.Namespace) -> None:
    """Build the trainer and all that it makes before its first step, around a small model of the same architecture."""
    import torch
    from shared.dry_run import NoTransfer, build, small_model, without_gpu
    from trl.experimental.async_grpo import async_grpo_trainer

    if not torch.cuda.is_available():
        # It asks for the GPU's name, the first that this trainer wants of one; None: a GPU that TRL does not know.
        async_grpo_trainer.get_peak_flops_per_device = lambda *_: None
    with TemporaryDirectory() as folder:
        small = copy.copy(a)
        small.model, small.out = str(small_model(a.model, Path(folder, "model"), offline=True)), Path(folder, "run")
        # With adapters TRL asks the server how they are to be sent, unless there is something else to send them.
        sending = {"weight_transfer": NoTransfer()} if a.lora_rank else {}
        build(made_trainer(small, grpo_config(small, **without_gpu()), **sending))


def measured(a: argparse.Namespace, tokenizer: Any) -> tuple[list[int], list[int]]:
    """Tokens of each task's opening, and of its reference's whole session: less than what a learner needs."""

    def tokens(messages: list[dict[str, Any]], **options: Any) -> int:
        return len(tokenizer.apply_chat_template(messages, tools=tools, return_dict=False, **options))

    openings, wholes = [], []
    environment = EnvironmentFactory(a.env)()
    for row in make_dataset(a.env, split="train", seed=a.seed):
        environment.reset(**row)
        play = environment._session
        messages, tools = play.opening, play.session.tool_schemas()
        openings.append(tokens(messages, add_generation_prompt=True))
        for action in play.session.task.reference:
            messages = [*messages, {"role": "assistant", "content": action}, *play.act(action)]
        wholes.append(tokens(messages))
    return openings, wholes


def local_tokenizer(model: str) -> tuple[Any, str]:
    """The tokenizer where it is on this machine, and what TRL makes of its chat template.

    Raises:
        ValueError: TRL does not know how this model writes tool calls.
    """
    from transformers import AutoTokenizer
    from trl import chat_template_utils as templates

    try:
        tokenizer = AutoTokenizer.from_pretrained(model, padding_side="left", local_files_only=True)
    except (OSError, ValueError):
        return None, f"not checked: the tokenizer of {model} is not on this machine"
    templates.add_response_schema(tokenizer)
    own = templates.is_chat_template_prefix_preserving(tokenizer)
    template = None if own else templates.get_training_chat_template(tokenizer)
    told = "known to TRL" + ("" if own else ", which trains with one of its own")
    # TRL's own test has no user who answers; many templates rewrite what came before such an answer.
    for thought in ({}, {"reasoning_content": "Hm.", "thinking": "Hm."}):
        if not keeps(tokenizer, template, thought):
            what = "thoughts" if thought else "answers"
            return (
                tokenizer,
                f"{told}; it rewrites earlier {what} where the user answers: TRL then makes several rows of a session",
            )
    return tokenizer, f"{told}; it keeps what was said as it was"


def keeps(tokenizer: Any, template: str | None, thought: dict[str, str]) -> bool:
    """Whether each prompt of a conversation begins with the one before it."""
    call = {"type": "function", "function": {"name": "look", "arguments": {"at": "notes"}}}
    turn = [
        {"role": "user", "content": "Go on."},
        {"role": "assistant", "content": "", "tool_calls": [call], **thought},
        {"role": "tool", "name": "look", "content": "Found."},
        {"role": "assistant", "content": "Which?", **thought},
    ]
    chat, prompts = [*turn, *turn], []
    for length in range(1, len(chat), 2):
        said = tokenizer.apply_chat_template(
            chat[:length], tokenize=False, add_generation_prompt=True, chat_template=template
        )
        prompts.append(said)
    return all(later.startswith(earlier) for earlier, later in pairwise(prompts))


def main() -> None:
    a = parse()
    if a.stage == "check":
        try:
            check(a)
        except (ValueError, OSError) as error:
            sys.exit(f"does not fit: {error}")
    elif a.stage == "train":
        train(a)
    else:
        evaluate(a)


if __name__ == "__main__":
    main()
