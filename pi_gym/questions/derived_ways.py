"""Ways of asking made from examples alone, for topics that nobody has written words for.

The words of a topic's examples that its siblings' examples have not are its own. They are combined with what is asked
of things in general (`pi_gym.questions.properties`): those properties of which a good part of the examples have a word.
Words that somebody has written hear more, and credit less to a wrong topic: these are a draft for an author, and better
than nothing at load.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from pi_gym.questions.clauses import asking_clauses
from pi_gym.questions.cues import FUNCTION_WORDS
from pi_gym.questions.phrase_index import PhraseIndex
from pi_gym.questions.phrases import read
from pi_gym.questions.properties import MARK, properties

#: The share of all examples with a word that are a topic's, from which on it is the topic's own.
OWN = 0.6
#: The share of a topic's examples with a word that makes it the topic's own, and with a property that it is asked for.
COMMON, PROPERTY = 0.5, 0.25

_TEMPLATE = re.compile(r"\{[{%].*?[}%]\}")
_ENDINGS = ("ations", "ation", "ings", "ing", "ies", "ied", "ers", "er", "ed", "es", "ly", "s", "e", "y")
_MIN_STEM_CHARS = 4


def derived_ways(examples: Mapping[str, Sequence[str]]) -> dict[str, list[dict[str, Any]]]:
    """The ways of asking for each topic, as the `any` of a questions.yaml.

    Args:
        examples: questions by the topic that they ask for; a topic's siblings tell what is its own.
    """
    stems = {name: [_stems(text) for text in texts] for name, texts in examples.items()}
    everywhere = Counter(stem for found in stems.values() for one in found for stem in one)
    return {name: _ways(stems[name], everywhere, examples[name]) for name in examples if stems[name]}


def _ways(stems: Sequence[set[str]], everywhere: Mapping[str, int], texts: Iterable[str]) -> list[dict[str, Any]]:
    counts = Counter(stem for one in stems for stem in one)
    ranked = sorted(counts, key=lambda stem: (-counts[stem], stem))
    own = [stem for stem in ranked if counts[stem] >= min(OWN * everywhere[stem], COMMON * len(stems))] or ranked
    asked_for = Counter(name for text in texts for name in _properties_in(text))
    least = max(2, PROPERTY * len(stems))
    shared = [f"{MARK}{name}" for name in sorted(asked_for) if asked_for[name] >= least]
    if not shared:
        return [{"groups": [own]}]
    things = [stem for stem in own if not _properties_in(stem)] or own
    often = [stem for stem in things if counts[stem] > 1] or things
    rest = [stem for stem in own if stem not in often]
    ways = [{"groups": [often, [*shared, *rest]]}]
    return [*ways, {"groups": [rest, shared]}] if rest else ways


@cache
def _indices() -> Mapping[str, PhraseIndex]:
    return {name: PhraseIndex(phrases) for name, phrases in properties().items()}


def _properties_in(text: str) -> set[str]:
    readings = [read(part) for part in _asking_parts(text)]
    return {name for name, index in _indices().items() if any(index.found(reading) for reading in readings)}


def _stems(text: str) -> set[str]:
    """The words of a question's clauses that have a meaning of their own, without their endings."""
    tokens = (token for part in _asking_parts(text) for token in read(part).tokens)
    return {_stem(token) for token in tokens if len(token) > 1 and token not in FUNCTION_WORDS}


def _asking_parts(text: str) -> list[str]:
    plain = _TEMPLATE.sub(" ", text)
    return [clause.text for clause in asking_clauses(plain)] or [plain]


def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= _MIN_STEM_CHARS:
            return word.removesuffix(ending)
    return word
