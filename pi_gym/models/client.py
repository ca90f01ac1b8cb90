"""Asking one model: requests, retries, the cache. Everything here runs on one event loop."""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pi_gym.errors import PiGymError
from pi_gym.models.cache import MISSING, AnswerCache
from pi_gym.models.completion import BadCompletion, read_completion, value_of
from pi_gym.models.config import ModelConfig
from pi_gym.models.json_schema import BadSchema
from pi_gym.models.usage import Usage
from pi_gym.types import Answer, ModelRequest

if TYPE_CHECKING:
    import openai

KEY_FORMAT = 1
MAX_PAUSE_S = 20.0
#: A server that asks for a longer pause is asked again after this one.
MAX_RETRY_AFTER_S = 60.0
#: An attempt after an answer of no use is drawn at least so freely: a greedy one would say the same again.
RETRY_TEMPERATURE = 0.3
_MAX_TOLD_CHARS = 400
_TRY_AGAIN = frozenset({408, 409, 425, 429})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class ModelsMissing(PiGymError, ImportError):
    """The package that speaks to model servers is not installed."""


class _Failed(Exception):
    """A request brought no response that can be used; `pause_s` is what the server asked to wait."""

    def __init__(self, told: str, pause_s: float = 0.0, *, final: bool = False) -> None:
        super().__init__(told)
        self.pause_s, self.final = pause_s, final


def require_openai() -> None:
    """Raise ModelsMissing where the package `openai` is not installed."""
    if find_spec("openai") is None:
        raise ModelsMissing("model roles need the package openai: pip install 'pi-gym[models]'")


def request_body(config: ModelConfig, request: ModelRequest, attempt: int) -> dict[str, Any]:
    """What is sent: everything that decides the answer.

    Args:
        config: the model's.
        request: what is asked.
        attempt: 0, and one more after each answer of no use; it is the seed.
    """
    body: dict[str, Any] = {"model": config.model, "messages": [dict(message) for message in request.messages]}
    body["temperature"] = config.temperature
    if config.max_tokens is not None:
        body["max_tokens"] = config.max_tokens
    body.update(request.sampling)
    body.update(config.extra_body)
    body["seed"] = attempt
    if attempt:
        body["temperature"] = max(body["temperature"], RETRY_TEMPERATURE)
    if request.schema is not None:
        schema = {"name": request.name, "schema": dict(request.schema), "strict": True}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    return body


def request_key(body: Mapping[str, Any]) -> bytes:
    """The key of a request's answer: SHA-256 of what is sent."""
    text = json.dumps([KEY_FORMAT, body], sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).digest()


