"""HTTP as model servers speak it: requests, one at a time or many, over connections that are kept open."""

from __future__ import annotations

import io
import logging
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from pi_gym.errors import PiGymError
from pi_gym.models.config import ModelConfig
from pi_gym.models.refusal import RequestFailed, refusal

if TYPE_CHECKING:
    import aiohttp

log = logging.getLogger("pi_gym.models")

#: The longest response; with their reasons and thoughts, answers are below a hundredth of that.
MAX_BODY_BYTES = 16 * 2**20
#: The part of an error's body that is read.
_MAX_ERROR_BYTES = 64 * 2**10
#: The time that a connection may lie idle. vLLM's server closes its own after 5 s, and a request should not meet that.
_KEEP_ALIVE_S = 4.0
#: The library warns of longer bodies that come as bytes.
_LONG_BYTES = 2**20


class ModelsMissing(PiGymError, ImportError):
    """The package that speaks to model servers is not installed."""


def require_client() -> None:
    """Raise ModelsMissing where a package of the extra `models` is not installed."""
    if any(find_spec(name) is None for name in ("aiohttp", "jsonschema")):
        raise ModelsMissing("served models need the packages aiohttp and jsonschema: pip install 'pi-gym[models]'")


@dataclass(slots=True)
class _Journey:
    """The course of a request: whether it went over a connection used before, and whether a response began."""

    reused: bool = False
    answered: bool = False


class HttpClient:
    """The HTTP client of one server, on one event loop; how many requests are out at a time is the caller's to say.

    Args:
        config: where the server is and how it is reached.
    """

    def __init__(self, config: ModelConfig) -> None:
        import aiohttp

        self._config, self._address = config, config.server.rstrip("/")
        # The limit for a whole request is the caller's.
        self._timeout = aiohttp.ClientTimeout(total=None, connect=config.connect_timeout_s)
        self._session: aiohttp.ClientSession | None = None
        self._proxy: str | None = None

    async def send(self, method: str, path: str, body: bytes | None = None) -> str:
        """Send one request, and give the body of the response.

        Args:
            method: of HTTP.
            path: below the server's address.
            body: JSON.

        Raises:
            RequestFailed: there is no response, or none that can be used.
        """
        import aiohttp

        try:
            return await self._sent(method, f"{self._address}{path}", body)
        except aiohttp.ConnectionTimeoutError:
            raise RequestFailed(f"no connection within {self._config.connect_timeout_s:g} s") from None
        except aiohttp.ClientHttpProxyError as error:
            raise RequestFailed(f"no connection: the proxy says HTTP {error.status} {error.message}") from None
        except aiohttp.ClientResponseError as error:
            raise RequestFailed(f"the response is no HTTP ({error.message})") from None
        except (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError) as error:
            raise RequestFailed(f"no connection: {_cause(error)}") from None
        except aiohttp.InvalidURL:  # which is not shown: a proxy's may hold a password
            raise RequestFailed("the server's address, or its proxy's, is not one of HTTP", final=True) from None
        except (aiohttp.ClientError, ValueError) as error:
            raise RequestFailed(f"{type(error).__name__}: {error}", final=True) from None

    async def close(self) -> None:
        """Close the connections; the next request opens one again."""
        session, self._session = self._session, None
        if session is not None:
            await session.close()

    async def _sent(self, method: str, url: str, body: bytes | None) -> str:
        import aiohttp

        if self._session is None:
            self._session, self._proxy = self._opened(), _proxy_of(self._address)
        session, journey = self._session, _Journey()
        try:
            return await self._exchanged(session, method, url, body, journey)
        except aiohttp.ClientConnectionError:
            if not journey.reused or journey.answered or session.closed:
                raise
        # The server closed the connection while the request was on its way, as servers do that restart or that it has
        # waited for too long: no failure of the request, which is as good as not sent.
        async with self._opened(force_close=True) as fresh:
            return await self._exchanged(fresh, method, url, body, _Journey())

    async def _exchanged(
        self, session: aiohttp.ClientSession, method: str, url: str, body: bytes | None, journey: _Journey
    ) -> str:
        data = io.BytesIO(body) if body is not None and len(body) > _LONG_BYTES else body
        async with session.request(
            method, url, data=data, proxy=self._proxy, allow_redirects=False, trace_request_ctx=journey
        ) as response:
            journey.answered = True
            log.debug("%s %s: HTTP %d", method, url, response.status)
            if not 200 <= response.status < 300:
                raise refusal(response.status, response.headers, await _words(response))
            return await _whole(response)

    def _opened(self, *, force_close: bool = False) -> aiohttp.ClientSession:
        import aiohttp

        kept: dict[str, Any] = {"force_close": True} if force_close else {"keepalive_timeout": _KEEP_ALIVE_S}
        return aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, **kept),
            timeout=self._timeout,
            headers={
                "Authorization": self._config.authorization,
                "Content-Type": "application/json",
                "User-Agent": "pi_gym",
                # What a response inflates to is known only afterwards, so it is asked for as it is.
                "Accept-Encoding": "identity",
            },
            auto_decompress=False,
            cookie_jar=aiohttp.DummyCookieJar(),
            trace_configs=[_tracing()],
            # Proxies are looked up here. The library would look at each request, and for logins in ~/.netrc too, which
            # it does not let stand beside our own authorization.
            trust_env=False,
        )


