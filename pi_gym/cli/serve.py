"""`pi-gym serve`: a model for the roles, served by vLLM."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

if TYPE_CHECKING:
    from pi_gym.models.serving import ServedModel
    from pi_gym.models.vllm_arguments import ServedRole


def command(
    model: Annotated[str, typer.Option(help="The model: a name of the Hugging Face hub, or a folder.")],
    extra: Annotated[
        list[str] | None, typer.Argument(metavar="[-- ARGUMENTS]", help="Further arguments of `vllm serve`.")
    ] = None,
    role: Annotated[str, typer.Option(help="What it plays: user, grader, both of them, agent, or all.")] = "both",
    tool_parser: Annotated[
        str | None, typer.Option(metavar="NAME", help="For an agent: how the model writes tool calls, in vLLM's names.")
    ] = None,
    host: Annotated[str, typer.Option(help="Where it listens.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Where it listens.")] = 8000,
    vllm: Annotated[str, typer.Option(metavar="PATH", help="The program; it may lie in another environment.")] = "vllm",
    ready: Annotated[float, typer.Option(min=1, metavar="SECONDS", help="How long the start may take.")] = 1800,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show the command.")] = False,
) -> None:
    """Serve a model for the roles user and grader, or as the agent, with vLLM, until Ctrl-C.

    Prints what to pass to `pi-gym rollout` once the server is ready.
    """
    from pi_gym.errors import UnknownName, unknown
    from pi_gym.models.serving import ServedModel, shown
    from pi_gym.models.vllm_arguments import ROLES

    if role not in ROLES:
        raise UnknownName(unknown("role", role, ROLES))
    server = ServedModel(
        model,
        cast("ServedRole", role),
        host=host,
        port=port,
        tool_parser=tool_parser,
        extra=extra or (),
        vllm=vllm,
        ready_s=ready,
    )
    typer.echo(shown(server.command), err=not dry_run)
    if not dry_run:
        raise typer.Exit(_serve(server))


def _serve(server: ServedModel) -> int:
    """Run the server to its end; the exit status is 0 where it was asked to end."""
    from pi_gym.models.serving import shown

    asked: list[int] = []

    def pass_on(number: int, _: Any) -> None:
        asked.append(number)
        server.signal(number)

    before = {number: signal.signal(number, pass_on) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        server.start()
        server.wait_ready()
        typer.echo(f"ready: {server.url}\npi-gym rollout PiBench-Researcher-v0 {shown(server.arguments)}")
        code = server.wait()
    except Exception:
        if asked:
            return 0
        raise
    finally:
        server.stop()
        for number, handler in before.items():
            signal.signal(number, handler)
    if asked:
        return 0
    typer.echo(f"pi-gym: vllm ended by itself (status {code})", err=True)
    return 1
