"""The values of a wish that a text names: assumptions in questions, and plans that a reply announces.

A plan counts only where the wish's values can be listed, and where one clause of a sentence that plans ("I'll …", "as
you settled it: …") names exactly one of them while the whole reply names no other. A name ("Maren") comes up in many
a plan, so one that is a value counts only beside a word of what the wish is about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from pi_gym.questions.clauses import asking_clauses
from pi_gym.questions.cues import FUNCTION_WORDS
from pi_gym.questions.paragraphs import Sentence, sections

_WORD = re.compile(r"[^\W_]+")
_PLANS = re.compile(
    r"\b(?:i will|i'll|i am going to|i'm going to|i'd|i would|i plan|(?:my|the) plan|going with"
    r"|as you (?:\w+ )?(?:settled|decided|said|asked|told|like|liked|want|wanted|prefer|preferred)"
    r"|as (?:ever|always|agreed|usual|before|settled)|unless you)\b"
)
_CLAUSE_ENDS = re.compile(r"[,;:()]|\band\b|\bwith\b")
_DENIES = re.compile(r"\b(?:not|no|never|without|instead of|rather than|don't|won't)\b")


@dataclass(frozen=True, slots=True)
class Choice:
    """One of the values that a wish can have.

    Args:
        value: a name for it.
        words: words and phrases by which one names it.
        right: it is what the user wants.
    """

    value: str
    words: tuple[str, ...]
    right: bool = False


def named_choices(text: str, choices: Sequence[Choice]) -> tuple[Choice, ...]:
    """The choices that a text names by whole words, in their order; of words within others only the longer count.

    >>> both = (Choice("one", ("one decimal",)), Choice("csv", ("CSV",)))
    >>> [one.value for one in named_choices("One decimal, in a csv-file", both)]
    ['one', 'csv']
    """
    left = _spaced(text)
    found: dict[str, None] = {}
    phrases = [(_spaced(words), choice) for choice in choices for words in choice.words]
    for phrase, choice in sorted(phrases, key=lambda pair: -len(pair[0])):
        if phrase.strip() and phrase in left:
            left = left.replace(phrase, "  ")
            found[choice.value] = None
    return tuple(choice for choice in choices if choice.value in found)


def announced_plans(
    reply: str, wishes: Mapping[str, Sequence[Choice]], about: Callable[[str], str]
) -> dict[str, Choice]:
    """The plans that a reply announces.

    Args:
        reply: in the agent's own words.
        wishes: by id, the values of each wish that can be announced.
        about: gives what a wish says, by id; asked of few.

    Returns:
        By id, the value.
    """
    if not wishes or _PLANS.search(_plain(reply)) is None:
        return {}
    clauses = [
        clause
        for sentence in _planning(reply)
        for clause in _CLAUSE_ENDS.split(sentence.plain)
        if not _DENIES.search(clause)
    ]
    found: dict[str, Choice] = {}
    for number, choices in wishes.items():
        if clauses and len(named_choices(reply, choices)) == 1:
            named = ((clause, one) for clause in clauses for one in named_choices(clause, choices))
            plan = next((one for clause, one in named if _is_about(clause, one, number, about)), None)
            if plan is not None:
                found[number] = plan
    return found


def _is_about(clause: str, choice: Choice, number: str, about: Callable[[str], str]) -> bool:
    """Whether a clause that names a value is about the wish; only of names is it asked."""
    if not all(words.istitle() for words in choice.words):
        return True
    rest = {*_WORD.findall(clause)}.difference(FUNCTION_WORDS, *map(_WORD.findall, map(str.casefold, choice.words)))
    return not rest or not rest.isdisjoint(_WORD.findall(about(number).casefold()))


def _planning(reply: str) -> Iterator[Sentence]:
    """The sentences that announce: those with words of planning, and the list below one; no question is among them."""
    asked = [clause.text for clause in asking_clauses(reply)]
    for section in sections(reply):
        planned = False
        for sentence in section.sentences:
            planned = _PLANS.search(_plain(sentence.plain)) is not None
            if planned and not _asks(sentence, asked):
                yield sentence
        for item in section.items:
            for sentence in item:
                if (planned or _PLANS.search(_plain(sentence.plain))) and not _asks(sentence, asked):
                    yield sentence


def _asks(sentence: Sentence, asked: Sequence[str]) -> bool:
    return sentence.asks or any(text in sentence.text for text in asked)


def _plain(text: str) -> str:
    return text.casefold().replace("\u2019", "'")


@lru_cache(maxsize=4096)
def _spaced(text: str) -> str:
    """The words of a text, between double spaces, so that phrases of neighbouring words can be cut out whole."""
    return f" {'  '.join(_WORD.findall(text.casefold()))} "
