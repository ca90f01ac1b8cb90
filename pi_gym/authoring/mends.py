"""Figures that somebody mended in another's text: which are right now, how it shows, and whether the text stands.

Each takes the evidence and the path of a Markdown page; figures of tables are none of these.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from pi_gym.authoring.prose import kept_share, prose_sections
from pi_gym.numbers import number_word

_NUMBER = re.compile(r"\d[\d.]*")
#: As far before "[was 12]" the right figure may stand.
_NEAR = 40
#: A sentence is told by its first letters, and so many of those without a wrong figure have to stand.
_BEGINNING, _STANDS = 20, 0.85
_ENOUGH = 3
_COUNTED = ("none", *map(number_word, range(1, 10)))


_SHOWN = {"was": "{1} [was {0}]", "struck": "~~{0}~~ {1}"}


def draft_facts(
    sentences: Mapping[str, str], figures: Mapping[str, tuple[str, str]], wrong: Collection[str]
) -> dict[str, Any]:
    """The facts of a draft of which some figures are wrong, for `mending`, for checks and for the draft's template.

    Args:
        sentences: by name, each with {} for its figure.
        figures: by name, as it is where it is wrong, and as it is right.
        wrong: the names of those that are.

    Returns:
        `mends` (the figures), `wrong` (in the order of the sentences), `pairs` and `wrong_sentences` of these, `prose`
        (each sentence as the draft has it), and `many` (how many are wrong, in a figure and in a word).

    >>> draft_facts({"age": "Age was {}."}, {"age": ("71", "68")}, ["age"])["prose"]
    {'age': 'Age was 71.'}
    """
    names = [name for name in sentences if name in wrong]
    return {
        "mends": figures, "wrong": names, "pairs": [figures[name] for name in names],
        "prose": {name: text.format(figures[name][name not in wrong]) for name, text in sentences.items()},
        "wrong_sentences": [sentences[name].partition("{}")[0] for name in names],
        "many": [str(len(names)), _COUNTED[len(names)] if len(names) < len(_COUNTED) else str(len(names))],
    }  # fmt: skip


def mending(
    sentences: Mapping[str, str],
    pairs: Mapping[str, tuple[str, str]],
    how: str | None,
    said: Mapping[str, str] | None = None,
) -> tuple[dict[str, str], str, str]:
    """The changes that mend the wrong figures of a draft and show that in one way.

    Args:
        sentences: as of `draft_facts`.
        pairs: by name, a figure as it is wrong and as it is right.
        how: "was", "struck" or "list"; else it does not show.
        said: what a list calls each; its name without it.

    Returns:
        What is replaced, for a `Change`; the list of what was wrong; and what that puts at the draft's end, if wanted.

    >>> mending({"age": "Age was {}."}, {"age": ("71", "68")}, "was")[0]
    {'Age was 71.': 'Age was 68 [was 71].'}
    """
    put = _SHOWN.get(how or "", "{1}")
    changes = {
        sentences[name].format(old): sentences[name].format(put.format(old, new)) for name, (old, new) in pairs.items()
    }
    listed = "".join(f"- {(said or {}).get(name, name)}: {old}, now {new}\n" for name, (old, new) in pairs.items())
    return changes, listed, f"\n## Corrections\n\n{listed}" if how == "list" else ""


def mended(evidence: Any, page: str, pairs: Sequence[Sequence[str]], least: int = 0) -> bool:
    """Whether so many wrong figures are right, all without `least`, whether or not one sees what they were."""
    found = [_how(evidence.text(page) or "", *pair) for pair in pairs]
    return sum(map(bool, found)) >= (least or len(pairs))


def shown(evidence: Any, page: str, how: str, pairs: Sequence[Sequence[str]]) -> bool:
    """Whether what was mended shows what it was in one way, "was", "struck", "list" or "silent", and in no other."""
    found = [one for pair in pairs for one in [_how(evidence.text(page) or "", *pair)] if one]
    return len(found) >= _ENOUGH and {*found} == {how}


def text_stays(evidence: Any, page: str, wrong: Sequence[str]) -> bool:
    """Whether nearly all sentences stand as they did, but for those that begin like the wrong ones."""
    start, now = (
        [paragraph for section in prose_sections(text or "").values() for paragraph in section]
        for text in (evidence.start.text(page), evidence.text(page))
    )
    sentences = [one for paragraph in start for one in paragraph.split(". ")]
    kept = [one for one in sentences if not any(said[:_BEGINNING] in one for said in wrong)]
    return kept_share(kept, now) >= _STANDS


def _how(text: str, old: str, new: str) -> str:
    """The ways in which a mended figure shows it: "was", "struck", "list", or "silent"; "" where it is still wrong."""
    lines = text.splitlines()
    at = next((at for at, line in enumerate(lines) if line.strip("#*_ :").lower() == "corrections"), len(lines))
    parts = " ".join(line for line in lines[:at] if not line.startswith("|")).replace("[Was ", "[was ").split("~~")
    plain, *were = " ".join(parts[::2]).split("[was ")
    clean = numbers(" ".join([plain, *(one.partition("]")[2] for one in were)]))
    if old in clean or new not in clean:
        return ""
    leads, inside = [plain, *were], [numbers(one.partition("]")[0]) for one in were]
    struck, after = [*map(numbers, parts[1::2])], [*map(numbers, parts[2::2])]
    ways = {
        "was": any(old in was and new in numbers(lead[-_NEAR:]) for was, lead in zip(inside, leads, strict=False)),
        "struck": any(old in was and new in then[:2] for was, then in zip(struck, after, strict=False)),
        "list": any({old, new} <= {*numbers(line)} for line in lines[at + 1 :]),
    }  # fmt: skip
    return " ".join(way for way, is_there in ways.items() if is_there) or "silent"


def numbers(text: str) -> list[str]:
    """The numbers of a text, as they are written."""
    return [one.strip(".") for one in _NUMBER.findall(text)]
