"""Demands on texts: what an author may ask of any result that is read as one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

from pi_gym.errors import SpecError
from pi_gym.predicates.figures import MAX_NUMBERS, Written
from pi_gym.predicates.markdown import section
from pi_gym.predicates.node import Node
from pi_gym.predicates.patterns import regex
from pi_gym.predicates.text import fold
from pi_gym.predicates.wording import listed, shown
from pi_gym.results.content import ResultText
from pi_gym.results.days import written_days
from pi_gym.results.facets import Condition, Demand
from pi_gym.results.spelling import spelling_counts
from pi_gym.results.things import at_words

_SENTENCE_END = regex(r"(?:[.!?][\"')\]*]*\s+|\n+)")
_NEGATED = regex(r"\b(?:not|no|never|nor|neither|without|instead of|rather than|against|nobody|cannot|\w+n't)\b")
_BULLET = "-*+·•|> \t#[]x"


def sentences(text: str) -> list[str]:
    """Sentences and lines of a text, in order; none is blank."""
    found, at = [], 0
    for match in _SENTENCE_END.finditer(text):
        found.append(text[at : match.end()])
        at = match.end()
    return [one.strip() for one in (*found, text[at:]) if one.strip()]


def blocks(document: ResultText) -> list[str]:
    """Paragraphs, lists and tables of a text, in order; headings, front matter and comments are none."""
    found: list[str] = []
    for piece in document.view.text.replace("\r", "").split("\n\n"):
        lines = [line for line in piece.split("\n") if line.strip() and not line.lstrip().startswith("#")]
        if lines and not all(set(line.strip()) <= set("-=*_") for line in lines):
            found.append("\n".join(lines))
    return found


def speaks_of(text: str, word: str, known: str | None = None) -> bool:
    """Whether a text has a word, a name, an address, or a day in any style.

    Args:
        text: as it stands.
        word: an ISO date means that day; a word that ends in "-" means all that begin so.
        known: the text as `fold` gives it; None: not folded yet.
    """
    if is_iso_day(word):
        return any(one.is_day(word) for one in written_days(text))
    folded, wanted = fold(text) if known is None else known, fold(word)
    if wanted.endswith("-"):
        stem = wanted[:-1]
        at = folded.find(stem)
        while at >= 0:
            if not folded[at - 1 : at].isalnum():
                return True
            at = folded.find(stem, at + 1)
        return False
    return at_words(wanted, folded) >= 0


def is_iso_day(word: str) -> bool:
    """Whether a word is an ISO date."""
    if len(word) != 10 or word[4:5] != "-":
        return False
    try:
        date.fromisoformat(word)
    except ValueError:
        return False
    return True


# -- words -------------------------------------------------------------------------------------------------------------


def word_ways(node: Node) -> tuple[tuple[str, ...], ...]:
    """Words of which each is one, or several of which any will do."""
    return tuple(_names(one) for one in node.one_or_more())


def _names(node: Node) -> tuple[str, ...]:
    raw = node.raw
    if isinstance(raw, list | tuple):
        return tuple(str(one.scalar()) for one in node.items())
    return (str(node.scalar()),)


@dataclass(frozen=True, slots=True)
class Names:
    """The text has each of these, in one of its ways."""

    ways: tuple[tuple[str, ...], ...]

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        text, folded = content.view.text, content.view.folded
        missing = [ways[0] for ways in self.ways if not any(speaks_of(text, word, folded) for word in ways)]
        return f"does not name {listed(missing)}" if missing else ""


@dataclass(frozen=True, slots=True)
class NamesAny:
    """The text has one of these at least."""

    ways: tuple[tuple[str, ...], ...]

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        text, folded = content.view.text, content.view.folded
        if any(speaks_of(text, word, folded) for ways in self.ways for word in ways):
            return ""
        return f"names none of {listed([ways[0] for ways in self.ways])}"


@dataclass(frozen=True, slots=True)
class LacksWords:
    """The text has none of these."""

    words: tuple[str, ...]

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        text, folded = content.view.text, content.view.folded
        there = [word for word in self.words if speaks_of(text, word, folded)]
        return f"has {listed(there)}, which it must not" if there else ""


def _parse_lacks(node: Node) -> LacksWords:
    return LacksWords(tuple(word for ways in word_ways(node) for word in ways))


@dataclass(frozen=True, slots=True)
class Chooses:
    """Of several values the right one is affirmed, and no other. What is negated or quoted affirms nothing."""

    right: str
    words: tuple[tuple[str, tuple[str, ...]], ...]

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        affirmed: dict[str, None] = {}
        for sentence in sentences(content.view.text):
            if sentence.startswith(">"):
                continue
            folded = fold(sentence)
            for value, ways in self.words:
                if any(_affirms(sentence, folded, word) for word in ways):
                    affirmed[value] = None
        if self.right not in affirmed:
            return f"does not say {shown(self.right)}"
        others = [value for value in affirmed if value != self.right]
        return f"says {listed(others)} beside {shown(self.right)}" if others else ""


def _affirms(sentence: str, folded: str, word: str) -> bool:
    if not speaks_of(sentence, word, folded):
        return False
    at = folded.find(fold(word).rstrip("-")) if not is_iso_day(word) else len(folded)
    before = folded[max(0, at - 28) : max(at, 0)]
    # A negation reaches as far as its own clause.
    for sign in ",;:(":
        before = before.rpartition(sign)[2]
    return _NEGATED.search(before) is None


def _parse_chooses(node: Node) -> Chooses:
    fields = node.fields(("right", "of"))
    of = node.need(fields, "of")
    words = tuple((value, _names(one)) for value, one in of.named().items())
    right = str(node.need(fields, "right").scalar())
    if right not in [value for value, _ in words]:
        raise fields["right"].wrong(f"one of {', '.join(value for value, _ in words)}")
    return Chooses(right, words)


@dataclass(frozen=True, slots=True)
class Spelled:
    """All words that tell are spelled in one way, whatever stood there before."""

    way: str

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        found = spelling_counts(content.view.text)
        other = next((way for way in found if way != self.way), "")
        if other:
            return f"has {found[other]} words in {other} spelling"
        return "" if found else f"has no word that shows {self.way} spelling"


# -- numbers and days --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in any rounding to a decimal at least, or whole where it is whole or large; either sign."""

    value: float
    tolerance: float
    near: tuple[str, ...] = ()

    def stands_in(self, content: ResultText) -> bool:
        """Whether the text has it."""
        if not self.near:
            return any(self.is_number(one) for one in content.view.numbers)
        parts = [one for one in sentences(content.view.text) if any(speaks_of(one, word) for word in self.near)]
        return any(self.is_number(one) for part in parts for one in content.part(part).view.numbers)

    def is_number(self, found: Written) -> bool:
        """Whether a written number is this one."""
        gap = abs(abs(found.value) - abs(self.value))
        whole = abs(self.value - round(self.value)) < 1e-9
        if whole or found.decimals < 0 or (found.decimals == 0 and abs(self.value) < 10):
            return gap <= self.tolerance + 1e-6
        return bool(gap <= self.tolerance + 0.5 * 10.0**-found.decimals + 1e-6)

    def __str__(self) -> str:
        return f"{self.value:.6g}"


