"""The text of a web page: Markdown without its marks, and one page of a long text."""

from __future__ import annotations

from functools import lru_cache

import re2

_LINK = re2.compile(r"!?\[([^\]\n]*)\]\(([^)\s]*)(?: \"[^\"\n]*\")?\)")
_MARKED = tuple(
    (sign, re2.compile(rf"{mark}(\S(?:[^{mark[-1]}\n]*\S)?){mark}"))
    for sign, mark in (("**", r"\*\*"), ("*", r"\*"), ("`", "`"))
)
_UNDERLINED = re2.compile(r"(^|[\s(])_{1,2}([^_\s](?:[^_\n]*[^_\s])?)_{1,2}($|[\s).,;:!?])")
_RULE = re2.compile(r"^\s*(?:[-*_]\s*){3,}$")
_TABLE_RULE = re2.compile(r"^\s*\|?(?:\s*:?-+:?\s*\|)+\s*(?::?-+:?\s*)?$")
_HEADING = re2.compile(r"^\s{0,3}#{1,6}\s+(.*?)\s*#*$")
_QUOTE = re2.compile(r"^\s{0,3}>\s?")


@lru_cache(maxsize=512)
def plain_text(markdown: str) -> str:
    r"""Markdown as plain text: headings, emphasis, links, rules and fences lose their marks; lists and tables stay.

    >>> plain_text("## Fees\n\nA **day pass** is [120 kr](https://a.example/fees).")
    'Fees\n\nA day pass is 120 kr.'
    """
    lines, fenced = [], False
    for line in markdown.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        elif fenced:
            lines.append(line)
        elif not _is_rule(line):
            lines.append(_plain_line(line))
    return "\n".join(lines)


def _is_rule(line: str) -> bool:
    begins = line.lstrip()[:1] in ("-", "*", "_")
    return bool((begins and _RULE.search(line)) or ("|" in line and _TABLE_RULE.search(line)))


def _plain_line(line: str) -> str:
    # Most lines have none of the signs, and to look for one takes a tenth of the time of an expression.
    heading = _HEADING.search(line) if "#" in line else None
    line = heading.group(1) if heading else line
    if ">" in line:
        line = _QUOTE.sub("", line)
    if line.lstrip().startswith("|"):
        line = "\t".join(cell.strip() for cell in line.strip().strip("|").split("|"))
    if "[" in line:
        line = _LINK.sub(r"\1", line)
    for sign, marked in _MARKED:
        if sign in line:
            line = marked.sub(r"\1", line)
    return str(_UNDERLINED.sub(r"\1\2\3", line)) if "_" in line else line


def text_page(text: str, offset: int, most: int) -> str:
    """A piece of a text, with a note where it is not the whole; it ends at a line's end where one is near.

    Args:
        text: the whole text.
        offset: characters to skip; not behind the end.
        most: the most characters of the text to give.
    """
    piece = text[offset : offset + most]
    end = offset + len(piece)
    if end < len(text):
        newline = piece.rfind("\n", len(piece) // 2)
        if newline >= 0:
            end = offset + newline + 1
            piece = text[offset:end]
        return f"{piece.rstrip()}\n[characters {offset} to {end} of {len(text)}; go on with offset={end}]"
    return piece if offset == 0 else f"{piece.rstrip()}\n[characters {offset} to {end} of {len(text)}; that is the end]"
