"""Answers kept on disk: a SQLite file that several processes read and write at one time."""

from __future__ import annotations

import fcntl
import json
import logging
import os
import random
import sqlite3
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, Final

log = logging.getLogger("pi_gym.models")

FILE: Final = "answers.sqlite"
#: The time that a write waits for another process's. A write takes well below a millisecond.
BUSY_S: Final = 5.0
#: The time without writes after one that waited in vain: who waits holds up all requests of the process.
REST_S: Final = 60.0
_TABLE: Final = "CREATE TABLE IF NOT EXISTS answers (key BLOB PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID"


class Missing:
    """The mark of an answer that is not there: None is one that a model can give."""


MISSING: Final = Missing()


class AnswerCache:
    """The answers of one folder, for one thread of one process.

    Nothing here raises for what the disk does: without a usable file there is no cache, which is said once.

    Args:
        folder: made where it does not exist.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / FILE
        self._file: sqlite3.Connection | None = None
        self._rest_until = 0.0
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file = _opened(self.path)
        except sqlite3.OperationalError as error:  # no right to write, no room, no locks on this file system
            self._give_up(error)
        except sqlite3.DatabaseError as error:
            self._set_aside(error)
        except OSError as error:
            self._give_up(error)

    def get(self, key: bytes) -> Any:
        """The answer of a key, or MISSING."""
        row = self._run("SELECT value FROM answers WHERE key = ?", (key,))
        if not row:
            return MISSING
        try:
            return json.loads(row[0])
        except (ValueError, TypeError):  # changed by hand
            return MISSING

    def put(self, key: bytes, value: Any) -> Any:
        """Keep an answer; the one that was there first wins, and is returned."""
        if time.monotonic() < self._rest_until:
            return value
        self._run("INSERT OR IGNORE INTO answers VALUES (?, ?)", (key, json.dumps(value)))
        found = self.get(key)
        return value if found is MISSING else found

    def forget(self, key: bytes) -> None:
        """Drop an answer that turned out to be of no use."""
        self._run("DELETE FROM answers WHERE key = ?", (key,))

    def close(self) -> None:
        """Close the file; afterwards there is nothing in it."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _run(self, statement: str, values: tuple[object, ...]) -> Any:
        if self._file is None:
            return None
        try:
            return self._file.execute(statement, values).fetchone()
        except sqlite3.OperationalError as error:
            if "locked" in str(error):
                self._rest_until = time.monotonic() + REST_S
                log.warning("%s is not written for %g s: another process holds it (%s)", self.path, REST_S, error)
            else:
                self._give_up(error)
        except sqlite3.DatabaseError as error:
            self._set_aside(error)
        return None

    def _give_up(self, error: Exception) -> None:
        self.close()
        log.warning("%s cannot be used, so answers of models are not kept: %s", self.path, error)

    def _set_aside(self, error: Exception) -> None:
        """The file is damaged: keep it under another name, and begin anew."""
        self.close()
        try:
            with _locked(self.path):
                try:
                    self._file = _opened(self.path)  # another process may have done it
                    self._file.execute("SELECT count(*) FROM answers").fetchone()
                except sqlite3.DatabaseError:
                    self.close()
                    kept = _moved(self.path)
                    log.warning("%s is damaged (%s); it is now %s, and a new one is begun", self.path, error, kept.name)
                    self._file = _opened(self.path)
        except (OSError, sqlite3.Error) as further:
            self._give_up(further)


def _opened(path: Path) -> sqlite3.Connection:
    # SQLite's own timeout does not cover the change to a write-ahead log, which several may begin at one time.
    until = time.monotonic() + BUSY_S
    while True:
        try:
            return _connected(path)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > until:
                raise
            time.sleep(random.uniform(0.001, 0.01))


def _connected(path: Path) -> sqlite3.Connection:
    file = sqlite3.connect(path, timeout=BUSY_S, isolation_level=None)
    try:
        file.execute("PRAGMA journal_mode = WAL")
        # A power cut may lose the last answers, never the file.
        file.execute("PRAGMA synchronous = NORMAL")
        file.execute(_TABLE)
        # A file that is readable and not writable shows that only now.
        file.execute("BEGIN IMMEDIATE")
        file.execute("COMMIT")
    except BaseException:
        file.close()
        raise
    return file


def _moved(path: Path) -> Path:
    number = 1
    while (kept := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    path.replace(kept)
    for suffix in ("-wal", "-shm"):
        path.with_name(path.name + suffix).unlink(missing_ok=True)
    return kept


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with closing(_Lock(path.with_name(f"{path.name}.lock"))):
        yield


class _Lock:
    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
        fcntl.flock(self._file, fcntl.LOCK_EX)

    def close(self) -> None:
        os.close(self._file)
