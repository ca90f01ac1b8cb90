"""The sessions that a run's folder holds: read once, and from then on only what others have added."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path

from pi_gym.models.usage import Usage, add_usages
from pi_gym.runs.entries import readable, records
from pi_gym.runs.lines import RunError, cut_torn_tail
from pi_gym.runs.outcome import Score
from pi_gym.runs.run_files import METRICS, TRAJECTORIES, UNSCORED
from pi_gym.session.trajectory import SessionKey

_FILES = (METRICS, UNSCORED, TRAJECTORIES)


class FolderSessions:
    """The knowledge of a folder's sessions that whoever holds its lock has.

    Args:
        path: the folder.
        packs: content hashes by name, which hold for records; None: any.

    Attributes:
        scores: by key, of every session in the folder; a scored one hides an earlier attempt.
        models: by role, what its model was asked for all sessions and attempts in the folder.
        places: by key, the offset of a scored session's line.
        attempts: by key, the offsets of the lines of its unscored attempts.
    """

    def __init__(self, path: Path, packs: Mapping[str, str] | None) -> None:
        self._path, self._packs = path, packs
        self.scores: dict[SessionKey, Score] = {}
        self.models: dict[str, Usage] = {}
        self.places: dict[SessionKey, int] = {}
        self.attempts: dict[SessionKey, list[int]] = {}
        self._known: dict[str, tuple[int, int]] = {}

    def read(self) -> None:
        """Take in what is new; a torn last line is cut off, and its session is played again.

        Raises:
            RunError: a line was changed by hand, or a record is of other content than the run's.
        """
        for name in _FILES:
            cut_torn_tail(self._path / name)
        known, self._known = self._known, {}  # what is read half-way is read again
        if not all(_grown_from(self._path / name, known.get(name)) for name in _FILES):
            for held in (self.scores, self.models, self.places, self.attempts, known):
                held.clear()
        begin = {name: size for name, (_, size) in known.items()}
        for place, record in records(self._path / UNSCORED, begin.get(UNSCORED, 0)):
            key = SessionKey.of(record)
            self.attempts.setdefault(key, []).append(place)
            if key not in self.places:
                self.scores[key] = Score.of(record)
        self._read_metrics(begin.get(METRICS, 0))
        for place, record in records(self._path / TRAJECTORIES, begin.get(TRAJECTORIES, 0)):
            key = SessionKey.of(record)
            if key in self.places:
                raise RunError(f"{self._path / TRAJECTORIES} holds the session {key} twice; it was changed by hand")
            self._require_pack(record)
            self.places[key] = place
            self.scores[key] = Score.of(record)
        self.mark()

    def mark(self) -> None:
        """Take it that everything in the files is known; whoever has added to them says so before it lets go."""
        self._known = {}
        self._known = {name: _extent(self._path / name) for name in _FILES}

    def _require_pack(self, record: Mapping[str, object]) -> None:
        """Refuse a record of other content than the run's: later sessions rest on it, and it is in the means."""
        if self._packs is None:
            return
        name, was = str(record["pack"]), str(record["pack_hash"])
        now = self._packs.get(name, "none")
        if was != now:
            raise RunError(
                f"{self._path / TRAJECTORIES} holds the session {SessionKey.of(record)} of pack {name!r} with the"
                f" content {was[:12]}, and the run's has {now[:12]}: a file was changed by hand. Bring back what was"
                " there, or choose another --out."
            )

    def _read_metrics(self, place: int) -> None:
        path = self._path / METRICS
        if path.exists():
            with path.open("rb") as lines:
                lines.seek(place)
                for line in lines:
                    with readable(path, place):
                        found = json.loads(line).get("models", {})
                        add_usages(self.models, {role: Usage.from_json(raw) for role, raw in found.items()})
                    place += len(line)


def _extent(path: Path) -> tuple[int, int]:
    """The file's number and its size in bytes; 0 and 0 where there is none."""
    try:
        found = path.stat()
    except FileNotFoundError:
        return 0, 0
    return found.st_ino, found.st_size


def _grown_from(path: Path, known: tuple[int, int] | None) -> bool:
    """Whether a file is the known one, with more behind it or nothing."""
    if known is None:
        return False
    (number, size), (was, read) = _extent(path), known
    return read == 0 or (number == was and size >= read)
