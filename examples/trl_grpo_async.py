"""Train a policy with TRL's asynchronous GRPO: sessions are played all the time, beside the training, on other GPUs.

    python examples/trl_grpo_async.py --check            # no GPU: configuration, data, arithmetic, the commands
    python examples/trl_grpo_async.py --out runs/grpo    # evaluate, train, evaluate; the policy's server must be up

`--check` prints the `vllm serve` commands to start before. The run evaluates the served policy, starts the training
(`accelerate launch` of this script), and evaluates again: with the last step TRL has handed its weights to the server.
docs/training_gpu.md says how the numbers are chosen. Needs TRL 1.16, vLLM 0.22 to 0.31 and at least two GPUs.
"""

from __future__ import annotations

import argparse
import json
import pickle
import subprocess
import sys
import urllib.request
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path
from statistics import median
from typing import Any

from trl_async_plan import ROLES, Plan, Shape, devices, parse, policy_command, role_commands, shown, train_command
from trl_curve import Curve

import pi_gym
from pi_gym.adapters.trl import EnvironmentFactory, SessionResult, make_dataset
from pi_gym.pibench.family import PIBENCH

#: What the curve keeps of TRL's log.
LOGGED = {
    "reward": "reward",
    "pi_gym/proc": "proc",
    "pi_gym/strict_proc": "strict_proc",
    "pi_gym/comp": "comp",
    "pi_gym/unscored": "unscored",
    "sample/staleness_mean": "staleness",
}


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
    """What TRL sends to the process that plays: environments are made there."""
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


def train(a: argparse.Namespace) -> None:
    from peft import LoraConfig
    from transformers import AutoTokenizer
    from transformers.trainer_utils import get_last_checkpoint
    from trl.experimental.async_grpo import AsyncGRPOTrainer

    from pi_gym.adapters.trl.asynchronous import SessionWorker

    config = grpo_config(a)
    given = worker_arguments(a, config, AutoTokenizer.from_pretrained(a.model, padding_side="left"))
    trainer = AsyncGRPOTrainer(
        model=a.model,
        args=config,
        train_dataset=given["dataset"],
        processing_class=given["tokenizer"],
        rollout_worker=SessionWorker.of(**given) if config.process_index == 0 else None,
        peft_config=LoraConfig(r=a.lora_rank, target_modules="all-linear") if a.lora_rank else None,
    )
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
        sys.exit("the policy's server runs with --enable-lora; start it without, as --check prints it")


def evaluate(a: argparse.Namespace, curve: Curve, when: str) -> None:
    """Let the served policy play worlds, and tasks, that are not trained on."""
    for split in ("validation", "holdout"):
        if not a.eval_sessions or curve.has(when, split):
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
            resume=a.resume,
        )
        curve.evaluated(when, split, [SessionResult.of(one, PIBENCH) for one in pi_gym.read_trajectories(out)])


def require_server(a: argparse.Namespace) -> None:
    """Look before a start of minutes whether the server is the one that was planned."""
    url = a.policy_url.rstrip("/")
    try:
        with urllib.request.urlopen(f"{url}/v1/models", timeout=10) as answer:
            card = json.load(answer)["data"][0]
        with urllib.request.urlopen(f"{url}/get_world_size", timeout=10) as answer:
            replicas = json.load(answer)["world_size"]
    except (OSError, ValueError, KeyError, LookupError) as error:
        sys.exit(f"no policy at {url} that takes weights ({error}); start it first:\n  {shown(policy_command(a))}")
    for name, got, wanted in (
        ("model", card["id"], a.model),
        ("--max-model-len", card.get("max_model_len"), a.max_length),
        ("number of GPUs", replicas, a.policy_gpus),
    ):
        if got != wanted:
            sys.exit(f"{url}: its {name} is {got}, expected {wanted}; start it so:\n  {shown(policy_command(a))}")


def log_curve(curve: Curve, log: Sequence[dict[str, Any]]) -> None:
    """Note what TRL logged."""
    for one in log:
        found = {ours: one[theirs] for theirs, ours in LOGGED.items() if one.get(theirs) is not None}
        if "reward" in found:
            curve.log("grpo", step=one["step"], **found)


def check(a: argparse.Namespace, words: Sequence[str]) -> list[str]:
    """All that can be checked without a GPU and a server; gives what does not fit, and prints the rest."""
    plan = Plan(a, Shape.of(a.model))
    if problems := plan.problems():
        return problems
    print("plan", *plan.lines(), sep="\n  ")
    tokenizer, told = local_tokenizer(a.model)
    config = grpo_config(a, use_cpu=True, bf16=False)
    given = worker_arguments(a, config, tokenizer)
    factory = pickle.loads(pickle.dumps(given["environments"]))
    environment, row = factory(), given["dataset"][0]
    environment.reset(**row)
    print(f"data\n  {len(given['dataset'])} sessions; the first is {row['task']}, variant {row['variant']}")
    print(f"  {factory!r} was pickled, and plays it")
    print(f"chat template\n  {told}")
    if tokenizer is not None:
        from pi_gym.adapters.trl.asynchronous import loop_arguments

        pickle.dumps(loop_arguments(**given))
        openings, wholes = measured(a, tokenizer)
        print(f"  openings of {median(openings):,.0f} tokens in the median, at most {max(openings):,};")
        print(f"  sessions of the references of {median(wholes):,.0f}, at most {max(wholes):,} (--session-tokens)")
        if max(openings) + a.max_answer > a.max_length:
            return [f"--max-length {a.max_length}: no room for an answer behind an opening of {max(openings)} tokens"]
    print("commands, each in a shell of its own; the last one starts the training by itself")
    for command in (policy_command(a), *role_commands(a)):
        print("  " + shown(command))
    print("  " + shown(["python", str(Path(sys.argv[0])), *(word for word in words if word != "--check")]))
    print("the training that it starts\n  " + shown([devices(0, a.trainer_gpus), *train_command(a, words)]))
    return []


def measured(a: argparse.Namespace, tokenizer: Any) -> tuple[list[int], list[int]]:
    """Tokens of each task's opening, and of its reference's whole session: less than what a learner needs."""

    def tokens(messages: list[dict[str, Any]], **options: Any) -> int:
        return len(tokenizer.apply_chat_template(messages, tools=tools, return_dict=False, **options))

    openings, wholes = [], []
    environment = EnvironmentFactory(a.env)()
    for row in make_dataset(a.env, split="train", seed=a.seed):
        environment.reset(**row)
        play = environment._play
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
    words = sys.argv[1:]
    a = parse(words)
    if a.train_only:
        train(a)
        return
    try:
        problems = check(a, words) if a.check else Plan(a, Shape.of(a.model)).problems()
    except (ValueError, OSError) as error:
        problems = [str(error)]
    if problems:
        print(*(f"does not fit: {text}" for text in problems), sep="\n", file=sys.stderr)
        sys.exit(2)
    if a.check:
        return
    require_server(a)
    a.out.mkdir(parents=True, exist_ok=True)
    curve = Curve.begun(a.out, vars(a), resume=a.resume)
    if not a.resume:  # the server may hold trained weights by now
        evaluate(a, curve, "before")
    subprocess.run(["env", devices(0, a.trainer_gpus), *train_command(a, words)], check=True)
    evaluate(a, curve, f"after-{a.steps}")
    curve.logged.clear()  # TRL's log holds the steps of all starts
    log_curve(curve, json.loads((a.out / "log.json").read_text()))
    print(curve.table())


if __name__ == "__main__":
    main()
