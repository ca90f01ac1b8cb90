"""Several files of a folder as one text: each behind a line with a form feed and its name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_MARK = "\f"


def joined(files: Mapping[str, str]) -> str:
    """The text of some files by name."""
    return "".join(f"{_MARK}{name}\n{text.replace(_MARK, ' ')}\n" for name, text in files.items())


def separated(path: str, text: str) -> Iterator[tuple[str, str]]:
    """The files of such a text by name; a file itself where it is none."""
    if not text.startswith(_MARK):
        yield path.rpartition("/")[2], text
        return
    for part in text.split(_MARK)[1:]:
        name, _, content = part.partition("\n")
        yield name, content.removesuffix("\n")
