"""The record of a session: complete, deterministic, without timings, one JSON line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from pi_gym.types import EngineFault, Event

FORMAT = 1
#: The name of the score that every family has: the undiscounted return.
RETURN = "return"


class SessionKey(NamedTuple):
    """The key of a session: what makes it the same in a run.

    Args:
        agent: who acts.
        env_id: the environment's id.
        family: of the environment.
        pack: the set that the task is of.
        task_id: the task; `variant` its world's number.
        seed: of the reset (under history "own" of the one that began the episode), or -1.
        history_mode: what happened before: "reference", "own" or "none".
        sample: counts repeats and group members.
    """

    agent: str
    env_id: str
    family: str
    pack: str
    task_id: str
    variant: int
    seed: int
    history_mode: str
    sample: int

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> SessionKey:
        """The key in a record's JSON object; KeyError where a part of it is missing."""
        return cls(*(record[name] for name in cls._fields))

    def __str__(self) -> str:
        place = f"{self.pack}/{self.task_id}, variant {self.variant}, seed {self.seed}"
        return f"{self.agent} in {self.env_id}: {place}, history {self.history_mode}, sample {self.sample}"


@dataclass(frozen=True, slots=True)
class Identity:
    """The part of its key that a live session knows; the fields are those of `SessionKey`."""

    family: str
    pack: str
    task_id: str
    variant: int
    history_mode: str = "none"
    env_id: str = ""
    seed: int = -1


