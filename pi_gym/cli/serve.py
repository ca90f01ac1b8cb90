"""`pi-gym serve`: a model for the roles, served by vLLM."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path
from typing import Annotated

import typer


def command(
    model: Annotated[str, typer.Option(help="The model: a name of the Hugging Face hub, or a folder.")],
    extra: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGUMENTS]", help="Further arguments of `vllm serve`.")
    ] = None,
    role: Annotated[
        str, typer.Option(help="What it plays: user, grader (of PiBench alone), both of them, agent, or all.")
    ] = "both",
    tool_parser: Annotated[
        str | None, typer.Option(metavar="NAME", help="For an agent: how the model writes tool calls, in vLLM's names.")
    ] = None,
    host: Annotated[str, typer.Option(help="Where it listens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where it listens.")] = 8000,
    vllm: Annotated[str, typer.Option(metavar="PATH", help="The program; it may lie in another environment.")] = "vllm",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the command.")] = False,
) -> None:
    """Serve a model for the roles user and grader, or as the agent: become `vllm serve` with what they need.

    Says first what to pass to `pi-gym rollout` once vLLM is up.
    """
    from pi_gym.models.vllm_arguments import ServeError, rollout_arguments, serve_arguments

    arguments = [
        vllm, *serve_arguments(model, role, host=host, port=port, tool_parser=tool_parser, extra=extra or ())
    ]  # fmt: skip
    if dry_run:
        typer.echo(shlex.join(arguments))
        return
    # Beside this Python too, which need not be on PATH.
    program = shutil.which(vllm) or shutil.which(vllm, path=str(Path(sys.executable).parent))
    if program is None:
        raise ServeError(
            f"{vllm!r} is not there. Install it (pip install 'pi-gym[vllm]'), perhaps into a virtual environment of its"
            " own, and name its program with --vllm PATH; or serve the model by other means and pass MODEL@URL to"
            " rollout."
        )
    url = f"http://{f'[{host}]' if ':' in host else host}:{port}/v1"
    told = rollout_arguments(_name(model, extra or ()), role, url.replace("//0.0.0.0:", "//127.0.0.1:"))
    typer.echo(f"{shlex.join(arguments)}\nonce it is up: pi-gym rollout PiBench-Researcher-v0 {shlex.join(told)}")
    sys.stdout.flush()
    os.execv(program, arguments)


def _name(model: str, extra: list[str] | tuple[str, ...]) -> str:
    """The name under which vLLM serves the model."""
    words = iter(extra)
    for word in words:
        flag, equals, value = word.partition("=")
        if flag == "--served-model-name":
            return value if equals else next(words, model)
    return model
