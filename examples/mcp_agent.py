"""An agent with a loop of its own plays one session over the Model Context Protocol.

    python examples/mcp_agent.py --model NAME@http://localhost:8000/v1 --task 01-sign --out runs/mcp

The agent is a chat model behind an OpenAI-compatible server. It is given the tools that the host finds, and nothing
else: the score goes to --out, which the agent never sees. Needs pi-gym[mcp].
"""

from __future__ import annotations

import argparse
import json
import sys
from typing import Any

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from shared.chat_endpoint import complete

GOAL = "Begin with the tool open_session, and go on until a result says that the conversation is over."


async def play(arguments: argparse.Namespace) -> None:
    model = arguments.model.partition("@")[0]
    named = ["--task", arguments.task, "--variant", str(arguments.variant), "--agent", model, "--out", arguments.out]
    server = StdioServerParameters(command=sys.executable, args=["-m", "pi_gym", "mcp", arguments.env, *named])
    async with Client(stdio_client(server)) as client:
        listed = (await client.list_tools()).tools
        functions = [
            {"name": one.name, "description": one.description, "parameters": one.input_schema} for one in listed
        ]
        tools = [{"type": "function", "function": one} for one in functions]
        messages: list[Any] = [{"role": "user", "content": GOAL}]
        for _ in range(arguments.actions):
            said = await anyio.to_thread.run_sync(complete, arguments.model, messages, tools)
            messages.append(said)
            if not said.get("tool_calls"):
                break
            for call in said["tool_calls"]:
                given = json.loads(call["function"]["arguments"] or "{}")
                result = await client.call_tool(call["function"]["name"], given)
                text = "\n".join(part.text for part in result.content)
                messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    print(f"{sum(one['role'] == 'assistant' for one in messages)} messages of the agent's; see {arguments.out}")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--model", required=True, metavar="NAME@URL")
    parser.add_argument("--env", default="PiBench-Mini-v0")
    parser.add_argument("--task", required=True)
    parser.add_argument("--variant", type=int, default=0)
    parser.add_argument("--out", required=True, metavar="RUN")
    parser.add_argument("--actions", type=int, default=60, help="of the agent, at most")
    anyio.run(play, parser.parse_args())


if __name__ == "__main__":
    main()
