"""A run: what is asked for, made ready to be played."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium as gym

from pi_gym.packs import Pack
from pi_gym.pibench.history import require_references
from pi_gym.rollout.agents import Agent, agent_source, coroutine_move, make_agent
from pi_gym.rollout.asked import asked_json
from pi_gym.rollout.environments import base_env, make_env, playable_tasks
from pi_gym.rollout.plan import BadArgument, Plan, choose_tasks, plan_sessions, require_episode, split_of
from pi_gym.rollout.policy import FunctionAgent
from pi_gym.rollout.request import Request

#: Sessions that a process plays at a time where they wait for models.
DEFAULT_CONCURRENCY = 16


@dataclass(frozen=True)
class Run:
    """What is played, and with what.

    Args:
        request: what was asked for.
        env: an environment; `agent` an agent, to begin with.
        plan: the sessions.
        concurrency: how many sessions each process plays at a time.
    """

    request: Request
    env: gym.Env[Any, Any]
    agent: Agent
    plan: Plan
    concurrency: int

    @classmethod
    def prepare(cls, request: Request) -> Run:
        """Make what is needed; `close` it afterwards. Raises what `collect` does."""
        agent = make_agent(request.policy, request.policy_kwargs)
        env = make_env(request.env_id, request.env_kwargs)
        try:
            return cls(request, env, agent, _plan(env, request, agent), _concurrency(env, request, agent))
        except BaseException:
            env.close()
            raise

    def close(self) -> None:
        """Close the environment."""
        self.env.close()

    @property
    def packs(self) -> tuple[Pack, ...]:
        """Of the environment."""
        return base_env(self.env).packs

    @property
    def is_async(self) -> bool:
        """Whether the agent's moves are to be awaited."""
        return coroutine_move(self.agent, "act") is not None

    def asked(self) -> dict[str, Any]:
        """The run as its run.json keeps it."""
        request = self.request
        return asked_json(
            self.plan,
            agent_source(request.policy),
            # What an agent says of itself leaves out how it is reached, which may change.
            getattr(self.agent, "recorded", request.policy_kwargs),
            self.packs,
            _settings(self.env, request),
            seed=request.seed,
            variants=request.variants,
        )


def _concurrency(env: gym.Env[Any, Any], request: Request, agent: Agent) -> int:
    if request.concurrency is not None:
        return request.concurrency
    # An agent that was given as an object is copied only where somebody says so.
    is_shareable = isinstance(request.policy, str) or isinstance(agent, FunctionAgent)
    waits = base_env(env).models is not None or coroutine_move(agent, "act") is not None
    return DEFAULT_CONCURRENCY if is_shareable and waits else 1


def _settings(env: gym.Env[Any, Any], request: Request) -> Mapping[str, Any]:
    return dict(env.spec.kwargs) if env.spec is not None else request.env_kwargs


def _plan(env: gym.Env[Any, Any], request: Request, agent: Agent) -> Plan:
    packs, split = base_env(env).packs, request.split
    mode = _settings(env, request).get("history")
    if mode is None:
        mode = "reference" if all(pack.has_references for pack in packs) else "none"
    for pack in packs if mode == "reference" else ():
        require_references(pack)
    cards = {name: pack.card(name) for pack in packs for name in pack.task_ids}
    chosen = choose_tasks(packs, split, request.tasks)
    if mode == "own":
        require_episode(packs, split, chosen)
    base_env(env).require_roles(chosen)
    kept = playable_tasks(base_env(env), chosen)
    planned = plan_sessions(
        kept,
        split,
        sessions=request.sessions,
        seed=request.seed,
        variants=request.variants,
        group_size=request.group_size,
    )
    other = next((one for one in planned if one.variant and cards[one.task_id].fixed), None)
    if other is not None:
        raise BadArgument(f"variant {other.variant}: {other.task_id} has one world, 0")
    return Plan(
        agent=agent.name,
        env_id=env.spec.id if env.spec is not None else "",
        split=split_of(packs, split, planned),
        history_mode=mode,
        sessions=planned,
        groups={name: cards[name].group for name in kept},
        skipped=tuple(name for name in chosen if name not in kept),
        depends_on={name: cards[name].depends_on for name in kept},
        ungraded=frozenset(name for name in kept if not cards[name].items),
        group_size=request.group_size,
    )
