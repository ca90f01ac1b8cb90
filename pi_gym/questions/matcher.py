"""The matcher of a task: which topics an asking clause aims at, of all that its words may stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

from pi_gym.questions.clauses import Clause
from pi_gym.questions.ledger import MAX_INTENTS_PER_CLAUSE, NO_TARGETS, AimedClause, Targets
from pi_gym.questions.phrases import readings
from pi_gym.questions.ways import Group, Way, compile_group, compile_ways

MAX_MATCHES_PER_CLAUSE = 3

#: "wish": a hidden intent of the task's pool, drawn or not; "answer": a fact or a permission that may be asked for;
#: "lasting": a wish of the persona that this task does not hold.
TopicKind: TypeAlias = Literal["wish", "answer", "lasting"]


@dataclass(frozen=True, slots=True)
class Topic:
    """One thing that can be asked for.

    Args:
        name: of the wish or answer.
        kind: of what it is.
        ways: of asking for it.
        asked: questions that ask for it.
        not_asked: questions close by that do not.
    """

    name: str
    kind: TopicKind
    ways: tuple[Way, ...]
    asked: tuple[str, ...] = ()
    not_asked: tuple[str, ...] = ()


class Matcher:
    """The topics of a task, which compete for each asking clause.

    Args:
        topics: all of them, drawn or not, in file order.
    """

    def __init__(self, topics: Sequence[Topic]) -> None:
        self.topics = tuple(topics)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matcher) and self.topics == other.topics

    def __hash__(self) -> int:
        return hash(self.topics)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.topics,)

    @cached_property
    def by_name(self) -> Mapping[str, Topic]:
        """The topics by name."""
        return {topic.name: topic for topic in self.topics}

    def aims(self, clause: Clause) -> tuple[str, ...]:
        """The names of the topics that an asking clause targets, best first; two where it names two, else one or none.

        Topics of every kind are among them, wishes that this variant does not hold too.
        """
        matched = [
            (-max(weights), place)
            for place, topic in enumerate(self.topics)
            if (weights := [weight for way in topic.ways if (weight := _weight(way, clause))])
        ]
        # "Which one?" over a list of unlike things aims at none of them.
        if len(matched) > (1 if clause.bare else MAX_MATCHES_PER_CLAUSE):
            return ()
        return tuple(self.topics[place].name for _, place in sorted(matched)[:MAX_INTENTS_PER_CLAUSE])


def compile_topic(name: str, kind: TopicKind, spec: Mapping[str, Any]) -> Topic:
    """The topic that an entry of a file of questions describes (`pi_gym.questions.topic_files`), already rendered.

    Args:
        name: of the topic, which is the entry's.
        kind: of the topic.
        spec: `any`, a list of mappings with `groups` and optionally `without`; `without` for all of them; `asked` and
            `not_asked`.

    Raises:
        SpecError: the entry is malformed; field and reason say where, and what was expected.
    """
    ways = compile_ways(spec["any"], f"{name}.any")
    if spec.get("without"):
        common = compile_group(spec["without"], f"{name}.without")
        ways = tuple(Way(way.groups, (*way.without, *common)) for way in ways)
    return Topic(name, kind, ways, tuple(spec.get("asked", ())), tuple(spec.get("not_asked", ())))


def aim(
    clauses: Iterable[Clause], matcher: Matcher, ids: Mapping[str, str], *, topics: bool = True
) -> Iterator[AimedClause]:
    """The clauses of a reply with what a matcher finds them to be about; `pi_gym.questions.ledger` credits them.

    Args:
        clauses: the reply's asking clauses.
        matcher: of the task.
        ids: of the session's intents, by name; what else the matcher names is a topic.
        topics: whether topics count.
    """
    for clause in clauses:
        yield AimedClause(clause.text, partial(targets_of, clause, matcher, ids, topics))


def targets_of(clause: Clause, matcher: Matcher, ids: Mapping[str, str], topics: bool = True) -> Targets:
    """The targets of a clause; arguments as in `aim`."""
    names = matcher.aims(clause)
    if not names:
        return NO_TARGETS
    others = tuple(name for name in names if name not in ids) if topics else ()
    return Targets(tuple(ids[name] for name in names if name in ids), others)


def _weight(way: Way, clause: Clause) -> int:
    """The number of letters that a way finds in a clause, those in its context at a quarter; 0 where it fails."""
    text = readings(clause.text)
    if _longest(way.without, text):
        return 0
    found = [_longest(group, text) for group in way.groups]
    weight = 4 * sum(found)
    if all(found):
        return weight
    if not any(found) and not clause.bare:
        return 0
    context = readings(clause.context)
    beside = [_longest(group, context) for group, here in zip(way.groups, found, strict=True) if not here]
    return weight + sum(beside) if all(beside) else 0


def _longest(group: Group, texts: tuple[str, ...]) -> int:
    """The letters of the longest phrase of a group that is in a text; 0 where none is."""
    return max(
        (sum(len(word) for word, _, _ in phrase.words) for phrase in group if any(map(phrase.found, texts))), default=0
    )
