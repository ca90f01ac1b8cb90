"""Playing one session with an agent, whatever the agent does."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from time import perf_counter
from typing import Any, TypeAlias

import gymnasium as gym
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker

from pi_gym.env import PiEnv, ScoringFailed
from pi_gym.errors import UnknownName, unknown
from pi_gym.registration import ENTRY_POINT
from pi_gym.rollout.actions import require_action
from pi_gym.rollout.agents import Agent
from pi_gym.rollout.asked import plain
from pi_gym.rollout.assignments import Assignment
from pi_gym.rollout.faults import told
from pi_gym.rollout.opening import open_session
from pi_gym.rollout.outcome import Outcome, located, outcome_of, unplayed
from pi_gym.rollout.plan import BadArgument, Plan
from pi_gym.seeding import Stream
from pi_gym.session.answerers import Waiting


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


@dataclass(frozen=True, slots=True)
class Work:
    """Something that takes its time, and needs nothing of the session meanwhile: the agent's next move."""

    call: Callable[[], Any]


#: A session as it is played: it yields what it waits for, is sent the result, and ends with its outcome.
Play: TypeAlias = Generator[Work | Waiting, Any, Outcome]


def play_assignment(env: gym.Env[Any, Any], agent: Agent, plan: Plan, assignment: Assignment) -> Iterator[Outcome]:
    """Play the sessions of an assignment, up to the first without a score: what follows would rest on it."""
    left: Assignment | None = assignment
    while left is not None:
        outcome = play_session(env, agent, plan, left)
        left = left.rest() if outcome.score.scored else None
        yield outcome


def play_session(env: gym.Env[Any, Any], agent: Agent, plan: Plan, assignment: Assignment) -> Outcome:
    """Play the first session of an assignment to its end.

    What the agent raises leaves the session unscored with error kind "policy"; what we raise, with "engine".
    """
    play = begin_session(env, agent, plan, assignment)
    try:
        wait = next(play)
        while True:
            try:
                result = wait.call() if isinstance(wait, Work) else wait.answerer(wait.asks)
            except BaseException as error:
                wait = play.throw(error)
            else:
                wait = play.send(result)
    except StopIteration as end:
        outcome: Outcome = end.value
        return outcome


def begin_session(env: gym.Env[Any, Any], agent: Agent, plan: Plan, assignment: Assignment) -> Play:
    """The same, for a driver that has other sessions to go on with while this one waits."""
    begin, planned = perf_counter(), assignment.first
    key = plan.key(planned)
    env.action_space.seed(Stream("rollout", "actions", *key).integer(0, 2**31 - 1))
    base = base_env(env)
    before = base.model_usage()
    try:
        observation, info = open_session(env, base, plan, assignment)
        session = base.session
        assert session is not None
    except Exception as error:
        outcome = unplayed(base.packs, plan, planned, told(error), "engine", perf_counter() - begin)
        return located(outcome, error)
    at_fault = "policy"
    raised: BaseException | None = None
    try:
        yield Work(partial(agent.reset, observation, info, env))
        while not session.ended:
            at_fault = "policy"
            action = yield Work(partial(agent.act, observation, info))
            # Wrappers that change the action space take what they say; the engine's own actions are known here.
            if env.action_space is base.action_space:
                require_action(action)
            at_fault = "engine"
            if _is_bare(env):
                base.begin_step(action)
                yield from base.waits()
                observation, _, _, _, info = base.end_step()
            else:  # a wrapper's step is one piece
                observation, _, _, _, info = yield Work(partial(env.step, action))
    except ScoringFailed:
        pass  # the session says why, and ends unscored
    except (Exception, SystemExit) as error:
        raised = error
        session.fail(told(error), at_fault)
    trajectory = session.trajectory(agent=plan.agent, sample=planned.sample, group_id=plan.group_id(planned))
    if trajectory.key != key:
        reason = f"the session came out as {trajectory.key}, not as planned"
        return unplayed(base.packs, plan, planned, reason, "engine", perf_counter() - begin)
    outcome = outcome_of(planned, key, trajectory, perf_counter() - begin)
    models = {role: found - before[role] for role, found in base.model_usage().items()}
    outcome = replace(outcome, models=models, agent_metadata=_metadata(agent))
    return located(outcome, raised) if raised is not None and not trajectory.scored else outcome


def _metadata(agent: Agent) -> Mapping[str, Any]:
    found = plain(getattr(agent, "metadata", None))
    return found if isinstance(found, dict) else {}


def _is_bare(env: gym.Env[Any, Any]) -> bool:
    """Whether nothing but Gymnasium's own guards lies around the environment, which may be stepped below them."""
    while isinstance(env, OrderEnforcing | PassiveEnvChecker):
        env = env.env
    return isinstance(env, PiEnv)
