"""Whether the author gave away what only the user knows: in the request or in a file, by word or by dependence."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import re2

from pi_gym.baselines.validate.beliefs import flips, others, pool, secret_names, shown
from pi_gym.baselines.validate.plays import Case
from pi_gym.baselines.validate.rendering import Rendering, rendering
from pi_gym.baselines.validate.report import Sheet

MIN_QUOTED_WORDS = 5
_SENTENCE_END = re2.compile(r"[.!?]\s|\n")


def check_secrecy(case: Case, sheet: Sheet) -> None:
    """Neither the request nor a file tells what only the user knows, by its words or by changing with it."""
    secret = secret_names(case)
    sheet.numbers["values that only the user knows"] = len(secret)
    plain = rendering(case, {})
    for belief in flips(case, secret, 1):
        _compare(plain, rendering(case, belief), f"value {next(iter(belief))}", shown(belief), sheet)
    opening = _words("\n".join(message.content for message in case.opening.messages))
    files = {path: _words(blob.text) for path, blob in case.opening.world.workspace.walk() if blob.text is not None}
    for subject, sentence, everywhere in _hidden_sentences(case, plain):
        words = _words(sentence)
        if len(words.split()) < MIN_QUOTED_WORDS:
            continue
        if words in opening:
            sheet.fail(subject, f"the opening says it word by word: {sentence!r}")
        for path in [path for path, content in files.items() if everywhere and words in content][:1]:
            sheet.fail(subject, f"{path} says it word by word: {sentence!r}")


def _compare(plain: Rendering, other: Rendering, subject: str, belief: str, sheet: Sheet) -> None:
    if plain.opening != other.opening:
        sheet.fail(subject, f"the opening message would be different with {belief}, so it tells the value")
    for path in sorted({*plain.files, *other.files}):
        if plain.files.get(path) != other.files.get(path):
            sheet.fail(subject, f"{path} would be different with {belief}, so it tells the value")


def _hidden_sentences(case: Case, plain: Rendering) -> Iterator[tuple[str, str, bool]]:
    """Subject, sentence, and whether no file may hold it either.

    Sentences of an intent that read the same whatever its values are do not tell them. A criterion is no secret of
    the user: files may set the rule that it checks, but the opening must not recite it.
    """
    names = [spec.name for spec in case.source.spec.intents]
    for intent in case.task.intents:
        belief = {name: values[0] for name in pool(case)[intent.name].values if (values := others(case, name, 1))}
        other = rendering(case, belief) if belief else None
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
