"""A chat server of known latency, in a process of its own: it answers as the policy and as the user.

    python bench/latency_server.py LATENCY_S [TAIL_S TAIL_SHARE]

It prints its port, and serves until its standard input ends. What a response cost is told in the response: its
`completion_tokens` are the milliseconds that it took, so that whoever asks can add up what a session waited for.

It is to be no bottleneck: of a request it parses the schema at most, and it looks for the rest in the bytes, which are
JSON without spaces.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import Mapping
from functools import cache
from typing import Any

#: By the number of the policy's earlier messages, from the first again after the last.
MOVES = ("call", "call", "reply")
CALL = {"id": "c", "type": "function", "function": {"name": "list_dir", "arguments": "{}"}}
#: Within a text of the request the quotation marks would have backslashes, so these are found where they are meant.
FORM, SCHEMA, TOOLS, BY_ASSISTANT = b'"response_format":', b'"schema":', b'"tools":', b'"role":"assistant"'


class Latency:
    """The seconds that a response takes; the same request takes the same time.

    Args:
        usual_s: most of them.
        tail_s: the others.
        tail_share: how many of them are others, 0 to 1.
    """

    def __init__(self, usual_s: float, tail_s: float = 0.0, tail_share: float = 0.0) -> None:
        self._usual_s, self._tail_s, self._tail_share = usual_s, tail_s, tail_share

    def of(self, body: bytes) -> float:
        """The latency of one request, in seconds."""
        if not self._tail_share:
            return self._usual_s
        place = int.from_bytes(hashlib.sha256(body).digest()[:4]) / 2**32
        return self._tail_s if place < self._tail_share else self._usual_s


class Speaker(asyncio.Protocol):
    """One connection: requests with a Content-Length, one after the other."""

    def __init__(self, latency: Latency) -> None:
        self._latency, self._parts, self._missing = latency, list[bytes](), 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Take note of a connection."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """A part of a request, or all of it."""
        self._parts.append(data)
        if self._missing > len(data):
            self._missing -= len(data)
            return
        request = b"".join(self._parts)
        head, found, body = request.partition(b"\r\n\r\n")
        if not found:
            return
        length = next(
            (int(line.split(b":")[1]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0
        )
        self._parts, self._missing = [request], length - len(body)
        if self._missing > 0:
            return
        self._parts = []
        if head.startswith(b"GET"):
            self._send(b'{"object": "list", "data": []}')
            return
        latency_s = self._latency.of(body)
        loop = asyncio.get_running_loop()
        loop.call_at(loop.time() + latency_s, self._send, completion(body, latency_s))

    def _send(self, data: bytes) -> None:
        if not self._transport.is_closing():
            head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n" % len(data)
            self._transport.write(head + data)


def completion(body: bytes, latency_s: float) -> bytes:
    """The answer to a request: the user of a model role by its schema, a policy by its next move."""
    _, asked, form = body.rpartition(FORM)
    if asked:
        schema, _ = json.JSONDecoder().raw_decode(form.partition(SCHEMA)[2].decode())
        return response(json.dumps(fitting(schema)), False, latency_s)
    if TOOLS not in body:
        return response("Well, go on then.", False, latency_s)
    is_call = MOVES[body.count(BY_ASSISTANT) % len(MOVES)] == "call"
    return response("" if is_call else "I am at it, and go on.", is_call, latency_s)


@cache
def response(content: str, is_call: bool, latency_s: float) -> bytes:
    """A chat completion."""
    message = {"role": "assistant", "content": content, **({"tool_calls": [CALL]} if is_call else {})}
    usage = {"prompt_tokens": 1000, "completion_tokens": round(1000 * latency_s)}
    choice = {"index": 0, "finish_reason": "stop", "message": message}
    whole = {"id": "x", "object": "chat.completion", "created": 0, "choices": [choice], "usage": usage}
    return json.dumps(whole).encode()


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
