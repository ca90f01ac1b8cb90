"""Markdown for pages that are made: texts that mean nothing in it, and tables."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence

_SPECIAL = "\\`*_[]<>|#"


def plain_markdown(text: str, most: int = 300) -> str:
    """A text on one line, as plain Markdown text."""
    line = " ".join(text.split())
    line = line if len(line) <= most else f"{line[:most]}…"
    return "".join(f"\\{char}" if char in _SPECIAL else char for char in line)


def table_lines(heads: Sequence[str], rows: Iterable[Sequence[str]], right: Collection[int] = ()) -> Iterator[str]:
    r"""The lines of a table.

    Args:
        heads: the heads of its columns, as Markdown.
        rows: the cells, as Markdown.
        right: the places of the columns whose cells stand on the right.

    >>> print(*table_lines(("run", "score"), [("a", "1.0")], right=[1]), sep="\n")
    | run | score |
    | --- | ---: |
    | a | 1.0 |
    """
    yield f"| {' | '.join(heads)} |"
    yield f"|{'|'.join(' ---: ' if place in right else ' --- ' for place in range(len(heads)))}|"
    yield from (f"| {' | '.join(row)} |" for row in rows)
