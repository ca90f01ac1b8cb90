"""The contestants of a report: runs grouped by who played, in which setting, with the ablation beside."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from pi_gym.catalogue import TaskCard, TaskName
from pi_gym.environments import base_env, make_env
from pi_gym.errors import PiGymError
from pi_gym.family import Family
from pi_gym.report.discovery import AuditResult
from pi_gym.report.session_pool import SessionPool
from pi_gym.report.session_rows import ReportedSession, RunRows

NO_HISTORY = "none"
_MAX_CHARS = 32
#: Between the begin of a long value and its hash.
_HASH = " #"


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A run that was read.

    Args:
        path: its folder.
        asked: its run.json.
        rows: its sessions.
        label: the agent's in the evaluation that the run is part of; elsewhere its name.
    """

    path: Path
    asked: Mapping[str, Any]
    rows: RunRows
    label: str

    @property
    def group(self) -> tuple[str, str]:
        """The environment and the agent."""
        return self.asked["env_id"], self.label

    @property
    def setting(self) -> dict[str, str]:
        """The setting in which it was played, by name; runs of another one are not counted together."""
        named = {name: self.asked.get(name) for name in ("agent", "split", "prompts", "pi_gym")}
        for part, before in (("env_kwargs", ""), ("agent_settings", "agent's "), ("packs", "content of ")):
            named |= {f"{before}{name}": value for name, value in (self.asked.get(part) or {}).items()}
        named.pop("history", None)  # the history mode says it
        return {name: _text(value) for name, value in named.items()}


@dataclass(frozen=True, slots=True)
class Contestant:
    """An agent in one setting: a row of the report's tables.

    Args:
        label: its name in tables; the agent's, with the setting where it played in several.
        runs: all of its runs.
        pool: its scored sessions.
        ablation: those without history, where the others have one.
    """

    label: str
    runs: tuple[ReadRun, ...]
    pool: SessionPool
    ablation: SessionPool | None = None

    def argument(self, name: str) -> Any:
        """An argument of the environment in which it played; None where it was not given."""
        return (self.runs[0].asked.get("env_kwargs") or {}).get(name)


@dataclass(frozen=True, slots=True)
class ReportMaterial:
    """The material that the tables of one family are made of.

    Args:
        family: the family.
        contestants: who played, in order; those without a scored session are among them.
        cards: the tasks at a glance, where their packs are there.
        audits: the results of audits of its sessions.
        notes: what stands beside every table that compares contestants.
    """

    family: Family
    contestants: tuple[Contestant, ...]
    cards: Mapping[TaskName, TaskCard]
    audits: tuple[AuditResult, ...]
    notes: tuple[str, ...] = ()

    @property
    def places(self) -> list[tuple[str, str]]:
        """The environment's id and the pack of each person whose tasks were played."""
        return sorted({(row.key.env_id, row.key.pack) for one in self.contestants for row in one.pool.rows})


def contestants_of(runs: Sequence[ReadRun]) -> tuple[Contestant, ...]:
    """The contestants of one family's runs."""
    modes: dict[tuple[str, str], set[str]] = defaultdict(set)
    settings: dict[tuple[str, str], list[dict[str, str]]] = defaultdict(list)
    for run in runs:
        modes[run.group].add(run.asked["history_mode"])
        settings[run.group].append(run.setting)
    varied: dict[tuple[str, str], list[str]] = {}
    for group, found in settings.items():
        names = dict.fromkeys(name for one in found for name in one)
        varied[group] = [name for name in names if len({one.get(name) for one in found}) > 1]
    grouped: dict[tuple[str, ...], dict[str, list[ReadRun]]] = defaultdict(lambda: defaultdict(list))
    for run in runs:
        told = [f"{name} {run.setting.get(name, 'as usual')}" for name in varied[run.group]]
        mode = run.asked["history_mode"]
        main = sorted(modes[run.group] - {NO_HISTORY}, reverse=True)
        for owner in main or [mode]:
            if mode not in (owner, NO_HISTORY):
                continue
            history = [f"history {owner}"] if len(main) > 1 else []
            part = "ablation" if main and mode == NO_HISTORY else "pool"
            grouped[(run.label, *history, *told)][part].append(run)
    brief = {name: (name[0], *(part.partition(_HASH)[0] for part in name[1:])) for name in grouped}
    times = Counter(brief.values())
    return tuple(
        Contestant(
            ", ".join(brief[name] if times[brief[name]] == 1 else name),
            (*parts["pool"], *parts["ablation"]),
            _pool(parts["pool"]),
            _pool(parts["ablation"]) if parts["ablation"] else None,
        )
        for name, parts in sorted(grouped.items())
    )


def task_cards(runs: Sequence[ReadRun]) -> tuple[dict[TaskName, TaskCard], list[str]]:
    """The tasks of some runs at a glance, and what is not known of them and why."""
    cards: dict[TaskName, TaskCard] = {}
    notes: dict[str, None] = {}
    for env_id, pack in sorted({(run.asked["env_id"], _text(run.setting.get("pack"))) for run in runs}):
        same = [run for run in runs if run.asked["env_id"] == env_id and _text(run.setting.get("pack")) == pack]
        where = (same[0].asked.get("env_kwargs") or {}).get("pack")
        try:
            env = make_env(env_id, {} if where is None else {"pack": where})
            known = {one.name: one for one in base_env(env).packs}
            env.close()
        except PiGymError as error:
            notes[f"The tasks of {env_id} are not at hand, so that what rests on their cards is missing: {error}"] = (
                None
            )
            continue
        for run in same:
            for name, content in (run.asked.get("packs") or {}).items():
                if name in known and known[name].content_hash != content:
                    notes[
                        f"{run.path} was played with another content of pack {name!r} than is installed: groups,"
                        " categories and tags of its tasks are those of the installed one."
                    ] = None
            for row in run.rows.scored:
                if row.task not in cards and row.key.pack in known:
                    try:
                        cards[row.task] = known[row.key.pack].card(row.key.task_id)
                    except PiGymError as error:
                        notes[str(error)] = None
    return cards, list(notes)


def _pool(runs: Sequence[ReadRun]) -> SessionPool:
    rows: list[ReportedSession] = []
    repeats: list[int] = []
    before: dict[str, int] = defaultdict(int)
    for run in runs:
        rounds = sorted({(row.key.sample, row.key.variant) for row in run.rows.scored})
        places = {one: before[run.asked["env_id"]] + number for number, one in enumerate(rounds)}
        before[run.asked["env_id"]] += len(rounds)
        rows += run.rows.scored
        repeats += [places[row.key.sample, row.key.variant] for row in run.rows.scored]
    return SessionPool(rows, repeats)


def _text(value: Any) -> str:
    """A value in a line; what is too long for one is told apart by its hash, and a model told by its name."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, sort_keys=True)
    if len(text) <= _MAX_CHARS:
        return text
    begin = value.get("model", "") if isinstance(value, Mapping) else text
    return f"{str(begin)[:24]}{_HASH}{sha256(text.encode(errors='backslashreplace')).hexdigest()[:6]}"
