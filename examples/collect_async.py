"""Collect sessions inside an asynchronous program, with a policy whose moves are awaited.

    python examples/collect_async.py --sessions 10
    python examples/collect_async.py --sessions 200 --at-once 32 --policy Qwen/Qwen3-8B@http://localhost:8000/v1
    python examples/collect_async.py --sessions 200 --policy Qwen/Qwen3-8B@http://localhost:8000/v1 --out runs/mine

The sessions are played many at a time, so that the server has many requests to answer together. Meanwhile the program's
event loop is free for its own work; here that is a clock. Served policies are asked through
a client of the program's own; here that needs `pip install openai`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, suppress
from typing import Any

import pi_gym
from pi_gym.baselines.asking import AskingAgent
from pi_gym.rollout import Agent, RunSummary
from pi_gym.runs.agent import Info, Observation

#: The chat so far and the tools, both in OpenAI's format; gives an action: text, or an assistant message.
Function = Callable[[list[Any], list[Any]], Awaitable[Any]]
MEANS = {"proc": "Proc", "strict_proc": "strict Proc", "comp": "Comp"}


class Unhurried(AskingAgent):
    """The baseline that asks general questions, as an agent that takes its time, as a model does."""

    name = "unhurried"

    async def act(self, observation: Observation, info: Info) -> Any:
        """Its next action, after a moment."""
        await asyncio.sleep(0.01)  # the other sessions go on
        return super().act(observation, info)


def served(model: str, client: Any) -> Function:
    """A policy that asks a model behind an OpenAI-compatible server."""

    async def served_policy(messages: list[Any], tools: list[Any]) -> Any:
        answer = await client.chat.completions.create(model=model, messages=messages, tools=tools)
        return answer.choices[0].message

    return served_policy


async def tell_time(every_s: float) -> None:
    """Print the time now and then, while sessions are played."""
    loop = asyncio.get_running_loop()
    begin = loop.time()
    while True:
        await asyncio.sleep(every_s)
        print(f"after {loop.time() - begin:.0f} s the loop is free", flush=True)


async def collect(options: argparse.Namespace) -> RunSummary:
    """Play the sessions on this loop, with whatever else runs there."""
    async with AsyncExitStack() as stack:
        policy: Agent | Function = Unhurried()
        if options.policy:
            from openai import AsyncOpenAI

            model, _, url = options.policy.rpartition("@")
            key = os.environ.get("OPENAI_API_KEY", "none")
            policy = served(model, await stack.enter_async_context(AsyncOpenAI(base_url=url, api_key=key)))
        clock = asyncio.create_task(tell_time(5.0))
        try:
            return await pi_gym.collect_async(
                options.env,
                policy,
                sessions=options.sessions,
                concurrency=options.at_once,
                split="train",
                env_kwargs={"history": "none"},
                seed=options.seed,
                session_timeout_s=options.timeout,
                out=options.out or None,
                resume=bool(options.out),
            )
        finally:
            clock.cancel()
            with suppress(asyncio.CancelledError):
                await clock


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Collect sessions inside an asynchronous program.")
    parser.add_argument("--env", default="PiBench-Researcher-v0", help="an id of pi_gym's")
    parser.add_argument("--sessions", type=int, default=10, help="how many to play")
    parser.add_argument("--at-once", type=int, default=16, help="how many at one time")
    parser.add_argument("--policy", default="", help="a served model, as MODEL@URL; without one, a baseline")
    parser.add_argument("--timeout", type=float, default=600.0, help="seconds that a session may take")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="", help="a folder; what it holds of the same run is not played again")
    summary = asyncio.run(collect(parser.parse_args()))
    for one in summary.trajectories:  # empty where they went to a folder
        told = f"Proc {one.scores['proc']:.2f}, {one.labels['questions']} questions, {one.steps} steps"
        print(f"{one.task_id}, variant {one.variant}: {told}")
    print(f"{summary.scored} sessions scored, {summary.unscored} unscored", end="")
    if summary.mean("proc") is not None and summary.mean("comp") is not None:
        means = (f"{name} {summary.mean(measure):.3f}" for measure, name in MEANS.items())
        print(f"; {', '.join(means)}", end="")
    print()
    if summary.unscored:
        print(f"the first without a score: {summary.first_error}")


if __name__ == "__main__":
    main()
