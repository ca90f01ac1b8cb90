"""The web: offline a corpus of pages that the pack ships, answered at once; online an ask, answered from outside."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pi_gym.tools.declare import ToolContext, ToolError, operation
from pi_gym.tools.web_address import AddressRefused, WebAddress, read_address
from pi_gym.tools.web_corpus import PageMatch, WebPages, query_words
from pi_gym.tools.web_text import plain_text, text_page
from pi_gym.types import ToolRequest

MAX_COUNT = 10
MAX_FETCH_CHARS = 15_000
MIN_FETCH_CHARS = 100
_NEIGHBOURS_SHOWN = 8
_OFFLINE = "The web is an offline collection of pages here"


def _resume_search(context: ToolContext, given: Mapping[str, Any], value: Any) -> str:
    results = _answered(value, "web_search").get("results")
    if not isinstance(results, list) or not all(isinstance(entry, Mapping) for entry in results):
        raise ToolError("The search's answer cannot be read; try again.")
    count = given.get("count", 5)
    return _listed(
        [PageMatch(*(_line(entry, key) for key in ("title", "url", "date", "snippet"))) for entry in results[:count]]
    )


@operation("read", resume=_resume_search)
def web_search(context: ToolContext, query: str, count: int = 5) -> str | ToolRequest:
    """Search the web: titles, addresses, dates and snippets, best first. web_fetch reads a page.

    Args:
        query: the words to look for; a page need not hold all of them.
        count: the most results, 1 to 10.
    """
    if not query_words(query):
        raise ToolError("The query holds no words; write what to look for.")
    if not 1 <= count <= MAX_COUNT:
        raise ToolError(f"count must be between 1 and {MAX_COUNT}, not {count}.")
    if isinstance(context.web, str):
        return ToolRequest("web", {"action": "search", "query": query, "count": count})
    return _listed(_pages(context).search(query, count, context.clock[:10]))


def _resume_fetch(context: ToolContext, given: Mapping[str, Any], value: Any) -> str:
    page = _answered(value, "web_fetch").get("page")
    if not isinstance(page, Mapping) or not isinstance(page.get("text"), str):
        raise ToolError("The page's answer cannot be read; try again.")
    head = [_line(page, "title"), _line(page, "url"), _line(page, "date")]
    return _shown([line for line in head if line], page["text"], given)


@operation("read", resume=_resume_fetch)
def web_fetch(
    context: ToolContext,
    url: str,
    extractMode: Literal["markdown", "text"] = "markdown",
    maxChars: int = 8_000,
    offset: int = 0,
) -> str | ToolRequest:
    """Fetch a web page and give its readable content. Long pages come in pieces; a last line then says how to go on.

    Args:
        url: the page's address, http or https.
        extractMode: the form of the content.
        maxChars: the most characters of content to give, 100 to 15000.
        offset: characters of content to skip.
    """
    if not MIN_FETCH_CHARS <= maxChars <= MAX_FETCH_CHARS:
        raise ToolError(f"maxChars must be between {MIN_FETCH_CHARS} and {MAX_FETCH_CHARS}, not {maxChars}.")
    if offset < 0:
        raise ToolError(f"offset must be 0 or more, not {offset}.")
    try:
        address = read_address(url)
    except AddressRefused as error:
        raise ToolError(str(error)) from None
    if isinstance(context.web, str):
        # As it was written: to a server, the forms of an address need not be the same page.
        written = url.strip() if "://" in url else f"https://{url.strip()}"
        return ToolRequest("web", {"action": "fetch", "url": written, "mode": extractMode})
    pages, today = _pages(context), context.clock[:10]
    page = pages.page(address, today)
    if page is None:
        raise _no_page(pages, address, url, today)
    head = [page.title, page.url, f"{page.site + ' · ' if page.site else ''}last changed {page.date}"]
    text = page.body if extractMode == "markdown" else plain_text(page.body)
    return _shown(head, text, {"maxChars": maxChars, "offset": offset})


def _pages(context: ToolContext) -> WebPages:
    if context.web is None or isinstance(context.web, str) or not len(context.web):
        raise ToolError(f"{_OFFLINE}, and this one has no pages; do without the web.")
    return context.web


def _no_page(pages: WebPages, address: WebAddress, url: str, today: str) -> ToolError:
    near = pages.neighbours(address, today)
    if not near:
        return ToolError(f"{_OFFLINE}, and it has nothing from the host of {url[:200]!r}; find pages with web_search.")
    more = f", … ({len(near)} in all)" if len(near) > _NEIGHBOURS_SHOWN else ""
    listed = ", ".join(near[:_NEIGHBOURS_SHOWN]) + more
    return ToolError(
        f"{_OFFLINE}, and {url[:200]!r} is not in it; find pages with web_search. From that host: {listed}."
    )


def _listed(results: Sequence[PageMatch]) -> str:
    if not results:
        return "[no page matches; try fewer or other words]"
    lines = []
    for number, found in enumerate(results, start=1):
        date = f" ({found.date})" if found.date else ""
        lines.append(f"{number}. {found.title}\n   {found.url}{date}\n   {found.snippet}")
    return "\n".join(lines)


def _shown(head: Sequence[str], text: str, given: Mapping[str, Any]) -> str:
    text, offset = text.strip(), given.get("offset", 0)
    if offset and offset >= len(text):
        raise ToolError(f"The page has {len(text)} characters, so offset {offset} is behind its end.")
    piece = text_page(text, offset, given.get("maxChars", 8_000))
    return "\n".join([*head, "", piece or "[the page is empty]"])


def _answered(value: Any, tool: str) -> Mapping[str, Any]:
    """The answer of a live backend; what it could not do is told to the agent."""
    if not isinstance(value, Mapping):
        raise ToolError("The web's answer cannot be read; try again.")
    if isinstance(value.get("unavailable"), str):
        raise ToolError(f"{tool} is not available here: {value['unavailable']}")
    if isinstance(value.get("failed"), str):
        raise ToolError(value["failed"])
    return value


def _line(entry: Mapping[str, Any], key: str) -> str:
    """A text of an answer on one line, of bounded length: it comes from anywhere."""
    value = entry.get(key)
    return " ".join(value.split())[:500] if isinstance(value, str) else ""
