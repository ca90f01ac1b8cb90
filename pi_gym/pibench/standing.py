"""The protocol's rules as functions of values: what follows from what the judges of a session decided.

What a judge decided (`Satisfied`, `Asked`, verdicts) goes in; a `Ruling` comes out: how the session stands after it,
and what its log keeps. Playing a session and judging a recorded one anew both go through here: a rule stands once.

Source: the paper's section 3.4.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pi_gym.errors import AnswerError, SessionError
from pi_gym.graders.rule import settle_guards
from pi_gym.packs import Intent, Item
from pi_gym.predicates import Evidence
from pi_gym.questions import Asked
from pi_gym.rewards import RewardConfig, Tally, completeness, return_components, total
from pi_gym.types import Event, IntentStatus, Verdict
from pi_gym.users.base import Satisfied

CREDITED = ("completed", "inferred")
#: The share of intents that are hard in no way.
UNTAGGED = "untagged"

if TYPE_CHECKING:
    from pi_gym.questions.choices import Choice

NO_SCORES: Mapping[str, float | None] = dict.fromkeys(("proc", "strict_proc", "comp", "return"))


class Standing(NamedTuple):
    """The statuses of a session's intents, and its questions, at one moment.

    Args:
        statuses: by intent id, in file order.
        turns: by intent id, the turn in which it was settled; in the order of settling.
        needless: ids of intents that were asked for although they could be known, credited or not.
        questions: asking clauses that the user took notice of, but for those that ask back.
        misses: replies with such a clause that hit nothing.
        spared: ids of settled intents that have had their one clause without a miss.
        announced: ids of open intents that a right plan has held back once.
        awaited: ids of open intents for whose `after` the user has waited once.
        closed: ids of open intents for which it is too late.
    """

    statuses: Mapping[str, IntentStatus]
    turns: Mapping[str, int]
    needless: frozenset[str] = frozenset()
    questions: int = 0
    misses: int = 0
    spared: tuple[str, ...] = ()
    announced: tuple[str, ...] = ()
    awaited: tuple[str, ...] = ()
    closed: frozenset[str] = frozenset()

    @classmethod
    def at_opening(cls, intents: Iterable[Intent]) -> Standing:
        """All of them open, and nothing asked."""
        return cls({intent.id: "open" for intent in intents}, {})

    def open(self, intents: Iterable[Intent]) -> tuple[Intent, ...]:
        """The open ones of some intents, without those for which it is too late."""
        return tuple(
            [intent for intent in intents if self.statuses[intent.id] == "open" and intent.id not in self.closed]
        )

    def by_name(self, intents: Iterable[Intent]) -> dict[str, IntentStatus]:
        """The status of each of the intents by its name, as predicates ask for it."""
        return {intent.name: self.statuses[intent.id] for intent in intents}

    def settled_since(self, earlier: Standing) -> list[tuple[IntentStatus, bool]]:
        """(status, needless) of what was settled after an earlier standing, in that order."""
        new = [*self.turns][len(earlier.turns) :]
        return [(self.statuses[number], number in self.needless) for number in new]


@dataclass(frozen=True, slots=True)
class Ruling:
    """The consequences of a judgement.

    Args:
        standing: after it.
        settled: the intents that it settled, in order.
        notes: what the log keeps, in order: kind and data of events.
    """

    standing: Standing
    settled: tuple[Intent, ...] = ()
    notes: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def rule_satisfied(standing: Standing, intents: Sequence[Intent], found: Satisfied, turn: int) -> Ruling:
    """Stage 1: the open intents that a turn satisfied are completed."""
    if not found.reasons:
        return Ruling(standing)
    met = tuple(intent for intent in standing.open(intents) if intent.id in found.reasons)
    return _settle(standing, met, "completed", turn, found.reasons)


def rule_closed(standing: Standing, intents: Sequence[Intent], seen: Evidence) -> Ruling:
    """It is too late for open intents whose `before` holds: they stay open, and the user does not bring them up."""
    late = [intent.id for intent in standing.open(intents) if intent.before is not None and intent.before.test(seen)]
    if not late:
        return Ruling(standing)
    after = standing._replace(closed=standing.closed.union(late))
    return Ruling(after, (), tuple(("closed", {"intent": number}) for number in late))


def rule_announced(standing: Standing, intents: Sequence[Intent], plans: Mapping[str, Choice], turn: int) -> Ruling:
    """Open intents that a reply announces: a wrong plan is corrected, which provides the intent, a right one noted."""
    if not plans:
        return Ruling(standing)
    announced = tuple(intent for intent in standing.open(intents) if intent.id in plans)
    wrong = tuple(intent for intent in announced if not plans[intent.id].right)
    right = tuple(intent.id for intent in announced if plans[intent.id].right)
    notes = tuple(
        ("announced", {"intent": one.id, "value": plans[one.id].value, "right": plans[one.id].right})
        for one in announced
    )
    noted = standing._replace(announced=(*standing.announced, *right))
    ruling = _settle(noted, wrong, "provided", turn, {one.id: "announced otherwise" for one in wrong})
    return Ruling(ruling.standing, wrong, (*notes, *ruling.notes))


def rule_asked(
    standing: Standing,
    intents: Sequence[Intent],
    found: Asked,
    turn: int,
    told: Collection[str],
    credited: int | None = None,
    offered: Collection[str] = (),
) -> Ruling:
    """Stage 2: the open intents that a reply asks for are inferred.

    Args:
        standing: before the stage.
        intents: all of the session.
        found: the judgement.
        turn: the present one.
        told: ids of the intents that the world tells as the session finds it; to ask for them is needless.
        credited: the number of these, over the session, that are inferred; the others are answered, and so provided.
            None: all.
        offered: ids of the intents that are inferred all the same, since to ask for them is an offer.
    """
    if not found.clauses and not found.hits:
        return Ruling(standing._replace(misses=found.misses, spared=found.spared))
    by_id = {intent.id: intent for intent in standing.open(intents)}
    hits = tuple(by_id[number] for number in dict.fromkeys(found.hits) if number in by_id)
    counted = sum(clause.outcome not in ("ignored", "neutral") for clause in found.clauses)
    asked = standing._replace(questions=standing.questions + counted, misses=found.misses, spared=found.spared)
    needless = [intent.id for intent in hits if intent.id in told]
    earlier = sum(standing.statuses[number] == "inferred" for number in standing.needless if number not in offered)
    looked_up = [number for number in needless if number not in offered]
    unpaid = looked_up[max(0, credited - earlier) :] if credited is not None else []
    reasons = {**dict.fromkeys(by_id, "asked for"), **dict.fromkeys(unpaid, "asked for, where it could be looked up")}
    status: dict[str, IntentStatus] = dict.fromkeys(unpaid, "provided")
    ruling = _settle(asked, hits, "inferred", turn, reasons, frozenset(needless), status)
    if not found.clauses:
        return ruling
    note = ("asked", {"clauses": [one.to_json() for one in found.clauses]})
    return Ruling(ruling.standing, hits, (note, *ruling.notes))


def rule_stated(standing: Standing, stated: Sequence[Intent], turn: int) -> Ruling:
    """Open intents that the user stated unasked are provided."""
    return _settle(standing, tuple(stated), "provided", turn, {one.id: "nobody asked" for one in stated})


def _settle(
    standing: Standing,
    intents: tuple[Intent, ...],
    status: IntentStatus,
    turn: int,
    reasons: Mapping[str, str],
    needless: frozenset[str] = frozenset(),
    other: Mapping[str, IntentStatus] = MappingProxyType({}),
) -> Ruling:
    """Give intents a status, or the `other` one that stands by their id."""
    if not intents:
        return Ruling(standing)
    found = {intent.id: other.get(intent.id, status) for intent in intents}
    after = standing._replace(
        statuses={**standing.statuses, **found},
        turns={**standing.turns, **{intent.id: turn for intent in intents}},
        needless=standing.needless | needless,
    )
    notes = (
        {"intent": one.id, "status": found[one.id], "needless": one.id in needless, "reason": reasons[one.id]}
        for one in intents
    )
    return Ruling(after, intents, tuple(("status", note) for note in notes))


def rule_awaited(standing: Standing, waiting: Sequence[Intent]) -> Ruling:
    """The user waits for the `after` of open intents, once."""
    return Ruling(standing._replace(awaited=(*standing.awaited, *(intent.id for intent in waiting))))


def next_reveal(
    candidates: Sequence[Intent], seen: Callable[[], Evidence], awaited: Collection[str] | None = None
) -> Intent | None:
    """The first open intent whose `after` holds; else the first that was waited for, for there is no more to come.

    Args:
        candidates: the open intents in file order.
        seen: gives the evidence of the whole session; called only where an `after` has to be looked at.
        awaited: ids of the intents for whose `after` the user has waited; None: it waits for none.

    Returns:
        The intent; None where the user had better wait.
    """
    if not candidates:
        return None
    if candidates[0].after is None:
        return candidates[0]
    evidence = seen()
    ready = (one for one in candidates if one.after is None or one.after.test(evidence))
    late = (one for one in candidates if awaited is None or one.id in awaited)
    return next(ready, None) or next(late, None)


# -- the end -----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Grading:
    """The verdicts at a session's end, and what the session comes to by them.

    Args:
        verdicts: of the items, or of the parts that an item turned out to have.
        held: ids of the intents that hold in the final state.
        tally: what the return is computed from.
        scores: Proc, strict Proc, Comp and the return; None where undefined.
        components: the return by component.
    """

    verdicts: tuple[Verdict, ...]
    held: tuple[str, ...]
    tally: Tally
    scores: Mapping[str, float | None]
    components: Mapping[str, float]


def settle_verdicts(items: Sequence[Item], found: Sequence[object]) -> tuple[Verdict, ...]:
    """A grader's verdicts as they count: guards fall with what they require.

    Raises:
        SessionError: they are not those of the items.
        AnswerError: one of them says that its item could not be judged.
    """
    verdicts = [verdict for verdict in found if isinstance(verdict, Verdict)]
    wholes: dict[str, None] = {}
    for verdict in verdicts:
        wholes[verdict.part_of or verdict.id] = None
    twice = len({verdict.id for verdict in verdicts}) < len(found)
    if twice or [*wholes] != [item.id for item in items]:
        raise SessionError("grader.grade gave verdicts that are not those of the view's items, in their order")
    for verdict in verdicts:
        if verdict.verdict not in ("passed", "failed", "unknown"):
            raise AnswerError(f"item {verdict.id} is {verdict.verdict}: {verdict.reason}")
    return settle_guards(items, verdicts)


def judged_items(checklist: Sequence[Item], verdicts: Sequence[Verdict]) -> tuple[Item, ...]:
    """The item of each verdict: one of the checklist's, or a part of one."""
    by_id = {item.id: item for item in checklist}
    found = []
    for one in verdicts:
        item = by_id[one.part_of or one.id]
        part = one.part_of and replace(item, id=one.id, name=one.name, text=f"{item.text}: {one.name}")
        found.append(part or item)
    return tuple(found)


