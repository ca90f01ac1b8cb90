"""Replays of sessions for what their records do not hold: diffs, rows of apps, wishes in words."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any

from pi_gym.errors import PiGymError
from pi_gym.runs.lines import RunError
from pi_gym.session.trajectory import Trajectory
from pi_gym.viewer.session_reading import UnreadableSession, read_session
from pi_gym.viewer.viewed_runs import FoundSession, ViewedRuns, family_or_none

if TYPE_CHECKING:
    from pi_gym.catalogue import TaskSet

_BY_EPISODE = ("agent", "env_id", "pack", "variant", "seed", "history_mode", "sample")


class Replays:
    """Replays of sessions, one at a time; no model and no command is asked again.

    Args:
        runs: that are looked at.
        pack: where the sessions' pack lies; None: where each run had it.
    """

    def __init__(self, runs: ViewedRuns, pack: str | Path | None = None) -> None:
        self._runs, self._pack = runs, pack
        self._lock = Lock()
        self._sets: dict[tuple[str, str], Mapping[str, TaskSet]] = {}

    def dossier(self, found: FoundSession) -> dict[str, Any]:
        """The dossier of a session, JSON values; {"problem": why} where it cannot be played again."""
        with self._lock:
            try:
                return self._dossier(found)
            except (PiGymError, ValueError, KeyError, TypeError, OSError, RecursionError) as error:
                return {"problem": f"This session cannot be played again, so diffs and rows are not shown: {error}"}

    def tags(self) -> dict[str, list[str]]:
        """By "pack/task", the tags of the tasks in the rows; without those whose pack is not there."""
        tags: dict[str, list[str]] = {}
        failed: set[Path] = set()
        for found in self._runs.sessions:
            row = found.session.row
            name = f"{row['pack']}/{row['task_id']}"
            if name in tags or found.run in failed:
                continue
            try:
                with self._lock:
                    card = self._packs(found)[row["pack"]].card(row["task_id"])
            except (PiGymError, KeyError, ValueError, TypeError, OSError):
                failed.add(found.run)
                continue
            group = [f"group:{card.group}"] if card.group else []
            tags[name] = [*group, *(f"{kind}:{one}" for kind, names in card.tags.items() for one in names)]
        return tags

    def _dossier(self, found: FoundSession) -> dict[str, Any]:
        record = _record(found)
        family = family_or_none(record.family)
        if family is None:
            raise RunError(f"no family {record.family!r} is installed here")
        packs = self._packs(found)
        if record.pack not in packs:
            raise RunError(f"the pack {record.pack!r} is not there; name its folder with --pack")
        content = packs[record.pack].content_hash
        if content != record.pack_hash:
            raise RunError(
                f"it is of pack {record.pack!r} with the content {record.pack_hash[:12]}, and what lies there has"
                f" {content[:12]}"
            )
        for one, dossier in family.dossiers(self._past(found, record), packs):
            if one.key != record.key:
                continue
            if isinstance(dossier, Exception):
                raise RunError(str(dossier))
            return {
                "texts": [[kind, number, text] for (kind, number), text in dossier.texts.items()],
                "changes": {str(turn): diff for turn, diff in dossier.changes.items()},
                "final": dict(dossier.final),
                "rewards": {str(step): dict(parts) for step, parts in dossier.rewards.items()},
            }
        raise RunError("nothing came of it")

    def _past(self, found: FoundSession, record: Trajectory) -> list[Trajectory]:
        """The record, after those of its episode that it rests on."""
        if record.history_mode != "own":
            return [record]
        row = found.session.row
        before = [
            one
            for one in self._runs.sessions
            if one.path == found.path
            and one.session.offset < found.session.offset
            and all(one.session.row[name] == row[name] for name in _BY_EPISODE)
        ]
        return [*map(_record, sorted(before, key=lambda one: one.session.offset)), record]

    def _packs(self, found: FoundSession) -> Mapping[str, TaskSet]:
        from pi_gym.environments import base_env, make_env  # late, as in `family_or_none`
        from pi_gym.runs.recorded import read_run_json

        asked = read_run_json(found.run).get("env_kwargs", {}) if self._pack is None else {}
        where = self._pack if self._pack is not None else asked.get("pack")
        key = found.session.row["env_id"], str(where)
        if key not in self._sets:
            env = make_env(found.session.row["env_id"], {} if where is None else {"pack": str(where)})
            self._sets[key] = {one.name: one for one in base_env(env).packs}
            env.close()
        return self._sets[key]


def _record(found: FoundSession) -> Trajectory:
    read = read_session(found)
    if read.cut:
        raise UnreadableSession("it is too large")
    if not read.raw["scored"]:
        raise UnreadableSession("it has no score: the conversation may lack its end")
    return Trajectory.from_json(read.raw)
