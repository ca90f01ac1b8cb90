"""The hidden intents that a reply asks for: `asked_when` patterns over the asking clauses of the reply.

How to write `asked_when` for an intent, say "the headline metric is macro-F1"::

    asked_when:
      groups:                                  # every group must be hit
        - [metric, score, measure, "rank by"]  # what is asked about, in all the words an agent may use
        - [headline, decid, primary, main, lead, sort, order, front]   # which property of it
      without: [seed]                          # optional: words that show that something else is asked

- A word is a *stem*: it matches at the start of a word, whatever its case ("decim" matches "decimals"). `"=or"`
  matches the whole word only. A stem that ends in a digit does not go on in digits ("2" matches "2nd", not "20").
- Several words match neighbouring words, each as a stem: "file name" matches "file names", not "filename"; list both.
  `"file .. name"` allows up to two words in between. Hyphens, underscores and apostrophes do not matter: "macro-F1"
  matches "macro f1" and "macrof1", "e-mail" matches "email".
- The groups are looked for in the asking clause; all but one may stand in its context instead (the sentence before it,
  the rest of its sentence, the options that it offers). A clause that only points back ("Which one?") takes all of
  them from its context.
- `without` looks at the clause alone.
- Where people ask in ways that share no words, list several patterns: `any: [{groups: …}, {groups: …}]`.

Two groups are the rule: the thing and the property. One group hits every question about the thing; three miss most.
Write many synonyms, and those that somebody else would use; leave out words that any question has ("want", "use",
"should"). Statements, rhetorical questions and polite closings never reach a pattern: see `pi_gym.questions.clauses`.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any, TypeAlias

from pi_gym.errors import SpecError, unknown
from pi_gym.questions.clauses import Clause
from pi_gym.questions.ledger import NO_TARGETS, AimedClause, Targets

MAX_MATCHES_PER_CLAUSE = 3
MAX_GAP_WORDS = 2

_KEYS = ("any", "groups", "without")
_KEPT_SIGNS = frozenset("%€$£¥")


@dataclass(frozen=True, slots=True)
class _Phrase:
    """Neighbouring words: per word its text, whether it is whole, and how many other words may stand before it."""

    words: tuple[tuple[str, bool, int], ...]

    def found(self, text: str) -> bool:
        """Whether it is in `text`: words joined by single spaces, with a space at both ends."""
        first, whole, _ = self.words[0]
        digit = first[-1].isdigit()
        if (f" {first} " if whole else f" {first}") not in text:
            return False
        if len(self.words) == 1 and (whole or not digit):
            return True
        tokens = text.split()
        return any(self._at(tokens, start) for start in range(len(tokens)))

    def _at(self, tokens: list[str], start: int) -> bool:
        ends = {start}  # where the next word may stand
        for word, whole, gap in self.words:
            ends = {
                place + 1
                for end in ends
                for place in range(end, min(end + gap + 1, len(tokens)))
                if _is_word(tokens[place], word, whole)
            }
        return bool(ends)


_Group: TypeAlias = tuple[_Phrase, ...]


@dataclass(frozen=True, slots=True)
class _Way:
    groups: tuple[_Group, ...]
    without: _Group

    def matches(self, clause: Clause) -> bool:
        text = _readings(clause.text)
        if _hit(self.without, text):
            return False
        rest = [group for group in self.groups if not _hit(group, text)]
        if not rest:
            return True
        if len(rest) == len(self.groups) and not clause.bare:
            return False
        context = _readings(clause.context)
        return all(_hit(group, context) for group in rest)


@dataclass(frozen=True, slots=True)
class AskedWhen:
    """A compiled `asked_when`: says whether a clause asks for its intent."""

    ways: tuple[_Way, ...]

    def matches(self, clause: Clause) -> bool:
        """Whether the clause asks for the intent in any of the ways."""
        return any(way.matches(clause) for way in self.ways)


@dataclass(frozen=True, slots=True)
class Matcher:
    """The topics of a task, by name: wishes, drawn or not.

    Args:
        drawn: the wishes that the session holds.
        undrawn: the others; they are looked at only where a clause is about none of the session's.
    """

    drawn: tuple[tuple[str, AskedWhen], ...] = ()
    undrawn: tuple[tuple[str, AskedWhen], ...] = ()

    def aims(self, clause: Clause) -> tuple[str, ...]:
        """The names of the topics that an asking clause targets."""
        # "Which one?" over a list of unlike things aims at none of them.
        most = 1 if clause.bare else MAX_MATCHES_PER_CLAUSE
        for topics in (self.drawn, self.undrawn):
            matched = tuple(name for name, asked_when in topics if asked_when.matches(clause))
            if matched:
                return matched if len(matched) <= most else ()
        return ()


def compile_asked_when(spec: Mapping[str, Any], field: str) -> AskedWhen:
    """The matcher of one intent's `asked_when`, already rendered.

    Args:
        spec: `groups` and optionally `without`, or `any` with a list of such mappings.
        field: the name of the field, for messages.

    Raises:
        SpecError: the spec is malformed; the reason says what was expected.
    """
    _check_keys(spec, field)
    if "any" not in spec:
        return AskedWhen((_way(spec, field),))
    if len(spec) > 1:
        raise SpecError(field, "`any` stands alone: move `groups` and `without` into its entries")
    ways = spec["any"]
    if not isinstance(ways, list | tuple) or not ways:
        raise SpecError(f"{field}.any", f"expected a list of mappings with `groups`, got {ways!r}")
    compiled = []
    for number, way in enumerate(ways):
        name = f"{field}.any[{number}]"
        _check_keys(way, name)
        if "any" in way:
            raise SpecError(name, "`any` cannot hold another `any`")
        compiled.append(_way(way, name))
    return AskedWhen(tuple(compiled))


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


def _check_keys(spec: object, field: str) -> None:
    if not isinstance(spec, Mapping):
        raise SpecError(field, f"expected a mapping with `groups` (or `any`), got {spec!r}")
    for key in spec:
        if key not in _KEYS:
            raise SpecError(field, unknown("key", str(key), _KEYS))


def _way(spec: Mapping[str, Any], field: str) -> _Way:
    groups = spec.get("groups")
    if not isinstance(groups, list | tuple) or not groups:
        raise SpecError(f"{field}.groups", f"expected a list of lists of words, got {groups!r}")
    return _Way(
        tuple(_group(group, f"{field}.groups[{number}]") for number, group in enumerate(groups)),
        _group(spec["without"], f"{field}.without") if "without" in spec else (),
    )


def _group(words: object, field: str) -> _Group:
    if not isinstance(words, list | tuple) or not words:
        raise SpecError(field, f"expected a list of words such as [metric, score], got {words!r}")
    phrases: dict[_Phrase, None] = {}
    for number, entry in enumerate(words):
        phrases.update(dict.fromkeys(_phrases(entry, f"{field}[{number}]")))
    return tuple(phrases)


def _phrases(entry: object, field: str) -> tuple[_Phrase, ...]:
    """An entry's phrases: its words split at hyphens and, where that differs, joined."""
    if isinstance(entry, bool) or entry is None:
        raise SpecError(field, f'got {entry!r}: YAML reads yes, no, on, off and null as values; quote the word ("no")')
    if not isinstance(entry, str | int | float):
        raise SpecError(field, f"expected a word or phrase, got {entry!r}")
    phrases = _phrases_of(str(entry))
    if not phrases or str(entry).split()[-1] == "..":
        raise SpecError(field, f"{entry!r} holds no word to look for, or ends in `..`")
    return phrases


