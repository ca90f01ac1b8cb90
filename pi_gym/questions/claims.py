"""The claims of topics on an asking clause, and the score by which they compete.

A topic claims a clause where a word of one of its groups stands in it. What counts for a claim: ways of which every
group is hit, several of them, rare words, words that no other topic has. What counts against it: a missing group, a
word of `without`, another topic whose ways are hit too, words that another topic has and this one has not, and the form
of a question about facts ("Did Mats drive?"), where a wish would be asked for otherwise.

The weights are a logistic regression over the questions of tests/questions/blind/researcher, rounded; fitted on four
fifths of the tasks they measure the same on the last fifth. One is set by hand, since these questions ask for one thing
each: what it counts against a topic that another thing is named beside it, in a clause that joins two ("the name and
the day").
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import mul
from typing import Any, NamedTuple

from pi_gym.questions import cues
from pi_gym.questions.clauses import Clause
from pi_gym.questions.phrase_index import PhraseIndex
from pi_gym.questions.phrases import Phrase, read
from pi_gym.questions.ways import Group, Way

MAX_KNOWN_TEXTS = 256
#: What each further word of a phrase adds to its weight, as a share.
FURTHER_WORD = 0.3
#: The share of a hit in the context, and of the strength of another topic's incomplete way.
BESIDE, INCOMPLETE = 0.5, 0.5

#: Of the features of a claim, in their order, by what they are of.
OF_WAYS = (1.95, -0.16, -1.85, 0.97, 0.26, -1.89, 1.72)
OF_WORDS = (0.44, 0.93)
OF_FORM = (-1.25, 0.56, 0.76, 0.58, 0.64)
#: Those of what others have, all of which count against a claim.
OF_OTHERS = (-2.15, -0.8, -2.15, -1.23, -0.29)
BIAS = -3.25
#: By how much a sum may differ that was added up in another order.
ROUNDING = 1e-6


@dataclass(slots=True)
class Claim:
    """A topic's claim on a clause.

    Args:
        missing: groups that its best way lacks.
        blocked: whether a word of the best way's `without` stands in the clause.
        strength: the weight of what the best way has.
        complete: ways that lack nothing and are not blocked.
        words: bits of the tokens on which words of the topic stand.
        evidence: bits of those of its best way.
        beside: places of the topics that the clause names beside this one.
    """

    missing: int
    blocked: bool
    strength: float
    complete: int
    words: int
    evidence: int
    beside: frozenset[int] = frozenset()

    @property
    def full(self) -> bool:
        """Whether its best way lacks nothing and is not blocked."""
        return not self.missing and not self.blocked


class ClauseForm(NamedTuple):
    """The form of a clause, which is the same for all topics.

    Args:
        features: how it asks, in the order of `OF_FORM`.
        joins: whether it may name two things.
    """

    features: tuple[float, ...]
    joins: bool


@dataclass(frozen=True, slots=True)
class _NumberedWay:
    """A way with its groups and `without` as numbers."""

    groups: tuple[int, ...]
    without: int


@dataclass(slots=True)
class _Findings:
    """The phrases in a text: by group their weight and bits; by topic weight and bits of each; its content words."""

    weights: dict[int, float]
    bits: dict[int, int]
    spans: dict[int, list[tuple[float, int]]]
    content: int


class TopicIndex:
    """The words of some topics, arranged so that one pass over a clause finds all claims on it.

    Args:
        topics: names and ways.
    """

    def __init__(self, topics: Sequence[tuple[str, Sequence[Way]]]) -> None:
        self.names = tuple(name for name, _ in topics)
        self._topics = [ways for _, ways in topics]
        self._known: dict[str, _Findings] = {}

    def claims(self, clause: Clause) -> dict[int, Claim]:
        """The claims of the topics on a clause, by their places."""
        if not self._topics:
            return {}
        found = self._findings(clause.text)
        touched: dict[int, list[_NumberedWay]] = {}
        if clause.bare:
            touched = dict(enumerate(self._ways))
        else:
            near = {key: None for group in found.weights for key in self._of_group.get(group, ())}
            for topic, way in near:
                touched.setdefault(topic, []).append(self._ways[topic][way])
        around = self._findings(clause.context).weights if clause.context else {}
        claims = {
            topic: claim
            for topic in sorted(touched)
            if (claim := _claim(found, around, clause.bare, touched[topic], found.spans.get(topic, ()))) is not None
        }
        full = {topic: claim for topic, claim in claims.items() if claim.full}
        for topic, claim in full.items():
            claim.beside = frozenset(
                [
                    place
                    for place, other in full.items()
                    if place != topic and claim.evidence & ~other.words and other.evidence & ~claim.words
                ]
            )
        return claims

    def scores(self, claims: Mapping[int, Claim], clause: Clause, least: float = -math.inf) -> dict[int, float]:
        """The scores of the claims on a clause, by the topics' places; from 0 on the clause is taken to ask for it.

        Claims that would stay below `least` even if no other topic had a word are left out.
        """
        if not claims:
            return {}
        found = self._findings(clause.text)
        form = form_of(clause, found.content.bit_count())
        base = BIAS + sum(map(mul, OF_FORM, form.features))
        scores: dict[int, float] = {}
        for topic, claim in claims.items():
            spans = found.spans.get(topic, ())
            own = base + sum(map(mul, OF_WAYS, _of_ways(claim)))
            words = min((claim.words & found.content).bit_count(), 5)
            most = max([weight for weight, _ in spans], default=0.0)
            if own + sum(map(mul, OF_WORDS, (most, words))) < least - ROUNDING:
                continue
            others = _of_others(claims, topic, form, found)
            unique = max([weight for weight, bits in spans if not bits & others.words], default=0.0)
            scores[topic] = own + sum(map(mul, OF_WORDS, (unique, words))) + sum(map(mul, OF_OTHERS, others.features))
        return scores

    def _findings(self, text: str) -> _Findings:
        known = self._known.get(text)
        if known is None:
            if len(self._known) >= MAX_KNOWN_TEXTS:
                self._known.clear()
            known = self._known[text] = self._find(text)
        return known

    def _find(self, text: str) -> _Findings:
        reading = read(text)
        content = sum(
            1 << place
            for place, token in enumerate(reading.tokens)
            if len(token) > 1 and token not in cues.FUNCTION_WORDS
        )
        found = _Findings({}, {}, {}, content)
        for place, bits in self._index.found(reading).items():
            weight = self._weights[place]
            for group in self._groups_of[place]:
                found.bits[group] = found.bits.get(group, 0) | bits
                if weight > found.weights.get(group, 0.0):
                    found.weights[group] = weight
            for topic in self._topics_of[place]:
                found.spans.setdefault(topic, []).append((weight, bits))
        return found

    # -- made at the first look ------------------------------------------------------------------------------------

    # Thousands of phrases are told apart here by their words: tuples are hashed much faster than dataclasses.

    @cached_property
    def _numbered(self) -> tuple[list[list[_NumberedWay]], list[Group]]:
        """The ways with a number for each different group, and the groups by their numbers."""
        numbers: dict[tuple[Any, ...], int] = {}
        groups: list[Group] = []

        def number(group: Group) -> int:
            found = numbers.setdefault(tuple([one.words for one in group]), len(numbers))
            if found == len(groups):
                groups.append(group)
            return found

        ways = [
            [_NumberedWay(tuple(map(number, way.groups)), number(way.without)) for way in ways] for ways in self._topics
        ]
        return ways, groups

    @property
    def _ways(self) -> list[list[_NumberedWay]]:
        return self._numbered[0]

    @cached_property
    def _of_group(self) -> dict[int, list[tuple[int, int]]]:
        """Topic and way of each group."""
        found: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
        for topic, ways in enumerate(self._ways):
            for number, way in enumerate(ways):
                for group in dict.fromkeys(way.groups):
                    found[group].append((topic, number))
        return dict(found)

    @cached_property
    def _placed(self) -> tuple[tuple[Phrase, ...], list[tuple[int, ...]]]:
        """The different phrases, and those of each group by their places."""
        places: dict[tuple[Any, ...], int] = {}
        phrases: list[Phrase] = []
        of_groups: list[tuple[int, ...]] = []
        for group in self._numbered[1]:
            found = []
            for one in group:
                place = places.setdefault(one.words, len(places))
                if place == len(phrases):
                    phrases.append(one)
                found.append(place)
            of_groups.append(tuple(found))
        return tuple(phrases), of_groups

    @property
    def _phrases(self) -> tuple[Phrase, ...]:
        return self._placed[0]

    @cached_property
    def _index(self) -> PhraseIndex:
        return PhraseIndex(self._phrases)

    @cached_property
    def _groups_of(self) -> list[tuple[int, ...]]:
        """The groups of each phrase, those of `without` among them."""
        phrases, of_groups = self._placed
        found: list[list[int]] = [[] for _ in phrases]
        for number, places in enumerate(of_groups):
            for place in places:
                found[place].append(number)
        return list(map(tuple, found))

    @cached_property
    def _topics_of(self) -> list[tuple[int, ...]]:
        """The topics that have each phrase in a group."""
        phrases, of_groups = self._placed
        found: list[dict[int, None]] = [{} for _ in phrases]
        for topic, ways in enumerate(self._ways):
            for group in {group: None for way in ways for group in way.groups}:
                for place in of_groups[group]:
                    found[place][topic] = None
        return list(map(tuple, found))

    @cached_property
    def _weights(self) -> list[float]:
        """The weight of each phrase: the fewer topics have it and the longer it is, the more."""
        count = len(self._topics) + 1
        rarity = [math.log(count / max(having, 1)) / math.log(count) for having in range(count)]
        return [
            rarity[len(topics)] * (1 + FURTHER_WORD * (len(phrase.words) - 1))
            for phrase, topics in zip(self._phrases, self._topics_of, strict=True)
        ]


def _claim(
    found: _Findings,
    around: Mapping[int, float],
    bare: bool,
    ways: Sequence[_NumberedWay],
    spans: Sequence[tuple[float, int]],
) -> Claim | None:
    """The claim of a topic by its best way; None where no way has a word in the clause.

    Args:
        found: in the clause.
        around: by group the weight of what its context has.
        bare: whether the clause only points at its context.
        ways: of the topic, those that may have a word.
        spans: weights and bits of the topic's phrases in the clause.
    """
    weights = found.weights
    best: tuple[bool, bool, int, float] | None = None
    chosen: _NumberedWay | None = None
    complete = 0
    for way in ways:
        here = beside = 0.0
        missing = 0
        for group in way.groups:
            if group in weights:
                here += weights[group]
            elif group in around:
                beside += around[group]
            else:
                missing += 1
        full = not missing and way.without not in weights
        complete += full
        # The words around a question make its own ones clear; they ask for nothing themselves.
        if here or (beside and bare):
            rank = full, not missing, -missing, here + BESIDE * beside
            if best is None or rank > best:
                best, chosen = rank, way
    if best is None or chosen is None:
        return None
    words = evidence = 0
    for _, bits in spans:
        words |= bits
    for group in chosen.groups:
        evidence |= found.bits.get(group, 0)
    return Claim(-best[2], chosen.without in weights, best[3], complete, words, evidence)


def _of_ways(claim: Claim) -> tuple[float, ...]:
    """The features of what a claim's own ways have, in the order of `OF_WAYS`."""
    missing, blocked = claim.missing, claim.blocked
    full = not missing and not blocked
    best = full, missing == 1, missing > 1, min(claim.complete, 3), claim.strength
    return *best, blocked, blocked and not missing