def held_intents(intents: Iterable[Intent], final: Evidence) -> tuple[str, ...]:
    """The ids of those that rules can judge and that hold in the final state."""
    return tuple([intent.id for intent in intents if intent.by_rule and intent.satisfied.test(final).holds])


def grade(
    standing: Standing,
    items: Sequence[Item],
    verdicts: Sequence[Verdict],
    held: Sequence[str],
    reward: RewardConfig,
    *,
    turns: int,
    invalid: int,
) -> Grading:
    """The grading of a session.

    Args:
        standing: at its end.
        items: the item of each verdict.
        verdicts: as `settle_verdicts` gives them.
        held: ids of the intents that hold in the final state.
        reward: what the session pays.
        turns: turns that ended.
        invalid: invalid actions.
    """
    comp = completeness([(found.verdict, item.weight) for found, item in zip(verdicts, items, strict=True)])
    intents = [(status, number in standing.needless, number in held) for number, status in standing.statuses.items()]
    tally = Tally(intents, comp, turns, standing.questions, invalid)
    components = return_components(reward, tally)
    proc = strict = None
    if intents:
        credited = [needless for status, needless, _ in intents if status in ("completed", "inferred")]
        proc, strict = len(credited) / len(intents), credited.count(False) / len(intents)
    scores = {"proc": proc, "strict_proc": strict, "comp": comp, "return": total(components)}
    return Grading(tuple(verdicts), tuple(held), tally, scores, components)


