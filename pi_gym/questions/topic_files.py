"""The files on how things are asked about: concepts.yaml for all personas, a questions.yaml for one, and for a task.

An entry that is `like` another has its words too: a task's entry may name one of its persona's or a concept, a
persona's a concept. One without words of its own or another's has those of its `asked` examples
(`pi_gym.questions.derived_ways`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from pi_gym.errors import PackError, unknown
from pi_gym.schema import TopicFileSpec, TopicSpec, load_model

LEAST_EXAMPLES = 4
CONCEPTS = Path(__file__).with_name("concepts.yaml")
Entries = Mapping[str, Mapping[str, Any]]


@cache
def concepts() -> Entries:
    """The entries that all personas share, by name."""
    return read_topics(CONCEPTS, CONCEPTS.name, {})


def read_topics(path: Path, shown: str, shared: Entries) -> dict[str, dict[str, Any]]:
    """The entries of a file by name, each with the words of what it is like; templates unread.

    Args:
        path: the file.
        shown: its name in error messages.
        shared: what entries may be like.

    Raises:
        PackError: the file is missing or wrong; the message names the field.
    """
    entries = load_model(TopicFileSpec, path, shown).root
    found = {name: _merged(name, spec, shown, shared) for name, spec in entries.items()}
    if not all(entry["any"] for entry in found.values()):
        from pi_gym.questions.derived_ways import derived_ways

        derived = derived_ways({name: entry["asked"] for name, entry in found.items()})
        for name, entry in found.items():
            entry["any"] = entry["any"] or derived[name]
    return found


def require_topics(entries: Iterable[str], names: Iterable[str], shown: str, kind: str) -> None:
    """Raise PackError where a file lacks an entry for one of `names`, or has one for something else.

    Args:
        entries: the names in the file.
        names: of what the task has.
        shown: the file's name in error messages.
        kind: the word for what the names stand for, for messages.
    """
    found, wanted = list(entries), list(names)
    for name in wanted:
        if name not in found:
            raise PackError(shown, name, f"no entry: {kind} {name!r} cannot be asked for; write how one asks for it")
    for name in found:
        if name not in wanted:
            raise PackError(shown, name, unknown(kind, name, wanted))


def _merged(name: str, spec: TopicSpec, shown: str, shared: Entries) -> dict[str, Any]:
    ways: Any = spec.any
    own: list[Any] = []
    if spec.groups is not None:
        if ways is not None:
            raise PackError(shown, name, "`groups` and `any` exclude each other: move `groups` into an entry of `any`")
        own = [{"groups": spec.groups}]
    elif ways is not None:
        if not isinstance(ways, list) or not ways:
            raise PackError(shown, f"{name}.any", f"expected a list of mappings with `groups`, got {ways!r}")
        own = ways
    elif not spec.like and len(spec.asked) < LEAST_EXAMPLES:
        reason = "expected `groups`, `any` or `like`: the words with which one asks for it; or else"
        raise PackError(shown, name, f"{reason} {LEAST_EXAMPLES} questions or more in `asked`, got {len(spec.asked)}")
    merged: dict[str, Any] = {
        "any": own,
        "without": [] if spec.without is None else spec.without,
        "asked": spec.asked,
        "not_asked": spec.not_asked,
        "like": tuple(spec.like),
    }
    if not isinstance(merged["without"], list):
        raise PackError(shown, f"{name}.without", f"expected a list of words, got {spec.without!r}")
    for other in spec.like:
        if other not in shared:
            raise PackError(shown, f"{name}.like", unknown("entry to be like", other, sorted(shared)))
        theirs = shared[other]
        # What shows that something else is asked is the shared entry's for its own ways, and this entry's for all.
        merged["any"] = [*merged["any"], *(_narrowed(way, theirs["without"]) for way in theirs["any"])]
        merged["not_asked"] = [*merged["not_asked"], *theirs["not_asked"]]
        merged["like"] = (*merged["like"], *theirs["like"])
    return merged


def _narrowed(way: Any, without: list[Any]) -> Any:
    if not without or not isinstance(way, Mapping):
        return way
    return {**way, "without": [*way.get("without", ()), *without]}
