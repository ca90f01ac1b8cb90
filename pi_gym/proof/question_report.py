"""The check of a pack's questions.yaml: which of its own questions are missed or wrongly taken, and what mends it.

A question of `asked` has to aim at its topic and at no other; one of `not_asked` must not aim at it. A list written by
somebody else measures how well a task's words serve beyond these.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias

import yaml

from pi_gym.errors import PackError, unknown
from pi_gym.packs import Pack
from pi_gym.questions import Matcher, Topic, asking_clauses
from pi_gym.questions.cues import FUNCTION_WORDS
from pi_gym.questions.derived_ways import derived_ways
from pi_gym.questions.phrase_index import PhraseIndex
from pi_gym.questions.phrases import read
from pi_gym.schema.yaml_files import read_text

COUNTS = ("asked", "heard", "wrong", "near", "taken")
MENDING_WORDS = 5
MAX_WORD_CHARS = 40

Fault: TypeAlias = Literal["missed", "no question", "taken", "credited to another too"]


@dataclass(frozen=True, slots=True)
class MisreadQuestion:
    """An author's own question that is not taken as meant.

    Args:
        task: the task's id.
        topic: the topic that it stands with.
        question: the question.
        fault: what is wrong: "no question" where no asking clause is found in it at all.
        aims: the topics that it is taken to ask for.
        words: words of it that the topic lacks, likeliest first; for one that is taken, words that tell it apart.
    """

    task: str
    topic: str
    question: str
    fault: Fault
    aims: tuple[str, ...]
    words: tuple[str, ...]

    def __str__(self) -> str:
        aims = f", taken for {', '.join(self.aims)}" if self.aims else ""
        where = "without" if self.fault == "taken" else "groups"
        words = f"; for its {where}: {', '.join(self.words)}" if self.words else ""
        return f"{self.task} {self.topic}: {self.fault}{aims}: {self.question!r}{words}"


@dataclass(frozen=True, slots=True)
class ListFigures:
    """The figures of a list of questions by other writers.

    Args:
        asked: questions for a topic, of which `heard` aim at it and `wrong` at another one (too, or instead).
        near: questions that do not ask for the topic that they stand with, of which `taken` aim at it.
        misread: those that are missed or taken wrongly, each with its topic, what is wrong, and what it aims at.
    """

    asked: int
    heard: int
    wrong: int
    near: int
    taken: int
    misread: tuple[str, ...]

    @property
    def recall(self) -> float | None:
        """The share of questions that aim at their topic; None without any."""
        return self.heard / self.asked if self.asked else None

    @property
    def precision(self) -> float | None:
        """The share of rightly taken ones among those taken, as if there were as many near ones as others."""
        if not (self.asked and self.near) or not (self.heard or self.taken):
            return None
        taken = self.taken * self.asked / self.near
        return self.heard / (self.heard + taken)

    @property
    def wrong_credit(self) -> float | None:
        """The share of questions that aim at another topic; None without any."""
        return self.wrong / self.asked if self.asked else None

    def to_json(self) -> dict[str, Any]:
        """The counts and the shares."""
        shares = {"recall": self.recall, "precision": self.precision, "wrong_credit": self.wrong_credit}
        counts = {name: getattr(self, name) for name in COUNTS}
        rounded = {name: None if one is None else round(one, 4) for name, one in shares.items()}
        return {**counts, **rounded, "misread": list(self.misread)}


@dataclass(frozen=True, slots=True)
class QuestionReport:
    """The result of a check.

    Args:
        asked: the number of `asked` questions, and `not_asked` of the others.
        misread: those that are not taken as meant.
        lacking: tasks and topics without a question of either kind.
        figures: of the list, where one was given.
    """

    asked: int
    not_asked: int
    misread: tuple[MisreadQuestion, ...]
    lacking: tuple[str, ...]
    figures: ListFigures | None = None

    @property
    def ok(self) -> bool:
        """Whether every own question is taken as meant."""
        return not self.misread

    def text(self) -> str:
        """The report for a reader."""
        lines = [str(one) for one in self.misread]
        if self.lacking:
            topics = Counter(one.split()[0] for one in self.lacking)
            told = ", ".join(f"{task} ({count})" for task, count in topics.items())
            lines.append(f"topics without `asked`, so unchecked: {told}")
        lines.append(f"{self.asked} questions, {self.not_asked} near misses: {len(self.misread)} not taken as meant")
        if self.figures is not None:
            lines += self.figures.misread
            shares = self.figures.to_json()
            told = ", ".join(f"{name.replace('_', ' ')} {shares[name]}" for name in _SHARES)
            lines.append(f"the list: {self.figures.asked} questions, {self.figures.near} near misses: {told}")
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        """The report for programs."""
        misread = [{name: getattr(one, name) for name in MisreadQuestion.__slots__} for one in self.misread]
        data = {"asked": self.asked, "not_asked": self.not_asked, "misread": misread, "lacking": list(self.lacking)}
        return data if self.figures is None else {**data, "list": self.figures.to_json()}


_SHARES = ("recall", "precision", "wrong_credit")


def question_report(
    pack: Pack, tasks: Sequence[str] | None = None, *, listed: Path | None = None, variant: int = 0
) -> QuestionReport:
    """Check the questions of a pack's tasks.

    Args:
        pack: the pack.
        tasks: ids of the tasks to look at; None: all.
        listed: a file of lines `topic<TAB>question` to measure one task by; `!topic<TAB>question` for one that does not
            ask for the topic.
        variant: the world whose words the templates are filled with.

    Raises:
        PackError: the list is not one, or is given for several tasks.
        UnknownName: no such task.
    """
    names = list(pack.task_ids if tasks is None else tasks)
    misread: list[MisreadQuestion] = []
    lacking: list[str] = []
    asked = not_asked = 0
    for name in names:
        matcher = pack.instantiate(name, variant).questions
        for topic in matcher.topics:
            if topic.kind == "lasting":
                continue
            asked += len(topic.asked)
            not_asked += len(topic.not_asked)
            misread += _misread(name, matcher, topic)
            if not topic.asked:
                lacking.append(f"{name} {topic.name}")
    figures = None
    if listed is not None:
        if len(names) != 1:
            raise PackError(str(listed), "", f"a list measures one task: name it, of {', '.join(names)}")
        figures = list_figures(pack.instantiate(names[0], variant).questions, listed)
    return QuestionReport(asked, not_asked, tuple(misread), tuple(lacking), figures)


def list_figures(matcher: Matcher, listed: Path) -> ListFigures:
    """Measure a task's matcher by a list of questions; arguments and errors as `question_report`."""
    counts: Counter[str] = Counter()
    misread: list[str] = []
    for number, name, near, question in _lines(listed):
        if name not in matcher.by_name:
            raise PackError(str(listed), f"line {number}", unknown("topic", name, matcher.by_name))
        found = _aims(matcher, question)
        if near:
            counts.update(near=1, taken=name in found)
        else:
            counts.update(asked=1, heard=name in found, wrong=bool(set(found) - {name}))
        if near == (name in found):
            aims = "" if near or not found else f", taken for {', '.join(found)}"
            misread.append(f"line {number} {name}: {'taken' if near else 'missed'}{aims}: {question!r}")
    return ListFigures(**{name: counts[name] for name in COUNTS}, misread=tuple(misread))


