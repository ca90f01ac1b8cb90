"""A run as its folder records it: which sessions it has, of which packs, in which rounds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_gym.errors import UnknownName
from pi_gym.packs import Pack, Task, load_pack, referred_pack
from pi_gym.pibench.replay import REJUDGED
from pi_gym.rollout.lines import RunError
from pi_gym.rollout.plan import Key, Plan, PlannedSession
from pi_gym.rollout.store import RUN, UNSCORED
from pi_gym.session import read_trajectories

RESCORED_FROM = "rescored_from"


@dataclass(frozen=True, slots=True)
class Head:
    """What a plan has to know of one record."""

    pack: str
    pack_hash: str
    task_id: str
    variant: int
    seed: int
    sample: int


class RecordedRun:
    """The scored sessions of a run, whose packs are there as they were.

    Args:
        run: a run's folder, or a file of trajectories.
        pack: where the sessions' pack lies; None: where the run had it.

    Attributes:
        asked: what the run was asked to be; empty for a lone file.
        heads: of every record, in the order of the file.

    Raises:
        RunError: it cannot be read as one run, or its pack cannot be found.
        StateMismatch: a pack's content is not the recorded one.
    """

    def __init__(self, run: str | Path, pack: str | Path | None = None) -> None:
        self.source = Path(run)
        self.asked = _asked(self.source)
        self.heads: list[Head] = []
        self._where = pack if pack is not None else self.asked.get("env_kwargs", {}).get("pack")
        self._packs: dict[str, Pack] = {}
        self._read()
        for name, sha256 in sorted({(head.pack, head.pack_hash) for head in self.heads}):
            referred_pack(self.pack(name).source, sha256)

    def pack(self, name: str) -> Pack:
        """The pack of that name; each is loaded once."""
        if name not in self._packs:
            try:
                self._packs[name] = load_pack(self._where if self._where is not None else name)
            except UnknownName as error:
                raise RunError(f"the sessions' pack {name!r} is not there; name its folder (pack): {error}") from error
        return self._packs[name]

    def without_rules(self) -> Iterator[Task]:
        """One of each task that rules cannot judge."""
        for task_id, head in {head.task_id: head for head in self.heads}.items():
            if not self.pack(head.pack).has_rules:
                yield self.pack(head.pack).instantiate(task_id)

    def plan(self) -> Plan:
        """The run's sessions as its own plan had them: by rounds, in each the tasks in episode order."""
        cards = {head.task_id: self.pack(head.pack).card(head.task_id) for head in self.heads}
        packs = dict.fromkeys(head.pack for head in self.heads)
        order = [*self.asked.get("tasks", ()), *(name for pack in packs for name in self.pack(pack).task_ids)]
        places = {name: place for place, name in enumerate(dict.fromkeys(order))}
        # A round is one variant; where a run comes to it again, its sessions are the next samples.
        rounds = sorted({(head.sample, head.variant) for head in self.heads})
        repeats = {one: number for number, one in enumerate(rounds)}
        ordered = sorted(self.heads, key=lambda head: (repeats[head.sample, head.variant], places[head.task_id]))
        return Plan(
            self._agent,
            self._env_id,
            self.asked.get("split", "explicit"),
            self._history_mode,
            tuple(
                PlannedSession(
                    index, head.task_id, head.variant, head.seed, head.sample, repeats[head.sample, head.variant]
                )
                for index, head in enumerate(ordered)
            ),
            groups={name: card.group for name, card in cards.items()},
            depends_on={name: card.depends_on for name, card in cards.items()},
            ungraded=frozenset(name for name, card in cards.items() if not card.items),
            group_size=self.asked.get("group_size", 1),
        )

    def _read(self) -> None:
        runs: set[tuple[str, str, str]] = set()
        keys: set[Key] = set()
        try:
            for record in read_trajectories(self.source):
                if REJUDGED in record.config:
                    raise RunError(f"{self.source} holds a re-scoring; take the run that was re-scored")
                if record.key in keys:
                    raise RunError(f"{self.source} holds the session {record.key} twice")
                keys.add(record.key)
                runs.add((record.agent, record.env_id, record.history_mode))
                names = (record.pack, record.pack_hash, record.task_id)
                self.heads.append(Head(*names, record.variant, record.seed, record.sample))
        except (OSError, ValueError) as error:
            raise RunError(f"{self.source} cannot be read: {error}") from error
        if len(runs) != 1:
            what = (
                "has no scored session" if not runs else "holds sessions of several agents, environments or histories"
            )
            raise RunError(f"{self.source} {what}; there is nothing to judge as one run")
        ((self._agent, self._env_id, self._history_mode),) = runs


def unjudged(run: str | Path) -> int:
    """How many sessions of a run were tried and have no score, and so no conversation that could be judged."""
    path = Path(run) / UNSCORED
    if not path.is_file():
        return 0
    tried = {record.key for record in read_trajectories(path)}
    return len(tried - {record.key for record in read_trajectories(run)})


def _asked(source: Path) -> dict[str, Any]:
    """What the run was asked to be; nothing is known of a lone file."""
    place = source / RUN
    if not place.is_file():
        if not source.exists():
            raise RunError(f"{source}: there is no such run")
        return {}
    try:
        asked = dict(json.loads(place.read_text(encoding="utf-8")))
    except (ValueError, TypeError) as error:
        raise RunError(f"{place} is no JSON object ({error}); it was changed by hand") from error
    if RESCORED_FROM in asked:
        raise RunError(f"{source} holds a re-scoring; take the run that was re-scored, {source / asked[RESCORED_FROM]}")
    return asked
