"""Entries told apart by a key, each with fields: the notes of a folder, the works of a bibliography (.bib)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache

from pi_gym.predicates.figures import written_numbers
from pi_gym.predicates.patterns import regex
from pi_gym.predicates.text import fold
from pi_gym.results.content import ResultText
from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Aspect, AspectReading, Facet, Parts
from pi_gym.results.file_facets import FILE_FACETS
from pi_gym.results.joined import separated
from pi_gym.results.sameness import same_figures, same_significance, same_value, same_within, significances
from pi_gym.results.things import at_words
from pi_gym.results.tokens import TEXT_ASPECTS

_MARKS = " \t*_`>-+•|"
_FIELD = regex(r'(?s)([A-Za-z_-]+)\s*=\s*(\{(?:[^{}]|\{(?:[^{}]|\{[^{}]*\})*\})*\}|"[^"]*"|[^\s,{}"]+)')
_REMARK = regex(r"\([^()]*\)")

Fields = Mapping[str, str]


@lru_cache(maxsize=256)
def _entries(path: str, text: str) -> Mapping[str, Fields]:
    found: dict[str, Fields] = {}
    for key, fields in _bibliography(text) if path.endswith(".bib") else _notes(path, text):
        place, times = key, 1
        while place in found:
            times += 1
            place = f"{key} ({times})"
        found[place] = fields
    return found


def _bibliography(text: str) -> Iterator[tuple[str, Fields]]:
    for part in f"\n{text}".split("\n@")[1:]:
        kind, _, rest = part.partition("{")
        key, _, body = rest.partition(",")
        found = [(one.group(1) or "", one.group(2) or "") for one in _FIELD.finditer(body)]
        fields = {name.lower(): " ".join(said.strip('{}" ').split()) for name, said in found}
        yield key.strip(), {"type": kind.strip().lower(), **fields}


def _notes(path: str, text: str) -> Iterator[tuple[str, Fields]]:
    for name, content in separated(path, text):
        fields: dict[str, str] = {}
        for line in content.splitlines():
            label, sign, value = line.lstrip(_MARKS).partition(":")
            if sign and not line.startswith("#"):
                key, said = fold(label.strip(_MARKS)), _bare(value)
                # Guesses side by side must not be right in turn.
                fields[key] = f"{fields[key]} / {said}" if key in fields else said
        yield name.rpartition(".")[0] or name, fields


def _bare(value: str) -> str:
    """The text behind a label; stars that emphasise nothing are all there is."""
    said = value.strip().removeprefix("** ").strip(" `")
    return said.strip("*_` ") if any(char.isalnum() for char in said) else said


def _meant(document: ResultText, reading: AspectReading) -> Iterator[tuple[str, Fields]]:
    for key, fields in _entries(document.path, document.text).items():
        if not reading.rows or key in reading.rows:
            yield key, fields


def _rows(document: ResultText, reading: AspectReading) -> Parts:
    return {key: True for key, _ in _meant(document, reading)}


def _values(document: ResultText, reading: AspectReading) -> Parts:
    """The texts of the fields that are meant."""
    return {
        (key, name): said
        for key, fields in _meant(document, reading)
        for name, said in fields.items()
        if said and (name in reading.of or not reading.of)
    }


def _figures(document: ResultText, reading: AspectReading) -> Parts:
    """The numbers with decimals in the fields that are meant."""
    return {
        place: tuple(one for one in written_numbers(said.replace(r"\%", "%")) if one.decimals > 0)
        for place, said in _values(document, reading).items()
    }


def _significant(document: ResultText, reading: AspectReading) -> Parts:
    """The least and the most significant figures of the first number of a field."""
    return significances(_values(document, reading).items())


def _marks(document: ResultText, reading: AspectReading) -> Parts:
    """For each entry, which words of `of` stand in it."""
    return {
        (key, word): fold(word) in fold("\n".join(fields.values()))
        for key, fields in _meant(document, reading)
        for word in reading.of
    }


def _ends(document: ResultText, reading: AspectReading) -> Parts:
    """The labels of the first and the last field of each entry."""
    found: dict[tuple[str, str], str] = {}
    for key, fields in _meant(document, reading):
        labels = [name for name in fields if fields[name]]
        if labels:
            found |= {(key, "first"): labels[0], (key, "last"): labels[-1]}
    return {place: label for place, label in found.items() if place[1] in reading.of or not reading.of}


def _parts(said: str) -> frozenset[str]:
    bare = said
    for remark in _REMARK.finditer(said):
        bare = bare.replace(remark.group() or "", " ")
    for joint in (";", " / ", " and ", " or "):
        bare = bare.replace(joint, ",")
    return frozenset(fold(one.strip(" .")) for one in bare.split(",") if one.strip(" ."))


def _same_value(found: str, right: str, reading: AspectReading) -> bool:
    """Whether two fields say the same, in any order, whatever is remarked on each part."""
    given, wanted = _parts(found), _parts(right)
    return (same_within(found, right, reading) if reading.is_loose else same_value(found, right)) or (
        len(given) == len(wanted) and all(any(at_words(one, other) == 0 for other in given) for one in wanted)
    )


def _same_start(found: str, right: str, reading: AspectReading) -> bool:
    """Whether a field begins with what is right, whatever is remarked behind it."""
    one = fold(found).replace("\\", "").replace("★", "*").replace("☆", "").replace(" ", "")
    other = fold(right).replace(" ", "")
    return one.startswith(other) and (len(one) == len(other) or one[len(other)] in "(,;.:–—")


KINDS = {"entries": 'Notes with lines "label: value", a file each, or a bibliography.'}
FACETS: tuple[Facet, ...] = (
    Aspect("rows", _rows, "has the right entries", "rows", of="entries by their keys"),
    Aspect("values", _values, "has the right values in its fields", "{values: evidence}", "fields", _same_value),
    Aspect("starts", _values, "has fields that begin as they should", "{starts: follow-up}", "fields", _same_start),
    Aspect(
        "significant",
        _significant,
        "gives its figures with so many significant figures as is right",
        "{significant: gain}",
        "fields",
        same_significance,
        "skip",
    ),
    Aspect("figures", _figures, "gives the right figures in its fields", "{figures: gain}", "fields", same_figures),
    Aspect("marks", _marks, "has these words in the right entries", "{marks: single run}", "words", lacking="skip"),
    Aspect("ends", _ends, "begins and ends with the right fields", "{ends: first}", "first or last"),
    *TEXT_ASPECTS,
    *FILE_FACETS,
    *DEMANDS,
)
