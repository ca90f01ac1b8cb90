"""The plan of an asynchronous training run: its arguments, what they take of the GPUs, and the commands that start it.

Plain arithmetic: it needs neither trl nor torch. `trl_grpo_async.py` uses it; docs/training_gpu.md explains it.
"""

from __future__ import annotations

import argparse
import math
import shlex
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

GIB = 2**30
ROLES = ("user", "grader")
#: What vLLM keeps of its share of a GPU for its own work, and for weights that are being received.
SERVER_SPARE_GIB = 8
SCRIPT = Path(__file__).resolve().with_name("trl_grpo_async.py")


def parse(words: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description="Asynchronous GRPO on pi_gym with TRL and vLLM.")
    add = parser.add_argument
    add("--check", action="store_true", help="check all that needs no GPU, print the plan, and stop")
    add("--train-only", action="store_true", help="only the training: what `accelerate launch` starts")
    add("--out", type=Path, default=Path("runs/grpo-async"), help="checkpoints, evaluations and the curve")
    add("--resume", action="store_true", help="go on from the last checkpoint in --out")

    some = parser.add_argument_group("task")
    some.add_argument("--env", default="PiBench-Researcher-v0")
    some.add_argument("--rows", type=int, default=4000, help="training sessions, each another world")
    some.add_argument("--eval-sessions", type=int, default=60, help="of each split, before and after; 0: none")
    some.add_argument("--seed", type=int, default=0)

    some = parser.add_argument_group("policy")
    some.add_argument("--model", default="Qwen/Qwen3-4B-Instruct-2507")
    some.add_argument("--policy-url", default="http://127.0.0.1:8000", help="its vLLM server, without /v1")
    some.add_argument("--tool-parser", default="hermes", help="how vLLM reads the model's calls, for the evaluation")
    some.add_argument(
        "--max-length", type=int, default=65_536, help="tokens of a session; the server's --max-model-len"
    )
    some.add_argument("--max-answer", type=int, default=4096, help="tokens of one action")
    some.add_argument("--lora-rank", type=int, default=0, help="train adapters of this rank; 0: all weights")

    some = parser.add_argument_group("user and grader (by rules, where no address is given)")
    for role in ROLES:
        some.add_argument(f"--{role}-url", help="its server, with /v1")
        some.add_argument(f"--{role}-model")

    some = parser.add_argument_group("GPUs")
    some.add_argument("--trainer-gpus", type=int, default=4)
    some.add_argument("--policy-gpus", type=int, default=4, help="one vLLM replica each")
    some.add_argument("--role-gpus", type=int, default=0, help="for the server of user and grader")
    some.add_argument("--gpus", type=int, default=8, help="on this machine")
    some.add_argument("--gpu-gib", type=float, default=80.0)
    some.add_argument("--gpu-share", type=float, default=0.85, help="what vLLM takes of its GPUs")

    some = parser.add_argument_group("GRPO")
    some.add_argument("--group", type=int, default=8, help="sessions of the same start, compared with each other")
    some.add_argument("--inflight", type=int, default=64, help="sessions played at a time")
    some.add_argument("--max-seqs", type=int, default=32, help="requests a replica works on at a time")
    some.add_argument("--session-tokens", type=int, default=19_000, help="of a usual session, for the arithmetic")
    some.add_argument("--accumulate", type=int, default=8, help="rows of --max-length tokens per GPU and step")
    some.add_argument("--queue", type=int, default=64, help="finished sessions that may wait for the trainer")
    some.add_argument("--staleness", type=int, default=4, help="steps that the weights may have moved on since")
    some.add_argument("--steps", type=int, default=300)
    some.add_argument("--learning-rate", type=float, default=1e-6)
    some.add_argument("--save-steps", type=int, default=25)
    return parser.parse_args(words)


@dataclass(frozen=True)
class Shape:
    """What of a model decides memory. The defaults are those of Qwen3-4B."""

    layers: int = 36
    hidden: int = 2560
    heads: int = 32
    kv_heads: int = 8
    head_dim: int = 128
    inner: int = 9728
    vocabulary: int = 151_936
    tied: bool = True

    @property
    def parameters(self) -> int:
        """How many it has; a dense model, without biases and norms."""
        attention = self.hidden * self.head_dim * (2 * self.heads + 2 * self.kv_heads)
        words = self.vocabulary * self.hidden * (1 if self.tied else 2)
        return words + self.layers * (attention + 3 * self.hidden * self.inner)

    @property
    def cache_bytes(self) -> int:
        """Of one token in vLLM's cache, in bfloat16."""
        return 2 * 2 * self.layers * self.kv_heads * self.head_dim

    @classmethod
    def of(cls, model: str) -> Shape:
        """Of a model in a folder; the default for the default model, whose configuration need not be loaded."""
        if model == "Qwen/Qwen3-4B-Instruct-2507":
            return cls()
        from transformers import AutoConfig

        c = AutoConfig.from_pretrained(model).get_text_config()
        head_dim = getattr(c, "head_dim", None) or c.hidden_size // c.num_attention_heads
        kv_heads = getattr(c, "num_key_value_heads", None) or c.num_attention_heads
        sizes = (c.num_hidden_layers, c.hidden_size, c.num_attention_heads, kv_heads, head_dim, c.intermediate_size)
        return cls(*sizes, c.vocab_size, bool(c.tie_word_embeddings))


