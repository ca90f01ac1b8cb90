"""A local server with what TRL's asynchronous trainer uses of vLLM's `/v1/completions`: token ids in and out."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any

from support.json_server import Answer, JsonServer


class CompletionServer(JsonServer):
    """Answers prompts of token ids by a function of their text; a context manager.

    As vLLM does, it refuses prompts that leave no room in its context.

    Args:
        tokenizer: makes text of ids and ids of text.
        answer: gives what the model says to a prompt; the mark that ends a message is part of it.
        max_model_len: tokens of the context.
        log_probs: gives the log-probability of each token of an answer behind its prompt; None: -0.5 each.

    Attributes:
        url: of the server.
        bodies: of the requests, oldest first, each with the text that was answered as "said".
        refused: how many prompts were too long.
    """

    def __init__(
        self,
        tokenizer: Any,
        answer: Callable[[str], str],
        *,
        max_model_len: int,
        log_probs: Callable[[list[int], list[int]], list[float]] | None = None,
    ) -> None:
        super().__init__()
        self.url = self.origin
        self.bodies: list[Mapping[str, Any]] = []
        self.refused = 0
        self._tokenizer, self._answer, self._room, self._lock = tokenizer, answer, max_model_len, threading.Lock()
        self._log_probs = log_probs or (lambda prompt, ids: [-0.5] * len(ids))

    def post(self, path: str, body: Any, headers: Mapping[str, str]) -> Answer:
        """The model's answer to the prompt's tokens."""
        with self._lock:
            if path != "/v1/completions" or len(body["prompt"]) + body["max_tokens"] > self._room:
                self.refused += 1
                return 400, {"error": {"message": "maximum context length"}}
            said = self._answer(self._tokenizer.decode(body["prompt"]))
            ids = self._tokenizer(said, add_special_tokens=False)["input_ids"][: body["max_tokens"]]
            self.bodies.append({**body, "said": said})
        found = self._log_probs(body["prompt"], ids)
        return 200, {"choices": [{"index": 0, "token_ids": ids, "logprobs": {"token_logprobs": found}}]}
