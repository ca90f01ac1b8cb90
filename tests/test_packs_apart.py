"""No two packs hold the same by copy: what they share is in the library (`pi_gym/authoring`) or in `envs/_shared`.

Compared is what is written by hand: every text file of a pack's folder (code, YAML, templates, seeds of its world,
pages of its web, files that tasks bring), but for the rows in apps/*.json, which are made from the seeds. Of each line
the blanks do not count, blank lines not at all, and names neither: words that begin with a capital are as good as any
others, and so is an address. Twenty lines in a row that are equal then, ten of them different at least, are a copy.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from pi_gym.installed import envs_folder

LINES, DIFFERENT = 20, 10
_ADDRESS = re.compile(r"[\w.+-]+@[\w.-]+\w")
_NAME = re.compile(r"\b[A-Z][\w'-]*(?:\s+[A-Z][\w'-]*)*")
PACKS = sorted(path.name for path in envs_folder().iterdir() if path.is_dir() and path.name[0] not in "_.")


def lines_of(path: Path) -> list[tuple[int, str]]:
    """Number and normal form of the lines of a text file that are not blank; none of what is no text."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return []
    normal = ("".join(_NAME.sub("N", _ADDRESS.sub("@", line)).split()) for line in text.splitlines())
    return [(number, line) for number, line in enumerate(normal, start=1) if line]


def pieces_of(pack: Path) -> Iterator[tuple[tuple[str, ...], str]]:
    """Each piece of so many lines, with the place where it begins."""
    for path in sorted(pack.rglob("*")):
        made = path.suffix == ".json" and path.parent.name == "apps"
        if not path.is_file() or made or "__pycache__" in path.parts:
            continue
        lines = lines_of(path)
        for at in range(len(lines) - LINES + 1):
            piece = tuple(line for _, line in lines[at : at + LINES])
            if len({*piece}) >= DIFFERENT:
                yield piece, f"{path.relative_to(pack.parent)}:{lines[at][0]}"


def copies(one: Path, other: Path) -> list[str]:
    """Where the same stands in two packs."""
    known = dict(pieces_of(one))
    return [f"{known[piece]} = {place}" for piece, place in pieces_of(other) if piece in known]


@pytest.mark.parametrize(("one", "other"), [*combinations(PACKS, 2)])
def test_no_two_packs_have_twenty_equal_lines(one: str, other: str) -> None:
    found = copies(envs_folder() / one, envs_folder() / other)
    assert found == [], "move it to pi_gym/authoring or envs/_shared"


CODE = "\n".join(f"def rule_{number}(evidence):\n    return evidence.text('{number}.md')\n" for number in range(12))


@pytest.mark.parametrize(
    ("written", "copied"),
    [
        (CODE, True),
        (CODE.replace("\n\n", "\n\n\n").replace("    ", "  "), True),
        ("# Mairead's own\n" + CODE + "more = 1\n", True),
        ("\n".join(CODE.splitlines()[:25]), False),
        (CODE.replace("return evidence", "return not evidence"), False),
        ("Nora\n" * 60, False),
    ],
)
def test_a_copy_is_found_whatever_its_blanks(tmp_path: Path, written: str, copied: bool) -> None:
    for name, text in (("one", "x = 0\n" + CODE + "Nora\n" * 60), ("other", written)):
        (tmp_path / name / "tasks").mkdir(parents=True)
        (tmp_path / name / "tasks" / "right.py").write_text(text)
    assert bool(copies(tmp_path / "one", tmp_path / "other")) == copied


def test_other_names_hide_no_copy_and_rows_that_are_made_are_none(tmp_path: Path) -> None:
    line = "Line {} for Nora Lindqvist, nora@a.example, of Halden"
    letter = "\n".join(map(line.format, "abcdefghijklmnopqrstuvw"))
    other = letter.replace("Nora Lindqvist", "Mairead O'Shea Tveit").replace("nora@a", "m.tveit@b")
    other = other.replace("Halden", "Eidsund")
    for place in ("one/files/letter.txt", "two/files/letter.txt", "one/apps/gmail.json", "three/apps/gmail.json"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(letter if place.startswith("one") else other)
    assert copies(tmp_path / "one", tmp_path / "two")
    assert not copies(tmp_path / "one", tmp_path / "three")
