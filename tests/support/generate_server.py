"""A local server with vLLM's protocol of tokens, scripted: prompts are token ids, answers have log-probabilities."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from support.json_server import Answer, JsonServer

_TURN, _END = "<|im_start|>assistant", "<|im_end|>"


class GenerateServer(JsonServer):
    """Answers each request by a function of the number of the model's turn, from 0; a context manager.

    Args:
        answer: gives the text that the model writes.
        tokenizer: of the model, with Qwen's marks.

    Attributes:
        prompts: the token ids that came, oldest first; `completions` and `logprobs` are what was given for them.
    """

    def __init__(self, answer: Callable[[int], str], tokenizer: Any) -> None:
        super().__init__()
        self.url = f"{self.origin}/v1"
        self._answer, self._tokenizer = answer, tokenizer
        self.prompts: list[list[int]] = []
        self.completions: list[list[int]] = []
        self.logprobs: list[list[float]] = []

    def get(self, path: str) -> Answer:
        """The one model there is."""
        return 200, {"object": "list", "data": [{"id": "toy", "object": "model"}]}

    def post(self, path: str, body: Any, headers: Mapping[str, str]) -> Answer:
        """The tokens of the model's next turn."""
        assert path == "/inference/v1/generate"
        prompt = body["token_ids"]
        turns = self._tokenizer.decode(prompt).count(_TURN)
        ids = self._tokenizer.encode(self._answer(turns - 1) + _END, add_special_tokens=False)
        logprobs = [-(place % 7) / 8 - 0.125 for place in range(len(ids))]
        self.prompts.append(prompt)
        self.completions.append(ids)
        self.logprobs.append(logprobs)
        content = [{"token": f"token_id:{one}", "logprob": value} for one, value in zip(ids, logprobs, strict=True)]
        choice = {"index": 0, "finish_reason": "stop", "token_ids": ids, "logprobs": {"content": content}}
        return 200, {"request_id": str(len(self.prompts)), "choices": [choice]}
