"""The offline web: a set of pages, and a full-text index over them that is built at the first search."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Protocol
from weakref import WeakSet

from pi_gym.tools.web_address import WebAddress, read_address
from pi_gym.tools.web_text import plain_text

if TYPE_CHECKING:
    import sqlite3

MAX_QUERY_WORDS = 24
_MAX_WORD_CHARS = 60
_SNIPPET_WORDS = 32
# Words that nearly every page holds: they would find pages, but say nothing about them.
_COMMON_WORDS = """
    a an and are as at be by can do does for from has have how i in is it its of on or our that the their there this to
    was we were what when where which who why will with you your
"""
_COMMON = frozenset(_COMMON_WORDS.split())
_TABLE = """
    CREATE VIRTUAL TABLE pages
    USING fts5(title, tags, body, day UNINDEXED, tokenize='porter unicode61 remove_diacritics 2')
"""
# A word in the title says more than one in the text; equal ranks are listed by address.
_BEST = """
    SELECT rowid FROM pages WHERE pages MATCH ? AND day <= ?
    ORDER BY round(bm25(pages, 6.0, 3.0, 1.0), 6), rowid LIMIT ?
"""
_SNIPPET = f"SELECT snippet(pages, 2, '**', '**', '…', {_SNIPPET_WORDS}) FROM pages WHERE pages MATCH ? AND rowid = ?"


@dataclass(frozen=True, slots=True)
class WebPage:
    """One page.

    Args:
        url: its address, as it is shown.
        title: its title.
        date: the day of its last change, ISO; before that day it is not there.
        site: whose page it is; may be empty.
        tags: words that help to find it.
        body: its content, Markdown.
    """

    url: str
    title: str
    date: str
    body: str
    site: str = ""
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageMatch:
    """One result of a search.

    Args:
        title: the page's title.
        url: its address.
        date: the day of its last change; may be empty.
        snippet: a piece of its text, the matched words between `**`.
    """

    title: str
    url: str
    date: str
    snippet: str


class WebPages(Protocol):
    """The pages that the offline tools read."""

    def search(self, query: str, count: int, today: str) -> list[PageMatch]:
        """The best pages for a query, best first."""
        ...

    def page(self, address: WebAddress, today: str) -> WebPage | None:
        """The page at an address, or None."""
        ...

    def neighbours(self, address: WebAddress, today: str) -> list[str]:
        """Addresses on the same host, sorted."""
        ...

    def __len__(self) -> int:
        """The number of pages."""
        ...


class WebCorpus:
    """Pages that can be searched. Shared by all sessions of a process, and safe for threads and forks.

    Args:
        pages: in any order.

    Raises:
        ValueError: two pages have one address.
    """

    def __init__(self, pages: Sequence[WebPage]) -> None:
        read = sorted(((read_address(page.url), page) for page in pages), key=lambda one: one[0].normal)
        self._pages = tuple(page for _, page in read)
        self._hosts = tuple(address.host for address, _ in read)
        self._by_address: Mapping[str, WebPage] = {address.normal: page for address, page in read}
        if len(self._by_address) < len(self._pages):
            twice = next(one.normal for (one, _), (other, _) in pairwise(read) if one.normal == other.normal)
            raise ValueError(f"two pages have the address {twice}")
        self._lock = Lock()
        self._index: sqlite3.Connection | None = None
        _all.add(self)

    def __len__(self) -> int:
        return len(self._pages)

    def search(self, query: str, count: int, today: str) -> list[PageMatch]:
        """The best pages for a query, best first, ties by address.

        Args:
            query: any text; its words are looked for, a page need not hold all of them.
            count: the most results.
            today: ISO day; later pages are not there yet.
        """
        words = query_words(query)
        if not words or not self._pages:
            return []
        match = " OR ".join(f'"{word}"' for word in words)
        found: list[PageMatch] = []
        with self._lock:
            index = self._connection()
            for (number,) in index.execute(_BEST, (match, today, count)).fetchall():
                page = self._pages[number - 1]
                (snippet,) = index.execute(_SNIPPET, (match, number)).fetchone()
                found.append(PageMatch(page.title, page.url, page.date, " ".join(snippet.split())))
        return found

    def page(self, address: WebAddress, today: str) -> WebPage | None:
        """The page at an address; None where there is none on that day."""
        page = self._by_address.get(address.normal)
        return page if page is not None and page.date <= today else None

    def neighbours(self, address: WebAddress, today: str) -> list[str]:
        """The addresses of the pages on the same host, sorted."""
        beside = (page for page, host in zip(self._pages, self._hosts, strict=True) if host == address.host)
        return [page.url for page in beside if page.date <= today]

    def _connection(self) -> sqlite3.Connection:
        if self._index is None:
            import sqlite3

            index = sqlite3.connect(":memory:", check_same_thread=False)
            try:
                index.execute(_TABLE)
            except sqlite3.OperationalError as error:
                raise RuntimeError(
                    f"the web's index needs a Python whose SQLite has FTS5 (this one: {error})"
                ) from error
            rows = [
                (number, page.title, " ".join((page.site, *page.tags)), plain_text(page.body), page.date)
                for number, page in enumerate(self._pages, start=1)
            ]
            index.executemany("INSERT INTO pages(rowid, title, tags, body, day) VALUES (?, ?, ?, ?, ?)", rows)
            self._index = index
        return self._index

    def renew(self) -> None:
        """Renew the connections in a forked child: SQLite's must not be carried over, nor closed there."""
        if self._index is not None:
            _left_behind.append(self._index)
        self._index, self._lock = None, Lock()


def query_words(query: str) -> list[str]:
    """The words of a query that are looked for: letters and digits only, so no syntax of the index can arise.

    >>> query_words('How much is a "day-pass" at the wall?')
    ['much', 'day', 'pass', 'wall']
    """
    text = unicodedata.normalize("NFKC", query[:4_000]).lower()
    words = "".join(c if c.isalnum() else " " for c in text).split()
    unique = list(dict.fromkeys(word[:_MAX_WORD_CHARS] for word in words))
    return ([word for word in unique if word not in _COMMON] or unique)[:MAX_QUERY_WORDS]


class LazyPages:
    """Pages that are read when they are first looked at.

    Args:
        read: gives the pages; called at each look, so it should remember them.
    """

    __slots__ = ("_read",)

    def __init__(self, read: Callable[[], WebCorpus]) -> None:
        self._read = read

    def search(self, query: str, count: int, today: str) -> list[PageMatch]:
        """As `WebCorpus.search`."""
        return self._read().search(query, count, today)

    def page(self, address: WebAddress, today: str) -> WebPage | None:
        """As `WebCorpus.page`."""
        return self._read().page(address, today)

    def neighbours(self, address: WebAddress, today: str) -> list[str]:
        """As `WebCorpus.neighbours`."""
        return self._read().neighbours(address, today)

    def __len__(self) -> int:
        return len(self._read())


_all: WeakSet[WebCorpus] = WeakSet()
_left_behind: list[sqlite3.Connection] = []


def _after_fork() -> None:
    for corpus in list(_all):
        corpus.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)
