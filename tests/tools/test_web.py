"""The operations `web_search` and `web_fetch`: over a corpus they answer at once, online they ask."""

from __future__ import annotations

import multiprocessing
import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_gym.state import Workspace, World
from pi_gym.tools import EVERY, GENERAL, Registry, ToolContext, ToolResult
from pi_gym.tools.web import web_fetch, web_search
from pi_gym.tools.web_address import AddressRefused, read_address
from pi_gym.tools.web_corpus import WebCorpus, WebPage
from pi_gym.tools.web_text import plain_text, text_page
from pi_gym.types import ToolCall

TOOLS = Registry((web_search, web_fetch))
LONG = "\n".join(f"Line {number} of the long page." for number in range(1, 401))
FEES = "# Fees\n\nA **day pass** costs 120."
PAGES = (
    WebPage("https://www.wall.example/fees", "Fees of the wall", "2026-01-10", FEES, "Wall"),
    WebPage("https://wall.example/fees/old/", "Fees in 2023", "2023-01-10", "A day pass costs 95."),
    WebPage("https://wall.example/news", "The wall is shut", "2026-03-09", "Shut for a week."),
    WebPage("https://trains.example/fares?to=north", "To the north", "2025-12-14", "Tickets: 240.", "", ("railway",)),
    WebPage("https://long.example/", "Very long", "2025-01-01", LONG),
)  # fmt: skip
CORPUS = WebCorpus(PAGES)


def context(web: Any = CORPUS, clock: str = "2026-03-02T10:00:00") -> ToolContext:
    return ToolContext(World(Workspace({"a.md": b"a"})), clock=clock, web=web)


def search(query: str, web: Any = CORPUS, clock: str = "2026-03-02T10:00:00", **arguments: Any) -> ToolResult:
    return TOOLS.run(ToolCall("web_search", {"query": query, **arguments}), context(web, clock))


def fetch(url: str, web: Any = CORPUS, clock: str = "2026-03-02T10:00:00", **arguments: Any) -> ToolResult:
    return TOOLS.run(ToolCall("web_fetch", {"url": url, **arguments}), context(web, clock))


def test_the_tools_are_called_with_these_parameters() -> None:
    assert web_search.call_form() == "web_search(query: str, count: int = 5)"
    assert web_fetch.call_form() == (
        'web_fetch(url: str, extractMode: "markdown" | "text" = "markdown", maxChars: int = 8000, offset: int = 0)'
    )
    assert not {"web_search", "web_fetch", "notebook_edit"} & set(GENERAL.names)
    assert {"web_search", "web_fetch", "notebook_edit"} <= set(EVERY.names)


# -- searching -------------------------------------------------------------------------------------------------------


def test_a_search_lists_title_address_date_and_a_snippet_with_the_words() -> None:
    first = search("day-pass price?").text.split("\n2. ")[0]
    assert first == ("1. Fees in 2023\n   https://wall.example/fees/old/ (2023-01-10)\n   A **day** **pass** costs 95.")


def test_words_are_found_in_other_forms_and_titles_count_more() -> None:
    assert search("ticketing").text.startswith("1. To the north")
    assert search("railways").text.startswith("1. To the north")
    pages = [WebPage(f"https://x.example/{n}", "Other", "2025-01-01", "tidal " * 3 + "words " * 20) for n in range(3)]
    others = [WebPage(f"https://y.example/{n}", "Other", "2025-01-01", "words " * 20) for n in range(9)]
    titled = WebPage("https://x.example/z", "Tidal power", "2025-01-01", "words " * 20)
    corpus = WebCorpus([*pages, *others, titled])
    assert search("tidal", corpus).text.startswith("1. Tidal power")


def test_equal_ranks_are_listed_by_address() -> None:
    pages = [WebPage(f"https://x.example/{n}", "Same", "2025-01-01", "same words") for n in (5, 3, 9, 1)]
    addresses = [line.split()[0] for line in search("same", WebCorpus(pages)).text.split("\n") if "https" in line]
    assert addresses == sorted(addresses)
    assert len(addresses) == 4


def test_count_bounds_the_results() -> None:
    pages = [WebPage(f"https://x.example/{n:02}", "Same", "2025-01-01", "same words") for n in range(12)]
    assert search("same", WebCorpus(pages)).text.count("https://") == 5
    assert search("same", WebCorpus(pages), count=10).text.count("https://") == 10
    assert "between 1 and 10, not 11" in search("same", WebCorpus(pages), count=11).text


def test_pages_of_later_days_are_not_there_yet() -> None:
    assert "shut" not in search("wall shut").text
    assert not fetch("https://wall.example/news").ok
    assert "wall.example/news" not in fetch("https://wall.example/nothing").text
    assert "The wall is shut" in search("wall shut", clock="2026-03-09T00:00:00").text
    assert fetch("https://wall.example/news", clock="2026-03-09T00:00:00").ok


