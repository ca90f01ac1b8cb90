"""Facets of files, whatever is in them: their names, what they keep of what stood there, and what became of it."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from difflib import SequenceMatcher

from pi_gym.caches import BoundedCache
from pi_gym.predicates.node import Node
from pi_gym.predicates.patterns import Regex, glob, in_glob
from pi_gym.predicates.text import fold
from pi_gym.predicates.wording import shown
from pi_gym.results.content import ResultText, digest
from pi_gym.results.facets import Aspect, AspectReading, Demand, Facet, Parts
from pi_gym.results.traces import parse_seen_to

#: By the digest of a file, its lines that are kept and those that stood there: both a result and the guard of all that
#: is none ask for them, at each end of a turn.
_kept: BoundedCache[bytes, tuple[int, int]] = BoundedCache(1_024)


def _suffix(document: ResultText, reading: AspectReading) -> Parts:
    return {"suffix": document.suffix}


def _labels(document: ResultText, reading: AspectReading) -> Parts:
    """The texts behind the labels of lines "LABEL: …"; a label that says two things says neither."""
    meant = {fold(name) for name in reading.of}
    found: dict[Hashable, str] = {}
    for line in document.view.lines:
        label, sign, rest = line.lstrip("-*+> \t").partition(":")
        label = fold(label.strip(" *_`"))
        if sign and (label in meant or not meant):
            said = fold(rest.strip(" *_`"))
            found[label] = said if found.get(label, said) == said else f"[{found[label]}; {said}]"
    return found


def _begins(found: str, right: str, reading: AspectReading) -> bool:
    """Whether a line says first what is right; whatever explains it may follow."""
    return found.startswith(right) and not found[len(right) : len(right) + 1].isalnum()


@dataclass(frozen=True, slots=True)
class NamedLike:
    """The file's name, without its suffix, matches a glob; what the name repeats, the glob must."""

    glob: str
    pattern: Regex

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        stem = content.name.rpartition(".")[0] or content.name
        if not in_glob(self.pattern, stem):
            return f"is called {shown(content.name)}; expected {shown(self.glob)}"
        # "2026-03-09_table_2026-03-09" would be right for every order of day and topic.
        twice = [part for part in self.glob.split("*") if len(part) > 5 and stem.count(part.strip("_-")) > 1]
        return f"is called {shown(content.name)}, with {shown(twice[0])} twice" if twice else ""


def _parse_name(node: Node) -> NamedLike:
    raw = node.string("a glob for the name without its suffix")
    return NamedLike(raw, glob(raw))


@dataclass(frozen=True, slots=True)
class Keeps:
    """Of the lines that stood in the file, this share is still there, in their order."""

    share: float

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        kept, stood = _kept.get(digest(content), lambda: _kept_lines(content.before or "", content.text))
        return "" if kept >= self.share * stood - 1e-9 else f"keeps {kept} of the {stood} lines that stood there"


def _kept_lines(before: str, text: str) -> tuple[int, int]:
    """The number of lines that stood there and are kept, and of all that stood there."""
    old = [line.strip() for line in before.splitlines() if line.strip()]
    # A line that was moved must cost itself, not all that it was moved across.
    matcher = SequenceMatcher(None, old, [line.strip() for line in text.splitlines()], autojunk=False)
    return sum(block.size for block in matcher.get_matching_blocks()), len(old)


def _parse_keeps(node: Node) -> Keeps:
    share = node.number()
    if not 0 < share <= 1:
        raise node.wrong("a share of the lines, above 0 and at most 1")
    return Keeps(share)


@dataclass(frozen=True, slots=True)
class Grows:
    """The file has at most so many times the text that stood there: what is mended holds no second version of it."""

    times: float

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        old, now = len(content.before or ""), len(content.text)
        return f"has {now} characters, {old} stood there" if now > self.times * old else ""


def _parse_grows(node: Node) -> Grows:
    times = node.number()
    if times < 1:
        raise node.wrong("how many times as long as it was, 1 at least")
    return Grows(times)


FILE_FACETS: tuple[Facet, ...] = (
    Aspect("suffix", _suffix, "is a file of the right type", "suffix"),
    Aspect(
        "labels", _labels, 'begins its lines "LABEL: …" with the right things', "{labels: choice}", "labels", _begins
    ),
    Demand(
        "file_name",
        _parse_name,
        "is called so",
        '{file_name: "2026-03-09_*"}',
        "a glob for the name without its suffix",
        lambda value, words: str(value),
    ),
    Demand("keeps", _parse_keeps, "keeps that share of what stood there", "{keeps: 1.0}", "a share, at most 1"),
    Demand("grows", _parse_grows, "is at most so many times as long as it was", "{grows: 1.5}", "a number, 1 at least"),
    Demand(
        "seen_to",
        parse_seen_to,
        "was seen to in this way, and in no other, where it was wrong",
        '{page: {seen_to: {old: "0.58", new: "0.66", how: "{{ value }}"}}}',
        "`{how, old, new, marks, most}`: [below](#seeing-to-a-page)",
    ),
)
