"""The arguments of `vllm serve` by which a model can play a role."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pi_gym.errors import PiGymError, UnknownName, unknown

AGENT = "agent"
#: The roles that each choice plays; "both" are the environment's own roles.
ROLES: Mapping[str, tuple[str, ...]] = {
    "user": ("user",),
    "grader": ("grader",),
    "both": ("user", "grader"),
    "agent": (AGENT,),
    "all": ("user", "grader", AGENT),
}
#: Room for a prompt and its answer, in tokens. User and grader may be shown the same amount of evidence.
CONTEXT_TOKENS = 32_768
_PARSER_FLAG = "--tool-call-parser"


class ServeError(PiGymError):
    """The server cannot be started; the message says why and what to do."""


def serve_arguments(
    model: str,
    role: str = "both",
    *,
    host: str,
    port: int,
    tool_parser: str | None = None,
    extra: Sequence[str] = (),
) -> list[str]:
    """The arguments of vLLM that serve a model for roles; what is given in `extra` is not set twice.

    Raises:
        UnknownName: there is no such role.
        ServeError: an agent's tool calls would not be parsed, or `extra` holds what has a place of its own.

    >>> serve_arguments("m", host="127.0.0.1", port=1, extra=["--max-model-len=9"])[:6]
    ['serve', 'm', '--host', '127.0.0.1', '--port', '1']
    """
    if role not in ROLES:
        raise UnknownName(unknown("role", role, ROLES))
    given = _flags(extra)
    if own := sorted(given & {"--host", "--port"}):
        raise ServeError(f"{own[0]} is an option of ours: give it before the arguments of vLLM")
    ours = {
        "--host": host,
        "--port": str(port),
        "--max-model-len": str(CONTEXT_TOKENS),
        # All intents of a turn, and all sessions of a task, begin their prompts alike.
        "--enable-prefix-caching": "",
        # Verdicts are JSON of a schema; white space without end is the usual way to miss it.
        "--structured-outputs-config": json.dumps({"backend": "xgrammar", "disable_any_whitespace": True}),
        # Sampling is as the requests say, not as the model's folder does.
        "--generation-config": "vllm",
    }
    if AGENT in ROLES[role]:
        if tool_parser is None and _PARSER_FLAG not in given:
            raise ServeError(
                "an agent's tool calls are written in the form of its model's family, and vLLM has to be told which:"
                " --tool-parser NAME, such as hermes (Qwen 2.5 and 3), qwen3_coder, llama3_json, mistral, openai"
                " (gpt-oss), glm45, deepseek_v31; `vllm serve --help=tool-call-parser` lists them"
            )
        ours["--enable-auto-tool-choice"] = ""
        ours |= {} if tool_parser is None else {_PARSER_FLAG: tool_parser}
    chosen = [part for flag, value in ours.items() if flag not in given for part in (flag, value) if part]
    return ["serve", model, *chosen, *extra]


def rollout_arguments(model: str, role: str, url: str) -> list[str]:
    """The arguments of `pi-gym rollout` by which a served model plays its roles.

    >>> rollout_arguments("m", "both", "http://127.0.0.1:8000/v1")[:2]
    ['--role', 'user=m@http://127.0.0.1:8000/v1']
    """
    served = f"{model}@{url}"
    parts = (("--agent", served) if name == AGENT else ("--role", f"{name}={served}") for name in ROLES[role])
    return [word for part in parts for word in part]


def _flags(extra: Sequence[str]) -> set[str]:
    """The flags among arguments of vLLM, as ours are spelt: --a_b is --a-b, --no-a and --a.b=c set --a."""
    named = {word.partition("=")[0].partition(".")[0].replace("_", "-") for word in extra if word.startswith("--")}
    return named | {f"--{flag.removeprefix('--no-')}" for flag in named if flag.startswith("--no-")}