def test_a_search_that_finds_nothing_says_so() -> None:
    assert search("xylophone") == ToolResult("[no page matches; try fewer or other words]")
    assert "no words" in search(' "*" ').text


@pytest.mark.parametrize(
    "query",
    ['"', "day AND", "NEAR(a b", "title:fees", "a* -b ^c", "'; DROP TABLE pages; --", "-", "\0x", "é́", "\ud800 day"],
)
def test_no_query_is_a_syntax_error(query: str) -> None:
    assert "rror" not in search(query).text or "no words" in search(query).text


@given(st.text(max_size=40))
def test_any_query_gives_results_or_a_reason(query: str) -> None:
    result = search(query)
    assert result == search(query)
    assert result.ok or "no words" in result.text


def test_threads_share_one_index() -> None:
    corpus = WebCorpus(PAGES)
    with ThreadPoolExecutor(8) as pool:
        texts = set(pool.map(lambda _: search("day pass", corpus).text, range(64)))
    assert texts == {search("day pass").text}


def _search_in_child(pipe: Any) -> None:
    pipe.send(search("day pass").text)


def test_a_forked_process_searches_too() -> None:
    before = search("day pass").text
    here, there = multiprocessing.Pipe()
    child = multiprocessing.get_context("fork").Process(target=_search_in_child, args=(there,))
    with CORPUS._lock:  # as if a thread were searching at the moment of the fork
        child.start()
    assert here.poll(20)
    assert here.recv() == before
    child.join()


def test_nothing_is_indexed_before_the_first_search() -> None:
    corpus = WebCorpus(PAGES)
    assert fetch("wall.example/fees", corpus).ok
    assert corpus._index is None
    search("day", corpus)
    assert corpus._index is not None


# -- fetching --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "url",
    [
        "https://wall.example/fees",
        "http://WWW.wall.example:80/fees/",
        "wall.example/fees#day",
        " https://wall.example./fees/index.html?utm_source=mail ",
        "https://wall.example:443/%66ees",
    ],
)
def test_the_ways_to_write_an_address_lead_to_one_page(url: str) -> None:
    head = "Fees of the wall\nhttps://www.wall.example/fees\nWall · last changed 2026-01-10"
    assert fetch(url).text == f"{head}\n\n{FEES}"


def test_the_text_mode_strips_the_marks() -> None:
    assert fetch("wall.example/fees", extractMode="text").text.endswith("\n\nFees\n\nA day pass costs 120.")


def test_parameters_of_an_address_count() -> None:
    assert fetch("trains.example/fares?to=north").ok
    assert "trains.example/fares?to=north" in fetch("trains.example/fares?to=south").text


@pytest.mark.parametrize(
    ("url", "reason"),
    [
        ("https://nowhere.example/x", "offline collection of pages here, and it has nothing from the host"),
        ("https://wall.example/x", "web_search. From that host: https://www.wall.example/fees, https://wall.ex"),
        ("ftp://wall.example/x", "Only http and https"),
        ("file:///etc/passwd", "Only http and https"),
        ("https://", "no web address"),
        ("", "is empty"),
        ("https://a b.example", "spaces"),
        ("https://user:pw@wall.example/fees", "no web address"),
        ("https://wall.example:99999/fees", "no web address"),
        ("https://[::1/fees", "no web address"),
        ("https://x.example/" + "a" * 3_000, "at most 2000"),
    ],
)
def test_an_address_without_a_page_is_explained(url: str, reason: str) -> None:
    result = fetch(url)
    assert not result.ok
    assert reason in result.text


@given(st.text(max_size=30))
def test_a_normal_address_is_its_own_normal_form(text: str) -> None:
    try:
        address = read_address(text)
    except AddressRefused:
        return
    assert read_address(address.normal) == address


@pytest.mark.parametrize(
    "url",
    [
        "http://[::1]/",
        "https://[2001:db8::7]:8443/a",
        "http://[fe80::1%eth0]/",
        "http://[v1.abc]/",
        "http://" + "b" * 1_993,
        "a" * 1_995,
        "http://a/" + "é" * 1_900,
        "a/?" + "ü=" * 900,
    ],
)
@pytest.mark.parametrize("web", ["offline", "live"])
def test_an_address_that_was_accepted_is_not_refused_later(url: str, web: str) -> None:
    if web == "live":
        assert TOOLS.run(ToolCall("web_fetch", {"url": url}), context("live")).request is not None
    else:
        result = fetch(url)
        assert not result.ok
        assert "nothing from the host" in result.text


def test_an_ipv6_address_keeps_its_brackets() -> None:
    assert read_address("http://[2001:DB8::7]:8443/a/").normal == "https://[2001:db8::7]:8443/a"


