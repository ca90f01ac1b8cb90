"""A world made of its seeds: `world/*.yaml` of a pack, or of what all packs share, become `apps/*.json`.

An app that can be made has a module `<app>_world` here. Its `person_tables(circle)` gives a person's rows and its
`shared_tables(world)`, where there is one, the catalogue that all persons share. The same seeds give the same bytes:
draws come from named streams.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any

from pi_gym.authoring.worlds.circle import Circle
from pi_gym.authoring.worlds.seed_rows import Row, Tables
from pi_gym.errors import PackError, SpecError, UnknownName, unknown
from pi_gym.installed import envs_folder

#: The seeds of a world that belong to no app.
COMMON = ("people", "life")
SHARED = "_shared"
MARK = "apps/MADE.md"
MARK_TEXT = """\
`pi-gym make-world` makes these files of the seeds in ../world. Change the seeds, not the files, and make them again:

"""


def world_folder(name_or_path: str) -> Path:
    """The folder of a pack, or of what all packs share, that has seeds.

    Args:
        name_or_path: the name of an installed one ("_shared" among them), or a path.

    Raises:
        UnknownName: there is none; the message lists the installed ones.
    """
    installed = sorted(path.parent.name for path in envs_folder().glob("*/world") if path.is_dir())
    if name_or_path in installed:
        return envs_folder() / name_or_path
    folder = Path(name_or_path).expanduser()
    if (folder / "world").is_dir():
        return folder.resolve()
    if folder.is_dir():
        raise UnknownName(f"{name_or_path} has no folder world/, so there are no seeds to make its apps of.")
    raise UnknownName(unknown("world", name_or_path, installed))


def make_world(folder: Path) -> dict[str, bytes]:
    """The files that a world's seeds make, by path under its folder; nothing is written.

    Args:
        folder: a pack's, or that of what all packs share, called `_shared`.

    Raises:
        PackError: a seed is wrong; the message names file and field.
    """
    made = {f"apps/{app}.json": _json(_tables(folder, app, make)) for app, make in _makers(folder)}
    listed = "".join(f"- {Path(path).name}\n" for path in made)
    return {**made, MARK: (MARK_TEXT + listed).encode()}


def _makers(folder: Path) -> Iterator[tuple[str, Callable[[], Tables]]]:
    """For each app that has seeds, its name and the function that makes its tables."""
    is_shared = folder.name == SHARED
    wanted, common = ("shared_tables", ()) if is_shared else ("person_tables", COMMON)
    known = {
        path.name.removesuffix("_world.py"): import_module(f"{__package__}.{path.stem}")
        for path in sorted(Path(__file__).parent.glob("*_world.py"))
    }
    known = {app: module for app, module in known.items() if hasattr(module, wanted)}
    circle = None if is_shared else Circle.read(folder)
    for path in sorted((folder / "world").glob("*.yaml")):
        app = path.stem
        if app in common:
            continue
        if app not in known:
            raise PackError(f"world/{path.name}", "", unknown("app that can be made", app, known))
        make = getattr(known[app], wanted)
        yield app, partial(make, circle or folder / "world")


def _tables(folder: Path, app: str, make: Callable[[], Tables]) -> Tables:
    file = f"world/{app}.yaml"
    try:
        return make()
    except SpecError as error:
        raise PackError(file, error.field, error.reason) from error
    except UnknownName as error:
        raise PackError(file, "", str(error)) from error


def _json(tables: Mapping[str, Sequence[Row]]) -> bytes:
    parts = [f"{json.dumps(name)}: {_table(rows)}" for name, rows in tables.items() if rows]
    return ("{" + ",\n".join(parts) + "}\n").encode()


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Columns once, then a line a row: compact, and readable in a diff."""
    columns = list(rows[0])
    lines = [json.dumps([row[name] for name in columns], ensure_ascii=False, separators=(",", ":")) for row in rows]
    return f'{{"columns": {json.dumps(columns)}, "rows": [\n' + ",\n".join(lines) + "\n]}"
