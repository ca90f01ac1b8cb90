"""Playing one session with an agent, whatever the agent does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any

import gymnasium as gym

from pi_gym.env import PiEnv, ScoringFailed
from pi_gym.errors import UnknownName, unknown
from pi_gym.packs import Pack
from pi_gym.registration import ENTRY_POINT
from pi_gym.rollout.agents import Agent
from pi_gym.rollout.plan import BadArgument, Key, Plan, PlannedSession
from pi_gym.seeding import Stream
from pi_gym.session import Trajectory
from pi_gym.session.actions import clean
from pi_gym.templates import prompt_hash


@dataclass(frozen=True, slots=True)
class Score:
    """What a run keeps of a session in memory.

    Args:
        scored: whether it has a score; `error_kind` says whose failure it was where not.
        proc, comp, return_: None where unscored or undefined.
        turns, questions, steps: counts.
    """

    scored: bool
    error_kind: str
    proc: float | None
    comp: float | None
    return_: float | None
    turns: int
    questions: int
    steps: int

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Score:
        """The score in a trajectory's JSON object."""
        names = ("scored", "error_kind", "proc", "comp", "return", "turns", "questions", "steps")
        return cls(*(record[name] for name in names))


@dataclass(frozen=True, slots=True)
class Outcome:
    """A session that was played, or tried.

    Args:
        session: which one.
        key: its key.
        line: its trajectory, one line of JSON without the line end.
        score: what that says.
        seconds: how long it took, by the wall clock.
    """

    session: PlannedSession
    key: Key
    line: str
    score: Score
    seconds: float


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
        return unplayed(base.packs, plan, planned, _told(error), "engine", perf_counter() - begin)
    at_fault = "policy"
    try:
        agent.reset(observation, info, env)
        while not session.ended:
            at_fault = "policy"
            action = agent.act(observation, info)
            at_fault = "engine"
            observation, _, _, _, info = env.step(action)
    except ScoringFailed:
        pass  # the session says why, and ends unscored
    except (Exception, SystemExit) as error:
        session.fail(_told(error), at_fault)
    trajectory = session.trajectory(agent=plan.agent, sample=planned.sample)
    if trajectory.key != key:
        told = f"the session came out as {trajectory.key}, not as planned"
        return unplayed(base.packs, plan, planned, told, "engine", perf_counter() - begin)
    return _outcome(planned, key, trajectory, perf_counter() - begin)


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
    )
    return Outcome(planned, key, trajectory.to_line(), score, seconds)


def _told(error: BaseException) -> str:
    try:
        text = str(error)
    except Exception:  # an agent's exception may do anything
        text = "(no text)"
    return clean(f"{type(error).__name__}: {text}")
