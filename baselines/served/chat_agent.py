"""An agent that is a served language model: chat with tool calls, and nothing of its own.

The model gets the messages and the tool schemas that the environment gives, with nothing added; what it answers is the
action. Where the conversation outgrows the model's context, the oldest tool results are shortened or left out, and
`metadata` counts them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from concurrent.futures import CancelledError
from dataclasses import replace
from typing import Any, Literal, Self, TypeAlias

import gymnasium as gym

from pi_gym.baselines.served.chat_roles import taking_turns
from pi_gym.baselines.served.context import Chat, Fitted, chat_chars, fit
from pi_gym.baselines.served.token_output import output_of
from pi_gym.errors import PiGymError, unknown
from pi_gym.models.client import ModelClient
from pi_gym.models.completion import BadCompletion, read_message, token_count
from pi_gym.models.config import ModelConfig
from pi_gym.models.encoded import EncodedList, encode, encode_object
from pi_gym.models.http_client import require_client
from pi_gym.models.loop import model_loop
from pi_gym.models.refusal import RequestFailed
from pi_gym.models.usage import Usage

Merge: TypeAlias = Literal["auto", "always", "never"]

ROLE = "agent"
#: The tokens that a server takes which does not say.
DEFAULT_CONTEXT_TOKENS = 32_768
#: The most tokens and seconds of an action by default: a file is written in one, and models that think do it aloud.
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
#: The statuses with which servers refuse a conversation by their chat template: most 400, some 500.
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
        token_ids: have the server give the ids of the prompt's and the answer's tokens (vLLM's `return_token_ids`).
        logprobs: have it give the logarithms of the probabilities with which the answer's tokens were drawn. Both are
            kept in trajectories, under `policy_outputs`; a server that does not give what it was asked for fails.

    Attributes:
        name: the model's name.
        recorded: what decides its moves, for the record of a run.
        usage: what its model was asked, over all its sessions.
        metadata: of the present session: `requests`, `prompt_tokens`, `completion_tokens`; `cut_off`, answers that
            reached `max_tokens`; of its longest cut `shortened_results` and `left_out_results`; `overflows` counts
            prompts that the server found too long, `merged` the messages that were merged into others.

    Raises:
        ModelsMissing: the package aiohttp is not installed.
        ValueError: `merge` or `context_tokens` is out of range.
    """

    def __init__(
        self,
        model: ModelConfig,
        *,
        context_tokens: int | None = None,
        merge: Merge = "auto",
        token_ids: bool = False,
        logprobs: bool = False,
    ) -> None:
        require_client()
        if merge not in ("auto", "always", "never"):
            raise ValueError(unknown("merge", str(merge), ("auto", "always", "never")))
        if context_tokens is not None and context_tokens < 1:
            raise ValueError(f"context_tokens: expected a number above 0, got {context_tokens!r}")
        self.model, self.name = model, model.model
        self.context_tokens, self.merge = context_tokens, merge
        self.token_ids, self.logprobs = token_ids, logprobs
        self.recorded = {**model.recorded(), "context_tokens": context_tokens, "merge": merge}
        self.metadata: dict[str, Any] = {}
        self.usage = Usage()
        self._merging = merge == "always"
        self._limit: int | None = context_tokens
        self._uncached = model.with_options(cache=None)

    @classmethod
    def from_text(
        cls,
        text: str,
        *,
        context_tokens: int | None = None,
        merge: Merge = "auto",
        token_ids: bool = False,
        logprobs: bool = False,
        **model: Any,
    ) -> Self:
        """The agent that "MODEL@URL" means, as `pi-gym rollout --agent` takes it.

        Args:
            text: the model's name, an @, the server's address.
            context_tokens: as for the class.
            merge: likewise.
            token_ids: likewise.
            logprobs: likewise.
            model: further arguments of the `ModelConfig`, such as `temperature` or `max_concurrency`.

        Raises:
            BadModel: the text has another form, or an argument is out of range.
        """
        room = {"max_tokens": ACTION_TOKENS, "timeout_s": ACTION_TIMEOUT_S}
        config = ModelConfig.from_text(text, **{**room, **model})
        return cls(config, context_tokens=context_tokens, merge=merge, token_ids=token_ids, logprobs=logprobs)

    def reset(self, observation: Mapping[str, str], info: Mapping[str, Any], env: gym.Env[Any, Any]) -> None:
        """A session opens."""
        self._messages: list[Chat] = []
        # The tools mostly stay the same, and messages only come to be more: each is encoded once.
        self._take_tools(info["tools"])
        self._encoded = EncodedList()
        self._chars_per_token = FIRST_CHARS_PER_TOKEN
        self.metadata = {"model": self.model.model, **dict.fromkeys(_COUNTS, 0)}

    def act(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> Any:
        """The model's next message, in OpenAI's format; with its tokens, where they were asked for.

        Raises:
            ServerFailed: after retries; the session is then unscored.
        """
        future = model_loop().submit(self._move(info))
        try:
            return future.result()
        except CancelledError:
            raise ServerFailed(f"{self.name}: the models were closed while an answer was awaited") from None
        finally:
            future.cancel()  # where it is not done: somebody pressed Ctrl-C

    async def act_async(self, observation: Mapping[str, str], info: Mapping[str, Any]) -> Any:
        """The same as a coroutine, for any event loop."""
        loop = model_loop()
        return await (self._move(info) if loop.is_here else asyncio.wrap_future(loop.submit(self._move(info))))

    # -- the server; from here on everything runs on the process's loop ----------------------------------------------

    async def _move(self, info: Mapping[str, Any]) -> Any:
        self._messages += info["new_messages"]
        if (tools := info.get("tools")) and tools is not self._listed:  # what is offered has changed
            self._take_tools(tools)
        try:
            completion = await self._complete()
        except (RequestFailed, BadCompletion) as error:
            self.usage.failures += 1
            # What servers and clients say may repeat the key that they were sent, so nothing of the original goes on.
            raise ServerFailed(self.model.hidden(f"{self.name}: {error}")) from None
        self.usage.answers += 1
        message = completion["choices"][0]["message"]
        action = {name: message[name] for name in _KEPT if message.get(name)}
        if message.get("refusal") and not action.get("content"):
            action["content"] = message["refusal"]  # also what the model says
        action = {"role": "assistant", "content": "", **action}
        if not (self.token_ids or self.logprobs):
            return action
        try:
            return output_of(action, completion, token_ids=self.token_ids, logprobs=self.logprobs)
        except BadCompletion as error:
            raise ServerFailed(f"{self.name}: {error}") from None

    def _take_tools(self, schemas: Any) -> None:
        self._listed, self._tools = schemas, encode(schemas) if schemas else None
        self._tool_chars = 0 if self._tools is None else len(self._tools.data)

    async def _complete(self) -> Mapping[str, Any]:
        """The completion; a prompt that is too long, or whose roles are refused, is sent again in another form."""
        shrink = 1.0
        while True:
            fitted = await self._fitted(shrink)
            try:
                completion = await self._asked(fitted)
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
                return completion

    async def _asked(self, fitted: Fitted) -> Mapping[str, Any]:
        """The response to one prompt; what is no chat completion is asked for again, as often as what is lost."""
        model = self.model
        body = {
            "model": model.model,
            "messages": self._encoded.of(fitted.messages),
            **({"tools": self._tools} if self._tools is not None else {}),
            **({"max_tokens": await self._answer_tokens()} if model.max_tokens is not None else {}),
            "temperature": model.temperature,
            **({"logprobs": True} if self.logprobs else {}),
            **({"return_token_ids": True} if self.token_ids else {}),
            **model.extra_body,
        }
        sent, left = encode_object(body), model.retries
        while True:
            response = await self._client().complete(sent, self.usage)
            try:
                completion = read_message(response)
            except BadCompletion:
                if not left:
                    raise
                left -= 1
                self.usage.retries += 1
            else:
                self.usage.prompt_tokens += token_count(completion, "prompt_tokens")
                self.usage.completion_tokens += token_count(completion, "completion_tokens")
                return completion

    def _client(self) -> ModelClient:
        """The client that the agents of all sessions share."""
        return model_loop().client(ROLE, self._uncached, self)

    # -- the context -----------------------------------------------------------------------------------------------

    async def _fitted(self, shrink: float) -> Fitted:
        tokens = max(await self._context() - await self._answer_tokens() - SPARE_TOKENS, SPARE_TOKENS)
        budget = int(tokens * self._chars_per_token * shrink) - self._tool_chars
        fitted = fit(self._messages, budget)
        if not self._merging:
            return fitted
        messages = tuple(taking_turns(fitted.messages))
        self.metadata["merged"] = max(self.metadata["merged"], len(fitted.messages) - len(messages))
        return replace(fitted, messages=messages, chars=sum(map(chat_chars, messages)))

    async def _answer_tokens(self) -> int:
        """The room for an answer: never so much that a short context has none for the prompt."""
        context = await self._context()
        return context // 4 if self.model.max_tokens is None else min(self.model.max_tokens, context // 2)

    async def _context(self) -> int:
        """The number of tokens that the model takes."""
        if self._limit is None:
            self._limit = await self._client().context_tokens() or DEFAULT_CONTEXT_TOKENS
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
            self._chars_per_token = max(1.0, _CAUTION * (fitted.chars + self._tool_chars) / prompt)
