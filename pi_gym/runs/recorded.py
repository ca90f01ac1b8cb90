"""A run as its folder records it: which sessions it has, of which packs, in which rounds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from pi_gym.catalogue import TaskSet
from pi_gym.environments import base_env, make_env
from pi_gym.errors import PiGymError, StateMismatch
from pi_gym.family import Family
from pi_gym.runs.lines import RunError
from pi_gym.runs.plan import Plan, PlannedSession
from pi_gym.runs.run_files import RUN, UNSCORED
from pi_gym.session.trajectory import SessionKey, read_trajectories

#: The key that a re-scoring adds to a record's config: by whom it was judged first.
REJUDGED = "rejudged"
#: The key that a re-scoring adds to its run.json.
RESCORED_FROM = "rescored_from"


class RecordedRun:
    """The scored sessions of a run, whose packs are there as they were.

    Args:
        run: a run's folder, or a file of trajectories.
        pack: where the sessions' pack lies; None: where the run had it.

    Attributes:
        asked: what the run was asked to be; empty for a lone file.
        keys: of every record, in the order of the file.
        family: of its environment.
        packs: by name, those that records are of.

    Raises:
        RunError: it cannot be read as one run, or its pack cannot be found.
        StateMismatch: a pack's content is not the recorded one.
    """

    def __init__(self, run: str | Path, pack: str | Path | None = None) -> None:
        self.source = Path(run)
        self.asked = read_run_json(run)
        if RESCORED_FROM in self.asked:
            before = self.source / self.asked[RESCORED_FROM]
            raise RunError(f"{run} holds a re-scoring; take the run that was re-scored, {before}")
        self.keys: list[SessionKey] = []
        hashes = self._read()
        where = pack if pack is not None else self.asked.get("env_kwargs", {}).get("pack")
        kwargs = {} if where is None else {"pack": where}
        try:
            env = make_env(self.keys[0].env_id, kwargs)
        except PiGymError as error:
            raise RunError(
                f"the sessions' environment cannot be made; name the pack's folder (pack): {error}"
            ) from error
        self.family: Family = base_env(env).family
        known = {one.name: one for one in base_env(env).packs}
        env.close()
        self.packs: dict[str, TaskSet] = {}
        for name, sha256 in sorted(hashes):
            if name not in known:
                raise RunError(f"the sessions' pack {name!r} is not there; name its folder (pack)")
            found = known[name].content_hash
            if found != sha256:
                raise StateMismatch(
                    f"the sessions are of pack {name!r} with the content {sha256[:12]}, and what lies there has"
                    f" {found[:12]}; take the version that the run was played with"
                )
            self.packs[name] = known[name]

    def plan(self) -> Plan:
        """The run's sessions as its own plan had them: by rounds, in each the tasks in episode order."""
        first = self.keys[0]
        order = [*map(tuple, self.asked.get("tasks", ()))]
        order += [(name, task_id) for name, pack in self.packs.items() for task_id in pack.task_ids]
        places = {task: place for place, task in enumerate(dict.fromkeys(order))}
        # A round is one variant; where a run comes to it again, its sessions are the next samples.
        rounds = sorted({(key.sample, key.variant) for key in self.keys})
        repeats = {one: number for number, one in enumerate(rounds)}

        def place(key: SessionKey) -> tuple[int, int]:
            return repeats[key.sample, key.variant], places[key.pack, key.task_id]

        return Plan(
            first.agent,
            first.env_id,
            first.family,
            self.asked.get("split", "explicit"),
            first.history_mode,
            tuple(
                PlannedSession(index, key.pack, key.task_id, key.variant, key.seed, key.sample, place(key)[0])
                for index, key in enumerate(sorted(self.keys, key=place))
            ),
            cards={(key.pack, key.task_id): self.packs[key.pack].card(key.task_id) for key in self.keys},
            by_episode=first.history_mode == "own",
            group_size=self.asked.get("group_size", 1),
            exclude_needs=tuple(self.asked.get("env_kwargs", {}).get("exclude_needs", ())),
        )

    def _read(self) -> set[tuple[str, str]]:
        """Take in the keys; gives names and content hashes of their packs."""
        runs: set[tuple[str, str, str]] = set()
        hashes: set[tuple[str, str]] = set()
        keys: set[SessionKey] = set()
        try:
            for record in read_trajectories(self.source):
                if REJUDGED in record.config:
                    raise RunError(f"{self.source} holds a re-scoring; take the run that was re-scored")
                if record.key in keys:
                    raise RunError(f"{self.source} holds the session {record.key} twice")
                keys.add(record.key)
                self.keys.append(record.key)
                runs.add((record.agent, record.env_id, record.history_mode))
                hashes.add((record.pack, record.pack_hash))
        except (OSError, ValueError) as error:
            raise RunError(f"{self.source} cannot be read: {error}") from error
        if len(runs) != 1:
            what = (
                "has no scored session" if not runs else "holds sessions of several agents, environments or histories"
            )
            raise RunError(f"{self.source} {what}; there is nothing to judge as one run")
        return hashes


def run_family(run: str | Path) -> str:
    """The name of the family of a run's sessions.

    Raises:
        RunError: there is no such run, or nothing says it.
    """
    asked = read_run_json(run).get("family")
    if asked:
        return str(asked)
    try:
        return next(read_trajectories(run)).family
    except (OSError, ValueError, StopIteration) as error:
        raise RunError(f"{run} has no session that could be read, so nothing says of which family it is") from error


def unjudged(run: str | Path) -> int:
    """The number of sessions of a run that were tried and have no score, and so no conversation to be judged."""
    path = Path(run) / UNSCORED
    if not path.is_file():
        return 0
    tried = {record.key for record in read_trajectories(path)}
    return len(tried - {record.key for record in read_trajectories(run)})


def read_run_json(run: str | Path) -> dict[str, Any]:
    """The content of a run's run.json; empty for a lone file of trajectories.

    Raises:
        RunError: there is no such run, or its run.json is no JSON object.
    """
    place = Path(run) / RUN
    if not place.is_file():
        if not Path(run).exists():
            raise RunError(f"{run}: there is no such run")
        return {}
    try:
        return dict(json.loads(place.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise RunError(f"{place} is no JSON object ({error}); it was changed by hand") from error
