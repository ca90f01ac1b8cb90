"""Asking one model: retries, the cache, requests that are shared. Everything here runs on one event loop."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

from pi_gym.models.cache import AnswerCache
from pi_gym.models.completion import BadCompletion, fault_of, read_completion, value_of
from pi_gym.models.config import ModelConfig
from pi_gym.models.connection import Connection
from pi_gym.models.flights import Flights
from pi_gym.models.json_schema import BadSchema
from pi_gym.models.kept_answers import KeptAnswers
from pi_gym.models.refusal import RequestFailed
from pi_gym.models.request_body import RequestBodies
from pi_gym.models.usage import Usage
from pi_gym.types import Answer, ModelRequest

_MAX_TOLD_CHARS = 400
#: As many characters in a row are no chance.
_REPEATED_CHARS = 24


class ModelClient:
    """One role's model.

    Args:
        config: where it is and how it is asked.
        cache: of the answers; None: nothing is kept.
    """

    def __init__(self, config: ModelConfig, cache: AnswerCache | None) -> None:
        self.config, self._kept = config, KeptAnswers(cache)
        self._connection = Connection(config)
        self._flights: Flights[Answer] = Flights()
        self._listing = asyncio.Lock()
        self._served: Mapping[str, Mapping[str, Any]] | None = None

    async def answer(self, request: ModelRequest, usage: Usage) -> Answer:
        """Ask, and try again as the configuration says; `usage` counts.

        Where answers are kept, the same request is sent once, also while its answer is under way.
        """
        bodies = RequestBodies(self.config, request)
        if self.config.cache is None:
            answer = await self._answer(bodies, usage)
        else:
            answer = await self._shared(bodies, usage)
        usage.failures += bool(answer.error)
        usage.answers += not answer.error
        usage.fallbacks += bool(answer.note and not answer.error)
        return answer

    @property
    def in_flight(self) -> int:
        """Requests that are out now."""
        return self._connection.in_flight

    async def complete(self, body: bytes, usage: Usage) -> str:
        """The body of the response to a request, tried again where it is lost; nothing is looked up or kept.

        Args:
            body: of the request, as JSON.
            usage: counts.

        Raises:
            RequestFailed: after the retries, or where a retry is of no use.
        """
        failures = 0
        while True:
            usage.retries += failures > 0
            try:
                return await self._connection.post(body, usage)
            except RequestFailed as error:
                if error.final or failures >= self.config.retries:
                    raise
                await self._connection.pause(failures, error.pause_s)
                failures += 1

    async def context_tokens(self) -> int | None:
        """The number of tokens that the model takes, by vLLM's list of models; None where the server does not say."""
        async with self._listing:  # many agents begin at one time, and one of them asks for all
            if self._served is None:
                self._served = await self._connection.served()
        found = self._served.get(self.config.model, {}).get("max_model_len")
        return found if isinstance(found, int) and found > 0 else None

    def forget(self, request: ModelRequest) -> None:
        """Drop what is kept of a request's answers: whoever asked could make nothing of them."""
        self._kept.forget(RequestBodies(self.config, request), self.config.retries + 1)

    async def close(self) -> None:
        """Close the connections."""
        await self._connection.close()

    async def _shared(self, bodies: RequestBodies, usage: Usage) -> Answer:
        key = (bodies.key(0), bodies.request.fallback)
        under_way = key in self._flights
        usage.shared += under_way
        answer = await self._flights.join(key, lambda: self._answer(bodies, usage))
        if under_way and not answer.error and fault_of(answer.value, bodies.request):
            return await self._answer(bodies, usage)  # whoever asked first did not mind
        return answer

    async def _answer(self, bodies: RequestBodies, usage: Usage) -> Answer:
        request = bodies.request
        attempt = failures = 0
        kept = self._kept.fallback_of(bodies)
        while True:
            kept = kept or self._kept.of(bodies, attempt)
            if kept is not None:
                usage.cache_hits += 1
                return kept
            usage.retries += failures > 0
            said, too_long, final = "", False, False
            asked_s: float | None = None
            try:
                response = await self._connection.post(bodies.sent(attempt), usage)
                value = value_of_response(response, request, usage)
            except BadCompletion as error:
                told, said, too_long = str(error), error.said, error.too_long
                attempt += 1
            except RequestFailed as error:
                told, said, asked_s, final = str(error), "", error.pause_s, error.final
                if _repeats(error.said, request):
                    # Servers that refuse a request may show it, and a prompt holds what is hidden.
                    told = f"HTTP {error.status} (the server repeats what it was asked)"
                    said = error.said[:_MAX_TOLD_CHARS]
            except BadSchema as error:
                told, final = str(error), True
            else:
                return self._kept.keep(bodies, attempt, value)
            failures += 1
            if final or failures > self.config.retries:
                if too_long and request.fallback is not None:
                    return self._kept.fall_back(bodies, f"the task's own words, not the model's: {told}")
                return Answer(error=self._told(told, failures), note=self.config.hidden(said))
            if asked_s is not None:  # an answer of no use says nothing of the server's load: no pause
                await self._connection.pause(failures - 1, asked_s)

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


def _repeats(said: str, request: ModelRequest) -> bool:
    """Whether a server's words hold a stretch of what was asked, however they quote it."""
    said, asked = _bare(said), _bare("\n".join(message["content"] for message in request.messages))
    return any(said[at : at + _REPEATED_CHARS] in asked for at in range(len(said) - _REPEATED_CHARS + 1))


def _bare(text: str) -> str:
    return "".join(filter(str.isalnum, text.replace("\\n", " ")))
