"""A local server with OpenAI's chat protocol, scripted: what it is asked is kept, what it answers is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from support.json_server import Answer, JsonServer

#: A message, or an HTTP status with a text.
Reply = Mapping[str, Any] | tuple[int, str]


class ChatServer(JsonServer):
    """Answers each request by a function of its body; a context manager.

    A message that has a "finish_reason" ends by that, the others by "stop".

    Attributes:
        url: of the server, "/v1" included.
        bodies: of the requests, oldest first; `keys` are what they were authorised with.
        listed: how often the models were asked for.
    """

    def __init__(
        self, answer: Callable[[Mapping[str, Any]], Reply], *, model: str = "toy", max_model_len: int | None = None
    ) -> None:
        super().__init__()
        self.url = f"{self.origin}/v1"
        self.bodies: list[Mapping[str, Any]] = []
        self.keys: list[str] = []
        self.listed = 0
        self._answer, self._model, self._room = answer, model, max_model_len

    def get(self, path: str) -> Answer:
        """The one model there is."""
        self.listed += 1
        room = {"max_model_len": self._room} if self._room else {}
        return 200, {"object": "list", "data": [{"id": self._model, "object": "model", **room}]}

    def post(self, path: str, body: Any, headers: Mapping[str, str]) -> Answer:
        """The answer's message as a completion, or its error."""
        self.bodies.append(body)
        self.keys.append(headers.get("Authorization", ""))
        found = self._answer(body)
        if isinstance(found, tuple):
            return found[0], {"error": {"message": found[1]}}
        size = len(json.dumps(body)) // 4
        message = {"role": "assistant", "content": None, **found}
        choice = {"index": 0, "finish_reason": message.pop("finish_reason", "stop"), "message": message}
        usage = {"prompt_tokens": size, "completion_tokens": 7, "total_tokens": size + 7}
        return 200, {
            "id": "x",
            "object": "chat.completion",
            "created": 0,
            "model": self._model,
            "choices": [choice],
            "usage": usage,
        }
