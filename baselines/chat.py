"""An agent that is a served language model: chat with tool calls, and nothing of its own.

The model gets the messages and the tool schemas that the environment gives, with nothing added; what it answers is the
action. Where the conversation outgrows the model's context, the oldest tool results are shortened or left out, and
`metadata` counts them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Coroutine, Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias, TypeVar

import gymnasium as gym

from pi_gym.baselines.context import Chat, Fitted, chat_chars, fit
from pi_gym.baselines.roles import taking_turns
from pi_gym.errors import PiGymError, unknown
from pi_gym.models.client import ModelClient
from pi_gym.models.completion import BadCompletion, read_message, token_count
from pi_gym.models.config import ModelConfig
from pi_gym.models.connection import RequestFailed, require_openai
from pi_gym.models.loop import model_loop
from pi_gym.models.usage import Usage

T = TypeVar("T")
Merge: TypeAlias = Literal["auto", "always", "never"]

ROLE = "agent"
#: Where the server does not say how much it takes.
DEFAULT_CONTEXT_TOKENS = 32_768
#: How long an action may be and take by default: a file is written in one, and models that think do it aloud.
ACTION_TOKENS, ACTION_TIMEOUT_S = 8_192, 600.0
#: Tokens kept free for what is not counted exactly.
SPARE_TOKENS = 256
#: Characters a token has at least, until the server has counted; then what it counted, less a little.
FIRST_CHARS_PER_TOKEN = 2.5
_CAUTION = 0.9
MAX_OVERFLOWS = 4
_OVERFLOW_SHRINK = 0.7
_COUNTS = (
    "requests",
    "prompt_tokens",
    "completion_tokens",
    "shortened_results",
    "left_out_results",
    "overflows",
    "cut_off",
    "merged",
)
_KEPT = ("content", "tool_calls", "reasoning_content", "reasoning")
#: How servers answer a conversation that their chat template refuses: most with a 400, some with a 500.
_REFUSALS = (400, 422, 500)


class ServerFailed(PiGymError):
    """The agent's server gave no answer; the session it plays has no score."""


