"""A pack's web: pages are files with front matter, read when they are first looked at."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from pi_gym.errors import PackError
from pi_gym.packs import load_pack
from pi_gym.packs.web_pages import read_page, read_web
from pi_gym.tools.web_address import read_address

PACKS = Path(__file__).parents[1] / "packs"
PAGE = """---
title: Fees
url: https://wall.example/fees
date: 2026-01-10
site: Wall
tags: [a, b]
---

# Fees

---
rest
"""


def test_a_page_is_its_front_matter_and_its_text() -> None:
    page = read_page(PAGE.encode(), "web/fees.md")
    assert (page.title, page.url, page.date) == ("Fees", "https://wall.example/fees", "2026-01-10")
    assert (page.site, page.tags, page.body) == ("Wall", ("a", "b"), "# Fees\n\n---\nrest")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("---\ntitle", "title", "expected front matter"),
        ("title: Fees\n", "", "title: expected a text"),
        ("url: https", "url: ftp", "url: Only http"),
        ("2026-01-10", "10 January", "date: expected a day"),
        ("date: 2026-01-10\n", "", "date: expected a day"),
        ("site: Wall", "sites: Wall", "did you mean 'site'"),
        ("[a, b]", "a", "tags: expected a list"),
        ("# Fees\n\n---\nrest\n", "", "no text"),
        ("title: Fees", "title: [", "web/fees.md"),
        ("2026-01-10", "2026-13-45", "date: expected a day"),
        ("title: Fees", "title: Fees\ntitle: Feet", "line 3, column 1: the key 'title' stands twice"),
    ],
)
def test_a_broken_page_is_named_with_its_field(old: str, new: str, message: str) -> None:
    with pytest.raises(PackError, match=r"web/fees\.md") as raised:
        read_page(PAGE.replace(old, new, 1).encode(), "web/fees.md")
    assert message in str(raised.value)


def test_two_files_with_one_address_are_named(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text(PAGE)
    (tmp_path / "b.md").write_text(PAGE.replace("https://wall", "http://www.wall"))
    with pytest.raises(PackError, match=r"web/b\.md.*web/a\.md has that address too"):
        read_web(tmp_path)


def test_only_pages_lie_in_the_web(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("x")
    with pytest.raises(PackError, match=r"a\.txt.*Markdown files"):
        read_web(tmp_path)


def test_a_packs_web_is_read_at_the_first_look_and_then_shared(tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    shutil.copytree(PACKS / "tiny", folder)
    (folder / "web").mkdir()
    broken = folder / "web" / "fees.md"
    broken.write_text("no front matter")
    with pytest.raises(PackError, match="expected front matter"):
        load_pack(folder).web.search("fees", 5, "2026-03-01")
    folder = folder.rename(tmp_path / "mended")
    (folder / "web" / "fees.md").write_text(PAGE)
    pack = load_pack(folder)
    assert pack.web.search("fees", 5, "2026-03-01")[0].title == "Fees"
    (folder / "web" / "fees.md").write_text(PAGE.replace("rest", "other"))
    again = pack.instantiate(pack.task_ids[0], 7).home.web.page(read_address("wall.example/fees"), "2026-03-01")
    assert again is not None
    assert again.body.endswith("rest")


def test_a_pack_without_a_web_has_an_empty_one() -> None:
    pack = load_pack(PACKS / "tiny")
    assert len(pack.web) == 0
