"""The seed worlds of the apps: rows that every session of a pack shares, read when they are first looked at.

They lie as compact JSON in `<pack>/apps/<app>.json` (the persona's own) and in `_shared/apps/<app>.json` (catalogues
that all personas have): `{"notes": {"columns": ["id", …], "rows": [[1, …], …]}}`.
"""

from __future__ import annotations

import json
from collections.abc import Callable, ItemsView, Iterator, Mapping
from pathlib import Path
from threading import Lock
from typing import Any

from pi_gym.apps import SIGNED_IN, App, TableSpec, load_app
from pi_gym.errors import PackError, unknown
from pi_gym.installed import envs_folder
from pi_gym.state import Database
from pi_gym.state.tables import Row


class SeedRows(Mapping[int, Row]):
    """The seed rows of one table by id. The files are read at the first look.

    A pickle of it is a reference to the pack (`pi_gym.packs.origin`).

    Args:
        seeds: the pack's seeds.
        app: the app's name.
        table: the table's name.
    """

    __slots__ = ("_rows", "app", "seeds", "table")

    def __init__(self, seeds: AppSeeds, app: str, table: str) -> None:
        self.seeds, self.app, self.table = seeds, app, table
        self._rows: dict[int, Row] | None = None

    def _read(self) -> dict[int, Row]:
        if self._rows is None:
            self._rows = self.seeds.rows(self.app)[self.table]
        return self._rows

    def __getitem__(self, key: int) -> Row:
        return self._read()[key]

    def __iter__(self) -> Iterator[int]:
        return iter(self._read())

    def __len__(self) -> int:
        return len(self._read())

    def __contains__(self, key: object) -> bool:
        return key in self._read()

    def get(self, key: int, default: Any = None) -> Any:
        """The row with this id."""
        return self._read().get(key, default)

    def items(self) -> ItemsView[int, Row]:
        """All rows as (id, row), in order."""
        return self._read().items()


class AppSeeds:
    """The seed worlds of one pack's apps.

    Args:
        folder: the pack's folder.
        source: what `load_pack` takes.
        unchanged: called before files are read; raises where they are others by now.
    """

    def __init__(self, folder: Path, source: str, unchanged: Callable[[], None] = lambda: None) -> None:
        self._folder, self.source, self._unchanged = folder, source, unchanged
        shared = folder.parent / "_shared" / "apps"
        self._shared = shared if shared.is_dir() else envs_folder() / "_shared" / "apps"
        self._databases: dict[str, Database] = {}
        self._rows: dict[str, dict[str, dict[int, Row]]] = {}
        self._lock = Lock()

    def database(self, name: str) -> Database:
        """An app before any session, shared by all; nothing is read yet.

        Raises:
            UnknownName: there is no such app.
        """
        app = load_app(name)
        with self._lock:
            if name not in self._databases:
                self._databases[name] = app.database({table: SeedRows(self, name, table) for table in app.tables})
            return self._databases[name]

    def files(self, name: str) -> list[tuple[Path, str]]:
        """The files that an app's seeds come from, as (path, name in messages)."""
        places = [(self._shared, "_shared/apps"), (self._folder / "apps", "apps")]
        found = [(place / f"{name}.json", f"{shown}/{name}.json") for place, shown in places]
        return [(path, shown) for path, shown in found if path.is_file()]

    def rows(self, name: str) -> dict[str, dict[int, Row]]:
        """The seed rows of an app by table and id; read once.

        Raises:
            PackError: a file is not as it should be; the message names file and field.
        """
        app = load_app(name)
        with self._lock:
            if name not in self._rows:
                self._unchanged()
                tables: dict[str, dict[int, Row]] = {table: {} for table in app.tables}
                for path, shown in self.files(name):
                    _read_file(path, shown, app, tables)
                self._rows[name] = {table: dict(sorted(rows.items())) for table, rows in tables.items()}
            return self._rows[name]


def _read_file(path: Path, shown: str, app: App, tables: dict[str, dict[int, Row]]) -> None:
    try:
        raw = json.loads(path.read_bytes())
    except ValueError as error:
        raise PackError(shown, "", f"not JSON: {error}") from error
    if not isinstance(raw, dict):
        raise PackError(shown, "", f"expected an object of tables, got {type(raw).__name__}")
    for name, table in raw.items():
        if name not in tables or name == SIGNED_IN:
            raise PackError(shown, name, unknown("table", name, set(tables) - {SIGNED_IN}))
        columns, listed = (table.get("columns"), table.get("rows")) if isinstance(table, dict) else (None, None)
        if not isinstance(columns, list) or columns[:1] != ["id"] or not isinstance(listed, list):
            raise PackError(shown, name, 'expected {"columns": ["id", …], "rows": [[…], …]}')
        keys = [_key(values, columns, tables[name], f"{name}.rows[{at}]", shown) for at, values in enumerate(listed)]
        spec, given = app.tables[name], [values[1:] for values in listed]
        try:
            found = spec.complete_all(columns[1:], given)
        except ValueError:
            found = [_row(spec, columns[1:], row, f"{name}.rows[{at}]", shown) for at, row in enumerate(given)]
        tables[name].update(zip(keys, found, strict=True))


def _key(values: Any, columns: list[str], taken: dict[int, Row], field: str, shown: str) -> int:
    if not isinstance(values, list) or len(values) != len(columns):
        raise PackError(shown, field, f"expected {len(columns)} values, one for each column")
    key = values[0]
    if not isinstance(key, int) or isinstance(key, bool) or key < 1 or key in taken:
        raise PackError(shown, field, f"expected an id of 1 or more that is not taken, got {key!r}")
    taken[key] = {}
    return key


def _row(spec: TableSpec, names: list[str], values: list[Any], field: str, shown: str) -> Row:
    try:
        return spec.complete(dict(zip(names, values, strict=True)))
    except ValueError as error:
        raise PackError(shown, field, str(error)) from error
