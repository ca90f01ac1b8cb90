"""Recognising a proposal: it offers the help that is wanted, all of it and nothing else, and gets the facts right."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Literal, TypeAlias

from pi_gym.pare.acts import NO_THINGS, find_offer
from pi_gym.pare.facts import FactKind, find_facts, names_words, plain_text, wanted_facts
from pi_gym.pare.scenario import Help

#: Longer proposals are not read: nobody would.
MAX_PROPOSAL_CHARS = 2_000
#: The most facts of other worlds that a proposal may name beside an essential one: with more, it is a list of guesses.
MAX_RIVALS = 1
ProposalFault: TypeAlias = Literal["", "long", "vague", "other", "more", "facts", "wrong", "stuffed"]


@dataclass(frozen=True, slots=True)
class Recognition:
    """The outcome of reading a proposal.

    Args:
        fault: "" where it is the right one; "long" to read, "vague": it offers nothing; "other": another act; "more":
            something beside; "facts": an essential one is missing; "wrong": one is named that is not so; "stuffed":
            an essential one stands among others that it might have been.
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
    missing = next((ways for ways in help_.acts if not any(ways & meant for meant in offer.acts)), None)
    if missing is not None:
        return Recognition("other", f"does not offer {' or '.join(sorted(missing))}")
    welcome = help_.may.union(*help_.acts)
    beside = [min(meant) for meant in offer.acts if not meant & welcome]
    if beside:
        return Recognition("more", f"offers {beside[0]} too")
    return _facts(text, offer.text, help_, today)


def essential_facts(text: str, help_: Help, today: date) -> frozenset[tuple[FactKind, str]]:
    """The essential facts of a help that a text names, each by itself: of a moment its day and its time.

    Args:
        text: anybody's words.
        help_: what is wanted.
        today: the day of the virtual clock.
    """
    plain = plain_text(text)
    named = {(one.kind, value) for one in find_facts(plain, today) for value in one.values}
    wanted = {fact for ways in help_.names.values() for way in ways for fact in _facts_of(way)}
    return frozenset(one for one in wanted if (names_words(plain, one[1]) if one[0] == "words" else one in named))


def _things(help_: Help) -> Mapping[str, re.Pattern[str]]:
    return _patterns(help_.things) if help_.things else NO_THINGS


@lru_cache(maxsize=256)
def _patterns(things: tuple[tuple[str, tuple[str, ...]], ...]) -> Mapping[str, re.Pattern[str]]:
    return {
        name: re.compile(rf"\b(?:{'|'.join(re.escape(plain_text(word)) for word in words)})s?\b")
        for name, words in things
    }


def _facts(text: str, offered: str, help_: Help, today: date) -> Recognition:
    named, right = find_facts(text, today), dict[FactKind, set[str]]()
    pairs = frozenset((one.kind, value) for one in named if not one.old for value in one.values)
    for name, ways in help_.names.items():
        if not any(_names(text, pairs, way) for way in ways):
            return Recognition("facts", f"does not name {name}")
        for way in ways:
            for kind, value in _facts_of(way):
                right.setdefault(kind, set()).add(value)
    for name, rivals in help_.rivals.items():
        guesses = [way for way in rivals if _names(text, pairs, way) and not _is_meant(way, help_, right)]
        if len(guesses) > MAX_RIVALS:
            return Recognition("stuffed", f"names {', '.join(sorted(guesses))} for {name}")
    fault = _wrong_moment(offered, help_, right, today)
    if fault:
        return Recognition("wrong", f"names {fault}")
    stranger = next((name for name in sorted(help_.strangers) if names_words(offered, name)), "")
    if stranger:
        return Recognition("wrong", f"names {stranger}")
    for wrong in help_.wrong:
        for kind, value in _facts_of(wrong):
            if kind == "words":
                is_named = names_words(text, value) and not _is_old_word(text, value)
            else:
                is_named = any(one.kind == kind and one.value == value and not one.old for one in named)
            if is_named:
                return Recognition("wrong", f"names {value}")
    return Recognition("")


def _wrong_moment(offered: str, help_: Help, right: Mapping[FactKind, set[str]], today: date) -> str:
    """A day or a time that an offer names and that is not so; "" where there is none.

    What no longer holds may be named beside what does: "from ten to half past two".
    """
    for kind in ("day", "time"):
        facts = [one for one in find_facts(offered, today) if one.kind == kind and not one.old]
        said = {value for one in facts for value in one.values}
        meant = right.get(kind, set())
        for one in facts:
            known = {*meant, *help_.known, today.isoformat()}
            if not known.intersection(one.values) and not (help_.old.intersection(one.values) and said & meant):
                return one.value
    return ""


def _is_meant(way: str, help_: Help, right: Mapping[FactKind, set[str]]) -> bool:
    """Whether a fact of other worlds has to do with this one too."""
    for kind, value in _facts_of(way):
        own = right.get(kind, set())
        akin = kind == "words" and any(value in one or one in value for one in own)
        if akin or value in own or value in help_.known or value in help_.old:
            return True
    return False


def _names(text: str, named: frozenset[tuple[FactKind, str]], way: str) -> bool:
    return all(
        names_words(text, value) if kind == "words" else (kind, value) in named for kind, value in _facts_of(way)
    )


@lru_cache(maxsize=4096)
def _facts_of(text: str) -> tuple[tuple[FactKind, str], ...]:
    return tuple(wanted_facts(text))


def _is_old_word(text: str, words: str) -> bool:
    """Whether words stand where they tell what no longer holds: "instead of the old mill"."""
    return re.search(rf"\b(?:instead of|rather than|not|old)(?: the)? {re.escape(words)}", text) is not None
