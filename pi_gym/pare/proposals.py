"""Recognising a proposal: it offers the help that is wanted, all of it and nothing else, and gets the facts right."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal, TypeAlias

from pi_gym.pare.facts import FactKind, NamedFact, find_facts, find_words, names_words, plain_text, wanted_facts
from pi_gym.pare.offers import NO_THINGS, find_offer, mended
from pi_gym.pare.scenario import Help

#: Longer proposals are not read: nobody would.
MAX_PROPOSAL_CHARS = 2_000
#: The most facts of other worlds that a proposal may name beside an essential one: with more, it is a list of guesses.
MAX_RIVALS = 1
_END = re.compile(r"(?<=[.!?;])\s|\n")
#: In an offer: words before something that is not meant, and behind it.
_SET_APART = re.compile(
    r"\b(?:instead of|rather than|not|n't|old|than|other than|unlike|without|before|after|except(?: for)?)"
    r"(?: (?:the|your|with|by|at|on|for|touch\w*|chang\w*))*[ ,:\"'(]*$"
)
_LEFT = re.compile(
    r"[^.!?;\n]{0,40}\b(?:stays?|remains?|is left|untouched|unchanged|as (?:it is|they are)|wrong|outdated|doesn't"
    r"|leave|keep|still|within)\b"
)
#: Elsewhere: words of a sentence that sets things apart.
_CONTRAST = re.compile(
    r"\b(?:not|isn't|doesn't|don't|won't|can't|aren't|didn't|wasn't|instead of|rather than|only for|only works?"
    r"|stays?|remains?|keeps?|kept|still|untouched|unchanged|leave|as (?:it is|they are)|wrong|old(?:er)?|outdated"
    r"|better|worse|weaker|unlike|than|other|whereas|while|separate(?:ly)?|clash\w*|between|after|before|free)\b"
)
_DIFFERENCE = re.compile(
    r" ?(?:%|percent|per cent|euros? |eur |€ ?|minutes?|mins?|hours?|h\b|days?|weeks?|months?|more|less|over|above"
    r"|below|cheaper|off\b|saved|too much)"
)
_SAVED = re.compile(r"(?:[-+]|\b(?:sav(?:e|es|ing)|by|about|around|roughly|nearly|almost))(?: you)? ?[€$]? ?$")
#: Words before a moment of something else: "in her mail of 3 May", "the newer note (updated 30 April)".
_BESIDE = re.compile(
    r"\([^)]*$|\b(?:e-?mail|mail|message|note|letter|chat|question|request|word|list|reminder|words|one)s?"
    r" (?:of|from|on|dated|for)(?: \w+,?)? ?$"
)
_TO = re.compile(r"\bto (\w+)")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(?=\d\d:)")
#: Where parts of a text begin and end.
Spans: TypeAlias = "list[tuple[int, int]]"
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
    text = mended(plain_text(proposal))
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
    addressed = _other_recipient(offer.told, help_)
    if addressed:
        return Recognition("more", f"tells {addressed}")
    return _facts(text, offer.parts, help_, today)


def _other_recipient(told: Iterable[str], help_: Help) -> str:
    """Somebody of the people around who would be told something, and is not to be; "" where there is nobody."""
    named = {word for ways in help_.names.values() for way in ways for word in plain_text(way).split()}
    wanted, others = help_.cast & named, (help_.cast | help_.strangers) - named
    if not wanted:
        return ""
    for phrase in told:
        found = [*re.findall(r"[\w']+", phrase)[:2], *_TO.findall(phrase)]
        if wanted.intersection(found):
            continue
        somebody = next((name for name in found if name in others), "")
        if somebody:
            return somebody
    return ""


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


def _facts(text: str, offered: tuple[str, ...], help_: Help, today: date) -> Recognition:
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
        # What other worlds have and this one does not even tell of is nothing but a guess.
        if len(guesses) > MAX_RIVALS or any(_is_invented(way, help_.told) for way in guesses):
            return Recognition("stuffed", f"names {', '.join(sorted(guesses))} for {name}")
    spans = [(at, at + len(part)) for part in offered if (at := text.find(part)) >= 0]
    fault = _wrong_moment(named, text, spans, help_, right, today) or _ungrounded(named, text, help_, right, today)
    fault = fault or _wrong_words(text, named, spans, help_)
    return Recognition("wrong", f"names {fault}") if fault else Recognition("")


def _wrong_words(text: str, named: tuple[NamedFact, ...], spans: Spans, help_: Help) -> str:
    """Something that a proposal names as if it were meant, and must not; "" where there is nothing."""
    offered = [text[first:last] for first, last in spans]
    stranger = next((name for name in sorted(help_.strangers) if any(names_words(one, name) for one in offered)), "")
    if stranger:
        return stranger
    for wrong in help_.wrong:
        for kind, value in _facts_of(wrong):
            if kind == "words":
                places = list(find_words(text, value))
            else:
                places = [one.at for one in named if one.kind == kind and one.value == value and not one.old]
            if any(not _is_contrast(text, at, spans) for at in places):
                return value
    return ""


def _is_contrast(text: str, at: int, offered: Spans) -> bool:
    """Whether what stands there is only set against what is meant: "the haircut stays as it is", "not the old one"."""
    start = max((found.end() for found in _END.finditer(text, 0, at)), default=0)
    ending = _END.search(text, at)
    end = ending.start() if ending is not None else len(text)
    if any(first <= at < last for first, last in offered):
        # In an offer the words have to stand right there.
        return _SET_APART.search(text, start, at) is not None or _LEFT.match(text, at, end) is not None
    return _CONTRAST.search(text, start, end) is not None


def _wrong_moment(
    named: tuple[NamedFact, ...],
    text: str,
    spans: Spans,
    help_: Help,
    right: Mapping[FactKind, set[str]],
    today: date,
) -> str:
    """A day or a time that an offer names and that is not so; "" where there is none.

    What no longer holds may be named beside what does: "from ten to half past two".
    """
    known_anyway = _grounds(help_.told, today)
    for first, last in spans:
        listed = [one for one in named if first <= one.at < last]
        for kind in ("day", "time"):
            facts = [one for one in listed if one.kind == kind and not one.old]
            said = {value for one in facts for value in one.values}
            meant = right.get(kind, set())
            known = {*meant, *help_.known, today.isoformat()}
            for one in facts:
                if known.intersection(one.values) or (help_.old.intersection(one.values) and said & meant):
                    continue
                meanings = {(kind, value) for value in (*one.values, *one.past)}
                if known_anyway & meanings and _BESIDE.search(text, first, one.at):
                    continue
                return one.value
    return ""


def _ungrounded(
    named: tuple[NamedFact, ...], text: str, help_: Help, right: Mapping[FactKind, set[str]], today: date
) -> str:
    """A day, a time or an amount that nothing in this world tells of; "" where there is none."""
    grounds = _grounds(help_.told, today)
    weekdays = {date.fromisoformat(value).weekday() for kind, value in grounds if kind == "day"}
    for one in named:
        near = one.kind == "day" and one.by_name and date.fromisoformat(one.value).weekday() in weekdays
        if one.old or near or _is_small(one, text):
            continue
        known = {*help_.known, *help_.old, *right.get(one.kind, ())}
        if not known.intersection(one.values) and not any((one.kind, value) in grounds for value in one.values):
            return one.value
    return ""


def _is_small(fact: NamedFact, text: str) -> bool:
    """Whether a number only counts something, or is a difference: those are no facts of the world."""
    if fact.kind != "number":
        return False
    after = text[fact.at + len(fact.value) : fact.at + len(fact.value) + 24]
    return float(fact.value) < 10 or _DIFFERENCE.match(after) is not None or _SAVED.search(text, 0, fact.at) is not None


@lru_cache(maxsize=512)
def _grounds(told: str, today: date) -> frozenset[tuple[FactKind, str]]:
    """All days, times and numbers that a world tells of."""
    text = plain_text(_STAMP.sub(r"\1 ", told))
    found = {(one.kind, value) for one in find_facts(text, today) for value in one.values}
    return frozenset((*found, *(("day", (today + timedelta(days=step)).isoformat()) for step in (-1, 0, 1))))


def _is_invented(way: str, told: str) -> bool:
    """Whether a fact is a name that a world does not even tell of."""
    return any(kind == "words" and value not in told.lower() for kind, value in _facts_of(way))


def _is_meant(way: str, help_: Help, right: Mapping[FactKind, set[str]]) -> bool:
    """Whether a fact of other worlds has to do with this one too."""
    for kind, value in _facts_of(way):
        own = right.get(kind, set())
        akin = kind == "words" and any(names_words(one, value) or names_words(value, one) for one in own)
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
