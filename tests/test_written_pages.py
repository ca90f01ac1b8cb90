"""The pages and tables of docs/ that come from declarations are those that the declarations give."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES: dict[str, str] = runpy.run_path(str(ROOT / "scripts" / "write_pages.py"))["pages"]()


@pytest.mark.parametrize("name", PAGES)
def test_the_page_is_written_from_the_declarations(name: str) -> None:
    written = (ROOT / "docs" / name).read_text(encoding="utf-8")
    assert written == PAGES[name], f"docs/{name} is out of date; run: python scripts/write_pages.py"
