"""Lists of things: a line for each, in sections perhaps. The result's `things` say what a line can be about."""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from typing import Any

from pi_gym.predicates.text import fold
from pi_gym.results.content import ResultText
from pi_gym.results.days import written_days
from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Aspect, AspectReading, Facet, Parts
from pi_gym.results.file_facets import FILE_FACETS
from pi_gym.results.things import at_words
from pi_gym.results.tokens import TEXT_ASPECTS


def _lines(document: ResultText, reading: AspectReading) -> Iterator[tuple[str, str, list[str]]]:
    """Section, text and things of each line that names one; of `reading.of`, where that names some."""
    sections = {heading.line: heading.title for heading in document.view.headings}
    section = ""
    for place, line in enumerate(document.view.lines):
        if place in sections:
            section = fold(sections[place])
            continue
        named = reading.things.named_in(line)
        meant = [key for key in named if key in reading.of or not reading.of]
        if meant:
            yield section, line, meant


def _holds(document: ResultText, reading: AspectReading) -> Parts:
    return {key: True for _, _, keys in _lines(document, reading) for key in keys}


def _times(document: ResultText, reading: AspectReading) -> Parts:
    found: dict[Hashable, int] = {}
    for _, _, keys in _lines(document, reading):
        for key in keys:
            found[key] = found.get(key, 0) + 1
    return found


def _together(document: ResultText, reading: AspectReading) -> Parts:
    """Things that one line is about."""
    return {
        (min(one, other), max(one, other)): True
        for _, _, keys in _lines(document, reading)
        for place, one in enumerate(keys)
        for other in keys[place + 1 :]
    }


def _under(document: ResultText, reading: AspectReading) -> Parts:
    return {key: section for section, _, keys in _lines(document, reading) for key in keys}


def _sizes(document: ResultText, reading: AspectReading) -> Parts:
    """The number of things in a section; here `of` names sections."""
    meant = [fold(name) for name in reading.of]
    found: dict[str, list[str]] = {}
    for section, _, keys in _lines(document, AspectReading(things=reading.things)):
        # "Skim, the rest" is the section that is meant by "skim".
        for name in [one for one in meant if one in section] if meant else [section]:
            found.setdefault(name, []).append(keys[0])
    return {section: len(keys) for section, keys in found.items()}


def _order(document: ResultText, reading: AspectReading) -> Parts:
    """For each two things of a section, which comes first."""
    sections: dict[str, dict[str, None]] = {}
    for section, _, keys in _lines(document, reading):
        sections.setdefault(section, {}).setdefault(keys[0])
    return {
        (min(a, b), max(a, b)): a
        for order in map(list, sections.values())
        for place, a in enumerate(order)
        for b in order[place + 1 :]
    }


def _cells(document: ResultText, reading: AspectReading) -> Parts:
    """The parts of a line between its strokes or dots; the first part, with its bullet and number, is left out."""
    found: dict[Any, str] = {}
    for _, line, keys in _lines(document, reading):
        for place, cell in enumerate(line.replace("·", "|").strip().strip("|").split("|")[1:], start=2):
            said, key = cell.strip(" *`"), (keys[0], place)
            # Two lines about one thing must not be right in turn.
            found[key] = said if found.get(key, said) == said else f"{found[key]} / {said}"
    return found


def _marks(document: ResultText, reading: AspectReading) -> Parts:
    """For each thing that has a line, which words of `of` stand in it."""
    found: dict[Any, bool] = {}
    for _, line, keys in _lines(document, AspectReading(of=reading.rows, things=reading.things)):
        text = fold(line)
        found |= {(key, word): fold(word) in text for key in keys for word in reading.of}
    return found


def _dates(document: ResultText, reading: AspectReading) -> Parts:
    return {keys[0]: days[0].style for _, line, keys in _lines(document, reading) if (days := written_days(line))}


def _strays(document: ResultText, reading: AspectReading) -> Parts:
    """New lines that are no entries: they name nothing, or many things, or go on and on."""
    old = {line.strip() for line in (document.before or "").splitlines()}
    found: dict[Any, bool] = {}
    for line in document.view.lines:
        if not line.strip() or line.strip() in old or line.lstrip().startswith("#"):
            continue
        if len(line) > MAX_ENTRY_CHARS or not 1 <= len(reading.things.named_in(line)) <= MAX_THINGS:
            found[line.strip()[:60]] = True
    return found


def _same_section(found: str, right: str, reading: AspectReading) -> bool:
    """Whether a heading is that of a section, whatever else it says behind its name."""
    return at_words(right, found) == 0 if right else not found


def _same_cell(found: str, right: str, reading: AspectReading) -> bool:
    # The form is what is asked for, so "9 March" is not "2026-03-09" here.
    return fold(found) == fold(right)


#: The longest line of a list, and the most things that one is about.
MAX_ENTRY_CHARS, MAX_THINGS = 320, 2

KINDS = {"list": "A file with a line for each of some things."}
_OWN: tuple[Facet, ...] = (
    Aspect("holds", _holds, "names the right things", "{holds: [filterbank, tram]}", "things"),
    Aspect("times", _times, "names each thing in as many lines as it should", "times", "things"),
    Aspect("together", _together, "has the right things in one line", "together", "things"),
    Aspect("under", _under, "has the things in the right sections", "under", "things", _same_section, "skip"),
    Aspect("sizes", _sizes, "has so many things in its sections", "{sizes: this week}", "sections"),
    Aspect("order", _order, "has the things of each section in the right order", "order", "things", lacking="skip"),
    Aspect("cells", _cells, "has lines of the right form", "{cells: {slips: 1}}", "things", _same_cell, "skip"),
    Aspect("marks", _marks, "has these words with the right things", "{marks: no code}", "words", lacking="skip"),
    Aspect("strays", _strays, "has no new lines but entries", "{strays: {extra: 2}}", extra=0),
    Aspect("dates", _dates, "writes the days of its lines in the right way", "dates", "things", lacking="skip"),
)
_OWN_NAMES = frozenset(one.name for one in _OWN)
FACETS: tuple[Facet, ...] = (
    *_OWN, *(one for one in TEXT_ASPECTS if one.name not in _OWN_NAMES), *FILE_FACETS, *DEMANDS
)  # fmt: skip
