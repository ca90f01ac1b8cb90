"""The Researcher's web: enough pages, all of them invented, and found by the words that one would look for."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import re2

from pi_gym.installed import envs_folder
from pi_gym.packs.web_pages import read_page, read_web
from pi_gym.tools.web_address import read_address
from pi_gym.tools.web_corpus import WebCorpus, WebPage

FOLDER = envs_folder() / "researcher" / "web"
PATHS = sorted(FOLDER.rglob("*.md"))
TODAY = "2026-04-01"
LINK = re2.compile(r"\]\((https?://[^)]+)\)")


@pytest.fixture(scope="module")
def corpus() -> WebCorpus:
    return read_web(FOLDER)


@pytest.fixture(scope="module")
def pages() -> list[WebPage]:
    return [read_page(path.read_bytes(), path.name) for path in PATHS]


def test_there_are_enough_pages_of_readable_length(pages: list[WebPage]) -> None:
    assert len(pages) >= 45
    assert [page.url for page in pages if not 150 <= len(page.body.split()) <= 900] == []
    assert len({page.title for page in pages}) == len(pages)


def hosts(page: WebPage) -> Iterator[str]:
    for text in (page.url, *(str(match.group(1)) for match in LINK.finditer(page.body))):
        yield text.split("/")[2]


def test_every_host_is_reserved_for_examples(pages: list[WebPage]) -> None:
    assert [page.url for page in pages if not all(host.endswith(".example") for host in hosts(page))] == []
    addresses = re2.compile(r"[\w.+-]+@[\w.-]+")
    written = [str(match.group(0)) for page in pages for match in addresses.finditer(page.body)]
    assert written
    assert [address for address in written if not address.rstrip(".").endswith(".example")] == []


def test_links_lead_to_pages(pages: list[WebPage], corpus: WebCorpus) -> None:
    linked = [str(match.group(1)) for page in pages for match in LINK.finditer(page.body)]
    assert linked
    assert [url for url in linked if corpus.page(read_address(url), TODAY) is None] == []


def test_pages_lie_between_the_first_memories_and_the_last_session(pages: list[WebPage]) -> None:
    assert [page.url for page in pages if not "2023-01-01" <= page.date <= TODAY] == []


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("cluster how many cards during the week", "halden-it.example/it/cluster/rules"),
        ("travel claim receipts days after return 2026", "halden-it.example/staff/travel/costs"),
        ("master thesis hand-in date spring 2026", "halden-it.example/students/thesis-office/dates"),
        ("foyer loudspeaker limit", "halden-it.example/campus/foyer"),
        ("Interwave 2026 paper deadline", "interwave.example/2026/call"),
        ("Interwave author kit figures font size", "interwave.example/2026/author-kit"),
        ("Tern 2 firmware crackle", "veltra-hearing.example/support/tern-2/firmware"),
        ("Veltra reception second floor parcels", "veltra-hearing.example/contact"),
        ("train Halden Oslo timetable", "nordlinjen.example/timetable/halden-oslo"),
        ("Nordlinjen student fare Oslo", "nordlinjen.example/fares"),
        ("permit recording in bus", "halden-buss.example/fares"),
        ("climbing club student membership price", "halden-klatreklubb.example/prices"),
        ("belay course dates", "halden-klatreklubb.example/courses"),
        ("Myhre dentist address", "myhre-tannlege.example"),
        ("Bjornbu cabin weekend price summer", "bjornbu-hytte.example"),
        ("wind noise corpus licence for a demonstration", "vindlyd.example/corpus"),
        ("pocket recorder test battery", "testbenken.example/recorders-2026"),
        ("bike spring service price", "hjulet-sykkel.example/workshop"),
        ("A0 poster print shop", "trykk-papir.example/prices"),
        ("tax return deadline", "pengevett.example/tax-return-2026"),
    ],
)
def test_a_plain_query_finds_its_page_among_the_first_three(corpus: WebCorpus, query: str, url: str) -> None:
    found = [entry.url.removeprefix("https://") for entry in corpus.search(query, 3, TODAY)]
    assert url in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("halden-it.example/it/cluster/rules-2024", "halden-it.example/it/cluster/rules"),
        ("halden-it.example/staff/travel/costs-2025", "halden-it.example/staff/travel/costs"),
        ("interwave.example/2025/call", "interwave.example/2026/call"),
        ("nordlinjen.example/timetable/2025/halden-oslo", "nordlinjen.example/timetable/halden-oslo"),
        ("halden-klatreklubb.example/prices-2024", "halden-klatreklubb.example/prices"),
        ("tannleger-i-halden.example/myhre", "myhre-tannlege.example"),
        ("testbenken.example/recorders-2024", "testbenken.example/recorders-2026"),
    ],
)
def test_outdated_pages_have_a_newer_one(corpus: WebCorpus, old: str, new: str) -> None:
    before, after = corpus.page(read_address(old), TODAY), corpus.page(read_address(new), TODAY)
    assert before is not None
    assert after is not None
    assert before.date < after.date


def test_no_page_speaks_of_the_user(pages: list[WebPage]) -> None:
    assert [page.url for page in pages if "Nora" in page.body] == []