def _figure(node: Node) -> tuple[Figure, ...]:
    """One figure, or several of which any will do (`{any: [..]}`)."""
    if not isinstance(node.raw, Mapping):
        return (Figure(node.number(), 0.0),)
    fields = node.fields(("value", "any", "tolerance", "near"))
    tolerance = fields["tolerance"].number() if "tolerance" in fields else 0.0
    near = _names(fields["near"]) if "near" in fields else ()
    values = fields["any"].items() if "any" in fields else [node.need(fields, "value")]
    return tuple(Figure(one.number(), tolerance, near) for one in values)


@dataclass(frozen=True, slots=True)
class HasFigures:
    """Each of these numbers is in the text."""

    figures: tuple[tuple[Figure, ...], ...]

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        missing = [ways[0] for ways in self.figures if not any(one.stands_in(content) for one in ways)]
        if not missing:
            return ""
        found = [one.value for one in content.view.numbers]
        return f"does not give {', '.join(map(str, missing))}; found {listed(found)}"


@dataclass(frozen=True, slots=True)
class LacksFigures:
    """None of these numbers is in the text."""

    figures: tuple[tuple[Figure, ...], ...]

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        if len(content.view.numbers) == MAX_NUMBERS:
            return f"has {MAX_NUMBERS} numbers or more, which are not all read"
        there = [one for ways in self.figures for one in ways if one.stands_in(content)]
        return f"gives {there[0]}, which it must not" if there else ""


@dataclass(frozen=True, slots=True)
class HasDays:
    """Each of these days is named; if `only`, no other one is."""

    days: tuple[str, ...]
    only: bool

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        found = written_days(content.view.text)
        missing = [day for day in self.days if not any(one.is_day(day) for one in found)]
        if missing:
            return f"does not name the day {listed(missing)}"
        others = [f"{one.day}.{one.month}." for one in found if not any(one.is_day(day) for day in self.days)]
        return f"names another day, {others[0]}" if self.only and others else ""


@dataclass(frozen=True, slots=True)
class LacksDays:
    """None of these days is named."""

    days: tuple[str, ...]

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        found = written_days(content.view.text)
        there = [day for day in self.days if any(one.is_day(day) for one in found)]
        return f"names the day {there[0]}, which it must not" if there else ""