def question_draft(listed: Path) -> str:
    """Draft a task's questions.yaml from a list of questions, for an author to edit.

    Args:
        listed: a file of lines `topic<TAB>question`, six to twelve for each topic, and `!topic<TAB>question` for what
            does not ask for it.

    Raises:
        PackError: it is not such a list.
    """
    asked: dict[str, list[str]] = {}
    not_asked: dict[str, list[str]] = {}
    for _, name, near, question in _lines(listed):
        (not_asked if near else asked).setdefault(name, []).append(question)
    missing = sorted(set(not_asked) - set(asked))
    if missing or not asked:
        raise PackError(str(listed), "", f"no question asks for {', '.join(missing) or 'anything'}")
    entries: list[dict[str, dict[str, Any]]] = []
    for name, ways in derived_ways(asked).items():
        entry: dict[str, Any] = dict(ways[0]) if len(ways) == 1 else {"any": ways}
        entry["asked"] = asked[name]
        if name in not_asked:
            entry["not_asked"] = not_asked[name]
        entries.append({name: entry})
    return "\n".join(yaml.dump(one, Dumper=_Wrapped, width=110, sort_keys=False, allow_unicode=True) for one in entries)


class _Wrapped(yaml.SafeDumper):
    """YAML with lists of words on wrapped lines, and everything else one to a line."""

    def represent_words(self, words: list[Any]) -> yaml.Node:
        plain = all(isinstance(word, str) and len(word) < MAX_WORD_CHARS for word in words)
        return self.represent_sequence("tag:yaml.org,2002:seq", words, flow_style=plain)


