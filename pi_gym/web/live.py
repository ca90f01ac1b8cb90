"""Answering web asks online."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Any

from pi_gym.types import Answer, Ask, ToolRequest

if TYPE_CHECKING:
    from pi_gym.web.download import Document

MAX_TEXT_CHARS = 400_000
_PACKAGES = ("ddgs", "trafilatura", "urllib3")
_HTML = ("text/html", "application/xhtml+xml", "")
# Python decodes these too, in a time that is quadratic; no page is written in them.
_CHARSETS_OF_NAMES = ("idna", "punycode")
_TEXT = ("text/plain", "text/markdown", "text/csv", "application/json", "application/xml", "text/xml")


class LiveWeb:
    """Answers web asks: searches with the package ddgs, pages with urllib3 and trafilatura.

    What the web does not give (no such host, a page that is gone, a search that is refused) is an answer for the agent;
    only an ask of another kind is an error.

    Args:
        timeout_s: seconds for one search, for fetching one page, and for making text of it.
        max_bytes: the most that is read of a page.
        allow_private: whether loopback, private and link-local addresses may be fetched. Leave it off where an agent
            could reach services that trust their neighbours.
        parallel: how many asks are answered at one time.
    """

    def __init__(
        self, *, timeout_s: float = 20.0, max_bytes: int = 2_000_000, allow_private: bool = False, parallel: int = 8
    ) -> None:
        if timeout_s <= 0 or max_bytes < 1 or parallel < 1:
            raise ValueError("timeout_s, max_bytes and parallel: expected positive numbers")
        self.timeout_s, self.max_bytes, self.allow_private, self.parallel = (
            timeout_s,
            max_bytes,
            allow_private,
            parallel,
        )

    def unavailable(self) -> str:
        """The reason why there is no live web here, and what enables it; empty where there is one."""
        missing = [name for name in _PACKAGES if find_spec(name) is None]
        if not missing:
            return ""
        return f"the package {' and '.join(missing)} is not installed. To enable it, pip install 'pi-gym[web]'"

    def respond(self, asks: Sequence[Ask]) -> tuple[Answer, ...]:
        """Answer web asks, in their order; an ask of another kind gets an error."""
        if len(asks) <= 1:
            return tuple(map(self._answer, asks))
        with ThreadPoolExecutor(min(self.parallel, len(asks)), thread_name_prefix="pi_gym-web") as pool:
            return tuple(pool.map(self._answer, asks))

    def __call__(self, asks: Sequence[Ask]) -> tuple[Answer, ...]:
        """The same as `respond`."""
        return self.respond(asks)

    def _answer(self, ask: Ask) -> Answer:
        if not isinstance(ask.request, ToolRequest) or ask.request.kind != "web":
            return Answer(error=f"the web answers no asks of kind {ask.kind!r}")
        if self.unavailable():  # how to mend it is for the operator, and is told when the environment is made
            return Answer({"unavailable": "the web is not reached in this session"})
        payload = ask.request.payload
        if payload["action"] == "search":
            return Answer(self._search(payload["query"], payload["count"]))
        return Answer(self._fetch(payload["url"], payload["mode"]))

    def _search(self, query: str, count: int) -> Mapping[str, Any]:
        from ddgs import DDGS

        keys = {"title": "title", "url": "href", "snippet": "body"}
        try:
            found = DDGS(timeout=int(self.timeout_s) or 1).text(query[:400], max_results=count)
            return {"results": [{key: str(entry.get(name, "")) for key, name in keys.items()} for entry in found]}
        except Exception as error:  # foreign code, over what an agent and a server wrote
            if "no results" in str(error).lower():
                return {"results": []}
            return {
                "failed": f"The search did not work: {str(error)[:300]}. Try again later, or fetch a known address."
            }

    def _fetch(self, url: str, mode: str) -> Mapping[str, Any]:
        from pi_gym.web.download import DownloadFailed, download

        try:
            document = download(
                url, timeout_s=self.timeout_s, max_bytes=self.max_bytes, allow_private=self.allow_private
            )
        except DownloadFailed as error:
            return {"failed": str(error)}
        if document.kind in _TEXT:
            found = _in_time(lambda: {"title": "", "date": "", "text": _decoded(document)}, self.timeout_s)
        elif document.kind in _HTML:
            found = _in_time(lambda: _readable(_decoded(document), document.url, mode), self.timeout_s)
        else:
            return {"failed": f"The address gives {document.kind[:60]!r}; only web pages and text can be read."}
        if isinstance(found, str):
            return {"failed": f"The page cannot be read: {found}."}
        page = found
        if document.cut:
            page["text"] += f"\n[cut: only the first {self.max_bytes} bytes were read]"
        return {"page": {"url": document.url, **page, "text": page["text"][:MAX_TEXT_CHARS]}}


def _in_time(read: Callable[[], dict[str, str]], seconds: float) -> dict[str, str] | str:
    """The fields read from a page, or why there are none: parsers are foreign code, over pages made to trouble them."""
    told: list[dict[str, str] | str] = []

    def work() -> None:
        try:
            told.append(read())
        except Exception as error:
            told.append(type(error).__name__)

    # No page can be stopped being parsed; so nobody waits for it, not even the end of the process.
    thread = Thread(target=work, name="pi_gym-page", daemon=True)
    thread.start()
    thread.join(seconds)
    return told[0] if told else f"it takes more than {seconds:g} seconds"


def _decoded(document: Document) -> str:
    try:
        if document.charset in _CHARSETS_OF_NAMES:
            raise LookupError(document.charset)
        return document.data.decode(document.charset or "utf-8")
    except (LookupError, ValueError):  # some encodings raise other errors than UnicodeDecodeError
        from trafilatura.utils import decode_file

        return str(decode_file(document.data))


def _readable(html: str, url: str, mode: str) -> dict[str, str]:
    """Title, date and readable content of an HTML page."""
    from trafilatura import extract, extract_metadata, html2txt

    wanted: Any = "markdown" if mode == "markdown" else "txt"
    about = extract_metadata(html, default_url=url)
    text = extract(html, url=url, output_format=wanted, include_tables=True, include_links=mode == "markdown")
    title, day = (getattr(about, "title", None), getattr(about, "date", None)) if about is not None else (None, None)
    # Where nothing looks like an article, everything that is text.
    return {"title": title or "", "date": day or "", "text": text or html2txt(html) or ""}
