"""An agent that is a served language model: chat with tool calls, and nothing of its own.

The model gets the messages and the tool schemas that the environment gives, unchanged and with nothing added; what it
answers is the action. Where the conversation outgrows the model's context, the oldest tool results are shortened or
left out, and `metadata` counts them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

import gymnasium as gym

from pi_gym.baselines.context import Chat, Fitted, chat_chars, fit
from pi_gym.errors import PiGymError
from pi_gym.models.advice import advice
from pi_gym.models.config import ModelConfig
from pi_gym.session.faults import told

if TYPE_CHECKING:
    import openai
    from openai import OpenAI

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
    "cut_off_answers",
)
_KEPT = ("content", "tool_calls", "reasoning_content", "reasoning")


class ServerFailed(PiGymError):
    """The agent's server gave no answer; the session it plays has no score."""


class ChatAgent:
    """Plays with a model behind an OpenAI-compatible server.

    Args:
        model: which one, and how it is asked; `cache` is not used, for an agent is sampled.
        context_tokens: how long a prompt and its answer may be together; None: what the server says, else 32,768.

    Attributes:
        name: the model's name.
        metadata: of the present session: `requests`, `prompt_tokens`, `completion_tokens`, and of its longest cut
            `shortened_results` and `left_out_results`; `overflows` counts prompts that the server found too long,
            `cut_off_answers` answers that have no end, for their length.

    Raises:
        PiGymError: the package openai is not installed.
    """

    def __init__(self, model: ModelConfig, *, context_tokens: int | None = None) -> None:
        self.model, self.name = model, model.model
        self.context_tokens = context_tokens
        self.metadata: dict[str, Any] = {}
        self._client: OpenAI | None = None
        self._limit: int | None = context_tokens
        if find_spec("openai") is None:
            raise PiGymError("an agent that is a served model needs the package openai: pip install 'pi-gym[models]'")

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
        import openai

        try:
            message = self._complete()
        except openai.OpenAIError as error:
            # What servers and clients say may repeat the key that they were sent, so nothing of the original goes on.
            raise ServerFailed(self.model.hidden(f"{self.name}: {_advice(error)}{told(error)}")) from None
        action = {name: message[name] for name in _KEPT if message.get(name)}
        return {"role": "assistant", "content": "", **action}

    # -- the server ------------------------------------------------------------------------------------------------

    def _complete(self) -> Mapping[str, Any]:
        import openai

        shrink = 1.0
        for attempt in range(MAX_OVERFLOWS + 1):
            fitted = self._fitted(shrink)
            try:
                completion = self._ask(fitted.messages)
            except openai.BadRequestError as error:
                # Servers count tokens, and say so in their own words; what else a 400 says no shorter prompt mends.
                if "context" not in str(error).lower() or attempt == MAX_OVERFLOWS:
                    raise
                shrink *= _OVERFLOW_SHRINK
                self.metadata["overflows"] += 1
                continue
            break
        self._count(fitted, completion)
        choices = completion.get("choices") or [{}]
        message = choices[0].get("message")
        self.metadata["cut_off_answers"] += choices[0].get("finish_reason") == "length"
        if not isinstance(message, Mapping):
            raise ServerFailed(f"{self.name}: the response holds no message")
        return message

    def _ask(self, messages: Sequence[Chat]) -> Mapping[str, Any]:
        model = self.model
        options: dict[str, Any] = {"tools": self._tools} if self._tools else {}
        if model.max_tokens is not None:
            options["max_tokens"] = self._answer_tokens()
        created = self._connected().chat.completions.create(
            model=model.model,
            messages=list(messages),  # type: ignore[arg-type]
            temperature=model.temperature,
            extra_body=dict(model.extra_body),
            **options,
        )
        dumped: Mapping[str, Any] = created.model_dump()
        return dumped

    def _connected(self) -> OpenAI:
        if self._client is None:
            from openai import OpenAI, Timeout

            model = self.model
            timeout = Timeout(model.timeout_s, connect=model.connect_timeout_s)
            self._client = OpenAI(
                base_url=model.base_url, api_key=model.key, timeout=timeout, max_retries=model.retries
            )
        return self._client

    # -- the context -----------------------------------------------------------------------------------------------

    def _fitted(self, shrink: float) -> Fitted:
        tokens = max(self._context() - self._answer_tokens() - SPARE_TOKENS, SPARE_TOKENS)
        budget = int(tokens * self._chars_per_token * shrink) - self._tool_chars
        return fit(self._messages, budget)

    def _answer_tokens(self) -> int:
        """The room for an answer: never so much that a short context has none for the prompt."""
        context = self._context()
        return context // 4 if self.model.max_tokens is None else min(self.model.max_tokens, context // 2)

    def _context(self) -> int:
        """How many tokens the model takes; vLLM says so in its list of models."""
        if self._limit is None:
            self._limit = DEFAULT_CONTEXT_TOKENS
            for served in self._connected().models.list().data:
                found = (served.model_extra or {}).get("max_model_len")
                if served.id == self.model.model and isinstance(found, int) and found > 0:
                    self._limit = found
        return self._limit

    def _count(self, fitted: Fitted, completion: Mapping[str, Any]) -> None:
        counts = self.metadata
        counts["requests"] += 1
        counts["shortened_results"] = max(counts["shortened_results"], fitted.shortened)
        counts["left_out_results"] = max(counts["left_out_results"], fitted.left_out)
        usage = completion.get("usage") or {}
        prompt = usage.get("prompt_tokens") or 0
        counts["prompt_tokens"] += prompt
        counts["completion_tokens"] += usage.get("completion_tokens") or 0
        if prompt:
            chars = sum(map(chat_chars, fitted.messages)) + self._tool_chars
            self._chars_per_token = max(1.0, _CAUTION * chars / prompt)

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_client": None}


def _advice(error: openai.OpenAIError) -> str:
    found = advice(getattr(error, "status_code", 0), str(error))
    return f"{found} " if found else ""
