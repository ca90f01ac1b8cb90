"""`pi-gym make-world`: the apps of a person's world from its seeds."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

MAKER = "pi_gym.authoring.worlds"


def command(
    pack: Annotated[str, typer.Argument(help="A name or a folder; _shared for what all persons share.")],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where the files are not what the seeds make.")
    ] = False,
) -> None:
    """Make the seed worlds of a pack's apps, apps/*.json, from its world/*.yaml."""
    from pi_gym.errors import PiGymError

    maker: Any = import_module(MAKER)
    folder = maker.world_folder(pack)
    made: dict[str, bytes] = maker.make_world(folder)
    stale = [name for name, data in made.items() if not _holds(folder / name, data)]
    if check and stale:
        listed = ", ".join(stale)
        raise PiGymError(f"{folder} has other files than its seeds make ({listed}); run: pi-gym make-world {pack}")
    for name in stale:
        try:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(made[name])
        except OSError as error:
            raise PiGymError(f"{folder / name} cannot be written: {error.strerror or error}") from error
    for name, data in made.items():
        typer.echo(f"{folder / name}: {len(data):,} bytes{', written' if name in stale else ''}")


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data
