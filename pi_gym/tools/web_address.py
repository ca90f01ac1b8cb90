"""Web addresses: one normal form, so that the ways in which one page is written meet."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

MAX_ADDRESS_CHARS = 2_000
_PORTS = {"http": 80, "https": 443}


class AddressRefused(ValueError):
    """A text is no web address; the message says what was expected."""


@dataclass(frozen=True, slots=True)
class WebAddress:
    """A web address, read once; nothing of it need be refused later.

    Args:
        host: in lower case, without `www.`, with its port where that is not the usual one.
        normal: the normal form: https, that host, no fragment, no slash at the end. It may be longer than what an agent
            may write.
    """

    host: str
    normal: str


def read_address(text: str) -> WebAddress:
    """The address that a text is.

    Parameters that only say where a visitor came from (`utm_…`) are dropped, the others are kept in their order.

    Raises:
        AddressRefused: the text is no http or https address.

    >>> read_address("HTTP://www.Halden-IT.example:80/Rooms/?utm_source=mail#foyer").normal
    'https://halden-it.example/Rooms'
    """
    host, path, query = _split(text)
    parameters = [(name, value) for name, value in parse_qsl(query, keep_blank_values=True) if name[:4] != "utm_"]
    path = quote(unquote(path, errors="replace"), safe="/~:@!$&'()*+,;=-._").rstrip("/")
    path = path.removesuffix("/index.html")
    return WebAddress(host, f"https://{host}{path}" + (f"?{urlencode(parameters)}" if parameters else ""))


def _split(text: str) -> tuple[str, str, str]:
    """Host (with its port where that is not the usual one), path and query."""
    text = text.strip()
    if not text:
        raise AddressRefused("The url is empty; give a whole address, such as https://host/page.")
    if len(text) > MAX_ADDRESS_CHARS:
        raise AddressRefused(f"The url has {len(text)} characters; at most {MAX_ADDRESS_CHARS} are possible.")
    if any(c.isspace() or not c.isprintable() for c in text):
        raise AddressRefused(f"{text[:100]!r} is no web address: it holds spaces or control characters.")
    try:
        parts = urlsplit(text if "://" in text else f"https://{text}")
        port = parts.port
    except ValueError as error:
        raise AddressRefused(f"{text[:100]!r} is no web address: {error}.") from None
    if parts.scheme not in _PORTS:
        raise AddressRefused(f"Only http and https addresses can be fetched, not {parts.scheme[:20]!r}.")
    host = (parts.hostname or "").rstrip(".").removeprefix("www.")
    if not host or parts.username is not None:
        raise AddressRefused(f"{text[:100]!r} is no web address; give a whole one, such as https://host/page.")
    if "[" in parts.netloc:
        host = f"[{host}]"  # an IPv6 address
    if port not in (None, *_PORTS.values()):
        host = f"{host}:{port}"
    return host, parts.path, parts.query
