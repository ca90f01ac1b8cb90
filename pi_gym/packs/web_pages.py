"""A pack's offline web: `web/**/*.md`, one page a file, read at the first look.

A file begins with front matter between `---` lines: `title`, `url`, `date` (ISO), and optionally `site` and `tags`; the
rest is the page in Markdown.
"""

from __future__ import annotations

from datetime import date
from pathlib import Path
from typing import Any

from pi_gym.errors import PackError, closest
from pi_gym.packs.plain_files import read_tree
from pi_gym.schema import front_matter
from pi_gym.tools.web_address import AddressRefused, read_address
from pi_gym.tools.web_corpus import WebCorpus, WebPage

_KEYS = ("title", "url", "date", "site", "tags")


def read_web(folder: Path) -> WebCorpus:
    """All pages under a folder.

    Raises:
        PackError: a page is not as it should be, or two have one address; the message names file and field.
    """
    pages: list[WebPage] = []
    places: dict[str, str] = {}
    for path, data in read_tree(folder, "web").items():
        shown = f"web/{path}"
        if not path.endswith(".md"):
            raise PackError(shown, "", "pages of the web are Markdown files, *.md")
        page = read_page(data, shown)
        address = read_address(page.url).normal
        if address in places:
            raise PackError(shown, "url", f"{places[address]} has that address too")
        places[address] = shown
        pages.append(page)
    return WebCorpus(pages)


def read_page(data: bytes, shown: str) -> WebPage:
    """One page from its file.

    Args:
        data: the file's content.
        shown: its name in error messages.

    Raises:
        PackError: front matter or text is not as it should be; the message names file and field.
    """
    try:
        front, body = front_matter(data.decode(), shown)
    except UnicodeDecodeError as error:
        raise PackError(shown, "", str(error)) from error
    for key in front:
        if key not in _KEYS:
            near = closest(str(key), _KEYS, 1)
            raise PackError(shown, str(key), "unknown key" + (f"; did you mean {near[0]!r}?" if near else ""))
    for key in ("title", "url"):
        if not isinstance(front.get(key), str) or not front[key].strip():
            raise PackError(shown, key, "expected a text")
    try:
        read_address(front["url"])
    except AddressRefused as error:
        raise PackError(shown, "url", str(error)) from error
    tags, site = front.get("tags", []), front.get("site", "")
    if not isinstance(tags, list) or not all(isinstance(tag, str) for tag in tags):
        raise PackError(shown, "tags", "expected a list of texts")
    if not isinstance(site, str):
        raise PackError(shown, "site", "expected a text")
    if not body:
        raise PackError(shown, "", "the page has no text")
    return WebPage(front["url"], front["title"].strip(), _iso_day(front.get("date"), shown), body, site, tuple(tags))


def _iso_day(value: Any, shown: str) -> str:
    try:
        if isinstance(value, str):
            return date.fromisoformat(value).isoformat()
    except ValueError:
        pass
    raise PackError(shown, "date", f"expected a day as 2026-01-31, got {value!r}")
