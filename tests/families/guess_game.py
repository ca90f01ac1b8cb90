"""A second family of environments, in a module of its own: the agent guesses a number that the user thinks of."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from pi_gym import Family, Identity, Message, SessionEnv, Trajectory, parse_action, register
from pi_gym.catalogue import TaskCard, TaskList
from pi_gym.family import Measure
from pi_gym.session.recording import build_record
from pi_gym.session.transcript import render_message
from pi_gym.state import World
from pi_gym.tools import Registry, ToolContext, operation
from pi_gym.types import Event, StepRecord, ToolCall
from pi_gym.vector import SessionVectorEnv

MOST = 10


@operation("read")
def halve(context: ToolContext, low: int, high: int) -> str:
    """Find the middle of two numbers.

    Args:
        low: the lower one.
        high: the higher one.
    """
    return str((low + high) // 2)


TOOLS = Registry([halve])
TASKS = TaskList("numbers", [TaskCard("small"), TaskCard("large", holdout=True)], title="Numbers from 1 up")
HIGHEST = {"small": 10, "large": 1000}


@dataclass
class GuessSession:
    """One number to be found; a reply is a guess, and the user says whether it is higher or lower."""

    identity: Identity
    secret: int
    history: str = ""
    events: list[Event] = field(default_factory=list)
    step: StepRecord | None = None
    turn: int = 1
    steps: int = 0
    tool_calls: int = 0
    invalid_actions: int = 0
    scores: Mapping[str, float | None] = field(default_factory=lambda: {"found": None, "return": None})
    ended: bool = False
    scored: bool = False
    terminated: bool = False
    end_reason: str = ""
    error: str = ""
    error_kind: str = ""
    engine_faults: tuple[Any, ...] = ()
    pending: tuple[Any, ...] = ()
    registry = TOOLS
    clock = datetime(2026, 3, 9, 9)
    world = World()

    def __post_init__(self) -> None:
        said = f"I think of a number from 1 to {HIGHEST[self.identity.task_id]}. Guess it, in at most {MOST} guesses."
        self.messages = (Message("system", "You guess numbers."), Message("user", said))
        self.history = "".join(map(render_message, self.messages))

    def apply(self, action: object) -> None:
        parsed = parse_action(action)
        self.steps += 1
        calls = tuple(
            ToolCall(one.name, one.arguments, f"call_{self.tool_calls + n}") for n, one in enumerate(parsed.calls)
        )
        self.tool_calls += len(calls)
        told = [{"id": one.id, "name": one.name, "arguments": dict(one.arguments)} for one in calls]
        said = {"action": parsed.raw, "content": parsed.content, "thought": parsed.thought, "fault": parsed.fault}
        self._log("agent", **said, calls=told)
        new = [Message("assistant", parsed.content, calls)]
        for one in calls:
            result = TOOLS.run(one, ToolContext(World()))
            self._log("call", **told[calls.index(one)], result=result.text, ok=result.ok)
            new.append(Message("tool", result.text, tool_call_id=one.id))
        if not calls:
            guess = int("".join(filter(str.isdigit, parsed.content)) or 0)
            self.invalid_actions += not guess
            self.ended = self.scored = self.terminated = guess == self.secret
            if not self.ended:
                new.append(Message("user", "Higher." if guess < self.secret else "Lower."))
                self._log("user", text=new[-1].content, call="")
                self.turn += 1
        self.history += "".join(map(render_message, new))
        if not self.ended and self.steps >= MOST:
            self.truncate("max_steps")
        self._close(tuple(new))

    def _close(self, new: tuple[Message, ...] = ()) -> None:
        if self.scored:
            self.scores = {"found": float(self.terminated), "return": self.terminated - 0.05 * self.steps}
        paid = (1.0 if self.terminated else 0.0) - 0.05 * bool(new)
        self.step = StepRecord(new, paid, {"return": paid}, self.terminated, self.ended and not self.terminated)

    def truncate(self, reason: str) -> None:
        self.ended = self.scored = True
        self.end_reason = reason
        self._log("end", reason=reason)
        self._close()

    def fail(self, error: str, kind: str = "engine") -> None:
        if not self.ended:
            self.ended, self.error, self.error_kind, self.end_reason = True, error, kind, "error"
            self.step = StepRecord((), float("nan"), {}, False, True, error)

    def answer(self, ask_id: str, answer: object) -> None:
        raise AssertionError("a guessing game asks nothing of anybody")

    def fork(self) -> GuessSession:
        return copy.deepcopy(self)

    def tool_schemas(self, made: Any = None) -> list[dict[str, Any]]:
        return TOOLS.schemas(made)

    def _log(self, kind: str, **data: Any) -> None:
        self.events.append(Event(kind, self.turn, self.steps, data))

    def trajectory(self, **known: Any) -> Trajectory:
        paid = {"return": self.scores["return"]}
        shown = {"labels": {"secret": self.secret}, "config": {"most": MOST}, "reward_components": paid}
        return build_record(self, self.events, turns=self.turn, pack_hash=TASKS.content_hash, **shown, **known)


class GuessGame(Family):
    name = "guess"
    scores = ("found", "return")
    measures = (Measure("found", "found"), *Family.measures)
    columns: Mapping[str, Any] = {"secret": "int64"}
    info_keys: Mapping[str, tuple[type, str]] = {"guesses": (int, "guesses so far")}

    def open(self, env: Any, start: Any, prepared: Any, before: Any, *, env_id: str, seed: int) -> GuessSession:
        identity = Identity(self.name, TASKS.name, start.task_id, start.variant, env_id=env_id, seed=seed)
        return GuessSession(identity, start.variant * 7919 % HIGHEST[start.task_id] + 1)

    def info(self, session: Any) -> dict[str, Any]:
        return {"guesses": session.steps - session.tool_calls}

    def reference(self, session: Any) -> list[str]:
        return [str(session.secret)]

    def hidden_text(self, session: Any) -> str:
        return f"the number is {session.secret}"

    def registry(self, names: Any) -> Registry:
        return TOOLS.subset(names)

    def offered(self, env: Any, pack: Any, task_id: str) -> Registry:
        return TOOLS


class GuessEnv(SessionEnv):
    family = GuessGame()

    def __init__(self, **settings: Any) -> None:
        super().__init__([TASKS], **settings)


class GuessVectorEnv(SessionVectorEnv):
    env_class = GuessEnv


register("Guess-v0", f"{__name__}:GuessEnv", vector_entry_point=f"{__name__}:GuessVectorEnv")
