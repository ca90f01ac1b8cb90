"""Write the seed worlds of the Researcher's apps: `python scripts/make_seed_world.py`.

Every app has its seeds in `seeds/<app>.yaml` and a function `tables` in `worlds/<app>.py`, which turns them into the
persona's rows; a function `shared` there, where it exists, makes the catalogue that all personas have. The people are
the same in all apps, from `seeds/people.yaml`, and so is what happened to them, from `seeds/life.yaml`. The same seeds
give the same bytes: draws come from named streams.
"""

from __future__ import annotations

import argparse
import json
import runpy
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from pi_gym.seeding import Stream

HERE = Path(__file__).parent
ENVS = HERE.parent / "envs"
PERSONA, SHARED = Path("researcher") / "apps", Path("_shared") / "apps"


def files(app: str) -> dict[Path, bytes]:
    """The seed world of one app: the content of its files, by path under envs/."""
    people = {one["key"]: one for one in _read("people")}
    module = runpy.run_path(str(HERE / "worlds" / f"{app}.py"))
    seeds, stream = _read(app), Stream("seed world", app)
    made = {PERSONA / f"{app}.json": module["tables"](seeds, people, _read("life"), stream)}
    if "shared" in module:
        made[SHARED / f"{app}.json"] = module["shared"](seeds, stream)
    return {path: _json(tables) for path, tables in made.items()}


def _json(tables: Mapping[str, Sequence[Mapping[str, Any]]]) -> bytes:
    parts = [f"{json.dumps(name)}: {_table(rows)}" for name, rows in tables.items() if rows]
    return ("{" + ",\n".join(parts) + "}\n").encode()


def _read(name: str) -> Any:
    return yaml.safe_load((HERE / "seeds" / f"{name}.yaml").read_text(encoding="utf-8"))


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Columns once, then a line a row: compact, and readable in a diff."""
    columns = list(rows[0])
    lines = [json.dumps([row[name] for name in columns], ensure_ascii=False, separators=(",", ":")) for row in rows]
    return f'{{"columns": {json.dumps(columns)}, "rows": [\n' + ",\n".join(lines) + "\n]}"


def main() -> None:
    """Write the files of every app that has seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("apps", nargs="*", help="which apps (default: all)")
    parser.add_argument("--out", type=Path, default=ENVS, help="where to (default: %(default)s)")
    given = parser.parse_args()
    for app in given.apps or sorted(path.stem for path in (HERE / "worlds").glob("*.py")):
        for path, data in files(app).items():
            (given.out / path).parent.mkdir(parents=True, exist_ok=True)
            (given.out / path).write_bytes(data)
            print(f"{given.out / path}: {len(data)} bytes")


if __name__ == "__main__":
    main()