@lru_cache(maxsize=1 << 16)
def _phrases_of(entry: str) -> tuple[_Phrase, ...]:
    """The phrases of an entry's text, empty where it holds no word; most are the same in every variant."""
    readings = []
    for joined in (False, True):
        words: list[tuple[str, bool, int]] = []
        gap = 0
        for part in entry.split():
            if part == "..":
                gap = MAX_GAP_WORDS if words else 0
                continue
            whole = part.startswith("=")
            for token in _tokens(part.removeprefix("="), joined).split():
                words.append((token, whole, gap if words else 0))
                gap = 0
        readings.append(_Phrase(tuple(words)))
    return tuple(dict.fromkeys(readings)) if readings[0].words else ()


def _is_word(token: str, word: str, whole: bool) -> bool:
    if whole or not token.startswith(word):
        return token == word
    return not (word[-1].isdigit() and token[len(word) : len(word) + 1].isdigit())


def _hit(group: _Group, readings: tuple[str, ...]) -> bool:
    return any(phrase.found(text) for text in readings for phrase in group)


@lru_cache(maxsize=2048)
def _readings(text: str) -> tuple[str, ...]:
    """The text as spaced words, with hyphenated words split and, where there are any, joined."""
    split, joined = _tokens(text, joined=False), _tokens(text, joined=True)
    return (f" {split} ",) if split == joined else (f" {split} ", f" {joined} ")


def _tokens(text: str, joined: bool) -> str:
    """The words of a text in plain lower case, separated by single spaces."""
    if not text.isascii():
        folded = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in folded if not unicodedata.combining(char))
    return " ".join(text.casefold().translate(_JOINING if joined else _SPLITTING).split())


class _Signs(dict[int, str]):
    """A translation table that learns: letters and digits stay, apostrophes vanish, other signs become spaces."""

    def __init__(self, vanish: str) -> None:
        super().__init__(dict.fromkeys(map(ord, vanish), ""))

    def __missing__(self, code: int) -> str:
        char = chr(code)
        kept = char if char.isalnum() else f" {char} " if char in _KEPT_SIGNS else " "
        self[code] = kept
        return kept


_SPLITTING = _Signs("'’‘ʼ")
_JOINING = _Signs("'’‘ʼ-_‐‑")
