"""The packs' webs: enough pages, all of them invented, and found by the words that one would look for."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import pytest
import re2

from pi_gym.installed import envs_folder
from pi_gym.packs.web_pages import read_page, read_web
from pi_gym.tools.web_address import read_address
from pi_gym.tools.web_corpus import WebCorpus, WebPage

LINK = re2.compile(r"\]\((https?://[^)]+)\)")


@dataclass(frozen=True, slots=True)
class Web:
    """What is expected of one pack's web.

    Args:
        pack: the pack's folder.
        pages: the fewest pages.
        words: the fewest and the most words of a page.
        since: the day of the oldest page at the earliest.
        today: the day of the last session, from which all pages are there.
        user: the user's first name, which no page knows.
    """

    pack: str
    pages: int
    words: tuple[int, int]
    since: str
    today: str
    user: str

    def read(self) -> list[WebPage]:
        folder = envs_folder() / self.pack / "web"
        return [read_page(path.read_bytes(), path.name) for path in sorted(folder.rglob("*.md"))]

    def corpus(self) -> WebCorpus:
        return _corpus(self.pack)


@cache
def _corpus(pack: str) -> WebCorpus:
    return read_web(envs_folder() / pack / "web")


RESEARCHER = Web("researcher", 45, (150, 900), "2023-01-01", "2026-04-01", "Nora")
PHARMACIST = Web("pharmacist", 72, (250, 900), "2016-01-01", "2026-06-12", "Mairead")
WEBS = pytest.mark.parametrize("web", [RESEARCHER, PHARMACIST], ids=lambda web: web.pack)


@WEBS
def test_there_are_enough_pages_of_readable_length(web: Web) -> None:
    pages, (fewest, most) = web.read(), web.words
    assert len(pages) >= web.pages
    assert [page.url for page in pages if not fewest <= len(page.body.split()) <= most] == []
    assert len({page.title for page in pages}) == len(pages)


def hosts(page: WebPage) -> Iterator[str]:
    for text in (page.url, *(str(match.group(1)) for match in LINK.finditer(page.body))):
        yield text.split("/")[2]


@WEBS
def test_every_host_is_reserved_for_examples(web: Web) -> None:
    pages = web.read()
    assert [page.url for page in pages if not all(host.endswith(".example") for host in hosts(page))] == []
    addresses = re2.compile(r"[\w.+-]+@[\w.-]+")
    written = [str(match.group(0)) for page in pages for match in addresses.finditer(page.body)]
    assert written
    assert [address for address in written if not address.rstrip(".").endswith(".example")] == []


@WEBS
def test_links_lead_to_other_pages(web: Web) -> None:
    linked = [(page.url, str(match.group(1))) for page in web.read() for match in LINK.finditer(page.body)]
    assert linked
    corpus = web.corpus()
    assert [url for url, link in linked if corpus.page(read_address(link), web.today) is None] == []
    assert [url for url, link in linked if read_address(link).normal == read_address(url).normal] == []


@WEBS
def test_pages_lie_between_the_first_memories_and_the_last_session(web: Web) -> None:
    assert [page.url for page in web.read() if not web.since <= page.date <= web.today] == []


@WEBS
def test_no_page_speaks_of_the_user(web: Web) -> None:
    assert [page.url for page in web.read() if web.user in page.body] == []


@pytest.mark.parametrize(
    ("web", "query", "url"),
    [
        (RESEARCHER, "cluster how many cards during the week", "halden-it.example/it/cluster/rules"),
        (RESEARCHER, "travel claim receipts days after return 2026", "halden-it.example/staff/travel/costs"),
        (RESEARCHER, "master thesis hand-in date spring 2026", "halden-it.example/students/thesis-office/dates"),
        (RESEARCHER, "foyer loudspeaker limit", "halden-it.example/campus/foyer"),
        (RESEARCHER, "Interwave 2026 paper deadline", "interwave.example/2026/call"),
        (RESEARCHER, "Interwave author kit figures font size", "interwave.example/2026/author-kit"),
        (RESEARCHER, "Tern 2 firmware crackle", "veltra-hearing.example/support/tern-2/firmware"),
        (RESEARCHER, "Veltra reception second floor parcels", "veltra-hearing.example/contact"),
        (RESEARCHER, "train Halden Oslo timetable", "nordlinjen.example/timetable/halden-oslo"),
        (RESEARCHER, "Nordlinjen student fare Oslo", "nordlinjen.example/fares"),
        (RESEARCHER, "permit recording in bus", "halden-buss.example/fares"),
        (RESEARCHER, "climbing club student membership price", "halden-klatreklubb.example/prices"),
        (RESEARCHER, "belay course dates", "halden-klatreklubb.example/courses"),
        (RESEARCHER, "Myhre dentist address", "myhre-tannlege.example"),
        (RESEARCHER, "Bjornbu cabin weekend price summer", "bjornbu-hytte.example"),
        (RESEARCHER, "wind noise corpus licence for a demonstration", "vindlyd.example/corpus"),
        (RESEARCHER, "pocket recorder test battery", "testbenken.example/recorders-2026"),
        (RESEARCHER, "bike spring service price", "hjulet-sykkel.example/workshop"),
        (RESEARCHER, "A0 poster print shop", "trykk-papir.example/prices"),
        (RESEARCHER, "tax return deadline", "pengevett.example/tax-return-2026"),
        (PHARMACIST, "interim or final analysis velorutamide survival", "nordic-study-register.example/NSR-2021-0114"),
        (PHARMACIST, "FULMAR-2 erratum stopped for harm", "nordic-study-register.example/NSR-2022-0347"),
        (
            PHARMACIST,
            "number needed to treat from survival curves",
            "vest-medlib.example/guides/number-needed-to-treat",
        ),
        (PHARMACIST, "curves cross, what instead of a hazard ratio", "vest-medlib.example/guides/hazard-ratio"),
        (PHARMACIST, "certainty of evidence cohort starts low", "vest-medlib.example/guides/grade"),
        (PHARMACIST, "radium combination with abiraterone", "coast-formulary.example/classes/radium-223"),
        (PHARMACIST, "abiraterone why with prednisolone", "coast-formulary.example/classes/abiraterone"),
        (PHARMACIST, "olaparib BRCA test result pending", "coast-formulary.example/classes/parp-inhibitors"),
        (PHARMACIST, "enzalutamide CYP3A4 inducer anticoagulant", "coast-formulary.example/cautions/cyp"),
        (PHARMACIST, "drug list darolutamide hospital", "eidsund-hospital.example/pharmacy/house-list"),
        (PHARMACIST, "two genes different efficiency ratio", "benkboka.example/qpcr/standard-curve"),
        (PHARMACIST, "MIQE checklist", "vest-medlib.example/guides/qpcr-reporting"),
        (PHARMACIST, "coloured compound blank viability", "benkboka.example/cells/viability-dye"),
        (PHARMACIST, "too much degrader works less", "benkboka.example/degraders/hook-effect"),
        (PHARMACIST, "which salt is on the bottle", "kompounderen.example/buffers"),
        (PHARMACIST, "diffusion cell sample replaced cumulative", "kompounderen.example/diffusion-cells"),
        (PHARMACIST, "USP 795 days preserved gel", "compounding-letters.example/2023/beyond-use-dates-revised"),
        (PHARMACIST, "azide not allowed linker", "labsikker.example/azides"),
        (PHARMACIST, "DMF solvent class", "kvalitetsbenken.example/q3c-classes"),
        (PHARMACIST, "linker delivery time", "kjemihandel.example/building-blocks"),
        (PHARMACIST, "Nordreagens delivery", "nordreagens.example/delivery"),
        (PHARMACIST, "Havsalve urea declaration", "havsalve.example/pharmacy"),
        (PHARMACIST, "last ferry on Tuesday", "eidsund-ferry.example/timetable"),
        (PHARMACIST, "hospital goods-in parcel gate", "eidsund-hospital.example/gates"),
        (PHARMACIST, "working day between Ascension and weekend", "kalenderbladet.example/norway/2026"),
    ],
)
def test_a_plain_query_finds_its_page_among_the_first_three(web: Web, query: str, url: str) -> None:
    found = [entry.url.removeprefix("https://") for entry in web.corpus().search(query, 3, web.today)]
    assert url in found


@pytest.mark.parametrize(
    ("web", "old", "new"),
    [
        (RESEARCHER, "halden-it.example/it/cluster/rules-2024", "halden-it.example/it/cluster/rules"),
        (RESEARCHER, "halden-it.example/staff/travel/costs-2025", "halden-it.example/staff/travel/costs"),
        (RESEARCHER, "interwave.example/2025/call", "interwave.example/2026/call"),
        (RESEARCHER, "nordlinjen.example/timetable/2025/halden-oslo", "nordlinjen.example/timetable/halden-oslo"),
        (RESEARCHER, "halden-klatreklubb.example/prices-2024", "halden-klatreklubb.example/prices"),
        (RESEARCHER, "tannleger-i-halden.example/myhre", "myhre-tannlege.example"),
        (RESEARCHER, "testbenken.example/recorders-2024", "testbenken.example/recorders-2026"),
        (PHARMACIST, "coast-formulary.example/classes/radium-223-2017", "coast-formulary.example/classes/radium-223"),
        (PHARMACIST, "benkboka.example/qpcr/miqe", "vest-medlib.example/guides/qpcr-reporting"),
        (
            PHARMACIST,
            "compounding-letters.example/2016/beyond-use-dates",
            "compounding-letters.example/2023/beyond-use-dates-revised",
        ),
        (
            PHARMACIST,
            "nordic-study-register.example/NSR-2021-0114/version-4",
            "nordic-study-register.example/NSR-2021-0114",
        ),
        (
            PHARMACIST,
            "nordic-study-register.example/NSR-2022-0347/version-3",
            "nordic-study-register.example/NSR-2022-0347",
        ),
        (PHARMACIST, "nordreagens.example/delivery-2025", "nordreagens.example/delivery"),
        (PHARMACIST, "kjemihandel.example/delivery-2025", "kjemihandel.example/delivery"),
        (PHARMACIST, "eidsund-hospital.example/gates-2023", "eidsund-hospital.example/gates"),
        (PHARMACIST, "eidsund-ferry.example/timetable-winter-2025", "eidsund-ferry.example/timetable"),
        (PHARMACIST, "provebordet.example/cool-bags-2023", "provebordet.example/cool-bags-2026"),
    ],
)
def test_outdated_pages_have_a_newer_one(web: Web, old: str, new: str) -> None:
    before = web.corpus().page(read_address(old), web.today)
    after = web.corpus().page(read_address(new), web.today)
    assert before is not None
    assert after is not None
    assert before.date < after.date
