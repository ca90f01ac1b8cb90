"""Sessions as verifiers' rollouts, a group for each task, and what came of each.

    python examples/verifiers_sessions.py --model MODEL --url http://127.0.0.1:8000/v1 --env PiBench-Researcher-v0

The same from the command line, and how prime-rl takes it: docs/verifiers.md. Needs pi-gym[verifiers], and a server with
OpenAI's protocol.
"""

from __future__ import annotations

import argparse
import asyncio

import verifiers.v1 as vf


async def play(given: argparse.Namespace) -> list[vf.Trace]:
    taskset = {"id": "pi_gym_verifiers", "env_id": given.env, "split": given.split, "size": given.size}
    chosen = {"tasks": given.task, "variants": given.variant}
    # The default runtime is a sandbox in the cloud; a session needs none.
    agent = {"runtime": {"type": "subprocess"}}
    env = vf.load_environment(vf.resolve_env_config({"taskset": {**taskset, **chosen}, "agent": agent}))
    client = vf.EvalClientConfig(base_url=given.url, api_key_var="OPENAI_API_KEY")
    context = vf.ModelContext(model=given.model, client=client)
    async with env.serving():
        slots = [slot for task in env.taskset for slot in env.slots(task, given.group)]
        together = asyncio.Semaphore(given.concurrency)
        episodes = await asyncio.gather(*(env.run_slot(slot, context, together) for slot in slots))
    return [trace for episode in episodes for trace in episode.traces]


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--url", required=True)
    parser.add_argument("--env", default="PiBench-Mini-v0")
    parser.add_argument("--split", default="train")
    parser.add_argument("--size", type=int, help="number of tasks")
    parser.add_argument("--task", action="append", help="these instead of all; can be repeated")
    parser.add_argument("--variant", type=int, action="append", help="worlds of the tasks; can be repeated")
    parser.add_argument("--group", type=int, default=4, help="rollouts of each task")
    parser.add_argument("--concurrency", type=int, default=64)
    for trace in asyncio.run(play(parser.parse_args())):
        came = f"{trace.reward:.3f}" if trace.ok else f"no sample: {trace.last_error.message}"
        print(trace.task.data.name, came, f"{trace.num_turns} turns, {trace.num_branches} branch")


if __name__ == "__main__":
    main()
