"""Write the seed worlds of the Researcher's apps: `python scripts/make_seed_world.py`.

Every app has its seeds in `seeds/<app>.yaml` and a function `tables` in `worlds/<app>.py`, which turns them into rows;
the people are the same in all, from `seeds/people.yaml`. The same seeds give the same bytes: draws come from named
streams.
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
PACK = HERE.parent / "envs" / "researcher" / "apps"


def world(app: str) -> bytes:
    """The seed world of one app, as its file holds it."""
    people = {one["key"]: one for one in _read("people")}
    tables = runpy.run_path(str(HERE / "worlds" / f"{app}.py"))["tables"]
    made = tables(_read(app), people, Stream("seed world", app))
    parts = [f"{json.dumps(name)}: {_table(rows)}" for name, rows in made.items()]
    return ("{" + ",\n".join(parts) + "}\n").encode()


def _read(name: str) -> Any:
    return yaml.safe_load((HERE / "seeds" / f"{name}.yaml").read_text(encoding="utf-8"))


def _table(rows: Sequence[Mapping[str, Any]]) -> str:
    """Columns once, then a line a row: compact, and readable in a diff."""
    columns = list(rows[0])
    lines = [json.dumps([row[name] for name in columns], ensure_ascii=False, separators=(",", ":")) for row in rows]
    return f'{{"columns": {json.dumps(columns)}, "rows": [\n' + ",\n".join(lines) + "\n]}"


def main() -> None:
    """Write a file for each app that has seeds."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=PACK, help="where to (default: %(default)s)")
    out: Path = parser.parse_args().out
    out.mkdir(parents=True, exist_ok=True)
    for path in sorted((HERE / "worlds").glob("*.py")):
        data = world(path.stem)
        (out / f"{path.stem}.json").write_bytes(data)
        print(f"{out / path.stem}.json: {len(data)} bytes")


if __name__ == "__main__":
    main()