class ChatAgent:
    """Plays with a model behind an OpenAI-compatible server.

    Args:
        model: which one, and how it is asked; `cache` is not used, for an agent is sampled. All agents of a process
            with the same `model` share its `max_concurrency`.
        context_tokens: how long a prompt and its answer may be together; None: what the server says, else 32,768.
        merge: what is done for chat templates that insist on roles taking turns: "always" makes one message of several
            of the user's side in a row, and puts what the user's side says after a tool's result below that result;
            "never" sends the messages as they are; "auto" begins so, and merges from the first time on that the server
            refuses the roles of a conversation.

    Attributes:
        name: the model's name.
        recorded: what decides its moves, for the record of a run.
        metadata: of the present session: `requests`, `prompt_tokens`, `completion_tokens`; `cut_off`, answers that
            reached `max_tokens`; of its longest cut `shortened_results` and `left_out_results`; `overflows` counts
            prompts that the server found too long, `merged` the messages that were merged into others.

    Raises:
        ModelsMissing: the package openai is not installed.
        ValueError: `merge` or `context_tokens` is out of range.
    """

    def __init__(self, model: ModelConfig, *, context_tokens: int | None = None, merge: Merge = "auto") -> None:
        require_openai()
        if merge not in ("auto", "always", "never"):
            raise ValueError(unknown("merge", str(merge), ("auto", "always", "never")))
        if context_tokens is not None and context_tokens < 1:
            raise ValueError(f"context_tokens: expected a number above 0, got {context_tokens!r}")
        self.model, self.name = model, model.model
        self.context_tokens, self.merge = context_tokens, merge
        self.recorded = {**model.recorded(), "context_tokens": context_tokens, "merge": merge}
        self.metadata: dict[str, Any] = {}
        self._merging = merge == "always"
        self._limit: int | None = context_tokens

    @classmethod
    def from_text(cls, text: str) -> Self:
        """The agent that "MODEL@URL" means, as `pi-gym rollout --agent` takes it."""
        return cls(ModelConfig.from_text(text, max_tokens=ACTION_TOKENS, timeout_s=ACTION_TIMEOUT_S))

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """A session opens."""
        self._messages: list[Chat] = []
        self._tools: list[Mapping[str, Any]] = list(info["tools"])
        self._tool_chars = len(json.dumps(self._tools))
        self._chars_per_token = FIRST_CHARS_PER_TOKEN
        self.metadata = {"model": self.model.model, **dict.fromkeys(_COUNTS, 0)}

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> dict[str, Any]:
        """The model's next message, in OpenAI's format.

        Raises:
            ServerFailed: after retries; the session is then unscored.
        """
        self._messages += info["new_messages"]
        try:
            message = self._complete()
        except (RequestFailed, BadCompletion) as error:
            # What servers and clients say may repeat the key that they were sent, so nothing of the original goes on.
            raise ServerFailed(self.model.hidden(f"{self.name}: {error}")) from None
        action = {name: message[name] for name in _KEPT if message.get(name)}
        if message.get("refusal") and not action.get("content"):
            action["content"] = message["refusal"]  # also what the model says
        return {"role": "assistant", "content": "", **action}

    # -- the server ------------------------------------------------------------------------------------------------

    def _complete(self) -> Mapping[str, Any]:
        """The model's message; a prompt that is too long, or whose roles are refused, is sent again in another form."""
        shrink = 1.0
        while True:
            fitted = self._fitted(shrink)
            try:
                completion = self._asked(fitted)
            except RequestFailed as error:
                told = error.said.lower()
                # Servers count tokens, and say so in their own words; what else a 400 says no shorter prompt mends.
                if error.status == 400 and "context" in told and self.metadata["overflows"] < MAX_OVERFLOWS:
                    shrink *= _OVERFLOW_SHRINK
                    self.metadata["overflows"] += 1
                elif error.status in _REFUSALS and "role" in told and self.merge == "auto" and not self._merging:
                    self._merging = True
                else:
                    raise
            else:
                self._count(fitted, completion)
                return completion["choices"][0]["message"]  # type: ignore[no-any-return]

    def _asked(self, fitted: Fitted) -> Mapping[str, Any]:
        """The response to one prompt; what is no chat completion is asked for again, as often as what is lost."""
        model = self.model
        body = {
            "model": model.model,
            "messages": list(fitted.messages),
            **({"tools": self._tools} if self._tools else {}),
            **({"max_tokens": self._answer_tokens()} if model.max_tokens is not None else {}),
            "temperature": model.temperature,
            **model.extra_body,
        }
        left = model.retries
        while True:
            response = self._wait(lambda client: client.complete(body, Usage()))
            try:
                return read_message(response)
            except BadCompletion:
                if not left:
                    raise
                left -= 1

    def _wait(self, work: Callable[[ModelClient], Coroutine[Any, Any, T]]) -> T:
        """What the process's loop makes of it; there the agents of all sessions share one client."""
        loop = model_loop()

        async def run() -> T:
            return await work(loop.client(ROLE, self.model.with_options(cache=None), self))

        future = loop.submit(run())
        try:
            return future.result()
        except CancelledError:
            raise ServerFailed(f"{self.name}: the models were closed while an answer was awaited") from None
        finally:
            future.cancel()  # where it is not done: somebody pressed Ctrl-C

    # -- the context -----------------------------------------------------------------------------------------------

    def _fitted(self, shrink: float) -> Fitted:
        tokens = max(self._context() - self._answer_tokens() - SPARE_TOKENS, SPARE_TOKENS)
        budget = int(tokens * self._chars_per_token * shrink) - self._tool_chars
        fitted = fit(self._messages, budget)
        if not self._merging:
            return fitted
        messages = tuple(taking_turns(fitted.messages))
        self.metadata["merged"] = max(self.metadata["merged"], len(fitted.messages) - len(messages))
        return replace(fitted, messages=messages)

    def _answer_tokens(self) -> int:
        """The room for an answer: never so much that a short context has none for the prompt."""
        context = self._context()
        return context // 4 if self.model.max_tokens is None else min(self.model.max_tokens, context // 2)

    def _context(self) -> int:
        """How many tokens the model takes."""
        if self._limit is None:
            self._limit = self._wait(lambda client: client.context_tokens()) or DEFAULT_CONTEXT_TOKENS
        return self._limit

    def _count(self, fitted: Fitted, completion: Mapping[str, Any]) -> None:
        counts = self.metadata
        counts["requests"] += 1
        counts["shortened_results"] = max(counts["shortened_results"], fitted.shortened)
        counts["left_out_results"] = max(counts["left_out_results"], fitted.left_out)
        counts["cut_off"] += completion["choices"][0].get("finish_reason") == "length"
        prompt = token_count(completion, "prompt_tokens")
        counts["prompt_tokens"] += prompt
        counts["completion_tokens"] += token_count(completion, "completion_tokens")
        if prompt:
            chars = sum(map(chat_chars, fitted.messages)) + self._tool_chars
            self._chars_per_token = max(1.0, _CAUTION * chars / prompt)
