"""`pi-gym show`: one task, as the agent meets it, and on request what is hidden."""

from __future__ import annotations

from typing import Annotated

import typer


def command(
    task: Annotated[str, typer.Argument(help="The task's name, as `pi-gym list` shows it.")],
    pack: Annotated[
        str | None, typer.Option(help="Where it is: an environment's id, a pack's name, or the path of its folder.")
    ] = None,
    variant: Annotated[int, typer.Option(min=0, help="The world's number.")] = 0,
    hidden: Annotated[bool, typer.Option("--hidden", help="Also what is hidden from the agent.")] = False,
) -> None:
    """Show a task as the agent meets it."""
    from pi_gym.cli.finding import environment_with

    env, found = environment_with(task, pack)
    session = env.family.preview(env, found, task, variant)
    for message in session.messages:
        typer.echo(f"=== {message.role} ===\n{message.content.rstrip()}\n")
    typer.echo(f"=== tools ===\n{', '.join(session.registry.names)}\n")
    tree = (f"{len(blob.data):>9,}  {path}" for path, blob in session.world.workspace.walk())
    typer.echo("=== workspace (bytes, path) ===\n" + "\n".join(tree))
    if hidden:
        typer.echo("\n" + env.family.hidden_text(session))
