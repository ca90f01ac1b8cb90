"""The records of a run, also while it grows: whole lines only, as far as the files reached at one moment."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

from pi_gym.environments import family_named
from pi_gym.errors import BadArgument, StateMismatch, UnknownName
from pi_gym.family import Family
from pi_gym.runs.lines import RunError, explained, whole_size
from pi_gym.runs.recorded import run_family
from pi_gym.runs.run_files import RUN, TRAJECTORIES, UNSCORED
from pi_gym.session import Trajectory
from pi_gym.session.actions import plain_json

T = TypeVar("T")
_MAX_DEPTH = 100


@dataclass(frozen=True, slots=True)
class Selection:
    """The choice of sessions of a run.

    Args:
        min_return: only those with at least this return; None: all.
        include_unscored: attempts without a score too, after the scored sessions.

    Raises:
        BadArgument: the return is no finite number, or both are asked for: what is unscored has no return.
    """

    min_return: float | None = None
    include_unscored: bool = False

    def __post_init__(self) -> None:
        least = self.min_return
        if least is None:
            return
        if isinstance(least, bool) or not isinstance(least, int | float) or not math.isfinite(least):
            raise BadArgument(f"min_return: expected a finite number or None, got {least!r}")
        if self.include_unscored:
            raise BadArgument("min_return leaves out what has no return; leave it or include_unscored away")


@dataclass
class Counts:
    """The numbers of a run's sessions that were taken and left out.

    Args:
        sessions: taken.
        unscored: left out, for they have no score.
        below: left out, for their return is below `min_return`.
        unfit: left out, for they have nothing in the form that is asked for, or it cannot hold them exactly.
    """

    sessions: int = 0
    unscored: int = 0
    below: int = 0
    unfit: int = 0


@dataclass(frozen=True, slots=True)
class RunFile:
    """A file of records at one moment.

    Args:
        path: the file, absolute.
        size: of its whole lines, in bytes.
        stamp: device, inode and last change in ns; the same for the same content.
    """

    path: str
    size: int
    stamp: tuple[int, int, int]


@dataclass
class RunRecords:
    """The records of a run as its files stand now; what is appended later is not among them.

    Args:
        run: a run's folder, or a file of trajectories.
        selection: which are taken.

    Attributes:
        parts: the files that are read, in order.
        counts: what became of the sessions that were read so far.

    Raises:
        RunError: there is no such run, or its files cannot be read.
    """

    run: Path
    selection: Selection = field(default_factory=Selection)

    def __post_init__(self) -> None:
        self.counts = Counts()
        with explained(self.run, "cannot be read"):
            scored, unscored = _files(self.run)
            taken = [*scored, *(unscored if self.selection.include_unscored else [])]
            self.parts = tuple(_part(path) for path in taken)
            self._unread = sum(_line_count(path) for path in unscored if path not in taken)

    @cached_property
    def family(self) -> Family:
        """The family of the run's sessions.

        Raises:
            RunError: the run is empty, and nothing says which.
            UnknownName: none of its environments is registered here.
        """
        return family_named(run_family(self.run))

    def read(self, make: Callable[[Trajectory], T | None]) -> Iterator[T]:
        """The values made of the selected records, in the order of the lines.

        Args:
            make: gives None for a record that the form asked for cannot hold.

        Raises:
            RunError: a line is no record that can be read; the message has its number.
            StateMismatch: a record does not hold what is asked for.
        """
        self.counts = Counts(unscored=self._unread)
        for place, line in self._lines():
            record = _record(place, line)
            if record.family != self.family.name:
                raise RunError(f"{place}: the session is of the family {record.family!r}, not {self.family.name!r}")
            if self._takes(record):
                made = _made(place, record, make)
                if made is None:
                    self.counts.unfit += 1
                else:
                    self.counts.sessions += 1
                    yield made

    def _lines(self) -> Iterator[tuple[str, bytes]]:
        for part in self.parts:
            with explained(self.run, "cannot be read"), Path(part.path).open("rb") as file:
                number = 0
                while file.tell() < part.size:
                    number += 1
                    yield f"{part.path}, line {number}", file.readline()

    def _takes(self, record: Trajectory) -> bool:
        if not record.scored:
            self.counts.unscored += not self.selection.include_unscored
            return self.selection.include_unscored
        least = self.selection.min_return
        below = least is not None and (record.return_ is None or record.return_ < least)
        self.counts.below += below
        return not below


def _files(run: Path) -> tuple[list[Path], list[Path]]:
    """The files of scored sessions, and of attempts without a score."""
    if run.is_file():
        return [run], []
    if not run.is_dir():
        raise RunError(f"{run}: there is no such run; give the folder that a rollout wrote with --out")
    scored, unscored = ([run / name] if (run / name).is_file() else [] for name in (TRAJECTORIES, UNSCORED))
    if not scored and not (run / RUN).is_file():
        raise RunError(f"{run} holds no run: neither {RUN} nor {TRAJECTORIES}; give the folder that a rollout wrote")
    return scored, unscored


def _line_count(path: Path) -> int:
    with path.open("rb") as file:
        return sum(line.endswith(b"\n") for line in file)


def _part(path: Path) -> RunFile:
    found = path.stat()
    return RunFile(str(path.resolve()), whole_size(path), (found.st_dev, found.st_ino, found.st_mtime_ns))


def _record(place: str, line: bytes) -> Trajectory:
    try:
        raw: Any = json.loads(line)
        if b"\\ud" in line.lower():
            # Half of a pair, written as an escape, is text that nothing else can hold.
            raw = plain_json(raw, "the record", _MAX_DEPTH)
        return Trajectory.from_json(raw)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise RunError(
            f"{place}: not a trajectory of this version ({type(error).__name__}: {error}). If a power cut tore the"
            " file's end, `pi-gym rollout … --resume` cuts that off; otherwise it was changed by hand"
        ) from error


def _made(place: str, record: Trajectory, make: Callable[[Trajectory], T | None]) -> T | None:
    try:
        return make(record)
    except (StateMismatch, UnknownName) as error:
        raise StateMismatch(f"{place}: {error}") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise RunError(f"{place}: its events are no conversation ({type(error).__name__}: {error})") from error
