"""Checks of results: whether one is sound, whether a wish holds in it, whether an item does."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Literal, TypeAlias

from pi_gym.predicates.check import Check, outcome
from pi_gym.predicates.evidence import Evidence, Outcome
from pi_gym.predicates.footprint import Footprint
from pi_gym.predicates.wording import shown
from pi_gym.results.content import ResultContent, as_text
from pi_gym.results.facets import ABSENT, Aspect, AspectReading, Condition, Demand, Parts
from pi_gym.results.place import ResultPlace, find_once
from pi_gym.results.right_answers import Accepted, AcceptedTokens, RightAnswers

#: The share of the sure places that make a result what was asked for.
LEAST = 0.7
#: The share of the places that a wish governs which must be there at all, where what lacks is another facet's.
LEAST_THERE = 0.5

Scope: TypeAlias = Literal["wish", "item", "sound"]


@dataclass(frozen=True, slots=True)
class JudgedContent:
    """A content that was handed in, with the findings of checks in it: each facet looks once at the same content.

    Args:
        content: what was handed in; None where nothing was.
        findings: what facets, and checks that ask no function, found in it, for all sessions of the world: by the id
            of each, which stands beside what it found, so that no other can come to have its id.
        parts: what aspects read in it, for one moment alone: that may be much.
    """

    content: ResultContent | None
    findings: dict[Any, tuple[Any, Any]]
    parts: dict[tuple[Callable[..., Parts], AspectReading], Parts] = field(default_factory=dict)

    def read(self, aspect: Aspect, reading: AspectReading) -> Parts:
        """The parts that an aspect reads in it, read once."""
        if self.content is None:
            return {}
        key = aspect.parts, reading
        found = self.parts.get(key)
        if found is None:
            found = self.parts[key] = aspect.parts(self.content, reading)
        return found


@dataclass(frozen=True, slots=True)
class AskedAspect:
    """An aspect that must be right.

    Args:
        aspect, reading: which, and how it is read.
        least: the share of its places that must be right, for a sound result.
    """

    aspect: Aspect
    reading: AspectReading
    least: float = LEAST

    def fault(self, found: JudgedContent, result: str, answers: RightAnswers, scope: Scope, wish: str) -> str:
        """The reason why it is not right; "" where it is."""
        parts = found.read(self.aspect, self.reading)
        if scope == "sound":
            if self._is_surely_sound(parts, result, answers):
                return ""
            return self._sound(parts, answers.for_sound(result, self.aspect, self.reading))
        if answers.reads_right(result, self.aspect, self.reading, parts):
            return ""
        if scope == "wish":
            accepted = answers.for_wish(result, self.aspect, self.reading, wish)
        else:
            accepted = answers.for_item(result, self.aspect, self.reading)
        if isinstance(accepted, AcceptedTokens):
            fault = self._extra_tokens(parts, accepted) if scope == "item" else ""
            return fault or self._of_tokens(parts, accepted)
        if scope == "item" and (fault := self._extra(parts, accepted)):
            return fault
        return self._of_places(parts, accepted)

    def _extra(self, parts: Parts, accepted: Accepted) -> str:
        """The reason why there is too much; "" where there is not."""
        if self.reading.extra is None:
            return ""
        found = [place for place in parts if place not in accepted.ever]
        if len(found) <= self.reading.extra:
            return ""
        return f"has {_said(found[0])} in its {self.aspect.name}, which is never right"

    def _same(self, found: Any, values: Sequence[Any]) -> bool:
        if found is ABSENT:
            return ABSENT in values
        return any(one is not ABSENT and self.aspect.same(found, one, self.reading) for one in values)

    def _is_surely_sound(self, parts: Parts, result: str, answers: RightAnswers) -> bool:
        """Whether it reads as what is right does, and so is sound whatever of that is sure in this world."""
        if self.least > 1 or answers.content(result) is None:
            return False
        right = answers.right_parts(result, self.aspect, self.reading)
        return parts.keys() == right.keys() and all(self._same(parts[place], (right[place],)) for place in right)

    def _sound(self, parts: Parts, accepted: Accepted) -> str:
        if fault := self._extra(parts, accepted):
            return fault
        if not accepted.values and self.reading.extra is not None:
            return ""
        if not accepted.values:
            return f"has nothing sure in its {self.aspect.name}: all of it depends on some wish, so it tells nothing"
        right = sum(self._same(parts.get(place, ABSENT), values) for place, values in accepted.values.items())
        if right >= self.least * len(accepted.values):
            return ""
        return f"has {right} of {len(accepted.values)} right in its {self.aspect.name}"

    def _of_places(self, parts: Parts, accepted: Accepted) -> str:
        skips = self.aspect.lacking == "skip"
        wrong = [
            (place, parts.get(place, ABSENT), values)
            for place, values in accepted.values.items()
            if not (skips and place not in parts) and not self._same(parts.get(place, ABSENT), values)
        ]
        if len(wrong) > self.reading.slips:
            place, found, values = wrong[0]
            return f"has {shown(found)} at {_said(place)} ({self.aspect.name}); right is {_said_values(values)}"
        there = sum(place in parts for place in accepted.values)
        least = LEAST_THERE * accepted.usual if skips else accepted.fewest - self.reading.slips
        if there < least:
            return f"has {there} of {accepted.usual} places of its {self.aspect.name}"
        return ""

    def _of_tokens(self, parts: Parts, accepted: AcceptedTokens) -> str:
        same = partial(self._is_among, tuple(parts))
        for token in accepted.unwanted:
            if same(token):
                return f"has {_said(token)} ({self.aspect.name}), which does not belong there"
        missing: list[Hashable] = []
        for wanted in accepted.wanted:
            missing = [token for token in wanted if not same(token)]
            if len(missing) <= self.reading.slips:
                return ""
        return f"lacks {_said(missing[0])} ({self.aspect.name})" if missing else ""

    def _extra_tokens(self, parts: Parts, accepted: AcceptedTokens) -> str:
        if self.reading.extra is None:
            return ""
        every = tuple(dict.fromkeys(token for wanted in accepted.wanted for token in wanted))
        found = [token for token in parts if not any(self.aspect.same(token, one, self.reading) for one in every)]
        if len(found) <= self.reading.extra:
            return ""
        return f"has {_said(found[0])} ({self.aspect.name}), which is never right"

    def _is_among(self, tokens: Sequence[Hashable], token: Hashable) -> bool:
        return any(self.aspect.same(one, token, self.reading) for one in tokens)


def _said(place: Hashable) -> str:
    return " / ".join(map(str, place)) if isinstance(place, tuple) else str(place)


def _said_values(values: Sequence[Any]) -> str:
    return " or ".join(shown(one) for one in values[:3])


@dataclass(frozen=True, slots=True)
class AskedDemand:
    """A demand that must be met.

    Args:
        demand: the facet.
        condition: what is demanded.
    """

    demand: Demand
    condition: Condition

    def fault(self, found: ResultContent | None) -> str:
        """The reason why it is not met; "" where it is."""
        if found is None:
            return "is not there"
        return self.condition.fault(found if self.demand.whole else as_text(found))


@dataclass(frozen=True, slots=True)
class AskedCheck:
    """A function of right.py that must hold.

    Args:
        check: the function, bound to its arguments.
    """

    check: Check

    def fault(self, evidence: Evidence) -> str:
        """The reason why it does not hold; "" where it does."""
        found = self.check.test(evidence)
        return "" if found.holds else f"is not as asked: {found.why}"


AskedFacet: TypeAlias = AskedAspect | AskedDemand | AskedCheck


@dataclass(frozen=True, slots=True)
class ResultCheck:
    """Whether a result is there, sound, and right in some facets.

    Args:
        result: its name.
        place: where it lies.
        sound: the least that makes it this deliverable.
        asked: what must be right beside.
        answers: what is right.
        scope: for whom: "sound" for the result alone, "wish" for one wish, "item" for all that are drawn.
        wish: the wish's name; "" for none.
    """

    result: str
    place: ResultPlace
    sound: tuple[AskedFacet, ...]
    asked: tuple[AskedFacet, ...]
    answers: Callable[[], RightAnswers]
    scope: Scope = "item"
    wish: str = ""

    def test(self, evidence: Evidence) -> Outcome:
        """See `Check`."""
        there = find_once(self.place, evidence)
        found = None if isinstance(there, str) else there
        answers = self.answers()
        if isinstance(there, str) and (self.scope == "sound" or answers.content(self.result) is not None):
            return Outcome(False, there)
        key = answers, self.place
        judged: JudgedContent | None = evidence.found.get(key)
        if judged is None:
            judged = evidence.found[key] = JudgedContent(found, answers.found_in(found))
        known = judged.findings.get(id(self))
        if known is None:
            fault = "" if found is None else self._unsound(judged, evidence)
            fault = fault or self._fault(self.asked, judged, evidence, self.scope)
            known = self, outcome(f"What was handed in as {self.result}", fault)
            if not _asks_function((*self.sound, *self.asked)):
                judged.findings[id(self)] = known
        result: Outcome = known[1]
        return result

    def _unsound(self, judged: JudgedContent, evidence: Evidence) -> str:
        """The reason why it is not sound; all checks of a result share the facets of that."""
        findings = judged.findings
        key: tuple[Any, ...] = id(self.sound), self.result
        if _asks_function(self.sound):
            findings, key = evidence.rules, (*key, id(judged))
        known = findings.get(key)
        if known is None:
            known = findings[key] = self.sound, self._fault(self.sound, judged, evidence, "sound")
        fault: str = known[1]
        return fault

    def _fault(self, asked: Sequence[AskedFacet], judged: JudgedContent, evidence: Evidence, scope: Scope) -> str:
        for one in asked:
            # A function of right.py may look at anything, so it is asked each time.
            fault = one.fault(evidence) if isinstance(one, AskedCheck) else self._found(one, judged, scope)
            if fault:
                return fault
        return ""

    def _found(self, one: AskedAspect | AskedDemand, judged: JudgedContent, scope: Scope) -> str:
        key = id(one), self.result, scope, self.wish if scope == "wish" else ""
        known = judged.findings.get(key)
        if known is None:
            if isinstance(one, AskedDemand):
                fault = one.fault(judged.content)
            else:
                fault = one.fault(judged, self.result, self.answers(), scope, self.wish)
            known = judged.findings[key] = one, fault
        said: str = known[1]
        return said

    def footprint(self) -> Footprint:
        """See `Check`."""
        return self.place.footprint()


def _asks_function(facets: Sequence[AskedFacet]) -> bool:
    """Whether one of some facets is a function of right.py: what it finds depends on more than the content."""
    return AskedCheck in map(type, facets)


def governed(check: ResultCheck) -> Mapping[str, bool]:
    """By aspect, whether the wish of a check governs anything in it in this world."""
    answers = check.answers()
    found: dict[str, bool] = {}
    for one in check.asked:
        if isinstance(one, AskedAspect):
            accepted = answers.for_wish(check.result, one.aspect, one.reading, check.wish)
            if isinstance(accepted, Accepted):
                found[one.aspect.name] = bool(accepted.values)
            else:
                found[one.aspect.name] = bool(accepted.unwanted) or any(accepted.wanted)
    return found
