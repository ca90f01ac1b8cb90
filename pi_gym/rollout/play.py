"""Playing one session with an agent, whatever the agent does."""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping
from dataclasses import replace
from functools import partial
from time import perf_counter
from typing import Any

import gymnasium as gym

from pi_gym.driving.waits import Move, SessionTimeout, Wait, Work
from pi_gym.env import ScoringFailed, SessionEnv
from pi_gym.environments import base_env, is_bare, note_reset
from pi_gym.models.usage import AGENT_ROLE, Usage
from pi_gym.rollout.agents import coroutine_move
from pi_gym.rollout.policy import PolicyOutput, require_action
from pi_gym.runs.agent import Agent
from pi_gym.runs.assignments import Assignment
from pi_gym.runs.outcome import SessionOutcome, outcome_of, unplayed, with_error_place
from pi_gym.runs.plan import Plan
from pi_gym.runs.run_json import plain
from pi_gym.seeding import Stream
from pi_gym.session import Trajectory
from pi_gym.session.faults import describe_error
from pi_gym.session.protocol import Session


def begin_assignment(
    env: gym.Env[Any, Any], agent: Agent, plan: Plan, assignment: Assignment
) -> Generator[Wait | SessionOutcome, Any, bool]:
    """Play the sessions of an assignment, up to the first without a score: what follows would rest on it.

    What the agent raises leaves its session unscored with error kind "policy"; what we raise, with "engine".

    Returns:
        Whether environment and agent are free: what a session waited for too long may still be at work there.
    """
    left: Assignment | None = assignment
    raised: BaseException | None = None
    while left is not None:
        outcome, raised = yield from _session(env, agent, plan, left)
        yield outcome
        left = left.rest() if outcome.score.scored else None
    return not isinstance(raised, SessionTimeout)


def _session(
    env: gym.Env[Any, Any], agent: Agent, plan: Plan, assignment: Assignment
) -> Generator[Wait, Any, tuple[SessionOutcome, BaseException | None]]:
    """Play the first session of an assignment; gives its outcome, and what was raised in it."""
    begin, planned = perf_counter(), assignment.first
    key = plan.key(planned)
    env.action_space.seed(Stream("rollout", "actions", *key).integer(0, 2**31 - 1))
    base = base_env(env)
    before = _usage(base, agent)
    observation: Any = None
    info: Mapping[str, Any] = {}
    try:
        observation, info = yield from _open(env, base, plan, assignment)
    except ScoringFailed:
        pass  # the session says why, and has ended unscored in its opening
    except Exception as error:
        kind = base.session.pending[0].kind if base.session is not None and base.session.pending else "engine"
        outcome = unplayed(base.packs, plan, planned, describe_error(error), kind, perf_counter() - begin)
        return with_error_place(_counted(outcome, base, agent, before), error), error
    session = base.session
    assert session is not None
    outputs: list[Mapping[str, Any]] = []
    raised: BaseException | None = None
    try:
        if not session.ended:
            yield from _turns(env, agent, session, observation, info, outputs)
    except ScoringFailed:
        pass  # the session says why, and ends unscored
    except _Failed as failed:
        raised = failed.error
        if failed.lost:  # a thread is at work in the session, and nobody else may be
            outcome = unplayed(base.packs, plan, planned, describe_error(raised), failed.kind, perf_counter() - begin)
            return _counted(outcome, base, agent, before), raised
        session.fail(describe_error(raised), failed.kind)
    trajectory = session.trajectory(
        agent=plan.agent, sample=planned.sample, group_id=plan.group_id(planned), policy_outputs=tuple(outputs)
    )
    if trajectory.key != key:
        reason = f"the session came out as {trajectory.key}, not as planned ({key})"
        outcome = unplayed(base.packs, plan, planned, reason, "engine", perf_counter() - begin)
        return _counted(outcome, base, agent, before), raised
    outcome = outcome_of(planned, trajectory, perf_counter() - begin)
    outcome = replace(_counted(outcome, base, agent, before), agent_metadata=_metadata(agent))
    if raised is not None and not trajectory.scored:
        outcome = with_error_place(outcome, raised)
    return outcome, raised


def _open(
    env: gym.Env[Any, Any], base: SessionEnv, plan: Plan, assignment: Assignment
) -> Generator[Wait, Any, tuple[Mapping[str, str], Mapping[str, Any]]]:
    """Open the first session of an assignment.

    Args:
        env: the environment. Where sessions of the assignment's episode were played and it has no records, they were
            played in this very environment, the last thing that it did.
        base: the environment below its wrappers.
        plan: of the run.
        assignment: what to play.

    Returns:
        The observation and the info of the opening.

    Raises:
        PiGymError: the session cannot be opened, or the episode's records do not lead to it.
    """
    planned = assignment.first
    if not plan.by_episode:
        named = {"pack": planned.pack, "task": planned.task_id, "variant": planned.variant}
        return (yield from _reset(env, base, planned.seed, named))
    if assignment.played and not assignment.records:
        base.take_up(planned.task_id)
        return (yield from _reset(env, base))
    # Wrappers see the beginning of an episode too where it is taken up later.
    opened = yield from _reset(env, base, planned.seed, {"pack": planned.pack, "variant": planned.variant})
    if not assignment.records and opened[1]["task_id"] == planned.task_id:
        return opened
    base.take_up(planned.task_id, [Trajectory.from_json(json.loads(line)) for line in assignment.records])
    return (yield from _reset(env, base))


def _reset(
    env: gym.Env[Any, Any], base: SessionEnv, seed: int | None = None, options: dict[str, Any] | None = None
) -> Generator[Wait, Any, tuple[Mapping[str, str], Mapping[str, Any]]]:
    """Reset; what the session waits for in its opening holds up nobody else."""
    if not is_bare(env):  # a wrapper's reset is one piece
        return (yield Work(partial(env.reset, seed=seed, options=options)))  # type: ignore[no-any-return]
    base.begin_reset(seed=seed, options=options)
    yield from base.waits()
    note_reset(env)
    return base.end_reset()


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
    """Play from the opening to the end; what the policy gives beside its actions goes to `outputs`.

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


def _usage(base: SessionEnv, agent: Agent) -> dict[str, Usage]:
    """The usage so far of the models of roles, and of the agent's own."""
    found, used = base.model_usage(), getattr(agent, "usage", None)
    return {**found, AGENT_ROLE: replace(used)} if isinstance(used, Usage) else found


def _counted(outcome: SessionOutcome, base: SessionEnv, agent: Agent, before: Mapping[str, Usage]) -> SessionOutcome:
    """The outcome with what models were asked since."""
    now = _usage(base, agent)
    return replace(outcome, models={role: used - before.get(role, Usage()) for role, used in now.items()})


def _metadata(agent: Agent) -> Mapping[str, Any]:
    found = plain(getattr(agent, "metadata", None))
    return found if isinstance(found, dict) else {}