@dataclass(frozen=True)
class Plan:
    """The arithmetic of a run: what it takes, and what does not fit."""

    a: argparse.Namespace
    shape: Shape

    @property
    def trainer_gib(self) -> float:
        """Of one trainer GPU: float32 weights, gradients and Adam's two moments, sharded; layer inputs kept in bf16."""
        a, sizes = self.a, self.shape
        states = sizes.parameters * (4 if a.lora_rank else 16) / a.trainer_gpus
        kept = a.max_length * sizes.hidden * sizes.layers * 2
        # Of the layer that is at work: gathered weights, and what its forward pass leaves for its backward pass.
        working = a.max_length * (6 * sizes.hidden + 3 * sizes.inner) * 2 + sizes.vocabulary * sizes.hidden * 4
        return (states + kept + working) / GIB

    @property
    def cache_tokens(self) -> int:
        """What the cache of one policy replica holds."""
        a, sizes = self.a, self.shape
        free = a.gpu_gib * a.gpu_share - sizes.parameters * 2 / GIB - SERVER_SPARE_GIB
        return max(0, int(free * GIB / sizes.cache_bytes))

    @property
    def sessions_a_step(self) -> float:
        """How many the trainer consumes; rows are filled with whole sessions, up to `--max-length` tokens."""
        return max(1, self.a.max_length // self.a.session_tokens) * self.a.accumulate * self.a.trainer_gpus

    @property
    def lag(self) -> int:
        """Steps from the beginning of a session to its use, where playing and training keep up with each other."""
        return math.ceil((self.a.inflight + self.a.queue) / self.sessions_a_step)

    def lines(self) -> list[str]:
        """What is to be expected."""
        a, each = self.a, self.a.inflight / max(1, self.a.policy_gpus)
        return [
            f"model: {self.shape.parameters / 1e9:.1f} billion parameters, {self.shape.cache_bytes / 1024:.0f} KiB of"
            " cache a token",
            f"trainer: about {self.trainer_gib:.0f} of {a.gpu_gib:g} GiB on each of {a.trainer_gpus} GPUs",
            f"policy: {a.policy_gpus} replicas, {self.cache_tokens:,} tokens of cache each, {each:g} sessions each",
            f"a step: {self.sessions_a_step:g} sessions, {self.sessions_a_step / a.group:g} groups of {a.group};"
            f" {a.steps} steps take {a.steps * self.sessions_a_step:,.0f} sessions",
            f"staleness: about {self.lag} steps; what is more than {a.staleness} behind is thrown away",
        ]

    def problems(self) -> list[str]:
        """What does not fit, each with the argument at fault first."""
        a = self.a
        used = a.trainer_gpus + a.policy_gpus + a.role_gpus
        replica = math.ceil(a.inflight / max(1, a.policy_gpus))
        # While they are played sessions are on average half as long as at their end; their openings are shared.
        needed = replica * a.session_tokens * 2 // 3
        found = [
            (
                a.trainer_gpus < 1 or a.policy_gpus < 1 or a.gpus < 2,
                "--trainer-gpus and --policy-gpus: each needs one of its own, for weights go from one to the other by"
                " NCCL; on a single GPU use GRPOTrainer with vllm_mode='colocate' (docs/training_gpu.md)",
            ),
            (used > a.gpus, f"--gpus {a.gpus}: {used} are given away, to trainer, policy and roles"),
            (
                a.role_gpus % max(1, len(role_servers(a))) != 0 or (a.role_gpus > 0 and not role_servers(a)),
                f"--role-gpus {a.role_gpus}: {len(role_servers(a))} servers play user and grader (--user-url,"
                " --grader-url), and share them evenly",
            ),
            *(
                (
                    bool(getattr(a, f"{role}_url")) != bool(getattr(a, f"{role}_model")),
                    f"--{role}-url and --{role}-model: one of them is given, both are needed",
                )
                for role in ROLES
            ),
            (a.policy_url.rstrip("/").endswith("/v1"), "--policy-url: without /v1, as TRL wants it"),
            (a.group < 2, "--group: a session is compared with the others of its group, so at least 2"),
            (a.inflight % a.group != 0, f"--inflight {a.inflight}: no multiple of --group {a.group}"),
            (
                a.inflight > a.max_seqs * a.policy_gpus,
                f"--inflight {a.inflight}: {a.policy_gpus} replicas work on {a.max_seqs * a.policy_gpus} requests"
                " (--max-seqs each); the others would only wait, and grow stale",
            ),
            (
                needed > self.cache_tokens,
                f"--inflight {a.inflight}: {replica} sessions of a replica hold about {needed:,} tokens, its cache"
                f" {self.cache_tokens:,}",
            ),
            (
                a.max_length < a.session_tokens + a.max_answer,
                f"--max-length {a.max_length}: a usual session has {a.session_tokens} tokens, and an action may have"
                f" {a.max_answer}",
            ),
            (
                self.lag > a.staleness,
                f"--staleness {a.staleness}: {a.inflight} sessions are played and {a.queue} may wait, which is"
                f" {self.lag} steps of {self.sessions_a_step:g}; most would be thrown away",
            ),
            (
                self.trainer_gib > 0.92 * a.gpu_gib,
                f"--trainer-gpus {a.trainer_gpus}: about {self.trainer_gib:.0f} GiB on each, of {a.gpu_gib:g}; take"
                " more, a shorter --max-length, or --lora-rank 32",
            ),
        ]
        return [text for wrong, text in found if wrong]


def devices(first: int, count: int) -> str:
    return "CUDA_VISIBLE_DEVICES=" + ",".join(str(first + place) for place in range(count))


def policy_command(a: argparse.Namespace) -> list[str]:
    """The policy's server, with what TRL needs to hand it weights, and what the evaluation needs for tool calls."""
    return [
        *(devices(a.trainer_gpus, a.policy_gpus), "VLLM_SERVER_DEV_MODE=1", "vllm", "serve", a.model),
        *("--host", "127.0.0.1", "--port", a.policy_url.rstrip("/").rpartition(":")[2]),
        *("--weight-transfer-config", '{"backend": "nccl"}'),
        *("--logprobs-mode", "processed_logprobs", "--max-logprobs", "-1"),
        *("--data-parallel-size", str(a.policy_gpus)),
        *("--max-model-len", str(a.max_length), "--max-num-seqs", str(a.max_seqs)),
        *("--gpu-memory-utilization", str(a.gpu_share), "--enable-prefix-caching", "--generation-config", "vllm"),
        *("--enable-auto-tool-choice", "--tool-call-parser", a.tool_parser),
    ]


def role_servers(a: argparse.Namespace) -> dict[tuple[str, str], list[str]]:
    """The served models that play roles, by address and name, each with its roles."""
    found: dict[tuple[str, str], list[str]] = {}
    for role in ROLES:
        if url := getattr(a, f"{role}_url"):
            found.setdefault((url, getattr(a, f"{role}_model") or ""), []).append(role)
    return found


def role_commands(a: argparse.Namespace) -> list[list[str]]:
    """The servers of user and grader, which `pi-gym serve` knows how to start; they share --role-gpus evenly."""
    commands, first = [], a.trainer_gpus + a.policy_gpus
    servers = role_servers(a)
    for place, ((url, model), played) in enumerate(servers.items()):
        each = a.role_gpus // len(servers)
        port = url.rstrip("/").removesuffix("/v1").rpartition(":")[2]
        commands.append(
            [
                *([devices(first + place * each, each)] if each else ()),
                *("pi-gym", "serve", "--model", model, "--role", "both" if len(played) == 2 else played[0]),
                *("--port", port, *(("--", "--tensor-parallel-size", str(each)) if each > 1 else ())),
            ]
        )
    return commands


def train_command(a: argparse.Namespace, words: Sequence[str]) -> list[str]:
    """The training in processes of its own; several trainer GPUs share the states of the optimizer (FSDP 2)."""
    sharded = [
        *("--use_fsdp", "--fsdp_version", "2", "--fsdp_auto_wrap_policy", "TRANSFORMER_BASED_WRAP"),
        *("--fsdp_reshard_after_forward", "true", "--fsdp_state_dict_type", "FULL_STATE_DICT"),
    ]
    return [
        *("accelerate", "launch", "--num_processes", str(a.trainer_gpus), "--num_machines", "1"),
        *("--mixed_precision", "bf16", "--dynamo_backend", "no", *(sharded if a.trainer_gpus > 1 else ())),
        *(str(SCRIPT), "--train-only", *(word for word in words if word != "--check")),
    ]


def shown(command: Sequence[str]) -> str:
    """A command as one types it, variables of the environment before it."""
    return " ".join(word if "=" in word and word.split("=")[0].isupper() else shlex.quote(word) for word in command)
