"""The connection to one server: single requests, with limits of number, time and length."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import cache
from importlib.util import find_spec
from inspect import signature
from random import Random
from time import perf_counter
from typing import TYPE_CHECKING, Any

from pi_gym.errors import PiGymError
from pi_gym.models.advice import advice
from pi_gym.models.client_pool import ClientPool
from pi_gym.models.config import ModelConfig
from pi_gym.models.usage import Usage

if TYPE_CHECKING:
    import openai

MAX_PAUSE_S = 20.0
#: A server that asks for a longer pause is asked again after this one.
MAX_RETRY_AFTER_S = 60.0
#: The longest response; with their reasons and thoughts, answers are below a hundredth of that.
MAX_BODY_BYTES = 16 * 2**20
_PATH = "/chat/completions"
_TRY_AGAIN = frozenset({408, 409, 425, 429})
#: What a response inflates to is known only afterwards, so it is asked for as it is. The second one is for the client,
#: which is to hand the response over before its body is read.
_HEADERS = {"accept-encoding": "identity", "x-stainless-raw-response": "stream"}


class ModelsMissing(PiGymError, ImportError):
    """The package that speaks to model servers is not installed."""


class RequestFailed(Exception):
    """A request brought no response that can be used.

    Args:
        told: what happened.
        pause_s: what the server asked to wait.
        final: the same request would fail again.
        status: of the response, where that is why; `said` the server's own words.
    """

    def __init__(
        self, told: str, pause_s: float = 0.0, *, final: bool = False, status: int = 0, said: str = ""
    ) -> None:
        super().__init__(told)
        self.pause_s, self.final, self.status, self.said = pause_s, final, status, said


def require_openai() -> None:
    """Raise ModelsMissing where the package `openai` is not installed."""
    if find_spec("openai") is None:
        raise ModelsMissing("served models need the package openai: pip install 'pi-gym[models]'")


class Connection:
    """To one server, for one role. Everything happens on one event loop.

    Args:
        config: where it is and how it is asked.

    Attributes:
        in_flight: requests that are out now.
    """

    def __init__(self, config: ModelConfig) -> None:
        self.config, self.in_flight = config, 0
        self._places = asyncio.Semaphore(config.max_concurrency)
        self._clients = ClientPool(config)
        # Seeded by the system, and drawn from for pauses alone: nothing of it reaches a session.
        self._chance = Random()

    async def post(self, body: bytes, usage: Usage) -> str:
        """Send one request for a chat completion, and give the body of the response.

        Args:
            body: JSON, as it is sent.
            usage: counts.

        Raises:
            RequestFailed: there is no response, or none that can be used.
        """
        asked = perf_counter()
        # A client is made at times, which takes a while that is not the server's.
        async with self._places:
            with self._clients.client() as client:
                sent = perf_counter()
                usage.queue_s += sent - asked
                usage.requests += 1
                self.in_flight += 1
                try:
                    async with asyncio.timeout(self.config.timeout_s):
                        return await _posted(client, body)
                except TimeoutError:
                    raise RequestFailed(f"no whole response within {self.config.timeout_s:g} s") from None
                finally:
                    self.in_flight -= 1
                    usage.request_s += perf_counter() - sent

    async def served(self) -> Mapping[str, Mapping[str, Any]]:
        """What the server says of its models, by their names; empty where it says nothing that can be read."""
        import openai

        try:
            with self._clients.client() as client:
                async with asyncio.timeout(self.config.timeout_s):
                    listed = await client.models.list()
            return {served.id: served.model_extra or {} for served in listed.data}
        except (openai.OpenAIError, TimeoutError, TypeError, AttributeError, ValueError):
            return {}  # whoever cannot be reached says so when it is asked

    async def pause(self, failures: int, asked_s: float = 0.0) -> None:
        """Wait before the next of several tries.

        Args:
            failures: how many there were before this one.
            asked_s: what the server asked for, if that is longer.
        """
        whole = min(self.config.backoff_s * 2.0 ** min(failures, 30), MAX_PAUSE_S)
        await asyncio.sleep(max(asked_s, whole * self._chance.uniform(0.5, 1.0)))

    async def close(self) -> None:
        """Close it; the next request opens it again."""
        await self._clients.close()


async def _posted(client: openai.AsyncOpenAI, body: bytes) -> str:
    import openai

    # Not through the method for chat completions, which would look at every part of what is sent.
    content: dict[str, Any] = {"content": body} if _takes_bytes() else {"body": json.loads(body)}
    try:
        response: Any = await client.post(_PATH, cast_to=object, options={"headers": _HEADERS}, **content)
        try:
            return await _whole(response)
        finally:
            await response.close()
    except openai.APIStatusError as error:
        code = error.status_code
        said = error.message.removeprefix(f"Error code: {code}").removeprefix(" - ")
        told = " ".join(filter(None, (f"HTTP {code}", advice(code, said))))
        raise RequestFailed(
            f"{told}: {said}" if said else told,
            _retry_after(error.response.headers),
            final=code not in _TRY_AGAIN and code < 500,
            status=code,
            said=said,
        ) from None
    except openai.APITimeoutError:
        raise TimeoutError from None
    except openai.APIConnectionError as error:
        raise RequestFailed(f"no connection: {_cause(error)}") from None
    except openai.OpenAIError as error:
        raise RequestFailed(f"{type(error).__name__}: {error}", final=True) from None


@cache
def _takes_bytes() -> bool:
    """Whether the client sends bytes as they are; older ones encode what they get."""
    import openai

    return "content" in signature(openai.AsyncOpenAI.post).parameters


async def _whole(response: Any) -> str:
    """The body of a response, as far as it keeps to what is sane."""
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise RequestFailed(f"the response is compressed ({encoding}), which was not asked for")
    parts, size = [], 0
    try:
        async for part in response.iter_bytes():
            parts.append(part)
            size += len(part)
            if size > MAX_BODY_BYTES:
                raise RequestFailed(f"the response is longer than {MAX_BODY_BYTES:,} bytes")
    except (RequestFailed, TimeoutError):
        raise
    except Exception as error:  # of the library below: the connection broke in the middle
        raise RequestFailed(f"no connection: {_cause(error)}") from None
    try:
        return b"".join(parts).decode()
    except UnicodeDecodeError as error:
        raise RequestFailed(f"the response is no UTF-8 ({error.reason} at byte {error.start})") from None


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
