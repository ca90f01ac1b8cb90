"""The asking clauses of a reply: the unit in which the user's hidden intents are asked for.

A clause is a question ("Which metric decides?"), an imperative that wants to know ("Tell me which metric decides.") or
an offer of alternatives ("I can sort by F1 or by name: your call."). Compound sentences fall into several clauses.
Rhetorical questions, cited text, code, tables, headings and polite closings ("Let me know if you need anything.")
are none; a generic question ("Anything else?") is one, and will be a miss.

The detector knows English wording only, and nothing of any task. It is pure and linear in the reply's length.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice, takewhile
from typing import Literal, TypeAlias

from pi_gym.questions import cues
from pi_gym.questions.paragraphs import ListItem, ReplySection, Sentence, sections

ClauseKind: TypeAlias = Literal["question", "imperative", "options"]

MAX_CLAUSES = 200
MAX_READ_CHARS = 60_000
MAX_CLAUSE_CHARS = 600
MAX_CONTEXT_CHARS = 800
MAX_THINGS = 6
#: An offer that lists more than this itself is a list of everything.
MAX_LISTED = 3
SENTENCES_BACK = 3
_BETWEEN = re.compile(r",? and (?=\S+ \S+ \S)|; ")
_OFFERED = re.compile(r"; (?:and )?|,? and (?=(?:to|for|put|tell|that) )|, (?=(?:to|for) [A-Z])")
_LABELS = re.compile(r"(?:,? and |[,;] )?(?<!\w)(?<! to )\([a-d1-4]\) (?!to \()")
_BRACKETS = re.compile(r"\s*\([^()]{2,}\)")


@dataclass(frozen=True, slots=True)
class Clause:
    """One asking clause.

    Args:
        text: the clause as written, at most its last `MAX_CLAUSE_CHARS` characters.
        context: what it stands with, at most `MAX_CONTEXT_CHARS`: the sentence before it in the paragraph (in an item
            of a list all before it), the rest of its own sentence before it, the line that introduces its list, and
            the options that it offers.
        kind: how it asks.
        bare: whether it only points at its context ("Which one?"), which then speaks for it.
        things: of an offer for several what it points at ("Shall I mend both?"), each as it is written elsewhere, or
            lists behind a colon.
    """

    text: str
    context: str
    kind: ClauseKind
    bare: bool = False
    things: tuple[str, ...] = ()


def asking_clauses(reply: str) -> tuple[Clause, ...]:
    """The first `MAX_CLAUSES` asking clauses of a reply, in reading order.

    Of a reply longer than `MAX_READ_CHARS` the first and the last half of that many characters are read.

    >>> [clause.text for clause in asking_clauses("Done. Which metric decides, and how many decimals do you want?")]
    ['Which metric decides', 'how many decimals do you want?']
    """
    return tuple(islice(_clauses(reply), MAX_CLAUSES))


def beside_the_brackets(clause: Clause) -> Clause:
    """The clause without what stands in its brackets, which goes to what it stands with.

    >>> beside_the_brackets(Clause("How is the file called (it replaces the table)?", "", "question")).text
    'How is the file called?'
    """
    if "(" not in clause.text or clause.bare:
        return clause
    text = _BRACKETS.sub("", clause.text)
    if text == clause.text or not cues.has_substance(text.casefold()):
        return clause
    inside = " ".join(match.strip(" ()") for match in _BRACKETS.findall(clause.text))
    return replace(clause, text=text, context=f"{clause.context} {inside}".strip()[-MAX_CONTEXT_CHARS:])


def _bounded(reply: str) -> str:
    """A reply of more than `MAX_READ_CHARS` without its middle; a code fence open at the cut stays open."""
    if len(reply) <= MAX_READ_CHARS:
        return reply
    half = MAX_READ_CHARS // 2
    head, tail = reply[:half], reply[-half:]
    cut = len(reply) - half
    fences = (reply.startswith("```") + reply.count("\n```", 0, cut)) % 2
    closed = "\n```" if (head.startswith("```") + head.count("\n```")) % 2 else ""
    opened = "```\n" if fences else ""
    return f"{head}{closed}\n\n{opened}{tail}"


def _clauses(reply: str) -> Iterator[Clause]:
    before = ""  # a list just read, which a bare "Which one?" below it points at, and an offer for several
    listed: tuple[str, ...] = ()
    upcoming = None
    stream = sections(_bounded(reply))
    section = next(stream, None)
    while section is not None:
        upcoming = next(stream, None)
        follows = upcoming.sentences[0].plain if upcoming is not None and upcoming.sentences else None
        yield from _section(section, before, follows, listed)
        before = _joined(section) if section.items else ""
        asks = any(sentence.asks for item in section.items for sentence in item)
        listed = () if asks else _first_sentences(section)
        section = upcoming


def _first_sentences(section: ReplySection) -> tuple[str, ...]:
    return _firsts([item.sentences for item in section.items[:MAX_THINGS]])


def _firsts(items: Iterable[tuple[Sentence, ...]]) -> tuple[str, ...]:
    return tuple([item[0].text[:MAX_CLAUSE_CHARS] for item in items if item])[:MAX_THINGS]


def _section(section: ReplySection, before: str, follows: str | None, listed: tuple[str, ...]) -> Iterator[Clause]:
    if not section.items:
        if not section.heading:
            yield from _paragraph(section.sentences, before, follows, things=listed)
        return
    lead = section.sentences[-1] if section.sentences else None
    options = _joined(ReplySection(items=section.items))
    if lead is None:
        yield from _items(section, "", asked=False)
        return
    body = section.sentences[:-1]
    yield from _paragraph(body, before, lead.plain, listed=_first_sentences(section))
    own = any(sentence.asks and not cues.is_bare(sentence.plain) for item in section.items for sentence in item)
    asks = _asks_by_list(lead)
    if not asks and not own and not section.heading:
        # "(a) Yes, both" below a question is no answer to it.
        first = section.items[0].sentences
        answers = first and not (section.lettered and cues.addresses(lead.plain))
        kind = _kind(lead, first[0].plain if answers else None)
        if kind is None and (cues.leads_to_options(lead.plain) and section.lettered):
            kind = "options"
        if kind is not None:
            context = f"{body[-1].text} {options}" if body else options
            yield from _split(lead, context, "options", _first_sentences(section))
            return
    elif not lead.plain.endswith(":") and not section.heading and not asks and not cues.leads_back(lead.plain):
        yield from _paragraph((lead,), body[-1].text if body else before, None)
    # What stands in brackets there is about one of the items, and no context of the others.
    yield from _items(section, _BRACKETS.sub("", lead.text[-MAX_CONTEXT_CHARS:]), asked=asks)


def _asks_by_list(lead: Sentence) -> bool:
    return (
        cues.leads_to_asks(lead.plain)
        and not cues.leads_to_options(lead.plain)
        and not cues.starts_as_question(lead.plain.removeprefix("could you").removeprefix("can you"))
    ) or (lead.plain.startswith(("could you", "can you", "would you")) and cues.leads_to_asks(lead.plain))


def _items(section: ReplySection, lead: str, asked: bool) -> Iterator[Clause]:
    for place, item in enumerate(section.items):
        if item.below and item.sentences:
            yield from _item_with_list(item, lead, asked)
            continue
        found = False
        below = _things_below(section, place)
        for clause in _paragraph(item.sentences, lead, None, bullet=True, things=below):
            found = True
            yield clause
        if asked and item.sentences and not found:
            yield from _split(item.sentences[0], lead, "imperative")


def _item_with_list(item: ListItem, lead: str, asked: bool) -> Iterator[Clause]:
    """The clauses of an item with a list below it, which has its options or what it is about, or asks itself."""
    listed = ReplySection(items=[ListItem(one) for one in item.below])
    options = _joined(listed)
    own = any(map(_asks_itself, item.below))
    clauses = [*_paragraph(item.sentences, lead, None, bullet=True, things=_firsts(item.below))]
    if not clauses and asked and not own:
        clauses = [*_split(item.sentences[0], lead, "imperative")]
    if not clauses:
        yield from _section(ReplySection(item.sentences, listed.items, lettered=item.lettered), lead, None, ())
        return
    yield from clauses[:-1]
    last = clauses[-1]
    yield replace(last, context=f"{last.context} {options}".strip()[:MAX_CONTEXT_CHARS])
    for one in item.below if own else ():
        if _asks_itself(one):
            yield from _paragraph(one, item.sentences[-1].text, None, bullet=True)


def _asks_itself(item: tuple[Sentence, ...]) -> bool:
    """Whether an item below one that asks is no option of it, but asks for something of its own."""
    return any(
        (sentence.asks and not cues.is_bare(sentence.plain))
        or (cues.is_imperative(sentence.plain) and not cues.is_plan(sentence.plain))
        or cues.is_bullet_question(sentence.plain)
        for sentence in item
    )


def _paragraph(
    sentences: tuple[Sentence, ...],
    before: str,
    follows: str | None,
    bullet: bool = False,
    things: tuple[str, ...] = (),
    listed: tuple[str, ...] = (),
) -> Iterator[Clause]:
    """The clauses of one paragraph or list item.

    Args:
        sentences: its own.
        before: its context.
        follows: what comes below it.
        bullet: whether it is an item.
        things: the items beside it, for which an offer in it may be; without them, those of the sentences before.
        listed: what an offer may be for where no sentence beside it names anything.
    """
    index, count = 0, len(sentences)
    while index < count:
        sentence = sentences[index]
        previous = sentences[index - 1].text if index else before
        stop = index + 1
        following = sentences[stop].plain if stop < count else follows
        kind = _kind(sentence, following if stop >= count or not sentences[stop].asks else None, bullet and index == 0)
        if kind is not None:
            if bullet and index:
                previous = _item_before(sentences, index)
            while stop < count and sentence.asks and sentences[stop].asks and cues.continues(sentences[stop].plain):
                other = sentences[stop]
                sentence = Sentence(f"{sentence.text} {other.text}", f"{sentence.plain} {other.plain}")
                stop += 1
            named = things
            if not named and cues.points_at_several(sentence.plain):
                named = _things_before(sentences[max(0, index - SENTENCES_BACK) : index])
                behind = sentences[stop:] if bullet else ()
                named = named or _firsts([(one,) for one in behind if not one.asks]) or listed
            yield from _split(sentence, previous, kind, named)
        elif index and cues.is_choice(sentence.plain) and cues.offers(sentences[index - 1].plain):
            yield Clause(sentence.text[-MAX_CLAUSE_CHARS:], previous[-MAX_CONTEXT_CHARS:], "options", bare=True)
        index = stop


def _things_below(section: ReplySection, place: int) -> tuple[str, ...]:
    """The first sentences of the items below one that ends with an offer for several, up to the next that asks."""
    item = section.items[place]
    last = item.sentences[-1] if item.sentences else None
    if last is None or not last.asks or not cues.offer_for_several(last.plain):
        return ()
    below = takewhile(lambda one: not any(sentence.asks for sentence in one), section.items[place + 1 :])
    return _firsts(one.sentences for one in below)


def _things_within(text: str, plain: str) -> tuple[str, ...]:
    """The things that an offer lists behind a colon or by letters: "May I write: to Ann, …, and to Ben, …?"."""
    colon, label = plain.find(": "), plain.find("(a)")
    if colon < 0 and "(" not in plain:  # most clauses
        return ()
    if not cues.offers_acts(_behind_label(plain[:label]) if label >= 0 else plain):
        return ()
    head, *parts = _LABELS.split(text, MAX_THINGS)
    if len(parts) > MAX_LISTED:
        return ()
    if len(parts) < 2:
        head, parts = text[:colon], _OFFERED.split(text[colon + 2 :], MAX_THINGS) if colon >= 0 else []
    return tuple([f"{head.strip()} {part}"[:MAX_CLAUSE_CHARS] for part in parts[:MAX_THINGS]]) if len(parts) > 1 else ()


def _things_before(sentences: tuple[Sentence, ...]) -> tuple[str, ...]:
    """The things for which an offer below some sentences may be, up to the last that asks.

    The nearest that speaks of several has them, parted by "and" and semicolons; else each sentence has one.
    """
    told = [*takewhile(lambda one: not one.asks, reversed(sentences))]
    for sentence in told:
        parts = _BETWEEN.split(sentence.text, MAX_THINGS)
        if len(parts) > 1:
            return tuple([part[:MAX_CLAUSE_CHARS] for part in parts[:MAX_THINGS]])
    return _firsts([(sentence,) for sentence in reversed(told)]) if len(told) > 1 else ()


def _item_before(sentences: tuple[Sentence, ...], index: int) -> str:
    """The text before a sentence in its item, which is about one thing that later sentences call "it" or "her"."""
    first, size = index, 0
    while first and size < MAX_CONTEXT_CHARS:
        first -= 1
        size += len(sentences[first].text) + 1
    return " ".join(one.text for one in sentences[first:index])


def _kind(sentence: Sentence, following: str | None, bullet: bool = False) -> ClauseKind | None:
    """The kind of asking clause that a sentence is; None where it asks nothing."""
    plain = sentence.plain[-MAX_CLAUSE_CHARS:]
    if sentence.asks:
        if not any(map(str.isalnum, plain)) or cues.is_rhetorical(plain, following):
            return None
        if ("let me know" in plain or "tell me" in plain) and not cues.has_substance(plain):
            return None
        return "options" if cues.offers(plain) and not cues.starts_as_question(plain) else "question"
    if not cues.may_ask(plain):
        return None
    if cues.is_choice(plain) and cues.offers(plain):
        return "options"
    if cues.is_imperative(plain) and not (bullet and cues.is_plan(plain)):
        return "imperative"
    if (cues.is_bullet_question(plain) if bullet else cues.is_unmarked_question(plain)) and not cues.is_rhetorical(
        plain, following
    ):
        return "question"
    return None


def _split(sentence: Sentence, context: str, kind: ClauseKind, things: tuple[str, ...] = ()) -> Iterator[Clause]:
    """The clauses of one asking sentence, split before each further question in it.

    An offer for several is for the things that it lists itself or, without any, for those beside it.
    """
    text, plain = sentence.text[-MAX_CLAUSE_CHARS:], sentence.plain[-MAX_CLAUSE_CHARS:]
    starts: list[int] = [cues.lead_in(plain)]
    stops: list[int] = []  # what separates two clauses belongs to neither
    for match in sorted(_joints(plain), key=lambda one: one.start(1)):
        part, joint = plain[starts[-1] : match.start()], plain[match.start() : match.start(1)]
        if match.start() < starts[-1] or not _asks_before(match, part, joint, first=not stops):
            continue
        if match.re is cues.ACT_SPLIT and _things_within(text[starts[-1] :], plain[starts[-1] :]):
            continue
        if cues.is_relative(part, joint, match[1]):
            continue
        if part.count(" ") and plain[match.start(1) :].count(" "):
            starts.append(match.start(1))
            stops.append(match.start())
    stops.append(len(text))
    for start, stop in zip(starts, stops, strict=True):
        around = f"{context} {text[:start]}".strip()[-MAX_CONTEXT_CHARS:]
        several = _things_within(text[start:stop], plain[start:stop])
        if not several and cues.offer_for_several(plain[start:stop]):
            several = things
        yield Clause(text[start:stop].rstrip(" ,;"), around, kind, cues.is_bare(plain[start:stop]), several)


def _joints(plain: str) -> Iterator[re.Match[str]]:
    """The places where a further question may begin, its first word as group 1."""
    yield from cues.SPLIT.finditer(plain)
    # Most sentences lack the words without which the other patterns find nothing.
    joined = "and" in plain
    if joined:
        yield from cues.AND_SPLIT.finditer(plain)
    if (joined or "then" in plain) and (cues.offers_acts(plain) or cues.offers_acts(_behind_label(plain))):
        yield from cues.ACT_SPLIT.finditer(plain)
    if ";" in plain:
        for parts in cues.PARTS.finditer(plain):
            yield from cues.PART_SPLIT.finditer(plain, parts.start(), parts.end())


def _asks_before(match: re.Match[str], part: str, joint: str, first: bool) -> bool:
    """Whether what stands before a possible split asks for something of its own."""
    if match.re is cues.PART_SPLIT:
        return True
    if cues.starts_as_question(part) or cues.starts_as_question(_behind_label(part)):
        return True
    if first and (cues.is_imperative(part) or ("and" in joint and cues.offers(part))):
        return True
    return match.re is cues.ACT_SPLIT and cues.offers_acts(_behind_label(part))


def _behind_label(part: str) -> str:
    """A sentence without the label before its colon ("The style: which format")."""
    return part.rpartition(": ")[2]


def _joined(section: ReplySection) -> str:
    """A section's introduction and list as one text, bounded."""
    parts = [section.sentences[-1].text] if section.sentences else []
    size = 0
    for item in section.items:
        for sentence in item:
            parts.append(sentence.text)
            size += len(sentence.text)
        if size > MAX_CONTEXT_CHARS:
            break
    return " ".join(parts)[:MAX_CONTEXT_CHARS]
