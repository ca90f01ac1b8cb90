"""Mails and texts to people: files with headers, or what an app sent."""

from __future__ import annotations

from collections.abc import Callable

from pi_gym.results.content import Message, Messages
from pi_gym.results.demands import DEMANDS
from pi_gym.results.facets import Aspect, Facet, Parts, Reading
from pi_gym.results.tokens import TEXT_ASPECTS


def _people(which: Callable[[Message], tuple[str, ...]]) -> Callable[[Messages, Reading], Parts]:
    def read(content: Messages, reading: Reading) -> Parts:
        return {person.casefold(): True for one in content.each for person in which(one)}

    return read


def _channels(content: Messages, reading: Reading) -> Parts:
    return {person.casefold(): one.channel for one in content.each for person in one.to}


def _subjects(content: Messages, reading: Reading) -> Parts:
    return {place: one.subject.strip().casefold() for place, one in enumerate(content.each)}


KINDS = {"mail": "Mails or texts to people: a file with headers, or what an app has sent."}
FACETS: tuple[Facet, ...] = (
    Aspect("to", _people(lambda one: one.to), "goes to the right people", "to"),
    Aspect("cc", _people(lambda one: one.cc), "goes in copy to the right people", "cc"),
    Aspect("attached", _people(lambda one: one.attached), "carries the right files", "attached"),
    Aspect("channel", _channels, "goes by mail or by text as it should", "channel"),
    Aspect("subject", _subjects, "has the right subject", "subject"),
    *TEXT_ASPECTS,
    *DEMANDS,
)
