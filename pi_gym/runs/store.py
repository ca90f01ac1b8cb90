"""A run's folder: what was asked for, what was played, and nothing lost or doubled when it is interrupted."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Any

from pi_gym.errors import PiGymError
from pi_gym.models.usage import Usage, add_usages
from pi_gym.runs.entries import errors_entry, metrics_line, readable, records
from pi_gym.runs.lines import LineFile, RunError, cut_torn_tail, explained
from pi_gym.runs.outcome import Score, SessionOutcome
from pi_gym.runs.run_files import ERRORS, LOCK, METRICS, RUN, RUN_FILES, SUMMARY, TRAJECTORIES, UNSCORED
from pi_gym.runs.run_json import SERVERS
from pi_gym.session.trajectory import SessionKey

#: A power cut loses at most what was written in these last seconds, and a resume plays it again.
SYNC_SECONDS = 1.0


class FolderBusy(RunError):
    """Another process is at work in the folder."""


class RunFolder:
    """The folder of one run, locked for as long as it is open.

    Every session is written at once with one `write`, so a process that is killed loses none that it has finished. The
    disk is told to keep them once every `SYNC_SECONDS`.

    Args:
        path: the folder; made where it does not exist.
        asked: what the run is, a JSON object; kept in run.json. Its "packs", content hashes by name, hold for records.
        resume: go on with the run that the folder holds; without one, begin it.

    Attributes:
        scores: by key, of every session in the folder; a scored one hides an earlier attempt.
        models: by role, what its model was asked for all sessions and attempts in the folder.

    Raises:
        RunError: the folder holds a run (and `resume` is False), or another run, or other things; another process
            writes it; it cannot be written. Nothing was changed then.
    """

    def __init__(self, path: str | Path, asked: Mapping[str, Any], *, resume: bool = False) -> None:
        self.path = Path(path)
        self.scores: dict[SessionKey, Score] = {}
        self.models: dict[str, Usage] = {}
        self._places: dict[SessionKey, int] = {}
        self._packs: Mapping[str, str] | None = asked.get("packs")
        with explained(self.path, "cannot be written"):
            new = _check(self.path, resume)
            self.path.mkdir(parents=True, exist_ok=True)
            self._lock = lock_folder(self.path, LOCK, "writing this run")
        try:
            with explained(self.path, "cannot be written"):
                # Between the check and the lock another process may have begun.
                new = _check(self.path, resume)
                if new:
                    write_json(self.path / RUN, asked)
                else:
                    self._compare(asked)
                self._read()
                self._files = {name: LineFile(self.path / name) for name in (TRAJECTORIES, UNSCORED, METRICS)}
        except BaseException:
            os.close(self._lock)
            raise
        self._synced = monotonic()

    def __enter__(self) -> RunFolder:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def add(self, outcome: SessionOutcome) -> None:
        """Write a session: scored ones to trajectories.jsonl, others to unscored.jsonl and errors.log.

        Raises:
            RunError: the disk is full or gone; the files end after the last whole session.
            PiGymError: the session is already there.
        """
        known = self.scores.get(outcome.key)
        if known is not None and known.scored:
            raise PiGymError(f"{self.path}: the session {outcome.key} is already there")
        with explained(self.path, "cannot be written"):
            file = self._files[TRAJECTORIES if outcome.score.scored else UNSCORED]
            size = file.size
            try:
                self.scores[outcome.key] = outcome.score
                file.append(outcome.line)
                if outcome.score.scored:
                    self._places[outcome.key] = size
            except BaseException:
                # An interrupt can come between any two statements: file and scores agree all the same.
                file.cut(size)
                self.scores.pop(outcome.key, None)
                if known is not None:
                    self.scores[outcome.key] = known
                raise
            self._files[METRICS].append(metrics_line(outcome))
            self._count(outcome.models)
            if outcome.trace:
                if ERRORS not in self._files:
                    self._files[ERRORS] = LineFile(self.path / ERRORS)
                self._files[ERRORS].append(errors_entry(outcome))
            if monotonic() - self._synced >= SYNC_SECONDS:
                self.sync()

    def line(self, key: SessionKey) -> str:
        """The trajectory of a scored session, as it stands in the folder, without the line end.

        Raises:
            KeyError: the folder holds no such scored session.
            RunError: it cannot be read.
        """
        with explained(self.path, "cannot be read"), (self.path / TRAJECTORIES).open("rb") as file:
            file.seek(self._places[key])
            return file.readline().decode().rstrip("\n")

    def sync(self) -> None:
        """Have the disk keep what was written."""
        with explained(self.path, "cannot be written"):
            for file in self._files.values():
                file.sync()
        self._synced = monotonic()

    def write_summary(self, summary: Mapping[str, Any]) -> None:
        """Replace summary.json as a whole."""
        with explained(self.path, "cannot be written"):
            write_json(self.path / SUMMARY, summary)

    def close(self) -> None:
        """Sync, close, and let go of the lock."""
        try:
            self.sync()
        finally:
            for file in self._files.values():
                file.close()
            os.close(self._lock)

    def _count(self, models: Mapping[str, Usage]) -> None:
        add_usages(self.models, models)

    def _compare(self, asked: Mapping[str, Any]) -> None:
        try:
            was = dict(json.loads((self.path / RUN).read_text(encoding="utf-8")))
        except (ValueError, TypeError) as error:
            raise RunError(f"{self.path / RUN} is no JSON object ({error}); it was changed by hand") from error
        now = json.loads(json.dumps(asked))
        names = [name for name in dict.fromkeys([*was, *now]) if was.get(name) != now.get(name) and name != SERVERS]
        if names:
            told = "; ".join(f"{name} was {_short(was.get(name))}, now {_short(now.get(name))}" for name in names)
            raise RunError(f"{self.path} holds another run ({told}). Ask for the same, or choose another --out.")

    def _read(self) -> None:
        """Take in what is there; a torn last line is cut off, and its session is played again."""
        for name in (METRICS, UNSCORED, TRAJECTORIES):
            cut_torn_tail(self.path / name)
        for _, record in records(self.path / UNSCORED):
            self.scores[SessionKey.of(record)] = Score.of(record)
        self._read_metrics()
        for place, record in records(self.path / TRAJECTORIES):
            key = SessionKey.of(record)
            if key in self._places:
                raise RunError(f"{self.path / TRAJECTORIES} holds the session {key} twice; it was changed by hand")
            self._require_pack(record)
            self._places[key] = place
            self.scores[key] = Score.of(record)

    def _require_pack(self, record: Mapping[str, Any]) -> None:
        """Refuse a record of other content than the run's: later sessions rest on it, and it is in the means."""
        if self._packs is None:
            return
        name, was = record["pack"], record["pack_hash"]
        now = self._packs.get(name, "none")
        if was != now:
            raise RunError(
                f"{self.path / TRAJECTORIES} holds the session {SessionKey.of(record)} of pack {name!r} with the"
                f" content {was[:12]}, and the run's has {now[:12]}: a file was changed by hand. Bring back what was"
                " there, or choose another --out."
            )

    def _read_metrics(self) -> None:
        path = self.path / METRICS
        if path.exists():
            with path.open(encoding="utf-8") as lines:
                for number, line in enumerate(lines, start=1):
                    with readable(path, number):
                        found = json.loads(line).get("models", {})
                        self._count({role: Usage.from_json(raw) for role, raw in found.items()})


