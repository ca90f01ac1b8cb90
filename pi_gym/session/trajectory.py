"""The record of a session: complete, deterministic, without timings, one JSON line."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_gym.types import Event

FORMAT = 1


@dataclass(frozen=True)
class Trajectory:
    """The record of one session.

    Args:
        agent: who acted; `sample` counts repeats of the same session.
        env_id: the environment's id.
        task_id: the task; `variant` its world's number.
        seed: seed of the reset (under history "own" of the one that began the episode), or -1.
        history_mode: "reference", "own" or "none".
        pack: name; `pack_hash` its content, `prompt_hash` the engine's prompts.
        config: limits, patience, reward.
        user, grader: names of the simulators.
        opening: the system message and the opening message, as text.
        events: everything that happened, in order.
        intents: per intent: id, name, status, turn (0 where open), needless.
        checklist: per item: id, name, verdict, grader, reason.
        proc, comp: scores in [0, 1]; None where unscored or undefined.
        return_: the undiscounted return in closed form; None where unscored.
        reward_components: the return by component.
        turns, steps, tool_calls, questions, question_misses, words_by_user, invalid_actions: counts.
        intents_held: ids of the intents that hold in the final state.
        terminated, truncated, end_reason: how it ended.
        scored: whether it has a score; `error` says why not, `error_kind` whose failure it was.
        nondeterministic: it used the shell, the live web or a sub-agent, whose answers another run need not give; a
            replay takes the recorded ones.
        group_id: of the sessions that a run plays from one start; "" where it plays each start once.
        policy_outputs: what the policy gave beside its actions, one for each step where it gave anything; else empty.
        tools: the names of the tools that the agent was offered; `tools_hash` is over their schemas.
    """

    agent: str
    sample: int
    env_id: str
    task_id: str
    variant: int
    seed: int
    history_mode: str
    pack: str
    pack_hash: str
    prompt_hash: str
    config: Mapping[str, Any]
    user: str
    grader: str
    opening: tuple[str, ...]
    events: tuple[Event, ...]
    intents: tuple[Mapping[str, Any], ...]
    checklist: tuple[Mapping[str, Any], ...]
    proc: float | None
    comp: float | None
    return_: float | None
    reward_components: Mapping[str, float]
    turns: int
    steps: int
    tool_calls: int
    questions: int
    question_misses: int
    words_by_user: int
    invalid_actions: int
    intents_held: tuple[str, ...]
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
    format: int = FORMAT

    @property
    def key(self) -> tuple[str, str, str, int, int, str, int]:
        """What makes a session the same: agent, env_id, task, variant, seed, history mode, sample."""
        return (
            self.agent,
            self.env_id,
            self.task_id,
            self.variant,
            self.seed,
            self.history_mode,
            self.sample,
        )

    @property
    def actions(self) -> list[str]:
        """The agent's actions as text, for a replay; an event whose action was an OpenAI message has that too."""
        return [event.data["action"] for event in self.events if event.kind == "agent"]

    def to_json(self) -> dict[str, Any]:
        """The record as a JSON object; `return_` is called "return" there."""
        raw: dict[str, Any] = {}
        for name in self.__dataclass_fields__:
            value = getattr(self, name)
            if name == "events":
                value = [event.to_json() for event in value]
            elif isinstance(value, tuple):
                value = [dict(part) if isinstance(part, Mapping) else part for part in value]
            elif isinstance(value, Mapping):
                value = dict(value)
            raw["return" if name == "return_" else name] = value
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
        values: dict[str, Any] = {("return_" if key == "return" else key): value for key, value in raw.items()}
        values.setdefault("nondeterministic", False)  # records from before sessions had a shell
        values.setdefault("group_id", "")  # and from before runs had groups
        values.setdefault("policy_outputs", ())
        values.setdefault("tools", ())  # and from before they named the tools
        values.setdefault("tools_hash", "")
        known, given = set(cls.__dataclass_fields__), set(values)
        if known != given:
            raise ValueError(f"trajectory: missing {sorted(known - given)}, unknown {sorted(given - known)}")
        values["events"] = tuple(Event.from_json(event) for event in values["events"])
        for name in ("opening", "intents", "checklist", "intents_held", "policy_outputs", "tools"):
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
        "intents": (),
        "checklist": (),
        "proc": None,
        "comp": None,
        "return_": None,
        "reward_components": {},
        "questions": 0,
        "question_misses": 0,
        "intents_held": (),
        "terminated": False,
        "truncated": True,
        "end_reason": "error",
        "scored": False,
        "error": error,
        "error_kind": kind,
    }
