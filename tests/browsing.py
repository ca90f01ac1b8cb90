"""A browser for tests of pages: the system's Chromium, without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest


# Playwright keeps an event loop running in the thread, in which nothing else that has one can run: so no longer than
# the tests of one file.
@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, driven by playwright; skipped where either is missing."""
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    chromium = shutil.which("chromium")
    if chromium is None:
        pytest.skip("no Chromium; apt-get install chromium")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield browser
        browser.close()
