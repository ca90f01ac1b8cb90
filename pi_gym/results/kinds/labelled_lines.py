"""Forms: short texts with a line "Label: value" for each of some fields."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pi_gym.predicates.text import fold
from pi_gym.results.content import Document
from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Aspect, Facet, Parts, Reading
from pi_gym.results.files import FILE_FACETS
from pi_gym.results.sameness import same_cell
from pi_gym.results.tokens import TEXT_ASPECTS

_MARKS = " \t*_#>-+•|"


def _lines(document: Document) -> Iterator[str]:
    """Its lines without blanks, bullets and emphasis; none is empty."""
    for line in document.view.lines:
        if bare := line.strip(_MARKS):
            yield bare


def _said(document: Document, reading: Reading) -> dict[str, list[str]]:
    """The texts behind each label, those that differ."""
    meant = {fold(name) for name in reading.of}
    found: dict[str, list[str]] = {}
    for line in _lines(document):
        label, sign, value = line.partition(":")
        key, said = fold(label.strip(_MARKS)), value.strip(_MARKS)
        if sign and key and (key in meant or not meant) and said not in found.setdefault(key, []):
            found[key].append(said)
    return found


def _fields(document: Document, reading: Reading) -> Parts:
    return {label: said[0] if len(said) == 1 else tuple(said) for label, said in _said(document, reading).items()}


def _first_line(document: Document, reading: Reading) -> Parts:
    found = next(_lines(document), "")
    return {"first": fold(found)} if found else {}


def _last_line(document: Document, reading: Reading) -> Parts:
    lines = list(_lines(document))
    return {"last": fold(lines[-1])} if lines else {}


def _doubled(document: Document, reading: Reading) -> Parts:
    """Labels with several values, and the first line where it stands again: guesses side by side."""
    found: dict[Any, bool] = {label: True for label, said in _said(document, reading).items() if len(said) > 1}
    lines = [fold(line) for line in _lines(document)]
    return found | {line: True for line in lines[1:] if line == lines[0]}


def _same_field(found: Any, right: Any, reading: Reading) -> bool:
    return found == right if isinstance(found, tuple) or isinstance(right, tuple) else same_cell(found, right)


def _same_line(found: Any, right: Any, reading: Reading) -> bool:
    return bool(found.rstrip(".,;:! ") == right.rstrip(".,;:! "))


KINDS = {"form": 'A file with lines "Label: value".'}
_OWN: tuple[Facet, ...] = (
    Aspect(
        "fields", _fields, "has the right values behind its labels", "{fields: [Price, Day]}", "labels", _same_field
    ),
    Aspect("first_line", _first_line, "begins with the right line", "first_line", same=_same_line),
    Aspect("doubled", _doubled, "says nothing in two ways", "doubled", "labels", extra=0),
    Aspect("last_line", _last_line, "ends with the right line", "last_line", same=_same_line),
)
FACETS: tuple[Facet, ...] = (*_OWN, *TEXT_ASPECTS, *FILE_FACETS, *DEMANDS)