def clear_run(path: Path) -> None:
    """Delete the files of a run, and the folder if it is empty then; what else it holds stays.

    Raises:
        RunError: another process writes it.
    """
    if not path.is_dir():
        return
    with explained(path, "cannot be cleared"):
        lock = lock_folder(path, LOCK, "writing this run")
        try:
            for name in RUN_FILES:
                (path / name).unlink(missing_ok=True)
        finally:
            os.close(lock)
        if not any(path.iterdir()):
            path.rmdir()


def write_json(path: Path, value: Mapping[str, Any]) -> None:
    """Write a JSON file so that at any moment it is whole: the old one or the new one."""
    _replace(path, (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode())


def write_lines(path: Path, values: Iterable[Mapping[str, Any]]) -> None:
    """Write a file of JSON lines likewise."""
    lines = (json.dumps(one, ensure_ascii=False, allow_nan=False, separators=(",", ":")) + "\n" for one in values)
    _replace(path, "".join(lines).encode())


def _replace(path: Path, data: bytes) -> None:
    draft = path.with_name(f"{path.name}.tmp")
    try:
        with draft.open("wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def lock_folder(path: Path, name: str, work: str) -> int:
    """Lock a folder for this process, until the file that is given is closed or the process ends.

    Args:
        path: the folder.
        name: of the file that is locked in it; made where it does not exist.
        work: of whoever holds the lock, for the message.

    Raises:
        FolderBusy: another process holds it; the message has its id.
    """
    lock = os.open(path / name, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        owner = os.pread(lock, 20, 0).decode(errors="replace").strip() or "unknown"
        os.close(lock)
        raise FolderBusy(f"{path}: another process (pid {owner}) is {work}. Wait for it.") from None
    os.ftruncate(lock, 0)
    os.pwrite(lock, f"{os.getpid()}\n".encode(), 0)
    return lock


def _check(path: Path, resume: bool) -> bool:
    """Whether the folder is free for a new run; RunError where it holds what the caller did not expect."""
    if not path.exists():
        return True
    if not path.is_dir():
        raise RunError(f"{path} is a file; choose a folder with --out.")
    names = {entry.name for entry in path.iterdir()} - {LOCK, f"{RUN}.tmp"}
    if not names:
        return True
    if RUN not in names:
        raise RunError(f"{path} holds other things and no run ({', '.join(sorted(names)[:3])}); choose another --out.")
    if not resume:
        raise RunError(f"{path} holds a run already. Go on with it by --resume, or choose another --out.")
    return False


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else f"{text[:77]}…"
