"""`pi-gym make-world`: the apps of a person's world from its seeds."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer


def command(
    pack: Annotated[str, typer.Argument(help="A name or a folder; _shared for what all persons share.")],
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; fail where the files are not what the seeds make.")
    ] = False,
) -> None:
    """Make the seed worlds of a pack's apps, apps/*.json, from its world/*.yaml.

    A file that was made once and that no seed makes any more is removed.
    """
    from pi_gym.environments import families
    from pi_gym.errors import PiGymError
    from pi_gym.family import load_entry

    entry = next((family.world_maker for family in families() if family.world_maker), "")
    made: Any = load_entry(entry, "maker of worlds")(pack)
    stale = [name for name, data in made.files.items() if not _holds(made.folder / name, data)]
    if check and (stale or made.orphans):
        listed = ", ".join([*stale, *made.orphans])
        raise PiGymError(f"{made.folder} has other files than its seeds make ({listed}); run: pi-gym make-world {pack}")
    for name in (*stale, *made.orphans):
        path = made.folder / name
        try:
            if name in made.files:
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(made.files[name])
            else:
                path.unlink()
        except OSError as error:
            raise PiGymError(f"{path} cannot be written: {error.strerror or error}") from error
    for name, data in made.files.items():
        typer.echo(f"{made.folder / name}: {len(data):,} bytes{', written' if name in stale else ''}")
    for name in made.orphans:
        typer.echo(f"{made.folder / name}: removed")


def _holds(path: Path, data: bytes) -> bool:
    return path.is_file() and path.read_bytes() == data