@cache
def _tracing() -> aiohttp.TraceConfig:
    import aiohttp

    async def reused(_: Any, context: Any, __: Any) -> None:
        context.trace_request_ctx.reused = True

    tracing = aiohttp.TraceConfig()
    tracing.on_connection_reuseconn.append(reused)
    return tracing


async def _whole(response: aiohttp.ClientResponse) -> str:
    """The body of a response, as far as it keeps to what is sane."""
    encoding = response.headers.get("content-encoding", "identity")
    if encoding.strip().lower() not in ("", "identity"):
        raise RequestFailed(f"the response is compressed ({encoding}), which was not asked for")
    parts, size = [], 0
    async for part in response.content.iter_any():
        parts.append(part)
        size += len(part)
        if size > MAX_BODY_BYTES:
            raise RequestFailed(f"the response is longer than {MAX_BODY_BYTES:,} bytes")
    try:
        return b"".join(parts).decode()
    except UnicodeDecodeError as error:
        raise RequestFailed(f"the response is no UTF-8 ({error.reason} at byte {error.start})") from None


async def _words(response: aiohttp.ClientResponse) -> str:
    """The body of an error, as far as it comes: the status is what counts."""
    import aiohttp

    parts, size = [], 0
    try:
        async for part in response.content.iter_any():
            parts.append(part)
            size += len(part)
            if size > _MAX_ERROR_BYTES:
                break
    except aiohttp.ClientError:
        pass
    return b"".join(parts).decode(errors="replace")


def _proxy_of(address: str) -> str | None:
    """The proxy that this process's environment names for an address; a server on this machine has none."""
    parts = urlsplit(address)
    host = parts.hostname or ""
    if _is_here(host) or proxy_bypass(f"{host}:{parts.port}" if parts.port else host):
        return None
    proxies = getproxies()
    found = proxies.get(parts.scheme) or proxies.get("all")
    return found if not found or "://" in found else f"http://{found}"


def _is_here(host: str) -> bool:
    try:
        address = ip_address(host) if host != "localhost" else None
        return address is None or address.is_loopback or address.is_unspecified
    except ValueError:
        return False


def _cause(error: BaseException) -> str:
    """The innermost reason: what is around it says no more than that there was no connection."""
    found = error
    while (further := found.__cause__ or found.__context__) is not None and str(further):
        found = further
    return f"{type(found).__name__}: {found}"
