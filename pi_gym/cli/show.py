"""`pi-gym show`: one task, as the agent meets it, and on request what is hidden."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from pi_gym.packs import Pack, Task


def command(
    task: Annotated[str, typer.Argument(help="The task's name, as `pi-gym list` shows it.")],
    pack: Annotated[str | None, typer.Option(help="The task's pack: a name, or the path of a folder.")] = None,
    variant: Annotated[int, typer.Option(min=0, help="The world's number.")] = 0,
    hidden: Annotated[bool, typer.Option("--hidden", help="Also intents, checklist, reference and values.")] = False,
) -> None:
    """Show a task as the agent meets it."""
    from pi_gym.pibench.openings import opening_for

    found = find_pack(task, pack)
    made = found.instantiate(task, variant)
    opening = opening_for(found, made, "reference" if found.has_references else "none", "task")
    for message in opening.messages:
        typer.echo(f"=== {message.role} ===\n{message.content.rstrip()}\n")
    typer.echo(f"=== tools ===\n{', '.join(opening.registry.names)}\n")
    tree = (f"{len(blob.data):>9,}  {path}" for path, blob in opening.world.workspace.walk())
    typer.echo("=== workspace (bytes, path) ===\n" + "\n".join(tree))
    if hidden:
        typer.echo("\n" + _hidden(made))


def find_pack(task: str, pack: str | None) -> Pack:
    """The pack that holds a task: the one that is named, else the first installed one."""
    from pi_gym.errors import UnknownName, unknown
    from pi_gym.installed import installed_packs
    from pi_gym.packs import load_pack

    if pack is not None:
        return load_pack(pack)
    packs = [load_pack(name) for name in installed_packs()]
    for found in packs:
        if task in found.task_ids:
            return found
    raise UnknownName(unknown("task", task, [name for found in packs for name in found.task_ids], shown=25))


def _hidden(task: Task) -> str:
    parts = ["=== hidden intents ==="]
    for intent in task.intents:
        known = ", ".join(str(way.place) for way in intent.recover)
        parts.append(f"{intent.id} {intent.name} ({intent.scope}): {intent.text}")
        parts.append(f"   revealed as: {intent.reveal}")
        if intent.by_rule:
            parts.append(f"   can be known from: {known or 'only by asking'}")
    parts.append(f"   not drawn here: {', '.join(task.undrawn) or 'none'}")
    parts.append("\n=== checklist ===")
    for item in task.checklist:
        together = f", only with {item.requires}" if item.requires else ""
        parts.append(f"{item.id} {item.name} ({item.grader}{together}): {item.text}")
    parts.append("\n=== values ===")
    parts.extend(f"{name}: {json.dumps(value, ensure_ascii=False, default=str)}" for name, value in task.values.items())
    parts.append("\n=== reference ===")
    parts.extend(f"[{number}] {action}" for number, action in enumerate(task.reference, start=1))
    return "\n".join(parts)
