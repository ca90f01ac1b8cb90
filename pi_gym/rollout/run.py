"""A run: what is asked for, made ready to be played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from pi_gym.catalogue import TaskSet
from pi_gym.environments import base_env, make_env
from pi_gym.errors import BadArgument, UnknownName, unknown
from pi_gym.family import Family
from pi_gym.rollout.agents import agent_source, coroutine_move, make_agent, require_family
from pi_gym.rollout.policy import FunctionAgent
from pi_gym.runs.agent import Agent
from pi_gym.runs.outcome import require_own_names
from pi_gym.runs.plan import Plan, choose_tasks, excluded_tasks, plan_sessions, require_episode, split_of
from pi_gym.runs.request import RunRequest
from pi_gym.runs.run_json import run_json

#: Sessions that a process plays at a time where they wait for models.
DEFAULT_CONCURRENCY = 16


@dataclass(frozen=True)
class Run:
    """The parts of a run that is played: its plan, an environment, an agent.

    Args:
        request: what was asked for.
        env: an environment; `agent` an agent, to begin with.
        plan: the sessions.
        concurrency: how many sessions each process plays at a time.
    """

    request: RunRequest
    env: gym.Env[Any, Any]
    agent: Agent
    plan: Plan
    concurrency: int

    @classmethod
    def prepare(cls, request: RunRequest) -> Run:
        """Make what is needed; `close` it afterwards. Raises what `collect` does."""
        agent = make_agent(request.policy, request.policy_kwargs)
        env = make_env(request.env_id, request.env_kwargs)
        try:
            require_own_names(base_env(env).family)
            require_family(agent, base_env(env).family.name)
            require_protocol(base_env(env).family, request.protocol)
            return cls(request, env, agent, _plan(env, request, agent), _concurrency(env, request, agent))
        except BaseException:
            env.close()
            raise

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    @property
    def packs(self) -> tuple[TaskSet, ...]:
        """Of the environment."""
        return base_env(self.env).packs

    @property
    def family(self) -> Family:
        """Of the environment."""
        return base_env(self.env).family

    @property
    def is_async(self) -> bool:
        """Whether the agent's moves are to be awaited."""
        return coroutine_move(self.agent, "act") is not None

    def asked(self) -> dict[str, Any]:
        """The run as its run.json keeps it."""
        request = self.request
        return run_json(
            self.plan,
            agent_source(request.policy),
            # What an agent says of itself leaves out how it is reached, which may change.
            getattr(self.agent, "recorded", request.policy_kwargs),
            self.packs,
            self.family.roles,
            _settings(self.env, request),
            seed=request.seed,
            variants=request.variants,
        )


def require_protocol(family: Family, protocol: str | None) -> None:
    """Raise UnknownName where the family has no such way to average; None is its usual one."""
    if protocol is not None and protocol not in family.protocols:
        raise UnknownName(unknown("protocol", str(protocol), family.protocols))


def _concurrency(env: gym.Env[Any, Any], request: RunRequest, agent: Agent) -> int:
    if request.concurrency is not None:
        return request.concurrency
    # An agent that was given as an object is copied only where somebody says so.
    is_shareable = isinstance(request.policy, str) or isinstance(agent, FunctionAgent)
    waits = base_env(env).models is not None or coroutine_move(agent, "act") is not None
    return DEFAULT_CONCURRENCY if is_shareable and waits else 1


def _settings(env: gym.Env[Any, Any], request: RunRequest) -> Mapping[str, Any]:
    return dict(env.spec.kwargs) if env.spec is not None else request.env_kwargs


def _plan(env: gym.Env[Any, Any], request: RunRequest, agent: Agent) -> Plan:
    base, split = base_env(env), request.split
    chosen = choose_tasks(base.packs, split, request.tasks, base.exclude_needs)
    if base.by_episode:
        require_episode(base.packs, split, chosen)
    packs = {pack.name: pack for pack in base.packs}
    cards = {(name, task_id): packs[name].card(task_id) for name, task_id in chosen}
    planned = plan_sessions(
        chosen,
        split,
        sessions=request.sessions,
        seed=request.seed,
        variants=request.variants,
        group_size=request.group_size,
    )
    other = next((one for one in planned if one.variant and cards[one.task].fixed), None)
    if other is not None:
        raise BadArgument(f"variant {other.variant}: {other.task_id} has one world, 0")
    tasks = list(dict.fromkeys(one.task for one in planned))
    base.require(tasks)
    return Plan(
        agent=agent.name,
        env_id=env.spec.id if env.spec is not None else "",
        family=base.family.name,
        split=split_of(base.packs, split, planned),
        history_mode=base.history_mode,
        sessions=planned,
        cards=cards,
        skipped=() if request.tasks else excluded_tasks(base.packs, split, base.exclude_needs),
        by_episode=base.by_episode,
        group_size=request.group_size,
        exclude_needs=base.exclude_needs,
        notes=tuple(base.family.notes(base, tasks)),
    )
