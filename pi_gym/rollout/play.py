"""Playing one session with an agent, whatever the agent does."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from dataclasses import replace
from functools import partial
from inspect import isawaitable
from time import perf_counter
from typing import Any

import gymnasium as gym

from pi_gym.driving.awaiting import Result, awaited, called
from pi_gym.driving.waits import Move, Play, SessionTimeout, Wait, Work, name_of
from pi_gym.env import ScoringFailed
from pi_gym.environments import base_env, is_bare
from pi_gym.rollout.actions import require_action
from pi_gym.rollout.agents import Agent, coroutine_move
from pi_gym.rollout.policy import PolicyOutput
from pi_gym.rollout.start import open_session
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import Outcome, outcome_of, unplayed, with_error_place
from pi_gym.runs.plan import Plan
from pi_gym.runs.run_json import plain
from pi_gym.seeding import Stream
from pi_gym.session.faults import told
from pi_gym.session.protocol import Session


def play_here(play: Play) -> Iterator[Outcome]:
    """Play in this thread, waiting for one thing after the other, and give outcomes as they come."""
    waits: dict[str, list[float]] = {}
    result = Result()
    while True:
        try:
            wait = play.send(result.value) if result.error is None else play.throw(result.error)
        except StopIteration:
            return
        if isinstance(wait, Outcome):
            yield replace(wait, waits=waits)
            waits, result = {}, Result()
            continue
        begin = perf_counter()
        result = called(partial(_value, wait))
        waits.setdefault(name_of(wait), []).append(perf_counter() - begin)


def begin_assignment(env: gym.Env[Any, Any], agent: Agent, plan: Plan, assignment: Assignment) -> Play:
    """Play the sessions of an assignment, up to the first without a score: what follows would rest on it.

    What the agent raises leaves its session unscored with error kind "policy"; what we raise, with "engine".
    """
    left: Assignment | None = assignment
    while left is not None:
        outcome = yield from _session(env, agent, plan, left)
        yield outcome
        left = left.rest() if outcome.score.scored else None


def _session(env: gym.Env[Any, Any], agent: Agent, plan: Plan, assignment: Assignment) -> Generator[Wait, Any, Outcome]:
    """Play the first session of an assignment."""
    begin, planned = perf_counter(), assignment.first
    key = plan.key(planned)
    env.action_space.seed(Stream("rollout", "actions", *key).integer(0, 2**31 - 1))
    base = base_env(env)
    before = base.model_usage()
    opened = partial(open_session, env, base, plan, assignment)
    try:
        observation, info = opened() if is_bare(env) else (yield Work(opened))
        session = base.session
        assert session is not None
    except Exception as error:
        return with_error_place(
            unplayed(base.packs, plan, planned, told(error), "engine", perf_counter() - begin), error
        )
    outputs: list[Mapping[str, Any]] = []
    raised: BaseException | None = None
    try:
        yield from _turns(env, agent, session, observation, info, outputs)
    except ScoringFailed:
        pass  # the session says why, and ends unscored
    except _Failed as failed:
        raised = failed.error
        if failed.lost:  # a thread is at work in the session, and nobody else may be
            return unplayed(base.packs, plan, planned, told(raised), failed.kind, perf_counter() - begin)
        session.fail(told(raised), failed.kind)
    trajectory = session.trajectory(
        agent=plan.agent, sample=planned.sample, group_id=plan.group_id(planned), policy_outputs=tuple(outputs)
    )
    if trajectory.key != key:
        reason = f"the session came out as {trajectory.key}, not as planned ({key})"
        return unplayed(base.packs, plan, planned, reason, "engine", perf_counter() - begin)
    outcome = outcome_of(planned, trajectory, perf_counter() - begin)
    models = {role: found - before[role] for role, found in base.model_usage().items()}
    outcome = replace(outcome, models=models, agent_metadata=_metadata(agent))
    return with_error_place(outcome, raised) if raised is not None and not trajectory.scored else outcome


class _Failed(Exception):
    """A session cannot go on: whose failure it is, and whether the session is still at work in a thread."""

    def __init__(self, error: BaseException, kind: str, *, lost: bool = False) -> None:
        self.error, self.kind, self.lost = error, kind, lost


def _turns(
    env: gym.Env[Any, Any],
    agent: Agent,
    session: Session,
    observation: Any,
    info: Any,
    outputs: list[Mapping[str, Any]],
) -> Generator[Wait, Any, None]:
    """From the opening to the end; what the policy gives beside its actions goes to `outputs`.

    Raises:
        _Failed: something was raised.
        ScoringFailed: from the environment.
    """
    base, bare = base_env(env), is_bare(env)
    try:
        yield _move(agent, "reset", observation, info, env)
        while not session.ended:
            action = yield _move(agent, "act", observation, info)
            if isinstance(action, PolicyOutput):
                recorded = action.recorded(session.steps + 1)
                outputs += [recorded] if recorded else []
                action = action.action
            # Wrappers that change the action space take what they say; the engine's own actions are known here.
            if env.action_space is base.action_space:
                require_action(action)
            try:
                if bare:
                    base.begin_step(action)
                    yield from base.waits()
                    observation, _, _, _, info = base.end_step()
                else:  # a wrapper's step is one piece
                    observation, _, _, _, info = yield Work(partial(env.step, action))
            except ScoringFailed:
                raise
            except SessionTimeout as error:
                kind = session.pending[0].kind if session.pending else "engine"
                raise _Failed(error, kind, lost=not bare) from None
            except (Exception, SystemExit) as error:
                raise _Failed(error, "engine") from None
    except (ScoringFailed, _Failed):
        raise
    except (Exception, SystemExit) as error:
        raise _Failed(error, "policy") from None


def _move(agent: Agent, name: str, *arguments: Any) -> Move:
    coroutine = coroutine_move(agent, name)
    if coroutine is not None:
        return Move(partial(coroutine, *arguments), is_async=True)
    return Move(partial(getattr(agent, name), *arguments))


def _value(wait: Wait) -> Any:
    if not isinstance(wait, Move | Work):
        return wait.answerer(wait.asks)
    result = wait.call()
    return awaited(result) if isinstance(wait, Move) and isawaitable(result) else result


def _metadata(agent: Agent) -> Mapping[str, Any]:
    found = plain(getattr(agent, "metadata", None))
    return found if isinstance(found, dict) else {}