class ModelClient:
    """One role's model.

    Args:
        config: where it is and how it is asked.
        cache: of the answers; None: nothing is kept.
    """

    def __init__(self, config: ModelConfig, cache: AnswerCache | None) -> None:
        self.config, self._cache = config, cache
        self._places = asyncio.Semaphore(config.max_concurrency)
        self._client: openai.AsyncOpenAI | None = None
        # Seeded by the system, and drawn from for pauses alone: nothing of it reaches a session.
        self._chance = Random()

    async def answer(self, request: ModelRequest, usage: Usage) -> Answer:
        """Ask, and try again as the configuration says; `usage` counts."""
        attempt = failures = 0
        while True:
            body = request_body(self.config, request, attempt)
            key = request_key(body)
            known = self._cache.get(key) if self._cache is not None else MISSING
            if known is not MISSING:
                usage.answers += 1
                usage.cache_hits += 1
                return Answer(known)
            usage.retries += failures > 0
            try:
                value = value_of_response(await self._response(body, usage), request, usage)
            except BadCompletion as error:
                told, pause_s, final = str(error), 0.0, False
                attempt += 1
            except _Failed as error:
                told, pause_s, final = str(error), max(error.pause_s, self._backoff(failures)), error.final
            except BadSchema as error:
                told, pause_s, final = str(error), 0.0, True
            else:
                usage.answers += 1
                return Answer(self._cache.put(key, value) if self._cache is not None else value)
            failures += 1
            if final or failures > self.config.retries:
                usage.failures += 1
                return Answer(error=self._told(told, failures))
            await asyncio.sleep(pause_s)

    def forget(self, request: ModelRequest) -> None:
        """Drop what is kept of a request's answers: whoever asked could make nothing of them."""
        if self._cache is not None:
            for attempt in range(self.config.retries + 1):
                self._cache.forget(request_key(request_body(self.config, request, attempt)))

    async def close(self) -> None:
        """Close the connections."""
        if self._client is not None:
            await self._client.close()
            self._client = None

    async def _response(self, body: dict[str, Any], usage: Usage) -> str:
        """The body of the server's response to one request."""
        import openai

        asked = perf_counter()
        async with self._places:
            create = self._connected().chat.completions.with_raw_response.create
            sent = perf_counter()
            usage.queue_s += sent - asked
            usage.requests += 1
            rest = {name: value for name, value in body.items() if name not in ("model", "messages")}
            try:
                async with asyncio.timeout(self.config.timeout_s):
                    raw = await create(model=body["model"], messages=body["messages"], extra_body=rest)
                    return str(raw.text)
            except openai.APIStatusError as error:
                again = error.status_code in _TRY_AGAIN or error.status_code >= 500
                told = error.message.removeprefix(f"Error code: {error.status_code} - ")
                told = f"HTTP {error.status_code}: {told}"
                raise _Failed(told, _retry_after(error.response.headers), final=not again) from error
            except (TimeoutError, openai.APITimeoutError) as error:
                raise _Failed(f"no whole response within {self.config.timeout_s:g} s") from error
            except openai.APIConnectionError as error:
                raise _Failed(f"no connection: {_cause(error)}") from error
            except openai.OpenAIError as error:
                raise _Failed(f"{type(error).__name__}: {error}", final=True) from error
            finally:
                usage.request_s += perf_counter() - sent

    def _connected(self) -> openai.AsyncOpenAI:
        if self._client is None:
            import openai

            config = self.config
            address = urlsplit(config.base_url)
            local = address.scheme == "http" and address.hostname in _LOOPBACK
            self._client = openai.AsyncOpenAI(
                base_url=config.base_url,
                api_key=config.key,
                timeout=openai.Timeout(config.timeout_s, connect=config.connect_timeout_s),
                max_retries=0,
                # A server on this machine is never behind a proxy; and without TLS there is nothing to load for it.
                http_client=openai.DefaultAsyncHttpxClient(trust_env=False, verify=False, follow_redirects=False)
                if local
                else None,
            )
        return self._client

    def _backoff(self, failures: int) -> float:
        whole = min(self.config.backoff_s * 2.0 ** min(failures, 30), MAX_PAUSE_S)
        return whole * self._chance.uniform(0.5, 1.0)

    def _told(self, told: str, failures: int) -> str:
        line = " ".join(self.config.hidden(told).split())
        line = line if len(line) <= _MAX_TOLD_CHARS else f"{line[:_MAX_TOLD_CHARS]}…"
        count = "1 request" if failures == 1 else f"{failures} requests, the last"
        return f"no answer from {self.config.model} at {self.config.server} ({count}: {line})"


def value_of_response(body: str, request: ModelRequest, usage: Usage) -> Any:
    """The answer in a response's body; what it cost is counted, whether it is of use or not."""
    completion = read_completion(body)
    usage.prompt_tokens += completion.prompt_tokens
    usage.completion_tokens += completion.completion_tokens
    return value_of(completion, request.schema)


def _retry_after(headers: Mapping[str, str]) -> float:
    """What the server asks to wait, in seconds, up to the most that it gets; 0 where it does not say."""
    text = headers.get("retry-after", "").strip()
    try:
        wait_s = float(text)
    except ValueError:
        try:
            until = parsedate_to_datetime(text)
        except ValueError:
            return 0.0
        until = until if until.tzinfo is not None else until.replace(tzinfo=UTC)
        wait_s = (until - datetime.now(UTC)).total_seconds()
    return min(max(wait_s, 0.0), MAX_RETRY_AFTER_S) if wait_s == wait_s else 0.0


def _cause(error: BaseException) -> str:
    """The innermost reason: what is around it says no more than that there was no connection."""
    found = error
    while (further := found.__cause__ or found.__context__) is not None and str(further):
        found = further
    return f"{type(found).__name__}: {found}"
