"""The configuration of models: one `ModelConfig` for each role."""

from __future__ import annotations

import base64
import json
import math
import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self
from urllib.parse import SplitResult, unquote, urlsplit

from pi_gym.errors import PiGymError

KEY_VARIABLES = ("PI_GYM_API_KEY", "OPENAI_API_KEY")
CACHE_VARIABLE = "PI_GYM_CACHE"
_FORM = "expected MODEL@URL, for example Qwen/Qwen3-8B@http://127.0.0.1:8000/v1"
_HIDDEN = "(not shown)"
#: The length up to which a text is no secret, but a word such as "none".
_SHORT = 4
#: The fields of a configuration that decide what the model says; the others say how it is reached.
_SAMPLING = ("temperature", "max_tokens", "bound_schemas", "extra_body")


class BadModel(PiGymError, ValueError):
    """A model's configuration is wrong; the message says what is expected."""


@dataclass(frozen=True, slots=True)
class ModelConfig:
    """A model behind an OpenAI-compatible server, and how it is asked.

    Args:
        base_url: the server's, with its version: "http://127.0.0.1:8000/v1". A user and password in it are sent and
            never written down.
        model: the name under which the server has it.
        api_key: None: taken from the environment when a request is made, PI_GYM_API_KEY before OPENAI_API_KEY; a
            server that wants none gets a word without meaning. Never written down.
        temperature: of the first attempt, 0 to 2.
        max_tokens: how long an answer may be; an answer that reaches it is no answer. None: the server's own limit.
        max_concurrency: how many requests are out at one time for this role, in each process.
        timeout_s: for one request from its start to its last byte.
        connect_timeout_s: for reaching the server.
        retries: how often a request that failed, or an answer without use, is tried again.
        backoff_s: the first pause before a retry; each later one is twice as long, up to 20 s, less up to half of it
            by chance.
        cache: the folder of the answers kept on disk, None for none, or "auto": the folder that PI_GYM_CACHE names,
            else pi_gym in XDG_CACHE_HOME, else ~/.cache/pi_gym.
        bound_schemas: send the lengths too that schemas hold. A server such as vLLM then keeps a weak model from
            writing without end; a strict one refuses such schemas.
        extra_body: more fields of every request, such as {"chat_template_kwargs": {"enable_thinking": False}}.

    Raises:
        BadModel: a value is out of range.

    >>> ModelConfig.from_text("small@127.0.0.1:8000").base_url
    'http://127.0.0.1:8000/v1'
    """

    base_url: str = field(repr=False)
    model: str
    api_key: str | None = field(default=None, repr=False)
    temperature: float = 0.0
    max_tokens: int | None = 2048
    max_concurrency: int = 64
    timeout_s: float = 120.0
    connect_timeout_s: float = 10.0
    retries: int = 5
    backoff_s: float = 0.5
    cache: str | Path | None = "auto"
    bound_schemas: bool = False
    extra_body: Mapping[str, Any] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.model, str) or not self.model.strip():
            raise BadModel(f"model: expected the name of a model, got {self.model!r}")
        parts = _split(self.base_url)
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
            # Not shown: what is no address may be a key in the wrong place.
            raise BadModel("base_url: expected an address such as 'http://127.0.0.1:8000/v1'")
        if parts.query or parts.fragment:
            raise BadModel("base_url: expected an address without ? and #; use extra_body for parameters")
        if self.api_key is not None and not isinstance(self.api_key, str):
            raise BadModel(f"api_key: expected text or None, got a {type(self.api_key).__name__}")
        _require_number("temperature", self.temperature, 0, 2)
        for name, value in (("timeout_s", self.timeout_s), ("connect_timeout_s", self.connect_timeout_s)):
            _require_number(name, value, 0.001, 1e6)
        _require_number("backoff_s", self.backoff_s, 0, 1e6)
        _require_integer("max_concurrency", self.max_concurrency, 1)
        _require_integer("retries", self.retries, 0)
        if self.max_tokens is not None:
            _require_integer("max_tokens", self.max_tokens, 1)
        if self.cache is not None and (not isinstance(self.cache, str | Path) or not str(self.cache)):
            raise BadModel(f"cache: expected a folder, 'auto' or None, got {self.cache!r}")
        if not isinstance(self.bound_schemas, bool):
            raise BadModel(f"bound_schemas: expected True or False, got {self.bound_schemas!r}")
        try:
            json.dumps(dict(self.extra_body), allow_nan=False)
        except (TypeError, ValueError) as error:
            raise BadModel(f"extra_body: expected a mapping of JSON values ({error})") from error

    def __repr__(self) -> str:
        return f"ModelConfig({self.model!r} at {self.server!r}, temperature={self.temperature!r})"

    @classmethod
    def from_text(cls, text: str, **options: Any) -> Self:
        """The configuration that "MODEL@URL" means.

        The address may lack its scheme (http is meant) and its path (/v1 is meant).

        Args:
            text: the model's name as the server knows it, an @, the server's address.
            options: further arguments.

        Raises:
            BadModel: the text has another form.
        """
        for scheme in ("@http://", "@https://"):
            model, found, rest = text.partition(scheme)
            if found:
                url = scheme[1:] + rest
                break
        else:
            model, found, rest = text.rpartition("@")
            url = f"http://{rest}"
        parts = _split(url)
        if not found or not model or not rest or parts is None:
            raise BadModel(_FORM + ("" if "@" in text else f"; got {text!r}"))
        if parts.path in ("", "/") and not (parts.query or parts.fragment):
            url = f"{url.rstrip('/')}/v1"
        return cls(base_url=url, model=model, **options)

    def with_options(self, **options: Any) -> Self:
        """The same with other values for some arguments."""
        return replace(self, **options)

    @property
    def server(self) -> str:
        """The address without user and password, as records and messages show it."""
        parts = urlsplit(self.base_url)
        return parts._replace(netloc=parts.netloc.rpartition("@")[2]).geturl()

    @property
    def key(self) -> str:
        """The key that is sent."""
        if self.api_key is not None:
            return self.api_key or "none"
        return next((os.environ[name] for name in KEY_VARIABLES if os.environ.get(name)), "none")

    @property
    def authorization(self) -> str:
        """The `Authorization` header: the user and password of the address where it has them, else the key."""
        login = self._login()
        return f"Basic {base64.b64encode(':'.join(login).encode()).decode()}" if any(login) else f"Bearer {self.key}"

    @property
    def cache_folder(self) -> Path | None:
        """The folder in which answers are kept; None where they are not."""
        if self.cache is None:
            return None
        if self.cache != "auto":
            return Path(self.cache)
        if os.environ.get(CACHE_VARIABLE):
            return Path(os.environ[CACHE_VARIABLE])
        home = os.environ.get("XDG_CACHE_HOME")
        return (Path(home) if home else Path.home() / ".cache") / "pi_gym"

    def recorded(self) -> dict[str, Any]:
        """The settings that decide the answers, for the record of a run: no address, no key."""
        return {"model": self.model, **{name: _plain(getattr(self, name)) for name in _SAMPLING}}

    def hidden(self, text: str) -> str:
        """A text with this configuration's secrets taken out: servers and clients repeat what they were sent."""
        for secret in self._secrets():
            text = text.replace(secret, _HIDDEN)
            # A text that was shortened may end within a secret.
            for length in range(len(secret) - 1, _SHORT, -1):
                part = secret[:length]
                text = text.replace(f"{part}…", f"{_HIDDEN}…")
                if text.endswith(part):
                    text = text.removesuffix(part) + _HIDDEN
        return text

    def _login(self) -> tuple[str, str]:
        """The address's user and password; empty where it has none."""
        parts = urlsplit(self.base_url)
        return unquote(parts.username or ""), unquote(parts.password or "")

    def _secrets(self) -> list[str]:
        """The texts that must not be told, in all their spellings, the longest first."""
        parts = urlsplit(self.base_url)
        sent = self.authorization.partition(" ")[2]
        plain = [self.key, sent, *self._login(), parts.username or "", parts.password or ""]
        spelt = {way(secret) for secret in plain for way in (str, lambda text: repr(text)[1:-1], _json)}
        return sorted((secret for secret in spelt if len(secret) > _SHORT), key=len, reverse=True)


def _json(text: str) -> str:
    return json.dumps(text)[1:-1]


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _split(url: object) -> SplitResult | None:
    try:
        parts = urlsplit(url) if isinstance(url, str) else None
        _ = parts.port if parts is not None else None
    except ValueError:
        return None
    return parts


def _require_number(name: str, value: object, low: float, high: float) -> None:
    fits = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    if not fits or not low <= value <= high:  # type: ignore[operator]
        raise BadModel(f"{name}: expected a number from {low:g} to {high:g}, got {value!r}")


def _require_integer(name: str, value: object, low: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < low:
        raise BadModel(f"{name}: expected an integer of {low} or more, got {value!r}")