_Wrapped.add_representer(list, _Wrapped.represent_words)


def _lines(listed: Path) -> Iterator[tuple[int, str, bool, str]]:
    """The lines of a list: number, topic, whether it is a near miss, question."""
    for number, line in enumerate(read_text(listed, str(listed)).splitlines(), start=1):
        if line.strip():
            name, tab, question = line.partition("\t")
            if not tab or not question.strip():
                raise PackError(str(listed), f"line {number}", f"expected topic<TAB>question, got {line!r}")
            yield number, name.strip().removeprefix("!"), name.startswith("!"), question.strip()


def _aims(matcher: Matcher, question: str) -> tuple[str, ...]:
    """The topics of the task that a question aims at, in all its clauses."""
    found = {name: None for clause in asking_clauses(question) for name in matcher.aims(clause)}
    return tuple(name for name in found if matcher.by_name[name].kind != "lasting")


def _misread(task: str, matcher: Matcher, topic: Topic) -> list[MisreadQuestion]:
    found: list[MisreadQuestion] = []
    missed: list[tuple[str, Fault, tuple[str, ...]]] = []
    for question in topic.asked:
        aims = _aims(matcher, question)
        if topic.name not in aims:
            missed.append((question, "missed" if asking_clauses(question) else "no question", aims))
        elif len(aims) > 1:
            others = tuple(name for name in aims if name != topic.name)
            found.append(MisreadQuestion(task, topic.name, question, "credited to another too", others, ()))
    lacking = _ranked((question for question, _, _ in missed), matcher, topic)
    for question, fault, aims in missed:
        words = [] if fault == "no question" else [word for word in lacking if word in read(question).tokens]
        found.append(MisreadQuestion(task, topic.name, question, fault, aims, tuple(words[:MENDING_WORDS])))
    own = {word for question in topic.asked for word in read(question).tokens}
    for question in topic.not_asked:
        aims = _aims(matcher, question)
        if topic.name in aims:
            apart = [word for word in _ranked([question], matcher, topic) if word not in own]
            found.append(MisreadQuestion(task, topic.name, question, "taken", aims, tuple(apart[:MENDING_WORDS])))
    return found


def _ranked(questions: Iterable[str], matcher: Matcher, topic: Topic) -> list[str]:
    """The words of questions that a topic's groups lack: those of most of them first, and of few other topics'."""
    index = PhraseIndex(phrase for way in topic.ways for group in way.groups for phrase in group)
    counts: Counter[str] = Counter()
    for question in questions:
        reading = read(question)
        covered = 0
        for bits in index.found(reading).values():
            covered |= bits
        counts.update(
            {
                word
                for place, word in enumerate(reading.tokens)
                if len(word) > 1 and word not in FUNCTION_WORDS and not covered >> place & 1
            }
        )
    others = Counter(
        word
        for other in matcher.topics
        if other is not topic
        for word in {word for question in other.asked for word in read(question).tokens}
    )
    return sorted(counts, key=lambda word: (others[word] - counts[word], word))
