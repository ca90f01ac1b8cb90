"""Mails and texts to people: files with headers, or what an app sent."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from pi_gym.predicates.node import Node
from pi_gym.results.content import Letter, Letters, ResultText
from pi_gym.results.demands import DEMANDS, conditions_of
from pi_gym.results.facets import Aspect, AspectReading, Condition, Demand, Facet, Parts
from pi_gym.results.tokens import TEXT_ASPECTS


def _person(address: str, reading: AspectReading) -> str:
    """By which name somebody goes: where the result's `things` are people, the key of whose address or number it is."""
    return (*reading.things.named_in(address), address.casefold())[0]


def _people(which: Callable[[Letter], tuple[str, ...]]) -> Callable[[Letters, AspectReading], Parts]:
    def read(content: Letters, reading: AspectReading) -> Parts:
        return {_person(person, reading): True for one in content.each for person in which(one)}

    return read


def _channels(content: Letters, reading: AspectReading) -> Parts:
    ways: dict[str, set[str]] = {}
    for one in content.each:
        for person in one.to:
            ways.setdefault(_person(person, reading), set()).add(one.channel)
    return {person: " and ".join(sorted(used)) for person, used in ways.items()}


def _subjects(content: Letters, reading: AspectReading) -> Parts:
    return {place: one.subject.strip().casefold() for place, one in enumerate(content.each)}


@dataclass(frozen=True, slots=True)
class ToEach:
    """All that goes to each receiver, taken together, meets these."""

    conditions: tuple[tuple[str, Condition], ...]

    def fault(self, content: Letters) -> str:
        """See `Condition`."""
        texts: dict[str, list[str]] = {}
        for one in content.each:
            for person in one.to:
                texts.setdefault(person.casefold(), []).append(f"{one.subject}\n\n{one.body.text}")
        for person, told in texts.items():
            for _, condition in self.conditions:
                if fault := condition.fault(ResultText("", "\n\n".join(told))):
                    return f"has for {person} a text that {fault}"
        return ""


@dataclass(frozen=True, slots=True)
class MostToEach:
    """No receiver gets more than so many."""

    most: int

    def fault(self, content: Letters) -> str:
        """See `Condition`."""
        counts = Counter(person.casefold() for one in content.each for person in one.to)
        person, found = max(counts.items(), key=lambda pair: pair[1])
        return f"goes to {person} {found} times; at most {self.most} are sensible" if found > self.most else ""


def _parse_most(node: Node) -> MostToEach:
    return MostToEach(node.integer(1))


def _parse_each(node: Node) -> ToEach:
    return ToEach(conditions_of(node))


KINDS = {"mail": "Mails or texts to people: a file with headers, or what an app has sent."}
FACETS: tuple[Facet, ...] = (
    Aspect("to", _people(lambda one: one.to), "goes to the right people", "to"),
    Aspect("cc", _people(lambda one: one.cc), "goes in copy to the right people", "cc"),
    Aspect("attached", _people(lambda one: one.attached), "carries the right files", "attached"),
    Aspect("channel", _channels, "goes by mail or by text as it should", "channel", lacking="skip"),
    Aspect("subject", _subjects, "has the right subject", "subject"),
    Demand(
        "each",
        _parse_each,
        "tells each receiver something that meets these",
        "{texts: {each: {day: 2026-04-09}}}",
        "demands",
        whole=True,
    ),
    Demand("most_each", _parse_most, "goes to nobody more often", "{texts: {most_each: 2}}", "N", whole=True),
    *TEXT_ASPECTS,
    *DEMANDS,
)