def _iso(node: Node) -> str:
    value = str(node.scalar())[:10]
    if not is_iso_day(value):
        raise node.wrong("an ISO date such as 2026-03-09")
    return value


def _parse_day(node: Node) -> HasDays:
    if isinstance(node.raw, Mapping):
        fields = node.fields(("is", "only"))
        only = fields["only"].boolean() if "only" in fields else False
        return HasDays(tuple(_iso(one) for one in node.need(fields, "is").one_or_more()), only)
    return HasDays(tuple(_iso(one) for one in node.one_or_more()), False)


@dataclass(frozen=True, slots=True)
class Length:
    """A limit of words (with a letter or a digit) or of lines that are not blank, told to the agent."""

    most: int
    of: str

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        text = content.view.text
        if self.of == "words":
            found = sum(any(char.isalnum() for char in word) for word in text.split())
        else:
            found = len(text) if self.of == "characters" else len(content.view.filled)
        return f"has {found} {self.of}; at most {self.most} were allowed" if found > self.most else ""


def _limit(of: str) -> Callable[[Node], Length]:
    return lambda node: Length(node.integer(1), of)


# -- scopes ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Inside:
    """Demands on pieces of the text.

    Args:
        cut: gives the piece of a document, None where there is none.
        label: the piece in words.
        conditions: by facet.
    """

    cut: Callable[[ResultText], str | None]
    label: str
    conditions: tuple[tuple[str, Condition], ...]

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        piece = self.cut(content)
        if piece is None:
            return f"has no {self.label}"
        part = content.part(piece)
        for _, condition in self.conditions:
            if fault := condition.fault(part):
                return f"has {self.label} that {fault}"
        return ""


@dataclass(frozen=True, slots=True)
class AllOf:
    """Several conditions at once."""

    each: tuple[Condition, ...]

    def fault(self, content: Any) -> str:
        """See `Condition`."""
        return next((fault for one in self.each if (fault := one.fault(content))), "")


def conditions_of(node: Node) -> tuple[tuple[str, Condition], ...]:
    """The demands of a mapping: facets that need an argument, by name."""
    known = {one.name: one for one in DEMANDS}
    found = []
    for name, argument in node.named().items():
        if name not in known:
            raise SpecError(argument.field, f"expected one of {', '.join(sorted(known))}, got {name!r}")
        found.append((name, known[name].parse(argument)))
    return tuple(found)


def _section_of(title: str) -> Callable[[ResultText], str | None]:
    wanted = fold(title)

    def cut(content: ResultText) -> str | None:
        view = content.view
        for heading in view.headings:
            if wanted in fold(heading.title):
                return section(view.lines, view.headings, heading)
        return None

    return cut


def _line_of(label: str) -> Callable[[ResultText], str | None]:
    wanted = fold(label)

    def cut(content: ResultText) -> str | None:
        found = []
        for line in content.view.lines:
            head, sign, rest = fold(line.lstrip(_BULLET)).partition(":")
            if sign and head.strip(" *_") == wanted:
                found.append(line.partition(":")[2] if rest else "")
        return "\n".join(found) if found else None

    return cut


def _part_of(names: tuple[str, ...], reach: int) -> Callable[[ResultText], str | None]:
    def cut(content: ResultText) -> str | None:
        every = sentences(content.view.text)
        about = [place for place, one in enumerate(every) if any(speaks_of(one, name) for name in names)]
        meant = sorted({near for place in about for near in range(place, min(place + reach + 1, len(every)))})
        return "\n".join(every[place] for place in meant) if meant else None

    return cut


def _parse_section(node: Node) -> AllOf:
    return AllOf(
        tuple(
            Inside(_section_of(title), f"a section {title!r}", conditions_of(one))
            for title, one in node.named().items()
        )
    )


def _parse_line(node: Node) -> AllOf:
    return AllOf(
        tuple(Inside(_line_of(label), f"a line {label!r}", conditions_of(one)) for label, one in node.named().items())
    )


def _parse_part(node: Node) -> AllOf:
    each = []
    for one in node.one_or_more():
        fields = one.named()
        names = _names(one.need(fields, "about"))
        reach = fields["reach"].integer() if "reach" in fields else 0
        raw = {key: value for key, value in one.raw.items() if key not in ("about", "reach")}
        rest = Node(raw, one.field, one.context, one.depth)
        each.append(Inside(_part_of(names, reach), f"a part about {names[0]!r}", conditions_of(rest)))
    return AllOf(tuple(each))


