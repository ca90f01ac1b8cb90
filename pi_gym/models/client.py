"""Asking one model: requests, retries, the cache. Everything here runs on one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from importlib.util import find_spec
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from pi_gym.errors import PiGymError
from pi_gym.models.advice import advice
from pi_gym.models.cache import AnswerCache
from pi_gym.models.completion import BadCompletion, read_completion, value_of
from pi_gym.models.config import ModelConfig
from pi_gym.models.json_schema import BadSchema
from pi_gym.models.kept_answers import KeptAnswers
from pi_gym.models.request_body import request_body
from pi_gym.models.usage import Usage
from pi_gym.types import Answer, ModelRequest

if TYPE_CHECKING:
    import openai

MAX_PAUSE_S = 20.0
#: A server that asks for a longer pause is asked again after this one.
MAX_RETRY_AFTER_S = 60.0
_MAX_TOLD_CHARS = 400
#: As many characters in a row are no chance.
_REPEATED_CHARS = 24
_TRY_AGAIN = frozenset({408, 409, 425, 429})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


class ModelsMissing(PiGymError, ImportError):
    """The package that speaks to model servers is not installed."""


class _Failed(Exception):
    """A request brought no response that can be used.

    Args:
        told: why, repeating nothing that was asked.
        said: what the server said beside that, for the record.
        pause_s: what the server asked to wait.
        final: another request would not help.
    """

    def __init__(self, told: str, said: str = "", pause_s: float = 0.0, *, final: bool = False) -> None:
        super().__init__(told)
        self.said, self.pause_s, self.final = said, pause_s, final


def require_openai() -> None:
    """Raise ModelsMissing where the package `openai` is not installed."""
    if find_spec("openai") is None:
        raise ModelsMissing("model roles need the package openai: pip install 'pi-gym[models]'")


class ModelClient:
    """One role's model.

    Args:
        config: where it is and how it is asked.
        cache: of the answers; None: nothing is kept.
    """

    def __init__(self, config: ModelConfig, cache: AnswerCache | None) -> None:
        self.config, self._kept = config, KeptAnswers(config, cache)
        self._places = asyncio.Semaphore(config.max_concurrency)
        self._client: openai.AsyncOpenAI | None = None
        # Seeded by the system, and drawn from for pauses alone: nothing of it reaches a session.
        self._chance = Random()

    async def answer(self, request: ModelRequest, usage: Usage) -> Answer:
        """Ask, and try again as the configuration says; `usage` counts."""
        attempt = failures = 0
        kept = self._kept.fallback_of(request)
        while True:
            kept = kept or self._kept.of(request, attempt)
            if kept is not None:
                usage.answers += 1
                usage.cache_hits += 1
                usage.fallbacks += bool(kept.note)
                return kept
            usage.retries += failures > 0
            said, too_long, pause_s, final = "", False, 0.0, False
            try:
                body = request_body(self.config, request, attempt)
                value = value_of_response(await self._response(body, usage), request, usage)
            except BadCompletion as error:
                told, said, too_long = str(error), error.said, error.too_long
                attempt += 1
            except _Failed as error:
                told, said, final = str(error), error.said, error.final
                pause_s = max(error.pause_s, self._backoff(failures))
            except BadSchema as error:
                told, final = str(error), True
            else:
                usage.answers += 1
                return self._kept.keep(request, attempt, value)
            failures += 1
            if final or failures > self.config.retries:
                if too_long and request.fallback is not None:
                    usage.answers += 1
                    usage.fallbacks += 1
                    return self._kept.fall_back(request, f"the task's own words, not the model's: {told}")
                usage.failures += 1
                return Answer(error=self._told(told, failures), note=self.config.hidden(said))
            await asyncio.sleep(pause_s)

    def forget(self, request: ModelRequest) -> None:
        """Drop what is kept of a request's answers: whoever asked could make nothing of them."""
        self._kept.forget(request)

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
                raise _refused(error, body) from error
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
    return value_of(completion, request)


def _refused(error: openai.APIStatusError, body: Mapping[str, Any]) -> _Failed:
    """The failure that an HTTP status means."""
    final = error.status_code < 500 and error.status_code not in _TRY_AGAIN
    pause_s = _retry_after(error.response.headers)
    said = error.message.removeprefix(f"Error code: {error.status_code}").removeprefix(" - ")
    said = " ".join(said.split())[:_MAX_TOLD_CHARS]
    if _repeats(said, body):
        # Servers that refuse a request may show it, and a prompt holds what is hidden.
        told = f"HTTP {error.status_code} (the server repeats what it was asked)"
        return _Failed(told, said, pause_s, final=final)
    told = " ".join(filter(None, (f"HTTP {error.status_code}", advice(error.status_code, said))))
    return _Failed(f"{told}: {said}" if said else told, "", pause_s, final=final)


def _repeats(said: str, body: Mapping[str, Any]) -> bool:
    """Whether a server's words hold a stretch of what was asked, however they quote it."""
    said, asked = _bare(said), _bare("\n".join(message["content"] for message in body["messages"]))
    return any(said[at : at + _REPEATED_CHARS] in asked for at in range(len(said) - _REPEATED_CHARS + 1))


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.replace("\\n", " ")))


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
