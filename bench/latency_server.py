"""A chat server of known latency, in a process of its own: it answers as the policy and as the user.

    python bench/latency_server.py LATENCY_S [TAIL_S TAIL_SHARE]

It prints its port, and serves until its standard input ends. What a response cost is told in the response: its
`completion_tokens` are the milliseconds that it took, so that whoever asks can add up what a session waited for.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Mapping
from typing import Any

#: By the number of the policy's earlier messages, from the first again after the last.
MOVES = ("call", "call", "reply")
CALL = {"id": "c", "type": "function", "function": {"name": "list_dir", "arguments": "{}"}}


class Latency:
    """How long a response takes; the same request takes the same time.

    Args:
        usual_s: most of them.
        tail_s: the others.
        tail_share: how many of them are others, 0 to 1.
    """

    def __init__(self, usual_s: float, tail_s: float = 0.0, tail_share: float = 0.0) -> None:
        self._usual_s, self._tail_s, self._tail_share = usual_s, tail_s, tail_share

    def of(self, body: bytes) -> float:
        """Of one request, in seconds."""
        if not self._tail_share:
            return self._usual_s
        place = int.from_bytes(hashlib.sha256(body).digest()[:4]) / 2**32
        return self._tail_s if place < self._tail_share else self._usual_s


class Speaker(asyncio.Protocol):
    """One connection: requests with a Content-Length, one after the other."""

    def __init__(self, latency: Latency) -> None:
        self._latency, self._read = latency, b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Somebody connected."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """A part of a request, or all of it."""
        self._read += data
        head, found, rest = self._read.partition(b"\r\n\r\n")
        if not found:
            return
        length = next(
            (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        if len(rest) < length:
            return
        self._read = b""
        if head.startswith(b"GET"):
            self._send({"object": "list", "data": []})
            return
        latency_s = self._latency.of(rest)
        loop = asyncio.get_running_loop()
        loop.call_at(loop.time() + latency_s, self._send, completion(json.loads(rest), latency_s))

    def _send(self, value: Mapping[str, Any]) -> None:
        if self._transport.is_closing():
            return
        data = json.dumps(value).encode()
        self._transport.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data) + data
        )


def completion(body: Mapping[str, Any], latency_s: float) -> dict[str, Any]:
    """What is answered: the user of a model role by its schema, a policy by its next move."""
    form = body.get("response_format")
    message: dict[str, Any] = {"role": "assistant", "content": "Well, go on then."}
    if form is not None:
        message["content"] = json.dumps(fitting(form["json_schema"]["schema"]))
    elif "tools" in body:
        done = sum(one["role"] == "assistant" for one in body["messages"])
        is_call = MOVES[done % len(MOVES)] == "call"
        message |= {"content": "", "tool_calls": [CALL]} if is_call else {"content": "I am at it, and go on."}
    usage = {"prompt_tokens": 1000, "completion_tokens": round(1000 * latency_s)}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    return {"id": "x", "object": "chat.completion", "created": 0, "choices": [choice], "usage": usage}


def fitting(schema: Mapping[str, Any]) -> Any:
    """A plain value that fits a schema: nothing optional, "NO" where it can be said, no items."""
    if "enum" in schema:
        return "NO" if "NO" in schema["enum"] else schema["enum"][0]
    if schema["type"] == "object":
        return {name: fitting(schema["properties"][name]) for name in schema.get("required", ())}
    return {"string": "so", "array": [], "boolean": False, "integer": 0, "number": 0}[schema["type"]]


async def main(latency: Latency) -> None:
    """Serve."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Speaker(latency), "127.0.0.1", 0, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
    await loop.run_in_executor(None, sys.stdin.read)
    server.close()


if __name__ == "__main__":
    asyncio.run(main(Latency(*map(float, sys.argv[1:]))))