@dataclass(frozen=True)
class Trajectory:
    """The record of one session, of any family.

    Args:
        agent, env_id, family, pack, task_id, variant, seed, history_mode, sample: the key, see `SessionKey`.
        pack_hash: the pack's content hash; `prompt_hash` that of the engine's prompts.
        config: how the session ran: limits, roles, reward.
        opening: the system message and the opening messages, as text.
        events: everything that happened, in order.
        scores: by measure, each a float, or None where it is undefined; "return", the undiscounted return in closed
            form, is among them in every family. Empty where unscored.
        labels: what else the family says of the session: statuses, verdicts, counts.
        reward_components: the return by component.
        turns, steps, tool_calls, invalid_actions: counts.
        terminated, truncated, end_reason: how it ended.
        scored: whether it has a score; `error` says why not, `error_kind` whose failure it was.
        nondeterministic: it used the shell, the live web or a sub-agent, whose answers another run need not give; a
            replay takes the recorded ones.
        group_id: of the sessions that a run plays from one start; "" where it plays each start once.
        policy_outputs: what the policy gave beside its actions, one for each step where it gave anything; else empty.
        tools: the names of the tools that the agent was offered; `tools_hash` is over their schemas.
        engine_faults: errors of pi_gym's own; what they touched counts as not done and not met, so that a score beside
            them is a lower bound.
        starved: the host had no time for one of its commands, which is no failure of the agent's.
    """

    agent: str
    env_id: str
    family: str
    pack: str
    task_id: str
    variant: int
    seed: int
    history_mode: str
    sample: int
    pack_hash: str
    prompt_hash: str
    config: Mapping[str, Any]
    opening: tuple[str, ...]
    events: tuple[Event, ...]
    scores: Mapping[str, float | None]
    labels: Mapping[str, Any]
    reward_components: Mapping[str, float]
    turns: int
    steps: int
    tool_calls: int
    invalid_actions: int
    terminated: bool
    truncated: bool
    end_reason: str
    scored: bool
    error: str
    error_kind: str
    nondeterministic: bool = False
    group_id: str = ""
    policy_outputs: tuple[Mapping[str, Any], ...] = ()
    tools: tuple[str, ...] = ()
    tools_hash: str = ""
    engine_faults: tuple[EngineFault, ...] = ()
    starved: bool = False
    format: int = field(default=FORMAT)

    @property
    def key(self) -> SessionKey:
        """The key of the session."""
        return SessionKey(*(getattr(self, name) for name in SessionKey._fields))

    @property
    def return_(self) -> float | None:
        """The undiscounted return; None where unscored."""
        return self.scores.get(RETURN)

    @property
    def actions(self) -> list[str]:
        """The agent's actions as text, for a replay; an event whose action was an OpenAI message has that too."""
        return [event.data["action"] for event in self.events if event.kind == "agent"]

    def to_json(self) -> dict[str, Any]:
        """The record as a JSON object."""
        raw: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name in ("events", "engine_faults"):
                value = [part.to_json() for part in value]
            elif isinstance(value, tuple):
                value = [dict(part) if isinstance(part, Mapping) else part for part in value]
            elif isinstance(value, Mapping):
                value = dict(value)
            raw[name] = value
        return raw

    def to_line(self) -> str:
        """The record as one line of JSON, without a line end; the same session gives the same bytes."""
        return json.dumps(self.to_json(), ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    @classmethod
    def from_json(cls, raw: Mapping[str, Any]) -> Trajectory:
        """The record that `to_json` wrote.

        Raises:
            ValueError: another format, or fields are missing.
        """
        found = raw.get("format") if isinstance(raw, Mapping) else None
        if found != FORMAT:
            raise ValueError(f"expected a trajectory of format {FORMAT}, got format {found!r}")
        values = dict(raw)
        known, given = set(cls.__dataclass_fields__), set(values)
        if known != given:
            raise ValueError(f"trajectory: missing {sorted(known - given)}, unknown {sorted(given - known)}")
        values["events"] = tuple(Event.from_json(event) for event in values["events"])
        values["engine_faults"] = tuple(EngineFault.from_json(fault) for fault in values["engine_faults"])
        for name in ("opening", "policy_outputs", "tools"):
            values[name] = tuple(values[name])
        return cls(**values)


def read_trajectories(path: str | Path) -> Iterator[Trajectory]:
    """The trajectories of a file, or of a run's folder (its trajectories.jsonl), in order.

    A last line that was torn, as a killed process leaves it, is left out; a resume of the run plays its session again.

    Raises:
        FileNotFoundError: there is no such file.
        ValueError: a line is no trajectory; the message has its number.
    """
    place = Path(path)
    if place.is_dir():
        place = place / "trajectories.jsonl"
    with place.open("rb") as lines:
        for number, line in enumerate(lines, start=1):
            try:
                raw = json.loads(line)
            except ValueError as error:
                if line.startswith(b"{") and not line.endswith(b"\n"):
                    return
                raise ValueError(f"{place}, line {number}: not a trajectory: {error}") from error
            try:
                yield Trajectory.from_json(raw)
            except (ValueError, KeyError, TypeError) as error:
                raise ValueError(f"{place}, line {number}: not a trajectory: {error}") from error


def failed_fields(error: str, kind: str) -> dict[str, Any]:
    """The fields of a record that say that nothing in it was judged, as fresh objects.

    Args:
        error: why.
        kind: whose failure it was, see `Trajectory.error_kind`.
    """
    return {
        "events": (),
        "scores": {},
        "labels": {},
        "reward_components": {},
        "terminated": False,
        "truncated": True,
        "end_reason": "error",
        "scored": False,
        "error": error,
        "error_kind": kind,
    }


def unplayed_record(
    key: SessionKey, pack_hash: str, prompt_hash: str, group_id: str, error: str, kind: str
) -> Trajectory:
    """The record of a session that could not be opened, or that never came back.

    Args:
        key: what was to be played.
        pack_hash: as in `Trajectory`.
        prompt_hash: likewise.
        group_id: likewise.
        error: why there is nothing.
        kind: whose failure it was, see `Trajectory.error_kind`.
    """
    return Trajectory(
        **key._asdict(),
        pack_hash=pack_hash,
        prompt_hash=prompt_hash,
        config={},
        opening=(),
        turns=0,
        steps=0,
        tool_calls=0,
        invalid_actions=0,
        group_id=group_id,
        **failed_fields(error, kind),
    )
