"""Playing one session with an agent, whatever the agent does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from time import perf_counter
from typing import Any

import gymnasium as gym

from pi_gym.env import PiEnv, ScoringFailed
from pi_gym.errors import PiGymError, UnknownName, unknown
from pi_gym.packs import Pack
from pi_gym.registration import ENTRY_POINT
from pi_gym.rollout.agents import Agent
from pi_gym.rollout.faults import place, told, trace
from pi_gym.rollout.plan import BadArgument, Key, Plan, PlannedSession
from pi_gym.seeding import Stream
from pi_gym.session import Trajectory
from pi_gym.session.actions import ParsedAction
from pi_gym.templates import prompt_hash
from pi_gym.types import Message, ToolCall

_MAX_ERROR_CHARS = 300
_MESSAGE_KEYS = ("role", "content", "tool_calls")


class NotAnAction(PiGymError, TypeError):
    """An agent returned what no environment takes: a mistake in its code, not one of a model's."""


@dataclass(frozen=True, slots=True)
class Score:
    """What a run keeps of a session in memory.

    Args:
        scored: whether it has a score; `error_kind` says whose failure it was where not.
        proc, comp, return_: None where unscored or undefined.
        turns, questions, steps, invalid_actions: counts; the last one of actions that were rejected, or of which a
            call failed.
        error: why there is no score, in one line; `place` the line of code, where one is known. That is no part of a
            record.
    """

    scored: bool
    error_kind: str
    proc: float | None
    comp: float | None
    return_: float | None
    turns: int
    questions: int
    steps: int
    invalid_actions: int = 0
    error: str = ""
    place: str = ""

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Score:
        """The score in a trajectory's JSON object."""
        names = ("scored", "error_kind", "proc", "comp", "return", "turns", "questions", "steps", "invalid_actions")
        parts = (*(record[name] for name in names), _one_line(record["error"]))
        return cls(*parts)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A session that was played, or tried.

    Args:
        session: which one.
        key: its key.
        line: its trajectory, one line of JSON without the line end.
        score: what that says.
        seconds: how long it took, by the wall clock.
        trace: the last frames of what was raised, with this machine's paths; empty where nothing was.
    """

    session: PlannedSession
    key: Key
    line: str
    score: Score
    seconds: float
    trace: str = ""


def make_env(env_id: str, kwargs: Mapping[str, Any]) -> gym.Env[Any, Any]:
    """An environment for a run, without Gymnasium's passive checker.

    Raises:
        UnknownName: no such id; the message lists ours.
        BadArgument: the id is none of a pi_gym environment.
    """
    if ":" not in env_id and env_id not in gym.registry:
        known = [name for name, spec in gym.registry.items() if spec.entry_point == ENTRY_POINT]
        raise UnknownName(unknown("environment", env_id, known, shown=25))
    try:
        env = gym.make(env_id, disable_env_checker=True, **kwargs)
    except (gym.error.Error, ModuleNotFoundError) as error:
        if ":" not in env_id:
            raise
        raise UnknownName(f"environment {env_id!r}: {error}") from error
    base_env(env)
    return env


def base_env(env: gym.Env[Any, Any]) -> PiEnv:
    """The environment below its wrappers."""
    base = env.unwrapped
    if not isinstance(base, PiEnv):
        raise BadArgument(f"{env.spec.id if env.spec else env!r} is no environment of pi_gym")
    return base


def play_session(env: gym.Env[Any, Any], agent: Agent, plan: Plan, planned: PlannedSession) -> Outcome:
    """Play one session to its end.

    What the agent raises leaves the session unscored with error kind "policy"; what we raise, with "engine".
    """
    begin = perf_counter()
    key = plan.key(planned)
    env.action_space.seed(Stream("rollout", "actions", *key).integer(0, 2**31 - 1))
    base = base_env(env)
    try:
        observation, info = env.reset(seed=planned.seed, options={"task": planned.task_id, "variant": planned.variant})
        session = base.session
        assert session is not None
    except Exception as error:
        outcome = unplayed(base.packs, plan, planned, told(error), "engine", perf_counter() - begin)
        return _located(outcome, error)
    at_fault = "policy"
    raised: BaseException | None = None
    try:
        agent.reset(observation, info, env)
        while not session.ended:
            at_fault = "policy"
            action = agent.act(observation, info)
            # Wrappers that change the action space take what they say; the engine's own actions are known here.
            if env.action_space is base.action_space:
                _require_action(action)
            at_fault = "engine"
            observation, _, _, _, info = env.step(action)
    except ScoringFailed:
        pass  # the session says why, and ends unscored
    except (Exception, SystemExit) as error:
        raised = error
        session.fail(told(error), at_fault)
    trajectory = session.trajectory(agent=plan.agent, sample=planned.sample)
    if trajectory.key != key:
        reason = f"the session came out as {trajectory.key}, not as planned"
        return unplayed(base.packs, plan, planned, reason, "engine", perf_counter() - begin)
    outcome = _outcome(planned, key, trajectory, perf_counter() - begin)
    return _located(outcome, raised) if raised is not None and not trajectory.scored else outcome


def unplayed(
    packs: tuple[Pack, ...], plan: Plan, planned: PlannedSession, error: str, kind: str, seconds: float
) -> Outcome:
    """The record of a session that could not be opened, or that never came back."""
    pack = next(pack for pack in packs if planned.task_id in pack.task_ids)
    trajectory = Trajectory(
        agent=plan.agent,
        sample=planned.sample,
        env_id=plan.env_id,
        task_id=planned.task_id,
        variant=planned.variant,
        seed=planned.seed,
        history_mode=plan.history_mode,
        pack=pack.name,
        pack_hash=pack.content_hash,
        prompt_hash=prompt_hash(),
        config={},
        user="",
        grader="",
        opening=(),
        events=(),
        intents=(),
        checklist=(),
        proc=None,
        comp=None,
        return_=None,
        reward_components={},
        turns=0,
        steps=0,
        tool_calls=0,
        questions=0,
        question_misses=0,
        words_by_user=0,
        invalid_actions=0,
        intents_held=(),
        terminated=False,
        truncated=True,
        end_reason="error",
        scored=False,
        error=error,
        error_kind=kind,
    )
    return _outcome(planned, plan.key(planned), trajectory, seconds)


def _outcome(planned: PlannedSession, key: Key, trajectory: Trajectory, seconds: float) -> Outcome:
    score = Score(
        trajectory.scored,
        trajectory.error_kind,
        trajectory.proc,
        trajectory.comp,
        trajectory.return_,
        trajectory.turns,
        trajectory.questions,
        trajectory.steps,
        trajectory.invalid_actions,
        _one_line(trajectory.error),
    )
    return Outcome(planned, key, trajectory.to_line(), score, seconds)


def _located(outcome: Outcome, error: BaseException) -> Outcome:
    return replace(outcome, score=replace(outcome.score, place=place(error)), trace=trace(error))


def _require_action(action: object) -> None:
    """Raise NotAnAction for what no agent can mean as an action; a model's mistakes are the session's to answer."""
    if isinstance(action, str | Message | ToolCall | ParsedAction) or callable(getattr(action, "model_dump", None)):
        return
    if isinstance(action, Mapping) and any(name in action for name in _MESSAGE_KEYS):
        return
    if isinstance(action, list | tuple) and action and all(isinstance(part, ToolCall) for part in action):
        return
    raise NotAnAction(
        f"the agent's act() returned {_kind(action)}, which is no action; expected text, an OpenAI assistant message,"
        " a Message, a ToolCall or a list of ToolCalls"
    )


def _kind(action: object) -> str:
    if action is None:
        return "None"
    if isinstance(action, Mapping):
        return f"a {type(action).__name__} without 'role', 'content' and 'tool_calls'"
    return f"a {type(action).__name__}" + (" of other things" if isinstance(action, list | tuple) and action else "")


def _one_line(text: str) -> str:
    line = " ".join(text[: 2 * _MAX_ERROR_CHARS].split())
    return line if len(line) <= _MAX_ERROR_CHARS else f"{line[:_MAX_ERROR_CHARS]}…"
