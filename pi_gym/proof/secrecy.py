"""The check that nothing visible gives away what only the user knows, be it by word or by dependence.

What stands in an app is visible: whoever may sign in can read it. Seed worlds are the same in every variant, so only
the rows that tasks put there, and that sessions before this one left, can tell a value.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import re2

from pi_gym.proof.beliefs import flips, hidden_names, others, pool, secret_names, shown
from pi_gym.proof.case import Case
from pi_gym.proof.rendering import Rendering
from pi_gym.state import World
from pi_gym.validation.report import Sheet

MIN_QUOTED_WORDS = 5
_SENTENCE_END = re2.compile(r"[.!?]\s|\n")


def check_secrecy(case: Case, sheet: Sheet) -> None:
    """Check that no request, file or record tells what only the user knows, by its words or by changing with it."""
    secret = secret_names(case)
    sheet.numbers["values that only the user knows"] = len(secret)
    plain = case.plain
    single = flips(case, secret, 1)
    # Mostly nothing differs: all values at once show it, one by one they show whose fault it is.
    together = case.under({name: value for belief in single for name, value in belief.items()})
    if _visible(together) != _visible(plain):
        for belief in single:
            _compare(plain, case.under(belief), f"value {next(iter(belief))}", shown(belief), sheet)
    opening = _words("\n".join(message.content for message in case.opening.messages))
    world = case.opening.world
    texts = {path: _words(blob.text) for path, blob in world.workspace.walk() if blob.text is not None}
    texts |= {name: _words(text) for name, text in _records(world)}
    for subject, sentence, everywhere in _hidden_sentences(case, plain):
        words = _words(sentence)
        if len(words.split()) < MIN_QUOTED_WORDS:
            continue
        if words in opening:
            sheet.fail(subject, f"the opening says it word by word: {sentence!r}")
        for place in [place for place, content in texts.items() if everywhere and words in content][:1]:
            sheet.fail(subject, f"{place} says it word by word: {sentence!r}")


def _visible(rendered: Rendering) -> tuple[object, ...]:
    return rendered.opening, rendered.files, rendered.rows


def _compare(plain: Rendering, other: Rendering, subject: str, belief: str, sheet: Sheet) -> None:
    if plain.opening != other.opening:
        sheet.fail(subject, f"the opening message would be different with {belief}, so it tells the value")
    for path in sorted({*plain.files, *other.files}):
        if plain.files.get(path) != other.files.get(path):
            sheet.fail(subject, f"{path} would be different with {belief}, so it tells the value")
    mine, theirs = plain.rows, other.rows
    for name in sorted({*mine, *theirs}):
        if mine.get(name) != theirs.get(name):
            sheet.fail(subject, f"{name} would be different with {belief}, so it tells the value")


def _records(world: World) -> Iterator[tuple[str, str]]:
    """The rows that differ from the seed worlds, as (name, text)."""
    for app in sorted(world.apps):
        for table in world.apps[app].names:
            for key, row in world.apps[app].table(table).changed_rows().items():
                if row is not None:
                    yield f"{app}.{table} {key}", "\n".join(map(str, row.values()))


def _hidden_sentences(case: Case, plain: Rendering) -> Iterator[tuple[str, str, bool]]:
    """Subject, sentence, and whether no file or record may hold it either.

    Sentences of an intent that read the same whatever its values are do not tell them. A criterion is no secret of
    the user: files may set the rule that it checks, but the opening must not recite it.
    """
    names = [one.name for one in case.source.pool]
    wrong = {name: values[0] for name in hidden_names(case) if (values := others(case, name, 1))}
    otherwise = case.under(wrong)
    for intent in case.task.intents:
        other = otherwise if wrong.keys() & pool(case)[intent.name].values else None
        for field in ("text", "reveal"):
            place = names.index(intent.name)
            neutral = set(_sentences(other.spec["intents"][place][field])) if other is not None else set()
            for sentence in _sentences(plain.spec["intents"][place][field]):
                if sentence not in neutral:
                    yield f"intent {intent.name}", sentence, not intent.recover
    for item in case.task.checklist:
        for sentence in _sentences(item.text):
            yield f"item {item.name}", sentence, False


def _sentences(text: object) -> list[str]:
    return [sentence.strip() for sentence in _SENTENCE_END.split(str(text)) if sentence.strip()]


@lru_cache(maxsize=4096)
def _words(text: str) -> str:
    """The words of a text in small letters, with a blank before and after each."""
    return f" {' '.join(text.casefold().translate(_SIGNS).split())} "


class _Signs(dict[int, str]):
    """A translation table that learns: letters and digits stay, all else becomes a blank."""

    def __missing__(self, code: int) -> str:
        self[code] = kept = chr(code) if chr(code).isalnum() else " "
        return kept


_SIGNS = _Signs()