class _Others(NamedTuple):
    """The topics beside one that do not stand beside it in the clause.

    Args:
        words: bits of the tokens on which their words stand.
        features: what they have, in the order of `OF_OTHERS`.
    """

    words: int
    features: tuple[float, ...]


def _of_others(claims: Mapping[int, Claim], topic: int, form: ClauseForm, found: _Findings) -> _Others:
    claim = claims[topic]
    left = found.content & ~claim.words
    foreign: dict[int, float] = {}
    words = 0
    rival, strongest = False, 0.0
    for place, other in claims.items():
        if place == topic or place in claim.beside:
            continue
        rival = rival or other.full
        strongest = max(strongest, other.strength * INCOMPLETE if other.missing else other.strength)
    for place, spans in found.spans.items():
        if place == topic or place in claim.beside:
            continue
        for weight, bits in spans:
            words |= bits
            loose = bits & left
            while loose:
                bit = loose & -loose
                loose ^= bit
                if weight > foreign.get(bit, 0.0):
                    foreign[bit] = weight
    beside = bool(claim.beside)
    against = max(strongest - claim.strength, 0.0), min(sum(foreign.values()), 4.0)
    return _Others(words, (rival, beside, beside and not form.joins, *against))


def form_of(clause: Clause, content: int) -> ClauseForm:
    """The form of a clause; `content` is the number of its words that have a meaning of their own."""
    plain = clause.text.casefold()
    asks = (cues.asks_of_facts(plain), cues.addresses(plain), clause.kind == "imperative", clause.kind == "options")
    return ClauseForm((*asks, content < 3), cues.joins(plain))
