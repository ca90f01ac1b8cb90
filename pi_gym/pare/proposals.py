"""Recognising a proposal: it offers the help that is wanted, all of it and nothing else, and gets the facts right."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import date, timedelta
from functools import lru_cache
from typing import Literal, TypeAlias

from pi_gym.pare.facts import (
    HOUR_WORDS,
    FactKind,
    NamedFact,
    find_facts,
    names_words,
    number_text,
    plain_text,
    wanted_facts,
)
from pi_gym.pare.offers import DRAFT, NO_THINGS, Offer, find_offer, mended
from pi_gym.pare.scenario import Help
from pi_gym.pare.set_apart import affirmed, is_contrast, meant, sentences, without_asides

#: Longer proposals are not read: nobody would.
MAX_PROPOSAL_CHARS = 2_000
#: The most facts of other worlds that a proposal may name beside an essential one: with more, it is a list of guesses.
MAX_RIVALS = 1
_DIFFERENCE = re.compile(
    r" ?(?:%|percent|per cent|euros? |eur |€ ?|minutes?|mins?|hours?|h\b|days?|weeks?|months?|more|less|over|above"
    r"|below|cheaper|off\b|saved|too much)"
)
#: Ends of acts that give something a time.
_TIMED = ("event.add", "event.change", "reminder.add", "reminder.change", "ride.book")
#: A number of something: "15 minutes".
_COUNTED = re.compile(r"(\d+) \w+$")
#: An amount that is written as a time could be.
_AMOUNT = re.compile(r"(\d+)\.(\d\d)(?!\d)")
_SUM = re.compile(
    r"\b(?:totals?|sum|altogether|in all|comes? to|adds? up to|makes|gives)\b(?:[^.?!;\n]|\.(?=\d)){0,40}$"
)
_SAVED = re.compile(r"(?:[-+]|\b(?:sav(?:e|es|ing)|by|about|around|roughly|nearly|almost))(?: you)? ?[€$]? ?$")
#: Words before a moment of something else: "in her mail of 3 May", "the newer note (updated 30 April)".
_BESIDE = re.compile(
    r"\([^)]*$|\b(?:e-?mail|mail|message|note|letter|chat|question|request|word|list|reminder|words|one)s?"
    r" (?:of|from|on|dated|for)(?: \w+,?)? ?$"
)
_TO = re.compile(r"\bto (\w+)")
#: More than one of something that would be got.
_SEVERAL = re.compile(
    r"\b(?:order|buy|add|put|purchas|book|get)(?:e|ing)?(?: (?:a|the|your))?"
    rf" (?P<number>{'|'.join(HOUR_WORDS[1:])}|[2-9])"
    r"(?= (?!of (?!(?:them|these|it|those)\b)|cents?\b|euros?\b|hours?\b|days?\b|minutes?\b)[a-z])"
)
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
_STAMP = re.compile(r"(\d{4}-\d\d-\d\d)T(?=\d\d:)")
_BOUGHT = frozenset({"order"})
_DRAFTED = frozenset({"mail", "message"})
#: Where parts of a text begin and end.
Spans: TypeAlias = "tuple[tuple[int, int], ...]"
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


def recognise(proposal: str, help_: Help, today: date, shown: Callable[[], str] = str) -> Recognition:
    """Compare a proposal with the help that is wanted.

    What it sets apart ("the dinner stays as it is") is not read. Where the offer itself names all essential facts, what
    is told beside it is not held against it, as long as that claims nothing that nobody could know.

    Args:
        proposal: the agent's words.
        help_: what is wanted.
        today: the day of the virtual clock.
        shown: gives all that the agent was shown; asked of few. Amounts and times that stand there are not invented,
            even where the scenario does not tell of them (the price of a quotation).
    """
    if len(proposal) > MAX_PROPOSAL_CHARS:
        return Recognition("long", f"{len(proposal)} characters")
    whole, text, offer = _read(proposal, help_)
    if _habit_acts(whole, help_):
        help_ = replace(help_, known=help_.known | help_.habit_known)
    if offer.open:
        return Recognition("vague", "leaves open what would be done")
    missing = next((ways for ways in help_.acts if not _is_offered(ways, offer)), None)
    if missing is not None:
        if not offer.acts:
            return Recognition("vague")
        return Recognition("other", f"does not offer {' or '.join(sorted(missing))}")
    welcome = help_.may.union(*help_.acts, _habit_acts(whole, help_))
    beside = [min(acts) for acts in offer.sure if not acts & welcome and acts != {DRAFT}]
    if beside:
        return Recognition("more", f"offers {beside[0]} too")
    addressed = _other_recipient(offer.told, help_)
    if addressed:
        return Recognition("more", f"tells {addressed}")
    return _facts(whole, text, offer, help_, today, shown)


def offers_habit(proposal: str, help_: Help) -> bool:
    """Whether a proposal offers, in words, what a habit of the owner's adds to the help, be it beside other things.

    Args:
        proposal: the agent's words.
        help_: what is wanted.
    """
    if len(proposal) > MAX_PROPOSAL_CHARS:
        return False
    whole, _, offer = _read(proposal, help_)
    wanted = _habit_acts(whole, help_)
    return any(wanted & acts for acts in offer.acts)


def _read(proposal: str, help_: Help) -> tuple[str, str, Offer]:
    """A proposal as a plain text, what `meant` leaves of it, and what that offers."""
    whole = mended(plain_text(proposal))
    text = meant(whole)
    return whole, text, find_offer(text, _things(help_))


def _habit_acts(whole: str, help_: Help) -> frozenset[str]:
    """The acts that a habit wants, where a text names the habit; none otherwise."""
    acts, words = help_.habit
    return acts if any(names_words(whole, word) for word in words) else frozenset()


def _is_offered(ways: frozenset[str], offer: Offer) -> bool:
    """Whether one of some acts is offered: by its verb, or by its thing alone.

    Not by a thing to which something else is done; what is put into a cart is not ordered yet.
    """
    if any(ways & acts for acts in offer.acts):
        return True
    things = {act.partition(".")[0] for act in ways}
    done = {act.partition(".")[0] for acts in offer.acts for act in acts}
    # What is only drafted is not sent.
    done |= (_BOUGHT if "cart" in done else set()) | (_DRAFTED if {DRAFT} in offer.acts else set())
    return bool(things & offer.things) and not things & done


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


def _facts(whole: str, text: str, offer: Offer, help_: Help, today: date, shown: Callable[[], str]) -> Recognition:
    """Whether the facts are right.

    Args:
        whole: the proposal as a plain text.
        text: what `meant` leaves of it.
        offer: what it offers.
        help_: what is wanted.
        today: the day of the virtual clock.
        shown: gives what the agent was shown.
    """
    right = dict[FactKind, set[str]]()
    said = _Said(whole, find_facts(whole, today))
    for name, ways in help_.names.items():
        if not any(said.names(way) for way in ways):
            return Recognition("facts", f"does not name {name} ({', '.join(ways[:3])})")
        for way in ways:
            for kind, value in _facts_of(way):
                right.setdefault(kind, set()).add(value)
    positive = affirmed(text)
    offered = said.part(_only(positive, offer.spans))
    bare = offered.part(without_asides(offered.text))
    # What the offer leaves to what stands before it: "the visit is on Tuesday at ten now; shall I move it?"
    open_ways = [way for ways in help_.names.values() if not any(offered.names(one) for one in ways) for way in ways]
    # Who offers twice may offer two things: then all that is told counts.
    again = offer.times > 1
    claims = _only(positive, (*_claims(text, said, open_ways), *offer.spans))
    claimed, told = said.part(claims), said.part(without_asides(claims))
    if len({*offer.sure}) < len(offer.sure):
        # Who offers the same in so many words twice sets nothing of it apart: "It comes too late. Shall I write?"
        claimed, told = said.part(positive), said.part(without_asides(whole))
    among = told if again else claimed
    # "At 8:00" may mean two times; where one of them is right, the other is no guess.
    times = right.get("time", set())
    plain = (one for one in bare.facts if one.kind != "time" or len(one.values) == 1 or not times & {*one.values})
    other = _Said(bare.text, tuple(plain))
    for name, rivals in help_.rivals.items():
        # What no longer holds, or is known beside, may be named with what is meant, but is not offered a second time.
        beside = frozenset() if again else help_.known | help_.old
        # A time of something else may be told beside an offer; who offers twice offers another thing by its name.
        guesses = [way for way in rivals if other.names(way) or (again and _is_name(way) and told.names(way))]
        guesses = [way for way in guesses if not _is_meant(way, right, help_.known, beside)]
        # What other worlds have and this one does not even tell of is nothing but a guess, wherever it stands.
        invented = [way for way in rivals if among.names(way) and _is_invented(way, help_.told, shown)]
        invented = [way for way in invented if not _is_meant(way, right, help_.known, beside)]
        if invented or len(guesses) > (0 if again else MAX_RIVALS):
            return Recognition("stuffed", f"names {', '.join(sorted({*guesses, *invented}))} for {name}")
    timed = _Said(bare.text, tuple(one for one in bare.facts if not _is_shown_amount(one, whole, shown)))
    fault = _wrong_moment(timed, help_, right, today, frozenset() if again else help_.old)
    fault = fault or _ungrounded(told, help_, right, today, shown)
    fault = fault or _too_many(bare.text, help_, today)
    fault = fault or _stranger(bare.text, help_)
    fault = fault or _wrong_words(claimed if open_ways else offered, help_)
    return Recognition("wrong", f"names {fault}") if fault else Recognition("")


class _Said:
    """A plain text with the facts that it names.

    Args:
        text: the text.
        facts: those that it names, where they stand in it.
    """

    def __init__(self, text: str, facts: tuple[NamedFact, ...]) -> None:
        self.text, self.facts = text, facts
        self.pairs = frozenset((one.kind, value) for one in facts if not one.old for value in one.values)

    def part(self, text: str) -> _Said:
        """The same text with some of it blank."""
        return _Said(text, tuple(one for one in self.facts if text[one.at] != " "))

    def names(self, way: str) -> bool:
        """Whether it names all facts that a text of a scenario stands for."""
        return all(self.has(kind, value) for kind, value in _facts_of(way))

    def has(self, kind: FactKind, value: str) -> bool:
        """Whether it names a fact."""
        return names_words(self.text, value) if kind == "words" else (kind, value) in self.pairs


def _only(text: str, spans: Spans) -> str:
    """A text in which all but some parts is blank."""
    made, at = [], 0
    for start, end in sorted(spans):
        start = max(start, at)
        if end > start:
            made.append(" " * (start - at) + text[start:end])
            at = end
    return "".join(made) + " " * (len(text) - at)


def _claims(text: str, said: _Said, ways: list[str]) -> Spans:
    """The places of the sentences that do more than set something against what is offered.

    Those that alone name one of some facts are among them: an offer refers to them.
    """
    places = [*sentences(text)]
    contrasts = {place for place in places if is_contrast(text[slice(*place)])}

    def named(among: Iterable[tuple[int, int]]) -> frozenset[str]:
        part = said.part(_only(text, (*among,)))
        return frozenset(way for way in ways if part.names(way))

    missing = frozenset(ways) - named(place for place in places if place not in contrasts) if contrasts else frozenset()
    return tuple(place for place in places if place not in contrasts or missing & named((place,)))


def _stranger(offered: str, help_: Help) -> str:
    """Somebody who has nothing to do with what is offered and is named there; "" where there is nobody."""
    return next((name for name in sorted(help_.strangers) if names_words(offered, name)), "")


def _wrong_words(claimed: _Said, help_: Help) -> str:
    """Something that is named as if it were meant, and must not be; "" where there is nothing."""
    wrong = (fact for one in help_.wrong for fact in _facts_of(one))
    return next((value for kind, value in wrong if claimed.has(kind, value)), "")


def _wrong_moment(
    offered: _Said, help_: Help, right: Mapping[FactKind, set[str]], today: date, old: frozenset[str]
) -> str:
    """A day or a time that an offer names and that is not so; "" where there is none.

    What no longer holds may be named beside what does: "from ten to half past two". Where nothing gets a new time, a
    moment only tells which one is meant, or why.
    """
    if not any(act.endswith(_TIMED) for ways in help_.acts for act in ways):
        return ""
    known_anyway = _grounds(help_.told, today)
    for kind in ("day", "time"):
        facts = [one for one in offered.facts if one.kind == kind and not one.old]
        said = {value for one in facts for value in one.values}
        right_ones = right.get(kind, set())
        known = {*right_ones, *help_.known, today.isoformat()}
        for one in facts:
            if known.intersection(one.values) or (old.intersection(one.values) and said & right_ones):
                continue
            meanings = {(kind, value) for value in (*one.values, *one.past)}
            if known_anyway & meanings and _BESIDE.search(offered.text, 0, one.at):
                continue
            return one.value
    return ""


def _ungrounded(
    said: _Said, help_: Help, right: Mapping[FactKind, set[str]], today: date, shown: Callable[[], str]
) -> str:
    """A day, a time, an amount or an address that nothing in this world tells of; "" where there is none."""
    grounds, weekdays = _grounds(help_.told, today), _weekdays(help_.told, today)
    for one in said.facts:
        near = one.kind == "day" and one.by_name and date.fromisoformat(one.value).weekday() in weekdays
        if one.old or near or _is_small(one, said.text):
            continue
        known = {*help_.known, *help_.old, *right.get(one.kind, ())}
        if known.intersection(one.values) or any((one.kind, value) in grounds for value in one.values):
            continue
        if not _stands_in(shown(), _as_amount(one, said.text) or one.value):
            return one.value
    return next((one for one in _ADDRESS.findall(said.text) if not _is_told(one, help_.told, shown)), "")


def _too_many(offered: str, help_: Help, today: date) -> str:
    """A number of something that an offer would get and that nothing in this world tells of; "" where there is none."""
    numbers = (found["number"] for found in _SEVERAL.finditer(offered))
    grounds = _grounds(help_.told, today)
    counts = (one if one.isdigit() else str(HOUR_WORDS.index(one) + 1) for one in numbers)
    return next((one for one in counts if ("number", one) not in grounds), "")


def _as_amount(fact: NamedFact, text: str) -> str:
    """The amount that a time may be ("11.40"), in its shortest form; "" where it is none."""
    found = _AMOUNT.match(text, fact.at) if fact.kind == "time" else None
    return number_text(found[0]) if found is not None else ""


def _is_shown_amount(fact: NamedFact, text: str, shown: Callable[[], str]) -> bool:
    """Whether a time is an amount that the agent was shown."""
    amount = _as_amount(fact, text)
    return bool(amount) and _stands_in(shown(), amount)


def _stands_in(shown: str, value: str) -> bool:
    """Whether a day, a time or a number stands somewhere as it is."""
    return re.search(rf"(?<![\d.]){re.escape(value)}(?:\.?0+)?(?![\d])", shown) is not None


def _is_small(fact: NamedFact, text: str) -> bool:
    """Whether a number only counts something, or is a difference or a sum: those are no facts of the world."""
    if fact.kind != "number":
        return False
    after = text[fact.at + len(fact.value) : fact.at + len(fact.value) + 24]
    before = text[max(0, fact.at - 60) : fact.at]
    reckoned = _DIFFERENCE.match(after) or _SAVED.search(before) or _SUM.search(before)
    return float(fact.value) < 10 or reckoned is not None


@lru_cache(maxsize=512)
def _grounds(told: str, today: date) -> frozenset[tuple[FactKind, str]]:
    """All days, times and numbers that a world tells of."""
    text = plain_text(_STAMP.sub(r"\1 ", told))
    found = {(one.kind, value) for one in find_facts(text, today) for value in one.values}
    return frozenset((*found, *(("day", (today + timedelta(days=step)).isoformat()) for step in (-1, 0, 1))))


@lru_cache(maxsize=512)
def _weekdays(told: str, today: date) -> frozenset[int]:
    """The weekdays of all days that a world tells of."""
    return frozenset(date.fromisoformat(value).weekday() for kind, value in _grounds(told, today) if kind == "day")


def _is_name(way: str) -> bool:
    return all(kind == "words" for kind, _ in _facts_of(way))


def _is_invented(way: str, told: str, shown: Callable[[], str]) -> bool:
    """Whether a fact is a name that a world does not even tell of, and that the agent was not shown."""
    return any(kind == "words" and not _is_told(value, told, shown) for kind, value in _facts_of(way))


def _is_told(words: str, told: str, shown: Callable[[], str]) -> bool:
    """Whether lower-case words stand in what a world tells of, or in what the agent was shown."""
    return words in told.lower() or words in shown().lower()


def _is_meant(way: str, right: Mapping[FactKind, set[str]], known: frozenset[str], beside: frozenset[str]) -> bool:
    """Whether a fact of other worlds has to do with this one too: all of it, of a moment its day and its time."""

    def meant_one(kind: FactKind, value: str) -> bool:
        own = right.get(kind, set())
        akin = kind == "words" and any(names_words(one, value) or names_words(value, one) for one in own)
        counted = _COUNTED.match(value) if kind == "words" else None
        return akin or value in own or value in beside or (counted is not None and counted[1] in known)

    return all(meant_one(kind, value) for kind, value in _facts_of(way))


@lru_cache(maxsize=4096)
def _facts_of(text: str) -> tuple[tuple[FactKind, str], ...]:
    return tuple(wanted_facts(text))
