"""`pi-gym describe`: a pack for readers, as a page."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from pi_gym.cli.arguments import path

DESCRIBER = "pi_gym.proof.description"


def command(
    pack: Annotated[str, typer.Argument(help="A name or a folder.")],
    out: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="PATH", help="Write the page to a file instead of the screen."),
    ] = None,
) -> None:
    """Describe a pack: who the person is, what carries over between sessions, and statistics, as Markdown."""
    from pi_gym.errors import PiGymError
    from pi_gym.packs import load_pack

    found = load_pack(pack)
    if not found.has_rules or not found.has_references:
        raise PiGymError(f"pack {found.name!r} has tasks without references, so its statistics cannot be played")
    describer: Any = import_module(DESCRIBER)
    text = describer.describe(found)
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PiGymError(f"{out} cannot be written: {error.strerror or error}") from error