@dataclass(frozen=True, slots=True)
class Stands:
    """A statement stands in so many blocks at the text's top or at its end, and not at the other."""

    at: str
    reach: int
    conditions: tuple[tuple[str, Condition], ...]

    def fault(self, content: ResultText) -> str:
        """See `Condition`."""
        found = blocks(content)
        if not found:
            return "is empty"
        half = max(1, min(self.reach, len(found) // 2))
        top, end = "\n\n".join(found[:half]), "\n\n".join(found[-half:])
        wanted, other = (top, end) if self.at == "top" else (end, top)
        for _, condition in self.conditions:
            if fault := condition.fault(content.part(wanted)):
                return f"has at its {self.at} a text that {fault}"
        if len(found) > 1 and all(not condition.fault(content.part(other)) for _, condition in self.conditions):
            return f"says it at its {'end' if self.at == 'top' else 'top'} too"
        return ""


def _parse_stands(node: Node) -> Stands:
    fields = node.named()
    at = node.need(fields, "at").choice(("top", "end"))
    reach = fields["reach"].integer() if "reach" in fields else 2
    raw = {key: value for key, value in node.raw.items() if key not in ("at", "reach")}
    return Stands(at, reach, conditions_of(Node(raw, node.field, node.context, node.depth)))


_TOLD = "a whole number that the agent is told"


def _of_wish(value: Any, words: Mapping[Any, Any]) -> Any:
    return {"right": str(value), "of": {str(key): said for key, said in words.items()}}


DEMANDS = (
    Demand(
        "names",
        lambda node: Names(word_ways(node)),
        "names each of these",
        '{mail: {names: [Ines, [AGM, "general meeting"]]}}',
        "a word or a list; a list in it: any of these",
    ),
    Demand(
        "names_any",
        lambda node: NamesAny(word_ways(node)),
        "names one of these",
        "{reply: {names_any: [hold, stay]}}",
        "a list",
    ),
    Demand("lacks", _parse_lacks, "has none of these", "{mail: {lacks: tide-aid}}", "a word or a list"),
    Demand(
        "chooses",
        _parse_chooses,
        "affirms the right one of several values and no other",
        "{statement: chooses}",
        "`{right, of: {value: words}}`, or nothing",
        _of_wish,
    ),
    Demand(
        "number",
        lambda node: HasFigures(tuple(_figure(one) for one in node.one_or_more())),
        "gives these figures, in any rounding and with either sign",
        '{mail: {number: "{{ right.change }}"}}',
        "a number, `{value, tolerance, near}`, `{any: [..]}`, or a list of these",
    ),
    Demand(
        "no_number",
        lambda node: LacksFigures(tuple(_figure(one) for one in node.one_or_more())),
        "gives none of these figures",
        '{mail: {no_number: "{{ world.old }}"}}',
        "as `number`",
    ),
    Demand(
        "day",
        _parse_day,
        "names these days, in any style",
        "{note: {day: 2026-04-09}}",
        "an ISO date, a list, or `{is, only: true}`",
        lambda value, words: str(value),
    ),
    Demand(
        "no_day",
        lambda node: LacksDays(tuple(_iso(one) for one in node.one_or_more())),
        "names none of these days",
        "{note: {no_day: 2026-04-08}}",
        "an ISO date or a list",
    ),
    Demand(
        "spelled",
        lambda node: Spelled(node.choice(("British", "American"))),
        "is spelled in this way throughout, the words that stood there too",
        "{letter: spelled}",
        "British or American",
        lambda value, words: str(value),
    ),
    Demand("max_words", _limit("words"), "has at most so many words", "{letter: {max_words: 250}}", _TOLD),
    Demand("max_lines", _limit("lines"), "has at most so many lines", "{note: {max_lines: 3}}", _TOLD),
    Demand(
        "max_characters", _limit("characters"), "has at most so many characters", "{note: {max_characters: 900}}", _TOLD
    ),
    Demand(
        "section",
        _parse_section,
        "has such a section, and its text meets these",
        "{statement: {section: {Other support: {number: 120}}}}",
        "`{HEADING: {demands}}`",
    ),
    Demand(
        "line",
        _parse_line,
        'has a line "LABEL: …" that meets these',
        "{note: {line: {back: {names: Priya}}}}",
        "`{LABEL: {demands}}`",
    ),
    Demand(
        "part",
        _parse_part,
        "speaks of it in sentences that meet these",
        "{section: {part: {about: soltani2024, lacks: simulated}}}",
        "`{about: WORDS, reach: N, demands}`, or a list of these; N more sentences behind each belong to it",
    ),
    Demand(
        "stands",
        _parse_stands,
        "meets these at its top, or at its end, and only there",
        "{memo: {stands: {at: end, names: fathom}}}",
        "`{at: top or end, reach: N, demands}`; within N blocks, 2 without it",
    ),
)
