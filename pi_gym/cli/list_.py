"""`pi-gym list`: environments, packs and tasks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from pi_gym.cli.tables import table

if TYPE_CHECKING:
    from pi_gym.packs import Pack


def command(
    pack: Annotated[str | None, typer.Argument(help="Only this pack: its name, or the path of a folder.")] = None,
    ids: Annotated[bool, typer.Option("--ids", help="Only the environment ids, one a line.")] = False,
) -> None:
    """List environments, packs and tasks."""
    from pi_gym.errors import PackError
    from pi_gym.installed import installed_packs
    from pi_gym.packs import load_pack
    from pi_gym.registration import ALL_PACKS_ID, env_id

    installed = installed_packs()
    if ids:
        typer.echo("\n".join([*(env_id(name) for name in installed), ALL_PACKS_ID]))
        return
    failed = False
    total = packs = 0
    for name in [pack] if pack is not None else installed:
        try:
            found = load_pack(name)
            section = _section(found, env_id(name) if name in installed else f"(pack={name!r})")
        except PackError as error:
            # A broken pack fails alone: the others are listed.
            typer.echo(f"pi-gym: pack {name}: {error}", err=True)
            failed = True
            continue
        typer.echo(section)
        packs, total = packs + 1, total + len(found.task_ids)
    if pack is None:
        typer.echo(f"{ALL_PACKS_ID}  draws over all packs that count for the benchmark")
        typer.echo(f"{packs} packs, {total} tasks")
    if failed:
        raise typer.Exit(1)


def _section(pack: Pack, env_id: str) -> str:
    cards = [pack.card(name) for name in pack.task_ids]
    rows = [
        [
            card.id,
            card.category or "-",
            card.group or "-",
            "holdout" if card.holdout else "",
            card.trigger,
            f"{_span(*card.intents)} of {card.pool}",
            str(card.items),
            ", ".join(card.needs),
        ]
        for card in cards
    ]
    held = sum(card.holdout for card in cards)
    columns = ["task", "category", "group", "split", "trigger", "intents", "items", "needs"]
    text = table(columns, rows, right=[6])
    head = f"{env_id}  {pack.name}: {pack.spec.title}, {pack.persona.name}, {pack.persona.role}"
    counts = f"{len(cards)} tasks, {held} of them holdout"
    slips = "".join(f"warning: {warning}\n" for warning in pack.warnings)
    return f"{head}\n{pack.spec.description}\n\n{text}\n\n{counts}\n{slips}"


def _span(low: int, high: int) -> str:
    return str(low) if low == high else f"{low}-{high}"
