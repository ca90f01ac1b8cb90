"""Properties: what is asked of things in general, each with the words of many; properties.yaml has them.

A group of words takes in a whole one by `~NAME`: `[metric, ~which-decides]`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path

from pi_gym.errors import SpecError, unknown
from pi_gym.questions.phrases import Phrase, phrases_of
from pi_gym.schema.yaml_files import load_yaml

PROPERTIES = Path(__file__).with_name("properties.yaml")
MARK = "~"


@cache
def properties() -> Mapping[str, tuple[Phrase, ...]]:
    """The phrases of each property, by its name."""
    named: Mapping[str, list[str]] = load_yaml(PROPERTIES, PROPERTIES.name)
    return {
        name: tuple(dict.fromkeys(phrase for word in words for phrase in phrases_of(word)))
        for name, words in named.items()
    }


def property_phrases(entry: str, field: str) -> tuple[Phrase, ...]:
    """The phrases of the property that an entry such as `~order` names; SpecError where there is none."""
    name = entry.removeprefix(MARK)
    if name not in properties():
        raise SpecError(field, unknown("property", name, sorted(properties())))
    return properties()[name]
