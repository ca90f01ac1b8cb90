"""The matcher of a task: which topics an asking clause aims at, of all that its words may stand for."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, Literal, TypeAlias

from pi_gym.questions import cues
from pi_gym.questions.claims import Claim, TopicIndex
from pi_gym.questions.clauses import Clause, beside_the_brackets
from pi_gym.questions.ledger import MAX_INTENTS_PER_CLAUSE, NO_TARGETS, AimedClause, Targets
from pi_gym.questions.paragraphs import sentences
from pi_gym.questions.ways import Way, compile_group, compile_ways

#: A clause that names more topics than the one aims at none; of those that it names as many are aimed at as the other,
#: of an offer ("Shall I tell Ann, Ben and Cleo?") all.
MAX_MATCHES_PER_CLAUSE, MAX_AIMS = 3, 2
MAX_INDICES = 256
#: The topics that a clause which only points at its context ("Which one?") may stand for, by the words there.
MAX_POINTED_AT = 2
#: The score from which on a clause is taken to ask for a topic of the task, and for a wish that the task does not hold.
THRESHOLD, LASTING = 0.0, 1.5

#: "wish": a hidden intent of the task's pool, drawn or not; "answer": a fact or a permission that may be asked for;
#: "lasting": a wish of the persona that this task does not hold.
TopicKind: TypeAlias = Literal["wish", "answer", "lasting"]


@dataclass(frozen=True, slots=True, eq=False)
class Topic:
    """One thing that can be asked for. Two are the same only where they are one object: their words are many.

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

    The task's own topics come first: what the persona wishes elsewhere is looked at where a clause aims at none of
    them.

    Args:
        topics: all of them, drawn or not, in file order.
    """

    def __init__(self, topics: Sequence[Topic]) -> None:
        self.topics = tuple(topics)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Matcher) and list(map(astuple, self.topics)) == list(map(astuple, other.topics))

    __hash__ = None  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.topics,)

    @cached_property
    def by_name(self) -> Mapping[str, Topic]:
        """The topics by name."""
        return {topic.name: topic for topic in self.topics}

    def aims(self, clause: Clause) -> tuple[str, ...]:
        """The names of the topics that an asking clause targets, best first; two where it names two, three of an offer,
        else one or none.

        Topics of every kind are among them, wishes that this variant does not hold too.
        """
        if clause.context and cues.asks_to_confirm(clause.text.casefold()):
            return self.aims(Clause(sentences(clause.context)[-1].text, "", "question"))
        if clause.things:
            offer = cues.offer_for_several(" ".join(one.plain for one in sentences(clause.text)))
            aimed = [self.aims(Clause(f"{offer} {thing}", "", "question"))[:1] for thing in clause.things]
            if names := tuple(dict.fromkeys(name for one in aimed for name in one)):
                return names[:MAX_INTENTS_PER_CLAUSE]
        whole, clause = clause, beside_the_brackets(clause)
        for index, least in self._indices:
            claims = index.claims(clause)
            best = _best(claims, index.scores(claims, clause, least), least, clause)
            if best:
                return tuple(index.names[place] for place in best)
        if whole.context and cues.offer_for_one(whole.text.casefold()):
            # "May I stop it?": what "it" is stands in the sentence before.
            own = self.scores(whole)  # of which the offer itself has a word
            said = Clause(f"{whole.text} {sentences(whole.context)[-1].text}", "", "question")
            return tuple([name for name in self.aims(said) if name in own])[:1]
        if clause.context and clause.bare and clause.kind == "options":
            # "Which one?" above a list whose words stand for several things: the sentence before it decides.
            return self.aims(Clause(sentences(clause.context)[0].text, "", "question"))
        return ()

    def scores(self, clause: Clause) -> dict[str, float]:
        """The scores of the task's own topics that a clause has words of, by name; `THRESHOLD` and more are aims."""
        index, clause = self._indices[0][0], beside_the_brackets(clause)
        claims = index.claims(clause)
        return {index.names[place]: value for place, value in index.scores(claims, clause).items()}

    @cached_property
    def _indices(self) -> tuple[tuple[TopicIndex, float], ...]:
        """The task's own topics and those of the persona, each with the least score that counts."""
        own = tuple(topic for topic in self.topics if topic.kind != "lasting")
        lasting = tuple(topic for topic in self.topics if topic.kind == "lasting")
        return (_index(own), THRESHOLD), (_index(lasting), LASTING)


@lru_cache(maxsize=MAX_INDICES)
def _index(topics: tuple[Topic, ...]) -> TopicIndex:
    """The index of some topics; the variants of a task have one, but where templates among their words differ."""
    return TopicIndex([(topic.name, topic.ways) for topic in topics])


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


def _best(claims: Mapping[int, Claim], scores: Mapping[int, float], least: float, clause: Clause) -> list[int]:
    # "Which one?" over a list of unlike things aims at none of them.
    if clause.bare and sum(claim.full for claim in claims.values()) > MAX_POINTED_AT:
        return []
    ranked = sorted((place for place in scores if scores[place] >= least), key=lambda place: (-scores[place], place))
    if len(ranked) < 2:
        return ranked
    named = ranked[:1]
    for place in ranked[1:]:
        if claims[place].beside.issuperset(named):
            named.append(place)
    if clause.bare or len(named) > MAX_MATCHES_PER_CLAUSE:  # nor does a list of everything
        return []
    return named if cues.offers_to_act(clause.text.casefold()) else named[:MAX_AIMS]
