"""Forms: short texts with a line "Label: value" for each of some fields, and YAML or JSON files with such fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from pi_gym.predicates.data import DataError, load_data
from pi_gym.predicates.patterns import regex
from pi_gym.predicates.text import fold
from pi_gym.results.content import ResultText
from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Aspect, AspectReading, Facet, Parts
from pi_gym.results.file_facets import FILE_FACETS
from pi_gym.results.sameness import same_significance, same_within, significances
from pi_gym.results.tokens import TEXT_ASPECTS

_DATA = ("yaml", "yml", "json")
_TIMED = regex(r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}")
_MARKS = " \t*_#>-+•|"


def _lines(document: ResultText) -> Iterator[str]:
    """Its lines without blanks, bullets and emphasis; none is empty."""
    for line in document.view.lines:
        if bare := line.strip(_MARKS):
            yield bare


def _leaves(value: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """The scalars of data by their paths, such as "lists.0.name"."""
    if isinstance(value, Mapping | list):
        for key, one in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _leaves(one, f"{path}.{key}" if path else str(key))
    else:
        yield path, str(value)


def _data(document: ResultText) -> Any:
    try:
        return load_data(document.text, document.path)
    except DataError:
        return {}


def _said(document: ResultText, reading: AspectReading) -> dict[str, list[str]]:
    """The texts behind each label, all that differ; a label that is indented below another is "other.label".

    Of data, what stands at each path, which its last name means too.
    """
    meant = {fold(name) for name in reading.of}
    found: dict[str, list[str]] = {}
    if document.suffix in _DATA:
        leaves = ((fold(path), said) for path, said in _leaves(_data(document)))
        return {path: [said] for path, said in leaves if not meant or {path, path.rpartition(".")[2]} & meant}
    above = ""
    for line in document.view.lines:
        label, sign, value = line.strip(_MARKS).partition(":")
        key, said = fold(label.strip(_MARKS)), value.partition(" #")[0].strip(_MARKS + "\"'")
        if not sign or not key:
            continue
        if not line[:1].isspace():
            above = "" if said else key
        elif above:
            key = f"{above}.{key}"
        if (key in meant or not meant) and said not in found.setdefault(key, []):
            found[key].append(said)
    return found


def _fields(document: ResultText, reading: AspectReading) -> Parts:
    return {label: said[0] if len(said) == 1 else tuple(said) for label, said in _said(document, reading).items()}


def _first_line(document: ResultText, reading: AspectReading) -> Parts:
    found = next(_lines(document), "")
    return {"first": fold(found)} if found else {}


def _last_line(document: ResultText, reading: AspectReading) -> Parts:
    lines = list(_lines(document))
    return {"last": fold(lines[-1])} if lines else {}


def _doubled(document: ResultText, reading: AspectReading) -> Parts:
    """Labels with several values, and the first line where it stands again: guesses side by side."""
    found: dict[Any, bool] = {label: True for label, said in _said(document, reading).items() if len(said) > 1}
    lines = [fold(line) for line in _lines(document)]
    return found | {line: True for line in lines[1:] if line == lines[0]}


def _same_field(found: Any, right: Any, reading: AspectReading) -> bool:
    if isinstance(found, tuple) or isinstance(right, tuple):
        return bool(found == right)
    # Of a day with its time the time counts, which cells leave out; seconds and how the two are parted do not.
    if _TIMED.search(right) is not None:
        return bool(found.strip().replace(" ", "T")[:16] == right[:16])
    return same_within(found, right, reading)


def _significant(document: ResultText, reading: AspectReading) -> Parts:
    """The least and the most significant figures of the first number behind a label."""
    return significances((label, one) for label, one in _fields(document, reading).items() if isinstance(one, str))


def _same_line(found: Any, right: Any, reading: AspectReading) -> bool:
    return bool(found.rstrip(".,;:! ") == right.rstrip(".,;:! "))


KINDS = {"form": 'A file with lines "Label: value", or with data in YAML or JSON.'}
_OWN: tuple[Facet, ...] = (
    Aspect(
        "fields", _fields, "has the right values behind its labels", "{fields: [Price, Day]}", "labels", _same_field
    ),
    Aspect(
        "significant",
        _significant,
        "gives its figures with so many significant figures as is right",
        "{significant: Price}",
        "labels",
        same_significance,
        "skip",
    ),
    Aspect("first_line", _first_line, "begins with the right line", "first_line", same=_same_line),
    Aspect("doubled", _doubled, "says nothing in two ways", "doubled", "labels", extra=0),
    Aspect("last_line", _last_line, "ends with the right line", "last_line", same=_same_line),
)
FACETS: tuple[Facet, ...] = (*_OWN, *TEXT_ASPECTS, *FILE_FACETS, *DEMANDS)
