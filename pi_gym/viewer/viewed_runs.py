"""The runs that are looked at: which there are, and the rows of their sessions, kept up while runs go on."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, BinaryIO

from pi_gym.errors import PiGymError, UnknownName
from pi_gym.runs.lines import RunError
from pi_gym.runs.run_files import RUN, TRAJECTORIES, UNSCORED, walk_runs
from pi_gym.viewer.file_index import FileIndex
from pi_gym.viewer.index_cache import BATCH, keep_index, load_index
from pi_gym.viewer.listed_session import ListedSession

if TYPE_CHECKING:
    from pi_gym.family import Family

#: The seconds between two looks at the files of runs that may still grow, and at folders for new runs.
LOOK_SECONDS, FIND_SECONDS = 1.0, 5.0
#: The rows of an answer, and of a first one: what fills the screen comes first.
ROWS_AT_A_TIME, FIRST_ROWS = 4000, 200
_PATIENCE_SECONDS = 1.0
_encode = json.JSONEncoder(separators=(",", ":")).encode


@dataclass(frozen=True, slots=True)
class FoundSession:
    """A session that was asked for.

    Args:
        path: of its file; `run` the folder, as it was named.
        session: its place and row.
    """

    path: Path
    run: Path
    session: ListedSession


class ViewedRuns:
    """Runs below some folders, and lone files of trajectories.

    Args:
        places: folders that are runs or hold some at any depth, or files.
        cached: use and keep indexes in the user's cache folder.

    Raises:
        RunError: one does not exist, or none holds a run.
    """

    def __init__(self, places: Sequence[str | Path], *, cached: bool = True) -> None:
        self.places = [Path(one) for one in places]
        self._cached = cached
        self._indexes: dict[Path, FileIndex] = {}
        self._runs: dict[Path, Path] = {}
        self._told: set[Path] = set()
        self._log: list[str] = []
        self._by_id: dict[str, FoundSession] = {}
        self._work, self._rows = threading.Lock(), threading.Condition()
        self._generation, self._busy, self._looked, self._searched = 0, True, 0.0, 0.0
        self.tags: dict[str, list[str]] = {}
        self._find()
        for place in self.places:
            if not place.exists():
                raise RunError(f"{place}: there is no such folder or file")
        if not self._runs:
            raise RunError(
                f"{', '.join(map(str, self.places))}: no run in there. A run is a folder with {RUN} and {TRAJECTORIES},"
                " as `pi-gym rollout --out` makes it; name one, a folder that holds some, or a file of trajectories."
            )

    # -- keeping up ------------------------------------------------------------------------------------------------

    def index(self) -> None:
        """Take in all files as they are now."""
        with self._work:
            self._look()

    def index_in_background(self) -> None:
        """Begin to take in all files; rows can be asked for meanwhile."""
        threading.Thread(target=self.index, name="index", daemon=True).start()

    def look_again(self) -> None:
        """Take in what has come since the last look, if that is a while ago and nobody is at it."""
        if monotonic() - self._looked >= LOOK_SECONDS and self._work.acquire(blocking=False):
            try:
                self._look()
            finally:
                self._work.release()

    def _look(self) -> None:
        if monotonic() - self._searched >= FIND_SECONDS:
            self._find()
        try:
            for path in [*self._runs]:
                try:
                    self._take_in(path)
                except OSError as error:
                    self._take_out(path)
                    index = FileIndex(path, str(self._runs[path].resolve()))
                    if not isinstance(error, FileNotFoundError):
                        index.problems.append(f"{path} cannot be read: {error.strerror or error}")
                    self._indexes[path] = index
            for path, index in self._indexes.items():
                self._judge(path, index)
        finally:
            with self._rows:
                self._busy, self._looked = False, monotonic()
                self._rows.notify_all()

    def _find(self) -> None:
        self._searched = monotonic()
        for run, path in _files_of(self.places):
            self._runs.setdefault(path, run)

    def _take_in(self, path: Path) -> None:
        """Bring a file's index up to date, and tell its rows."""
        with path.open("rb", buffering=1 << 20) as file:
            stat, run = os.fstat(file.fileno()), str(self._runs[path].resolve())
            index = self._indexes.get(path) or self._kept(path, run, file)
            if not index.is_current(stat) and index.done and not index.continues(file, stat):
                self._take_out(path)
                index = FileIndex(path, run)
            self._indexes[path] = index
            self._told.add(path)
            if index.is_current(stat):
                return
            batch: list[ListedSession] = []
            for found in index.scan(file, stat):
                batch.append(found)
                if len(batch) == BATCH:
                    self._tell(path, batch)
                    batch = []
            self._tell(path, batch)

    def _kept(self, path: Path, run: str, file: BinaryIO) -> FileIndex:
        """The kept index of a file, its rows told as they are read; an empty one where none is kept that holds."""
        index, stat = FileIndex(path, run), os.fstat(file.fileno())
        try:
            for index, read in load_index(path, run) if self._cached else ():
                if not read and not (index.is_current(stat) or index.continues(file, stat)):
                    return FileIndex(path, run)
                self._told.add(path)
                self._tell(path, read)
        except ValueError:
            self._take_out(path)
            return FileIndex(path, run)
        return index

    def _take_out(self, path: Path) -> None:
        """Forget a file that is another one now: whoever has its rows is told all of them anew."""
        if path not in self._told:
            return
        self._indexes.pop(path, None)
        with self._rows:
            self._generation += 1
            self._log, self._by_id, self._told = [], {}, set()
        for other in [*self._indexes]:
            self._told.add(other)
            self._tell(other, self._indexes[other].sessions)

    def _tell(self, path: Path, sessions: Sequence[ListedSession]) -> None:
        run = self._runs[path]
        with self._rows:
            for one in sessions:
                known = self._by_id.get(one.row["id"])
                if known is not None and known.session.row["scored"] and not one.row["scored"]:
                    continue  # an attempt that failed before the session was scored
                self._by_id[one.row["id"]] = FoundSession(path, run, one)
                self._log.append(_encode({**one.row, "run": str(run)}))
            self._rows.notify_all()

    def _judge(self, path: Path, index: FileIndex) -> None:
        """Ask the families for the shortcomings of new sessions; importing a family takes longer than indexing."""
        new = [one for one in index.sessions if one.labels is not None]
        if not new:
            return
        changed = []
        for one in new:
            family, labels, one.labels = family_or_none(one.row["family"]), one.labels, None
            if family is None or not one.row["scored"]:
                continue
            try:
                lacks = [str(part)[:200] for part in family.shortcomings(labels or {})][:20]
            except (KeyError, TypeError, AttributeError, ValueError):
                continue  # labels of another version
            if lacks:
                one.row["lacks"] = lacks
                changed.append(one)
        self._tell(path, changed)
        if self._cached:
            keep_index(index)

    # -- asking ----------------------------------------------------------------------------------------------------

    def rows(self, begin: int, generation: int) -> str:
        """The rows from a place on, as the page takes them, JSON text; of another generation from the first on.

        Waits a moment for the very first row.
        """
        with self._rows:
            self._rows.wait_for(lambda: self._log or not self._busy, timeout=_PATIENCE_SECONDS)
            if generation != self._generation or not 0 <= begin <= len(self._log):
                begin = 0
            part = self._log[begin : begin + (ROWS_AT_A_TIME if begin else FIRST_ROWS)]
            end = begin + len(part)
            head = {
                "generation": self._generation,
                "from": begin,
                "next": end,
                "more": end < len(self._log),
                "busy": self._busy,
                "tags": self.tags,
                "problems": self.problems,
                "places": [str(one) for one in self.places],
            }
        return f'{json.dumps(head)[:-1]},"rows":[{",".join(part)}]}}'

    @property
    def problems(self) -> list[str]:
        """The files and lines that could not be read, a sentence each."""
        return [problem for index in [*self._indexes.values()] for problem in index.problems]

    @property
    def sessions(self) -> list[FoundSession]:
        """All sessions, in the order in which they were found."""
        with self._rows:
            return [*self._by_id.values()]

    def session(self, session_id: str) -> FoundSession:
        """A session by its name in addresses.

        Raises:
            UnknownName: there is none.
        """
        with self._rows:
            found = self._by_id.get(session_id)
        if found is None:
            raise UnknownName("there is no such session in these runs")
        return found


def family_or_none(name: str) -> Family | None:
    """The family of that name; None where none is installed."""
    from pi_gym.environments import family_named  # imports the families' half of the package, which no row waits for

    try:
        return family_named(name)
    except PiGymError:
        return None


def _files_of(places: Sequence[Path]) -> Iterator[tuple[Path, Path]]:
    """(run, file) of all that hold sessions, in stable order."""
    for place in places:
        if place.is_file():
            yield place, place
            continue
        for run, names in walk_runs(place):
            found = [name for name in (TRAJECTORIES, UNSCORED) if name in names]
            yield from ((run, run / name) for name in found or [TRAJECTORIES])
