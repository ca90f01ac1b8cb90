"""Choices that a work makes in one place, and names in others: each place is held against the work's own choice."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from pi_gym.authoring.leavings import new_text

_AROUND = " *_`>-"


def said_in_line(text: str, label: str) -> str:
    r"""The text behind the first "LABEL: …" of a text, without emphasis and closing marks; "" without one.

    >>> said_in_line("## Decision\n\n**Choice:** `ckpt/k200.pt`.\n", "choice")
    'ckpt/k200.pt'
    """
    for line in text.splitlines():
        head, sign, rest = line.strip(_AROUND).partition(":")
        if sign and head.strip(_AROUND).casefold() == label.casefold():
            return rest.strip(_AROUND).rstrip(".,;` *_")
    return ""


def said_in_lines(text: str) -> dict[str, str]:
    r"""The texts behind each "LABEL: …" of a text, without emphasis, by the label in small letters; the last counts.

    >>> said_in_lines("- **Route:** `B`\nTarget mg: 40\n")
    {'route': 'B', 'target mg': '40'}
    """
    parts = (line.strip(_AROUND).partition(":") for line in text.splitlines())
    return {label.strip(_AROUND).casefold(): rest.strip(_AROUND) for label, sign, rest in parts if sign}


def names_all(text: str, parts: Sequence[str]) -> bool:
    """Whether a text has each of some parts, and there are some.

    >>> names_all("we take chunk-a at k200", ["chunk-a", "k200"]), names_all("anything", [])
    (True, False)
    """
    return bool(parts) and all(part in text for part in parts)


def named_in(evidence: Any, parts: Sequence[str], where: str) -> bool:
    """Whether a choice is named in one place.

    Args:
        evidence: what the check was given.
        parts: of the choice, each of which is to be named; nothing names a choice that there is not.
        where: "reply", or a folder (ends in "/") whose one new file is meant, or a file.
    """
    texts: Iterable[str] = evidence.replies
    if where != "reply":
        texts = [new_text(evidence, where) if where.endswith("/") else evidence.text(where) or ""]
    return any(names_all(text, parts) for text in texts)


def assumed_lines(page: str, how: str, assumed: str) -> list[str]:
    r"""The lines (small letters) in which a page sets what is assumed apart in one way; none where it uses another.

    Args:
        page: a text whose tables are Markdown.
        how: "tag" for "(assumed)" in a row, "column" for a column "basis", "section" for one headed "Assumed".
        assumed: the thing; of a section its lines count alone.

    >>> assumed_lines("| pair | gain |\n| --- | --- |\n| A | 3 (assumed) |", "tag", "A")
    ['| a | 3 (assumed) |']
    """
    table, _, section = page.lower().partition("## assumed")
    head, *rows = [line for line in table.splitlines() if line.lstrip().startswith("|")] or [""]
    found = {
        "tag": [line for line in rows if "(assumed)" in line],
        "column": [line for line in rows if "basis" in head and line.rstrip(" |").endswith("assumed")],
        "section": [line for line in section.splitlines() if _names(line, assumed)],
    }
    there = {"tag": bool(found["tag"]), "column": "basis" in head, "section": bool(section)}
    return found[how] if [name for name, so in there.items() if so] == [how] else []


def assumed_apart(evidence: Any, folder: str, how: str, assumed: str) -> bool:
    """Whether the one new page of a folder sets what is assumed apart in one way: in rows or a section.

    Args:
        evidence: what the check was given.
        folder: where the page lies, with a slash at its end.
        how: as of `assumed_lines`.
        assumed: the thing.
    """
    lines = assumed_lines(new_text(evidence, folder, ".md"), how, assumed)
    return bool(lines) and all(_names(line, assumed) for line in lines)


def _names(line: str, thing: str) -> bool:
    """Whether a line (small letters) names a thing as a word: "ESD-121n" is no ESD-121."""
    return re.search(rf"(?<![\w-]){re.escape(thing.lower())}(?!\w)", line) is not None


def ways_shown(page: str, name: str, apart: str, but: str = "") -> set[str]:
    r"""The ways in which a page shows a thing: "plain", with a "star", or "apart" in a section of its own.

    Args:
        page: a text with headings.
        name: of the thing.
        apart: what the heading of that section says.
        but: lines with this do not count, where it is not empty.

    >>> sorted(ways_shown("| osteparib (*) |\n## Not on our list\n- osteparib\n", "osteparib", "not on our list"))
    ['apart', 'star']
    """
    found, section = set(), ""
    for line in page.lower().splitlines():
        section = line if line.startswith("#") else section
        if name.lower() in line and not (but and but.lower() in line):
            starred = "*" in line.lstrip().removeprefix("* ").replace("**", "")
            found.add("apart" if apart.lower() in section else "star" if starred else "plain")
    return found
