"""`pi-gym list`: environments, packs and tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pi_gym.cli.text_table import table

if TYPE_CHECKING:
    from pi_gym.catalogue import TaskSet


def command(
    name: Annotated[
        str | None, typer.Argument(help="Only this: an environment's id, a pack's name, or the path of its folder.")
    ] = None,
    ids: Annotated[bool, typer.Option("--ids", help="Only the environment ids, one a line.")] = False,
) -> None:
    """List environments, packs and tasks."""
    from pi_gym.cli.finding import named_ids, open_environment
    from pi_gym.errors import PackError
    from pi_gym.registration import registered_ids
    from pi_gym.rollout.agents import agents_of

    if ids:
        typer.echo("\n".join(registered_ids()))
        return
    failed = False
    total = packs = 0
    listed = named_ids(name)
    for env_id, kwargs in listed:
        try:
            env = open_environment(env_id, kwargs)
            agents = f"agents: {', '.join(agents_of(env.family.name))}\n"
            sections = [_section(pack, env_id if not kwargs else f"(pack={kwargs['pack']!r})") for pack in env.packs]
        except PackError as error:
            # A broken pack fails alone: the others are listed.
            typer.echo(f"pi-gym: {kwargs.get('pack') or env_id}: {error}", err=True)
            failed = True
            continue
        typer.echo("\n".join([*sections, agents] if name is not None else sections))
        packs, total = packs + len(env.packs), total + sum(len(pack.task_ids) for pack in env.packs)
    if name is None:
        for env_id in registered_ids():
            if env_id not in dict(listed):
                names = ", ".join(pack.name for pack in open_environment(env_id, {}).packs)
                typer.echo(f"{env_id}  draws over {names}, or takes another pack by its name or folder")
        typer.echo(f"{packs} packs, {total} tasks")
    if failed:
        raise typer.Exit(1)


def _section(pack: TaskSet, env_id: str) -> str:
    cards = [pack.card(name) for name in pack.task_ids]
    details = list(dict.fromkeys(column for card in cards for column in card.details))
    rows = [
        [
            card.id,
            card.group or "-",
            "holdout" if card.holdout else "",
            *(card.details.get(column) or "-" for column in details),
            ", ".join(card.needs),
        ]
        for card in cards
    ]
    text = table(["task", "group", "split", *details, "needs"], rows)
    held = sum(card.holdout for card in cards)
    counts = f"{len(cards)} tasks, {held} of them holdout"
    slips = "".join(f"warning: {warning}\n" for warning in pack.warnings)
    return f"{env_id}  {pack.name}: {pack.title}\n{pack.description}\n\n{text}\n\n{counts}\n{slips}"
