"""A chat model plays sessions on a server of `pi-gym serve-env`, side by side, and is told what each was worth.

    pi-gym serve-env PiBench-Mini-v0 --port 8000 --out runs/openenv
    python examples/openenv_client.py --model NAME@http://localhost:8001/v1 --server http://127.0.0.1:8000 --sessions 8

The model is behind an OpenAI-compatible server. The sessions are drawn by their seeds. Needs pi-gym[openenv].
"""

from __future__ import annotations

import argparse

import anyio
from shared.chat_endpoint import complete

from pi_gym.adapters.openenv.session_client import SessionClient
from pi_gym.adapters.openenv.session_messages import SessionAction


async def play(arguments: argparse.Namespace, seed: int) -> None:
    async with SessionClient(arguments.server) as client:
        result = await client.reset(seed=seed)
        messages = list(result.observation.messages)
        for _ in range(arguments.actions):
            if result.done:
                break
            said = await anyio.to_thread.run_sync(complete, arguments.model, messages, result.observation.tools)
            result = await client.step(SessionAction(message=said))
            messages += [said, *result.observation.messages]
        if not result.done:  # it is graded as it stands
            result = await client.step(SessionAction(end=True))
        state = await client.state()
        told = f"unscored: {state.error}" if result.reward is None else f"{result.reward:.3f}"
        print(f"{state.task}, variant {state.variant}: {told}", flush=True)


async def play_all(arguments: argparse.Namespace) -> None:
    async with anyio.create_task_group() as group:
        for seed in range(arguments.sessions):
            group.start_soon(play, arguments, seed)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", required=True, metavar="NAME@URL")
    parser.add_argument("--server", default="http://127.0.0.1:8000")
    parser.add_argument("--sessions", type=int, default=4)
    parser.add_argument("--actions", type=int, default=60, help="of the agent, at most, in each")
    anyio.run(play_all, parser.parse_args())


if __name__ == "__main__":
    main()
