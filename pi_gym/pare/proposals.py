"""Recognising a proposal: it offers the help that is wanted, all of it and nothing else, and gets the facts right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal, TypeAlias

from pi_gym.pare.acts import NO_THINGS, find_offer
from pi_gym.pare.facts import FactKind, NamedFact, find_facts, names_words, plain_text, wanted_facts
from pi_gym.pare.scenario import Help

#: Longer proposals are not read: nobody would.
MAX_PROPOSAL_CHARS = 2_000
ProposalFault: TypeAlias = Literal["", "long", "vague", "other", "more", "facts", "wrong"]


@dataclass(frozen=True, slots=True)
class Recognition:
    """The outcome of reading a proposal.

    Args:
        fault: "" where it is the right one; "long" to read, "vague": it offers nothing; "other": another act; "more":
            something beside; "facts": an essential one is missing; "wrong": one is named that is not so.
        detail: what it was, for the record; the agent is never told.
    """

    fault: ProposalFault
    detail: str = ""

    @property
    def right(self) -> bool:
        """Whether the help is offered as it is wanted."""
        return not self.fault


def recognise(proposal: str, help_: Help, today: date) -> Recognition:
    """Compare a proposal with the help that is wanted.

    Args:
        proposal: the agent's words.
        help_: what is wanted.
        today: the day of the virtual clock.
    """
    if len(proposal) > MAX_PROPOSAL_CHARS:
        return Recognition("long", f"{len(proposal)} characters")
    text = plain_text(proposal)
    offer = find_offer(text, _things(help_))
    if not offer.acts:
        return Recognition("vague")
    missing = next((ways for ways in help_.acts if not ways & offer.acts), None)
    if missing is not None:
        return Recognition("other", f"does not offer {' or '.join(sorted(missing))}")
    beside = sorted(offer.acts.difference(help_.may, *help_.acts))
    if beside:
        return Recognition("more", f"offers {beside[0]} too")
    return _facts(text, offer.text, help_, today)


def _things(help_: Help) -> Mapping[str, re.Pattern[str]]:
    return _patterns(help_.things) if help_.things else NO_THINGS


@lru_cache(maxsize=256)
def _patterns(things: tuple[tuple[str, tuple[str, ...]], ...]) -> Mapping[str, re.Pattern[str]]:
    return {
        name: re.compile(rf"\b(?:{'|'.join(re.escape(plain_text(word)) for word in words)})s?\b")
        for name, words in things
    }


def _facts(text: str, offered: str, help_: Help, today: date) -> Recognition:
    named = find_facts(text, today)
    right: dict[FactKind, set[str]] = {"day": set(), "time": set(), "number": set(), "words": set()}
    for name, ways in help_.names.items():
        if not any(_names(text, named, way) for way in ways):
            return Recognition("facts", f"does not name {name}")
        for way in ways:
            for kind, value in wanted_facts(way):
                right[kind].add(value)
    # Days and times are what an offer gets wrong: where one is essential, another beside it is a second one.
    for found in find_facts(offered, today):
        essential = right[found.kind] if found.kind in ("day", "time") else set()
        if essential and not found.old and found.value not in essential and found.value not in help_.known:
            return Recognition("wrong", f"names {found.value}")
    for wrong in help_.wrong:
        for kind, value in wanted_facts(wrong):
            if kind == "words":
                named_wrong = names_words(offered, value) and not _is_old_word(offered, value)
            else:
                named_wrong = any(one.kind == kind and one.value == value and not one.old for one in named)
            if named_wrong:
                return Recognition("wrong", f"names {value}")
    return Recognition("")


def _names(text: str, named: tuple[NamedFact, ...], way: str) -> bool:
    pairs = {(one.kind, one.value) for one in named if not one.old}
    return all(
        names_words(text, value) if kind == "words" else (kind, value) in pairs for kind, value in wanted_facts(way)
    )


def _is_old_word(text: str, words: str) -> bool:
    """Whether words stand where they tell what no longer holds: "instead of the old mill"."""
    return re.search(rf"\b(?:from|instead of|rather than|not|old)(?: the)? {re.escape(words)}", text) is not None
