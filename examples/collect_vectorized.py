"""Collect sessions in lock-step: one vector environment, a random policy or a served model, no wasted generation.

    python examples/collect_vectorized.py --sessions 8 --envs 4
    python examples/collect_vectorized.py --sessions 64 --envs 32 --policy Qwen/Qwen3-8B@http://localhost:8000/v1

Autoreset is disabled: the environments whose sessions have ended are reset by a mask, so every action that the policy
gives is taken. Served policies are asked through a client of the program's own; here that
needs `pip install openai`.
"""

from __future__ import annotations

import argparse
import asyncio
import os
from collections.abc import Callable, Sequence
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium.vector import AutoresetMode

import pi_gym  # noqa: F401  (registers the environments)

Chat = list[dict[str, Any]]
#: The chats so far and the tools of each session; gives an action for each.
Policy = Callable[[Sequence[Chat], Sequence[list[Any]]], Sequence[Any]]


def served(text: str) -> Policy:
    """A model behind an OpenAI-compatible server, given as MODEL@URL; it is asked for all sessions at one time."""
    from openai import AsyncOpenAI

    model, _, url = text.rpartition("@")
    client, loop = AsyncOpenAI(base_url=url, api_key=os.environ.get("OPENAI_API_KEY", "none")), asyncio.Runner()

    async def moves(chats: Sequence[Chat], tools: Sequence[list[Any]]) -> list[Any]:
        asked = (
            client.chat.completions.create(model=model, messages=chat, tools=offered)  # type: ignore[arg-type]
            for chat, offered in zip(chats, tools, strict=True)
        )
        return [answer.choices[0].message for answer in await asyncio.gather(*asked)]

    return lambda chats, tools: loop.run(moves(chats, tools))


def collect(env_id: str, sessions: int, count: int, policy: str, seed: int) -> list[dict[str, Any]]:
    """Play in `count` environments until so many sessions are over; gives what the last info of each says."""
    envs = gym.make_vec(env_id, num_envs=count, autoreset_mode=AutoresetMode.DISABLED, split="train", history="none")
    envs.single_action_space.seed(seed)
    act = served(policy) if policy else lambda chats, _: [envs.single_action_space.sample() for _ in chats]
    chats: list[Chat] = [[] for _ in range(count)]
    tools: list[list[Any]] = [[] for _ in range(count)]

    def take_in(infos: dict[str, Any]) -> None:
        for place in np.flatnonzero(infos["_new_messages"]):
            if infos["tools"][place]:  # a session opens
                chats[place], tools[place] = [], infos["tools"][place]
            chats[place] += infos["new_messages"][place]

    finished: list[dict[str, Any]] = []
    take_in(envs.reset(seed=seed)[1])
    while True:
        _, _, terminated, truncated, infos = envs.step(act(chats, tools))
        take_in(infos)
        over = terminated | truncated
        for place in np.flatnonzero(over):
            names = ("task_id", "variant", "scored", "proc", "comp")
            found = {name: infos[name].tolist()[place] for name in names}
            finished.append({**found, "return": float(infos["scores"]["return"][place])})
        if len(finished) >= sessions:
            envs.close()
            return finished[:sessions]
        if over.any():
            take_in(envs.reset(options={"reset_mask": over})[1])


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description="Collect sessions in lock-step.")
    parser.add_argument("--env", default="PiBench-Researcher-v0", help="an id of pi_gym's")
    parser.add_argument("--sessions", type=int, default=8, help="how many to play")
    parser.add_argument("--envs", type=int, default=4, help="how many at one time")
    parser.add_argument("--policy", default="", help="a served model, as MODEL@URL; without one actions are random")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    found = collect(options.env, options.sessions, options.envs, options.policy, options.seed)
    for one in found:
        score = f"return {one['return']:.2f} (Proc {one['proc']:.2f}, Comp {one['comp']:.2f})"
        print(f"{one['task_id']}, variant {one['variant']}: {score if one['scored'] else 'unscored'}")
    scored = [one["return"] for one in found if one["scored"]]
    print(f"{len(found)} sessions, {len(scored)} scored, mean return {sum(scored) / max(1, len(scored)):.3f}")


if __name__ == "__main__":
    main()
