"""Rollouts of verifiers', in this process, with the local runtime."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from typing import Any

import gymnasium as gym
import verifiers.v1 as vf

from pi_gym.registration import spec_of

MODULE = "pi_gym_verifiers"
LOCAL: dict[str, Any] = {"runtime": {"type": "subprocess"}}
_NUMBERS = count()


def env_config(taskset: Mapping[str, Any], **agent: Any) -> Any:
    """The configuration of an environment of verifiers': our taskset with these settings, and its one agent."""
    return vf.resolve_env_config({"taskset": {"id": MODULE, **taskset}, "agent": {**LOCAL, **agent}})


def server_of(url: str) -> Any:
    """The client of a server with OpenAI's protocol."""
    return vf.EvalClientConfig(base_url=url, api_key_var="NONE")


def rollouts(config: Any, client: Any, group: int = 1) -> list[Any]:
    """The traces of all tasks, a group for each, side by side."""
    context = vf.ModelContext(model="toy", client=client)

    async def run() -> list[Any]:
        env = vf.load_environment(config)
        async with env.serving():
            slots = [slot for task in env.taskset for slot in env.slots(task, group)]
            episodes = await asyncio.gather(*(env.run_slot(slot, context) for slot in slots))
        return [trace for episode in episodes for trace in episode.traces]

    return asyncio.run(run())


@contextmanager
def registered(env_id: str, env_kwargs: Mapping[str, Any]) -> Iterator[str]:
    """The id of an environment with these arguments, which may be no JSON; what verifiers hands on must be some."""
    spec = spec_of(env_id)
    name = f"Given{next(_NUMBERS)}-v0"
    gym.register(name, spec.entry_point, kwargs={**spec.kwargs, **env_kwargs})
    try:
        yield name
    finally:
        del gym.registry[name]
