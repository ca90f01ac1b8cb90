"""Aspects of texts in which it is open where a thing stands: numbers, days and times, names."""

from __future__ import annotations

from collections.abc import Hashable

from pi_gym.predicates.figures import Written
from pi_gym.results.content import Letters, ResultContent, ResultText, as_text
from pi_gym.results.days import written_days, written_times
from pi_gym.results.facets import Aspect, AspectReading, Facet, Parts
from pi_gym.results.sameness import same_number
from pi_gym.results.spelling import spelling_counts


def _numbers(content: ResultContent, reading: AspectReading) -> Parts:
    return {Written(abs(one.value), one.decimals): True for one in as_text(content).view.numbers}


def _same_number(found: Hashable, right: Hashable, reading: AspectReading) -> bool:
    assert isinstance(found, Written)
    assert isinstance(right, Written)
    if same_number(found, right):
        return True
    return reading.is_loose and reading.takes(found.value, right.value)


def _moments(content: ResultContent, reading: AspectReading) -> Parts:
    text = as_text(content).view.text
    days = {("day", one.month, one.day): True for one in written_days(text)}
    return days | {("time", f"{one // 60:02d}:{one % 60:02d}"): True for one in written_times(text)}


def _names(content: ResultContent, reading: AspectReading) -> Parts:
    return dict.fromkeys(reading.things.named_in(as_text(content).view.text), True)


def _same(found: Hashable, right: Hashable, reading: AspectReading) -> bool:
    return found == right


def _dates(content: ResultContent, reading: AspectReading) -> Parts:
    """The style of the days in a text, where they have one; months and days alone have none."""
    styles = {one.style for one in written_days(as_text(content).view.text)}
    return {"dates": styles.pop() if len(styles) == 1 else "mixed"} if styles else {}


def _spelling(content: ResultContent, reading: AspectReading) -> Parts:
    """The spelling of a text's own words: what stood there before counts only where nothing else tells."""
    document = as_text(content)
    counts = spelling_counts(document.text)
    if document.before is not None:
        counts = counts - spelling_counts(document.before) or counts
    return {"spelling": "both" if len(counts) > 1 else next(iter(counts))} if counts else {}


def _sections(content: ResultContent, reading: AspectReading) -> Parts:
    document = as_text(content)
    assert isinstance(document, ResultText)
    return {heading.title.strip(" *#").casefold(): True for heading in document.view.headings}


def _attached(content: ResultContent, reading: AspectReading) -> Parts:
    if isinstance(content, Letters):
        return {name: True for one in content.each for name in one.attached}
    return {}


TEXT_ASPECTS: tuple[Facet, ...] = (
    Aspect("numbers", _numbers, "gives the right figures, in any rounding", "numbers", same=_same_number, tokens=True),
    Aspect("moments", _moments, "names the right days and times, in any style", "moments", same=_same, tokens=True),
    Aspect("mentions", _names, "speaks of the right things", "mentions", "things", _same, tokens=True),
    Aspect("dates", _dates, "writes its days in the right style", "dates", lacking="skip"),
    Aspect("spelling", _spelling, "is spelled in the right way", "spelling", lacking="skip"),
    Aspect("sections", _sections, "has the right sections", "sections", of="headings"),
)
