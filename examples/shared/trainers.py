"""The common parts of the trainers: arguments, playing sessions with a small model, evaluating it."""

from __future__ import annotations

import argparse
import json
import os
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import torch
import trl.trainer.utils
from shared.curve import Curve
from shared.forecast import Forecast, duration, measure
from shared.generator import GROUPED, Generator
from transformers import (
    AutoConfig,
    AutoModelForCausalLM,
    AutoTokenizer,
    PreTrainedModel,
    PreTrainedTokenizerBase,
    TrainerCallback,
)

import pi_gym
from pi_gym import ModelConfig, RewardConfig
from pi_gym.adapters.trl import PlayedSession, SessionRollout, TokenSample, make_dataset, token_sample
from pi_gym.errors import BadArgument, PiGymError
from pi_gym.graders.model import ModelGrader
from pi_gym.models.answerer import ModelAnswerer
from pi_gym.models.usage import Usage
from pi_gym.sampling import Split

#: Rows of `make_dataset`.
Rows = Sequence[Mapping[str, Any]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments that every trainer has."""
    play = parser.add_argument_group("sessions")
    play.add_argument("--env", default="PiBench-Mini-v0", help="a registered environment")
    play.add_argument("--model", required=True, help="a folder, or a name on a hub")
    play.add_argument(
        "--tasks", nargs="+", metavar="TASK", help="train on these, and validate; default: on the split's"
    )
    play.add_argument("--tool-format", choices=("text", "schemas"), default="text", help="how tools are told")
    play.add_argument("--room", type=int, default=960, help="tokens of a session behind its opening, at most")
    play.add_argument("--new-tokens", type=int, default=96, help="tokens of one action, where this program generates")
    play.add_argument("--wave", type=int, default=32, help="sessions that are played at a time")
    play.add_argument("--needless", type=float, default=0.0, help="credit for what is asked for needlessly")
    roles = parser.add_argument_group("roles; by default rules play them")
    roles.add_argument("--user", metavar="MODEL@URL", help="a served model plays the user")
    roles.add_argument("--grader", metavar="MODEL@URL", help="a served model grades what rules cannot")
    roles.add_argument("--all-items", action="store_true", help="it grades what rules can, too")
    roles.add_argument(
        "--role-options",
        type=json.loads,
        default={},
        metavar="JSON",
        help='further arguments of their ModelConfig, such as {"max_tokens": 512, "timeout_s": 600}',
    )
    look = parser.add_argument_group("evaluation")
    look.add_argument("--validation", type=int, default=200, help="sessions of the validation split; 0: none")
    look.add_argument("--holdout", type=int, default=64, help="sessions of the held-out tasks; 0: none")
    look.add_argument("--judge-temperature", type=float, default=0.0, help="of evaluated actions; 0: the likeliest")
    look.add_argument("--judge-room", type=int, help="tokens of an evaluated session, at most; default: as --room")
    run = parser.add_argument_group("run")
    run.add_argument("--seed", type=int, default=0)
    run.add_argument(
        "--bf16", action="store_true", help="matrix products in half precision: for GPUs, and CPUs that know it"
    )
    run.add_argument("--freeze-embeddings", action="store_true", help="train all weights but these")
    run.add_argument("--threads", type=int, default=os.cpu_count(), help="of torch; 1 where other work runs beside it")
    run.add_argument("--out", type=Path, required=True, help="a folder: checkpoints, curve.json")
    run.add_argument("--log", metavar="TARGET", help="where the curve is logged, too: tensorboard:DIR or wandb:PROJECT")


if not torch.cuda.is_available():
    # TRL scores the positions that are learnt where there is Triton, and elsewhere all, the prompt's too, since some
    # machines would compile anew for each shape. A CPU would not, and with a large vocabulary it is most of a step.
    trl.trainer.utils._use_triton = lambda device: True


def read_arguments(parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Read the command line; a model or sessions that there are not are told before anything is begun."""
    asked = parser.parse_args()
    try:
        session_rows(asked, "train", 1)
        session_rollout(asked, None)
    except (PiGymError, TypeError) as error:
        parser.error(str(error))
    try:
        AutoConfig.from_pretrained(asked.model)
    except (OSError, ValueError) as error:
        reason = str(error).partition("\n")[0]
        parser.error(f"--model {asked.model}: expected the folder of a model, or its name on a hub: {reason}")
    return asked


def use_threads(asked: argparse.Namespace) -> None:
    """Let torch use as many threads as were asked for, and the same random numbers each time."""
    torch.set_num_threads(asked.threads)
    torch.manual_seed(asked.seed)


def load(
    path: Path | str, *, half: bool = False, freeze_embeddings: bool = False
) -> tuple[PreTrainedModel, PreTrainedTokenizerBase]:
    """A model, in single or in half precision, where it will be trained, and its tokenizer."""
    tokenizer = AutoTokenizer.from_pretrained(path, padding_side="left")
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    dtype = torch.bfloat16 if half else torch.float32
    attention = None if torch.cuda.is_available() else GROUPED
    model = AutoModelForCausalLM.from_pretrained(path, dtype=dtype, attn_implementation=attention)
    model.generation_config.eos_token_id = tokenizer.eos_token_id
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    model.get_input_embeddings().requires_grad_(not freeze_embeddings)
    # Trainers move it when they are made; it is evaluated before.
    return model.to("cuda" if torch.cuda.is_available() else "cpu"), tokenizer


def make_generator(asked: argparse.Namespace, model: Any, tokenizer: Any, temperature: float) -> Generator:
    """A generator with the arguments of the run."""
    return Generator(model, tokenizer, new_tokens=asked.new_tokens, temperature=temperature, bf16=asked.bf16)


def waves(rows: Rows, size: int) -> Iterator[list[int]]:
    """The places of rows, in as few waves of at most `size` as can be, those of a task together.

    A wave takes as long as the longest of its sessions, and what they begin with is read once.
    """
    places = sorted(range(len(rows)), key=lambda place: rows[place]["task"])
    count = -(-len(places) // size)
    yield from (places[len(places) * n // count : len(places) * (n + 1) // count] for n in range(count))


def session_rows(
    asked: argparse.Namespace, split: Split, size: int, *, seed: int | None = None, for_rollout: bool = False
) -> list[dict[str, Any]]:
    """Rows of a split for a run; of the tasks that were asked for, where these are not the held-out ones."""
    tasks = None if split == "holdout" else asked.tasks
    seed = asked.seed if seed is None else seed
    return make_dataset(asked.env, split=split, size=size, seed=seed, tasks=tasks, for_rollout=for_rollout)


def play(rollout: SessionRollout, rows: Rows, tokenizer: Any, room: int, wave: int) -> list[PlayedSession]:
    """Play the sessions of rows, a wave at a time."""
    played: dict[int, PlayedSession] = {}
    for places in waves(rows, wave):
        sessions = rollout.play([rows[place] for place in places], tokenizer, max_completion_length=room)
        played.update(zip(places, sessions, strict=True))
        print(f"\r  played {len(played)} of {len(rows)}", end="", flush=True)
    print()
    # A wave counts its own samples of a start, and the others of that start may be in the next one.
    samples: Counter[tuple[str, int, int]] = Counter()
    counted = []
    for place in range(len(rows)):
        record = played[place].trajectory
        start = record.task_id, record.variant, record.seed
        counted.append(replace(played[place], trajectory=replace(record, sample=samples[start])))
        samples[start] += 1
    return counted


def group_sessions(
    asked: argparse.Namespace, model: Any, tokenizer: Any, *, seed: int, file: Path
) -> list[pi_gym.Trajectory]:
    """The sessions that a model makes of train variants, each played `--group` times; kept in a file.

    A run that goes on finds them there: it learns from the sessions that it began to learn from.
    """
    if not file.exists():
        rows = session_rows(asked, "train", asked.starts, seed=seed)
        generator = make_generator(asked, model, tokenizer, asked.temperature)
        repeated = [row for row in rows for _ in range(asked.group)]
        sessions = play(session_rollout(asked, generator), repeated, tokenizer, asked.room, asked.wave)
        write_records(file, [one.trajectory for one in sessions])
    return list(pi_gym.read_trajectories(file))


def forecast(asked: argparse.Namespace, model: Any, tokenizer: Any, generator: Generator | None = None) -> Forecast:
    """What a run will take: measured on sessions that `generator` plays, without one on references."""
    size = min(asked.starts * asked.group, asked.wave)
    if generator is None:
        with TemporaryDirectory() as folder:
            pi_gym.collect(
                asked.env, "reference", split="train", tasks=asked.tasks, sessions=size, seed=asked.seed, out=folder
            )
            records = list(pi_gym.read_trajectories(folder))
        samples = [token_sample(record, tokenizer, tool_format=asked.tool_format) for record in records]
        return measure(model, lambda: samples, micro=asked.micro, bf16=asked.bf16, played=False)
    rows = session_rows(asked, "train", size)
    rollout = session_rollout(asked, generator)

    def played() -> list[TokenSample]:
        return [one.sample for one in rollout.play(rows, tokenizer, max_completion_length=asked.room)]

    return measure(model, played, micro=asked.micro, bf16=asked.bf16)


def trainer_arguments(asked: argparse.Namespace, *parts: str) -> dict[str, Any]:
    """The arguments that all trainers' configurations have in common; `parts` name a folder below `trainer`."""
    return {
        "output_dir": str(asked.out.joinpath("trainer", *parts)),
        "bf16": asked.bf16,
        # Else transformers takes half precision for a GPU alone.
        "use_cpu": asked.bf16 and not torch.cuda.is_available(),
        "gradient_checkpointing": False,
        "logging_steps": 1,
        "save_total_limit": 1,
        "report_to": "none",
        # `LogCurve` says how far it is.
        "disable_tqdm": True,
        "seed": asked.seed,
    }


class LogCurve(TrainerCallback):
    """Notes what a trainer logs, and says how far it is: a line for each step, with the time that is left.

    Args:
        curve: where it is noted.
        stage: of the run.
        names: what is noted: the curve's name by the trainer's.
        clock: says where the time of a step went; None: nobody does.
    """

    def __init__(self, curve: Curve, stage: str, names: Mapping[str, str], clock: Clock | None = None) -> None:
        self.curve, self.stage, self.names, self.clock = curve, stage, names, clock

    def on_train_begin(self, args: Any, state: Any, control: Any, **others: Any) -> None:
        """Begin to measure the time; a run that goes on begins at a later step."""
        self._begun, self._first = time.monotonic(), state.global_step
        if self.clock:
            self.clock.step()

    def on_log(self, args: Any, state: Any, control: Any, logs: Mapping[str, Any] | None = None, **others: Any) -> None:
        """Take a line of the log."""
        found = {ours: float(logs[name]) for name, ours in self.names.items() if logs and name in logs}
        if found:
            spent = self.clock.step() if self.clock else {}
            self.curve.log(self.stage, step=state.global_step, **found, **spent)
            step_s = (time.monotonic() - self._begun) / max(state.global_step - self._first, 1)
            told = "  ".join(f"{name} {value:.3f}" for name, value in found.items())
            left = duration(step_s * (state.max_steps - state.global_step))
            print(
                f"{self.curve.out.name}: {self.stage} {state.global_step}/{state.max_steps}  {told}  "
                f"{duration(step_s)} a step, {left} left",
                flush=True,
            )


def keep_sessions(out: Path, name: str, records: Sequence[pi_gym.Trajectory]) -> None:
    """Keep sessions of a run, for `pi-gym view OUT` to show; those of that name are replaced."""
    folder = out / "sessions" / name.replace(", ", "-").replace(" ", "-")
    folder.mkdir(parents=True, exist_ok=True)
    write_records(folder / "trajectories.jsonl", records)


def write_records(file: Path, records: Sequence[pi_gym.Trajectory]) -> None:
    """Write sessions to a file, whole or not at all."""
    fresh = file.with_suffix(".new")
    fresh.write_text("".join(record.to_line() + "\n" for record in records), encoding="utf-8")
    fresh.replace(file)


@dataclass
class Judge:
    """Evaluates a model on both splits that training never sees.

    Args:
        arguments: of the run.
        curve: where the result goes.
    """

    arguments: argparse.Namespace
    curve: Curve

    def __call__(self, when: str, model: Any, tokenizer: Any) -> None:
        """Play the model's actions, in the same sessions each time; what was evaluated is not again."""
        asked = self.arguments
        for split, size in (("validation", asked.validation), ("holdout", asked.holdout)):
            if size and not self.curve.has(when, split):
                rows = session_rows(asked, split, size)
                torch.manual_seed(asked.seed)
                generator = make_generator(asked, model, tokenizer, asked.judge_temperature)
                rollout = session_rollout(asked, generator)
                sessions = play(rollout, rows, tokenizer, asked.judge_room or asked.room, asked.wave)
                keep_sessions(asked.out, f"{when}, {split}", [one.trajectory for one in sessions])
                self.curve.evaluated(when, split, [one.result for one in sessions])


def session_rollout(asked: argparse.Namespace, generator: Generator | None) -> SessionRollout:
    """Sessions of the environment that was asked for; without a generator, a trainer generates."""
    return SessionRollout(asked.env, tool_format=asked.tool_format, generate=generator, **env_arguments(asked))


def env_arguments(asked: argparse.Namespace) -> dict[str, Any]:
    """Arguments of the environment: what it pays for, and who plays user and grader where no rules do."""
    roles = {role: told for role in ("user", "grader") if (told := getattr(asked, role))}
    # Lengths in schemas keep a weak model from writing without end; a server that is away for a minute is waited for.
    options = {"bound_schemas": True, "retries": 12, **asked.role_options}
    models = {role: ModelConfig.from_text(told, **options) for role, told in roles.items()}
    played: dict[str, Any] = dict(models)
    if asked.all_items:
        if "grader" not in models:
            raise BadArgument("--all-items: expected --grader MODEL@URL, for without it rules grade")
        played |= {
            "grader": ModelGrader(all_items=True),
            "responder": ModelAnswerer({"grader": models["grader"]}),
        }
    return {"reward": RewardConfig(credit_needless=asked.needless), **played}


class Clock:
    """A rollout that says where the time of a step goes.

    Args:
        rollout: plays the sessions.
        generator: generates for it.
    """

    __name__ = "session_rollout"

    def __init__(self, rollout: SessionRollout, generator: Generator) -> None:
        self.rollout, self.generator = rollout, generator
        self._played_s, self._begun = 0.0, time.monotonic()
        self._last = (0.0, 0.0, rollout.model_usage())

    def __call__(self, prompts: Any, trainer: Any) -> dict[str, Any]:
        """Play a batch."""
        begun = time.monotonic()
        played = self.rollout(prompts, trainer)
        self._played_s += time.monotonic() - begun
        return played

    def step(self) -> dict[str, float]:
        """Seconds since the call before: all, those that the policy generated in, those that sessions took beside it.

        Where models play roles, also how many requests they answered, and in how many seconds, all requests together:
        many are under way at a time.
        """
        now, usage = time.monotonic(), self.rollout.model_usage()
        generated, played, used = self._last
        self._last = (self.generator.seconds, self._played_s, usage)
        generate_s = self.generator.seconds - generated
        found = {
            "step_s": now - self._begun,
            "generate_s": generate_s,
            "sessions_s": self._played_s - played - generate_s,
        }
        for role, total in usage.items():
            since = total - used.get(role, Usage())
            found |= {f"{role}_requests": since.requests, f"{role}_request_s": since.request_s}
        self._begun = now
        return found
