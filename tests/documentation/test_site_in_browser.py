"""The site as it was built: all of its links lead somewhere, and it works in a browser without a network."""

from __future__ import annotations

import os
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from browsing import browser

from pi_gym import __version__
from pi_gym.registration import registered_ids

pytestmark = pytest.mark.slow
__all__ = ["browser"]


class Page(HTMLParser):
    """The links, the ids and what is loaded of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path, self.links, self.ids, self.loaded = path, set[str](), set[str](), set[str]()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        if found.get("id"):
            self.ids.add(str(found["id"]))
        if tag == "a" and found.get("href"):
            self.links.add(str(found["href"]))
        if tag in ("script", "img", "iframe") and found.get("src"):
            self.loaded.add(str(found["src"]))
        if tag == "link" and found.get("rel") in ("stylesheet", "icon", "preload"):
            self.loaded.add(str(found["href"]))


@pytest.fixture(scope="module")
def site() -> Path:
    folder = os.environ.get("PI_GYM_SITE")
    if not folder:
        pytest.skip("needs a built site: make test-docs")
    return Path(folder).absolute() / __version__


@pytest.fixture(scope="module")
def pages(site: Path) -> dict[Path, Page]:
    return {path: Page(path) for path in sorted(site.rglob("*.html"))}


@pytest.fixture
def tab(browser: Any) -> Iterator[Any]:
    """A page of a browser without a network; whatever it asks for outside, and what fails in it, is an error."""
    context = browser.new_context(offline=True)
    wrong: list[str] = []
    found = context.new_page()
    found.on("request", lambda one: None if one.url.startswith(("file:", "data:")) else wrong.append(one.url))
    found.on("pageerror", lambda error: wrong.append(str(error)))
    yield found
    context.close()
    assert wrong == []


def test_every_link_leads_to_a_page_and_a_place_on_it(pages: dict[Path, Page]) -> None:
    assert len(pages) > 60
    wrong = []
    for page in pages.values():
        for link in page.links:
            place, _, anchor = unquote(link).partition("#")
            if "://" in link or link.startswith("mailto:"):
                continue
            goal = Path(os.path.normpath(page.path.parent / place)) if place else page.path
            if not goal.is_file() or (anchor and goal.suffix == ".html" and anchor not in pages[goal].ids):
                wrong.append(f"{page.path.name}: {link}")
    assert wrong == []


def test_nothing_is_loaded_from_outside(pages: dict[Path, Page]) -> None:
    loaded = {(page.path.name, one) for page in pages.values() for one in page.loaded}
    assert loaded
    assert not [one for one in loaded if "://" in one[1] or one[1].startswith("//")]


@pytest.mark.parametrize("env_id", registered_ids())
def test_every_environment_has_a_page(site: Path, tab: Any, env_id: str) -> None:
    tab.goto(f"file://{site}/environments/{env_id}.html")
    assert tab.locator("h1").inner_text().startswith(env_id)
    assert tab.locator("text=Starting state").count() >= 1


def test_the_search_finds_a_page(site: Path, tab: Any) -> None:
    tab.goto(f"file://{site}/search.html?q=hidden+intents")
    tab.wait_for_selector("#search-results li a", timeout=20_000)
    assert tab.locator("#search-results li a").count() > 3


def test_the_first_page_leads_to_the_newest_version(site: Path, tab: Any) -> None:
    tab.goto(f"file://{site.parent}/index.html")
    tab.wait_for_url(f"**/{__version__}/index.html")
    assert tab.locator("#site-versions").input_value() == __version__


def test_code_that_names_something_is_a_link_to_it(site: Path, tab: Any) -> None:
    tab.goto(f"file://{site}/environments/PiBench-Mini-v0.html")
    tab.locator("a", has_text="pi_gym.RewardConfig").first.click()
    assert tab.url.endswith("reference/pi_gym.html#pi_gym.RewardConfig")


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("page", ["index", "tutorial", "researcher", "environments/Pare-v0", "reference/pi_gym"])
def test_no_page_is_wider_than_the_window(site: Path, tab: Any, page: str, width: int) -> None:
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto(f"file://{site}/{page}.html")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
