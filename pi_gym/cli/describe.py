"""`pi-gym describe`: a pack for readers, as a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from pi_gym.cli.common_options import path


def command(
    pack: Annotated[str, typer.Argument(help="A name or a folder.")],
    out: Annotated[
        Path | None,
        typer.Option(parser=path, metavar="PATH", help="Write the page to a file instead of the screen."),
    ] = None,
) -> None:
    """Describe a pack: who the person is, what carries over between sessions, and statistics, as Markdown."""
    from pi_gym.cli.finding import named_ids, open_environment
    from pi_gym.errors import PiGymError
    from pi_gym.family import load_entry

    (env_id, kwargs), *_ = named_ids(pack)
    env = open_environment(env_id, kwargs)
    describe: Any = load_entry(env.family.describer, f"description of packs of {env.family.name}")
    text = describe(env.packs[0])
    if out is None:
        typer.echo(text, nl=False)
        return
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(text, encoding="utf-8")
    except OSError as error:
        raise PiGymError(f"{out} cannot be written: {error.strerror or error}") from error
