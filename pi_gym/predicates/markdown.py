"""The parts of Markdown that conditions ask about: fences, headings, sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pi_gym.predicates.patterns import regex

_BULLET = regex(r"^\s{0,12}(?:[-*+]|[0-9]{1,4}[.)])\s+\S")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading: its level from 1, its title, and the index of the line on which its text begins."""

    level: int
    title: str
    line: int
    body: int


def fenced(lines: Sequence[str]) -> list[bool]:
    """A mark for every line: whether it lies in a fenced block, the fences included."""
    inside: list[bool] = []
    fence = ""
    for line in lines:
        bare = line.strip()
        mark = bare[:3]
        if fence:
            inside.append(True)
            if mark == fence and not bare.strip(fence[0]):
                fence = ""
        elif mark in ("```", "~~~"):
            fence = mark
            inside.append(True)
        else:
            inside.append(False)
    return inside


def headings(lines: Sequence[str]) -> list[Heading]:
    """The headings in order, both `# Title` and underlined ones."""
    found: list[Heading] = []
    inside = fenced(lines)
    for index, line in enumerate(lines):
        if inside[index]:
            continue
        bare = line.strip()
        if bare.startswith("#"):
            level = len(bare) - len(bare.lstrip("#"))
            rest = bare[level:]
            if level <= 6 and (not rest or rest[0].isspace()):
                found.append(Heading(level, rest.strip().rstrip("#").strip(), index, index + 1))
        elif bare and "|" not in bare and index + 1 < len(lines):
            under = lines[index + 1].strip()
            underlined = len(under) >= 2 and under in ("=" * len(under), "-" * len(under))
            if underlined and not _BULLET.search(line):
                found.append(Heading(1 if under[0] == "=" else 2, bare, index, index + 2))
    return found


def section(lines: Sequence[str], known: Sequence[Heading], found: Heading) -> str:
    """The text under one of the known headings, up to the next one of the same or a higher level."""
    end = next((h.line for h in known if h.line > found.line and h.level <= found.level), len(lines))
    return "\n".join(lines[found.body : end])