def test_a_long_page_can_be_read_to_its_end() -> None:
    pieces, offset = [], 0
    while True:
        head, _, rest = fetch("long.example", maxChars=3_000, offset=offset).text.partition("\n\n")
        assert head == "Very long\nhttps://long.example/\nlast changed 2025-01-01"
        piece, _, note = rest.rpartition("\n[")
        pieces.append(piece)
        if "go on with" not in note:
            break
        offset = int(note.rpartition("=")[2].rstrip("]"))
    assert "\n".join(pieces) == LONG
    assert len(pieces) > 3


@given(st.text(alphabet="ab\n", max_size=60), st.integers(1, 20))
def test_pieces_of_a_text_lose_nothing_but_blank_ends(text: str, most: int) -> None:
    offset, letters = 0, ""
    while True:
        page = text_page(text, offset, most)
        piece, _, note = page.rpartition("\n[characters ")
        letters += (piece if note != page else page).replace("\n", "")
        if "go on with" not in note:
            break
        following = int(note.rpartition("=")[2].rstrip("]"))
        assert following > offset
        offset = following
    assert letters == text.replace("\n", "")


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"maxChars": 50}, "between 100 and 15000"),
        ({"maxChars": 20_000}, "between 100 and 15000"),
        ({"offset": -1}, "0 or more"),
        ({"offset": 99_999}, "behind its end"),
        ({"extractMode": "html"}, 'expected one of "markdown", "text"'),
    ],
)
def test_arguments_out_of_range_are_named(arguments: dict[str, Any], reason: str) -> None:
    assert reason in fetch("long.example", **arguments).text


@pytest.mark.parametrize(
    ("markdown", "plain"),
    [
        ('[a link](https://x.example "t") and ![an image](i.png)', "a link and an image"),
        ("*one* **two** `three` snake_case_name __four__", "one two three snake_case_name four"),
        ("> quoted\n\n---\n\n### Heading ###", "quoted\n\n\nHeading"),
        ("| a | b |\n| --- | ---: |\n| 1 | **2** |", "a\tb\n1\t2"),
        ("```\n# no heading\n```", "# no heading"),
        ("- item 2 * 3 * 4", "- item 2 * 3 * 4"),
    ],
)
def test_plain_text_of_markdown(markdown: str, plain: str) -> None:
    assert plain_text(markdown) == plain


# -- no web, live web ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("web", [None, WebCorpus([])])
def test_without_pages_both_tools_say_so(web: Any) -> None:
    assert "this one has no pages" in search("words", web).text
    assert "this one has no pages" in fetch("wall.example", web).text


def test_two_pages_with_one_address_are_refused() -> None:
    with pytest.raises(ValueError, match=r"two pages have the address https://wall\.example/fees"):
        WebCorpus([PAGES[0], WebPage("http://wall.example/fees/", "x", "2025-01-01", "x")])


def test_live_calls_are_asks() -> None:
    found = search("day pass", "live", count=3)
    assert found.request is not None
    assert (found.request.kind, found.request.payload["action"], found.request.payload["count"]) == ("web", "search", 3)
    page = fetch("http://wall.example/Fees/#x", "live")
    assert page.request is not None
    assert pickle.loads(pickle.dumps(page.request)).payload == {
        "action": "fetch", "url": "http://wall.example/Fees/#x", "mode": "markdown",
    }  # fmt: skip
    assert "Only http" in fetch("gopher://x.example", "live").text


def resumed(name: str, value: Any, **arguments: Any) -> ToolResult:
    return TOOLS.resume(ToolCall(name, arguments), context("live"), value)


def test_live_answers_look_like_the_offline_ones() -> None:
    entries = [{"title": "A\nb", "url": "https://x.example", "snippet": "s"}, {"title": "B"}]
    assert resumed("web_search", {"results": entries}, query="a", count=1).text == "1. A b\n   https://x.example\n   s"
    assert "no page matches" in resumed("web_search", {"results": []}, query="a").text
    page = {"page": {"title": "T", "url": "https://x.example", "text": "abc\n" * 100}}
    text = resumed("web_fetch", page, url="x.example", maxChars=100, offset=20).text
    assert text.startswith("T\nhttps://x.example\n\nabc")
    assert "[characters 20 to 120 of 399; go on with offset=120]" in text


@pytest.mark.parametrize(
    "value", [None, "x", [], {}, {"results": 3}, {"results": [1]}, {"page": {}}, {"page": {"text": 1}}]
)
@pytest.mark.parametrize(("name", "arguments"), [("web_search", {"query": "a"}), ("web_fetch", {"url": "a.example"})])
def test_answers_of_another_shape_are_errors_for_the_agent(name: str, arguments: Any, value: Any) -> None:
    result = resumed(name, value, **arguments)
    assert not result.ok
    assert "cannot be read" in result.text


def test_what_the_live_web_cannot_do_is_told_to_the_agent() -> None:
    assert resumed("web_fetch", {"failed": "gone"}, url="a.example").text == "Error: gone."
    assert "not available here: install it" in resumed("web_search", {"unavailable": "install it"}, query="a").text
