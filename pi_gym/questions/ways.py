"""Ways of asking for one thing: groups of words, each of which must be hit.

The entry of `questions.yaml` for a wish, say "the headline metric is macro-F1"::

    headline:
      groups:                                  # every group must be hit
        - [metric, score, measure, "rank by"]  # what is asked about, in all the words an agent may use
        - [headline, decid, primary, main, lead, sort, order, front]   # which property of it
      without: [seed]                          # optional: words that show that something else is asked

- `pi_gym.questions.phrases` says how an entry matches; `~order` stands for the words of a property that is asked of
  things in general (`pi_gym.questions.properties`).
- The groups are looked for in the asking clause; all but one may stand in its context instead (the sentence before it,
  the rest of its sentence, the options that it offers). A clause that only points back ("Which one?") takes all of
  them from its context.
- `without` looks at the clause alone.
- Where people ask in ways that share no words, list several: `any: [{groups: …}, {groups: …}]`.

Two groups are the rule: the thing and the property. One group hits every question about the thing; three miss most.
Write many synonyms, and those that somebody else would use; leave out words that any question has ("want", "use",
"should"). Statements, rhetorical questions and polite closings never reach a way: see `pi_gym.questions.clauses`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeAlias

from pi_gym.errors import SpecError, unknown
from pi_gym.questions.phrases import Phrase, phrases_of
from pi_gym.questions.properties import MARK, property_phrases

_KEYS = ("groups", "without")
Group: TypeAlias = tuple[Phrase, ...]


@dataclass(frozen=True, slots=True)
class Way:
    """One way of asking: a word of every group must be there, and none of `without`."""

    groups: tuple[Group, ...]
    without: Group


def compile_ways(ways: object, field: str) -> tuple[Way, ...]:
    """The ways of asking for one thing, already rendered.

    Args:
        ways: a list of mappings with `groups` and optionally `without`.
        field: the name of the field, for messages.

    Raises:
        SpecError: they are malformed; the reason says what was expected.
    """
    if not isinstance(ways, list | tuple) or not ways:
        raise SpecError(field, f"expected a list of mappings with `groups`, got {ways!r}")
    return tuple(_way(way, f"{field}[{number}]") for number, way in enumerate(ways))


def _way(spec: object, field: str) -> Way:
    if not isinstance(spec, Mapping):
        raise SpecError(field, f"expected a mapping with `groups`, got {spec!r}")
    for key in spec:
        if key not in _KEYS:
            raise SpecError(field, unknown("key", str(key), _KEYS))
    groups = spec.get("groups")
    if not isinstance(groups, list | tuple) or not groups:
        raise SpecError(f"{field}.groups", f"expected a list of lists of words, got {groups!r}")
    return Way(
        tuple(compile_group(group, f"{field}.groups[{number}]") for number, group in enumerate(groups)),
        compile_group(spec["without"], f"{field}.without") if "without" in spec else (),
    )


def compile_group(words: object, field: str) -> Group:
    """A list of words; arguments and errors as `compile_ways`."""
    if not isinstance(words, list | tuple) or not words:
        raise SpecError(field, f"expected a list of words such as [metric, score], got {words!r}")
    phrases: dict[Phrase, None] = {}
    for number, entry in enumerate(words):
        phrases.update(dict.fromkeys(_phrases(entry, f"{field}[{number}]")))
    return tuple(phrases)


def _phrases(entry: object, field: str) -> tuple[Phrase, ...]:
    """An entry's phrases: its words split at hyphens and, where that differs, joined."""
    if isinstance(entry, bool) or entry is None:
        raise SpecError(field, f'got {entry!r}: YAML reads yes, no, on, off and null as values; quote the word ("no")')
    if not isinstance(entry, str | int | float):
        raise SpecError(field, f"expected a word or phrase, got {entry!r}")
    if isinstance(entry, str) and entry.startswith(MARK):
        return property_phrases(entry, field)
    phrases = phrases_of(str(entry))
    if not phrases or str(entry).split()[-1] == "..":
        raise SpecError(field, f"{entry!r} holds no word to look for, or ends in `..`")
    return phrases