def turns_ended(events: Iterable[Event]) -> int:
    """The number of turns that ended, by a reply or a question."""
    return len([event for event in events if event.kind == "reply" and event.data["how"] != "message"])


def session_labels(
    intents: Sequence[Intent], standing: Standing, items: Sequence[Item], grading: Grading | None, words: int
) -> dict[str, Any]:
    """The labels of a session's record.

    Args:
        intents: of the task.
        standing: as the record ends.
        items: the item of each verdict.
        grading: None where the session has no score.
        words: that the user said.
    """
    rows = [
        {
            "id": intent.id,
            "name": intent.name,
            "status": standing.statuses[intent.id],
            "turn": standing.turns.get(intent.id, 0),
            "needless": intent.id in standing.needless,
        }
        for intent in intents
    ]
    judged = zip(items, grading.verdicts, strict=True) if grading is not None else ()
    return {
        "intents": rows,
        "checklist": [
            {"id": one.id, "name": item.name, "verdict": one.verdict, "grader": one.grader, "reason": one.reason}
            for item, one in judged
        ],
        "intents_held": list(grading.held) if grading is not None else [],
        "shares": _shares(intents, standing),
        "intent_count": len(rows),
        "needless": len(standing.needless),
        "questions": standing.questions,
        "question_misses": standing.misses,
        "words_by_user": words,
    }


def _shares(intents: Sequence[Intent], standing: Standing) -> list[dict[str, Any]]:
    """The shares of intents that were credited: of those that are hard in one way, and of those that are not."""
    found: dict[str, list[bool]] = {}
    for intent in intents:
        for tag in intent.tags or (UNTAGGED,):
            found.setdefault(tag, []).append(standing.statuses[intent.id] in CREDITED)
    return [{"name": name, "met": sum(met), "of": len(met)} for name, met in sorted(found.items())]
