"""Finding what a text offers to do.

Only what the agent offers to do counts, not what it tells of: "the clinic moved the visit; shall I update the
calendar?" offers `event.change` and nothing else.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

from pi_gym.pare.act_words import ACTS, OBJECTS, STRONG, TELLING, VERBS
from pi_gym.pare.set_apart import ACTING, OFFER, affirmed, blank, sentences

#: Words that ask for consent to what the whole sentence says: "and can send them if you say yes".
_CONSENT = re.compile(
    r"\b(?:if|once|as soon as|provided|unless) you(?:'d| would|'re| are)?"
    r" (?:say (?:yes|so|no)|agree|approve|confirm|like|wish|want|object|(?:happy|fine|ok|okay) with)\b"
    r"|\b(?:just )?say (?:yes|the word|so)\b|\bgive me (?:the|a|your) (?:go|ok|okay|nod|word|yes|green light|thumbs)"
    r"|\bwith your (?:ok|okay|yes|consent|permission|approval|agreement|blessing|go-ahead)\b"
    r"|\bif that'?s what you want\b|\bwould you agree\b|\bare you (?:ok|okay|fine|happy) with\b"
    r"|^(?:just )?confirm (?:to|and i)\b"
    r"|\bif you (?:don't|do not) (?:mind|object)\b|\b(?:if|as long as) (?:it|that)(?:'s| is)? (?:all the same"
    r"|all right|suits?)"
    r"|\bunless you (?:mind|object|tell me|stop me|say|would rather|'d rather)\b"
    r"|\b(?:a|one|your) (?:yes|word|nod|ok|okay|go)(?: from you)? (?:is enough|will do|suffices)\b"
    r"|\bready when you are\b"
    r"|\b(?:awaiting|waiting for|needs?|pending|subject to) your (?:ok|okay|yes|consent|permission|approval|word|go)"
    r"|\bplease (?:confirm|approve|agree|say|tell me|let me know)\b|\bjust (?:confirm|let me know|tell me)\b"
    r"|\b(?:is|are) (?:what|how) i(?:'d| would)? (?:suggest|propose)\b|\bmy (?:proposal|suggestion)\b"
)
#: Further words that ask for consent to what was said before.
_ASKS_FOR_IT = re.compile(
    # Two blanks are what was set apart: "shall i tell you more?" asks for nothing else.
    r"\b(?:(?:shall|should|may|can|could) i\b|(?:want|like) me to\b|do you (?:want|agree)\b)"
    r"(?!(?: (?!do\b|go\b|it\b|that\b|this\b|so\b|make\b|carry\b|proceed\b)\w+){0,2}  "
    r"|[^?]*\b(?:help|look(?:ing)? (?:into|up)|anything|something|open the|open your|keep(?:ing)? (?:an eye"
    r"|watch(?:ing)?)"
    r"|say|mention|wait|come back|get back|check(?:ing)?(?! ?out))\b)[^?]*\?"
    r"|\b(?:fine|good|ok|okay|all right|alright) (?:by|with|for) you\b"
    r"|\b(?:i|we) (?:can|could|would|will) (?:gladly |happily )?do (?:that|it|this|so)\b"
    r"|\b(?:is|would) (?:it|that|this)(?: be)? (?:all right|alright|fine|ok|okay|good)\b|\bi have your (?:ok|yes)\b"
    r"|\bif (?:that|it)(?: is|'s) (?:fine|ok|okay|all right|good)\b"
    r"|\b(?:ok|okay|all right|agreed|yes)(?: with you| for you)?\?|\bdoes (?:that|this|it) (?:suit|sound|work)"
    r"|\bis (?:that|this|it) (?:right|what you want)|\bsounds? (?:good|right|ok)\?"
)
#: Of what would be done only what was set apart is left: "I can show you how to do it".
_EMPTY = re.compile(r"\b(?:i can|i could|i'?d|i would|i'?ll|i will|shall i|let me)(?: \w+){0,4}(?:  |$)|^\W*$")
#: The length of a question that only refers to what precedes.
_SHORT = 12
#: A sentence that does nothing but ask for it: "Go ahead?", "Apply?".
_ASKS_ONLY = re.compile(
    r"(?:so,? |then |and )?(?:shall we|go(?: ahead)?|apply|proceed|confirm(?:ed)?|approved?|do it|agreed?|yes(?:,| or"
    r"|/) ?no"
    r"|y(?:es)? ?/ ?n(?:o)?|deal|good to go|green light|(?:any )?objections?|all good)"
    r"(?: it| this| that| them| then| now| with (?:you|it|that)| for you| by you| from you| on your side)*\?"
)
#: Questions that leave to the other what would be done.
_OPEN = re.compile(
    r"\b(?:how|what|which)\b[\w ',]{0,20}\b(?:would|do|should|shall|can|could|may) (?:you|i)\b(?! (?:say|think)\?)"
)
#: The name of the thing before what is said of it.
_LABEL = re.compile(r"(?:(?:-|\d[.)]) )?((?:your |the )?\w+(?: \w+)?): ?(?=\S)")
#: What stands before its new value.
_CHANGED = re.compile(r"(?:[^\n.?!;]|\.(?! ))*?(?:->|=>|\u2192| = )")
#: What is to be done, without a word of who does it; perhaps behind a word that says what it is.
_BARE = re.compile(
    r"(?<!\byou) (?:would|will) (?:then |also |just |only |simply )*(?:be (?:\w+ed|sent|put|written|taken)"
    r"|get (?:its|an?|the)|go (?:in|into|on|onto|to|off|out)|come (?:off|out))\b"
    r"|\bgets? (?:\w+ed|sent|put|written|taken)\b|\bdisappears? from\b"
    r"|\b(?:we|somebody|someone) (?:could|can|should|ought to)\b"
    rf"|(?:^|: )(?:then |and |so |also |just |(?:before|after) that |afterwards |first |next )*(?!\w+ (?:to|from"
    rf"|for) \w+(?:,|$|:))"
    rf"(?:(?:add|answer|book|cancel|delete|move|remove|reply|save|send)\b|{ACTING}\b(?!:))"
)
#: Words that leave a choice to the other.
_CHOICE = re.compile(
    r"\b(?:which|what)\b[^.?!;\n]{0,40}\b(?:would|do|should|shall|could) (?:you|i|it)\b(?! (?:say|think)\?)[^.?!;\n]*\?"
    r"|\bwhat shall it be\b|\btell me (?:which|what)\b|\bwh(?:ich|at)ever (?:one )?(?:you|suits)\b"
    r"|\bor perhaps\b|\bor maybe\b|\bwith (?:one|either) of (?:the|them)\b|\bwhich one it (?:is|will be)\b"
    r"|\b(?:anything|something) (?:that )?i (?:can|could|should|may) do\b"
)
_ANOTHER = re.compile(
    r" (?:\w+ )?another\b| [^.?!;\n]*\b(?:and|plus) (?:also )?(?:a second|another)(?: one)?\b(?! (?:time|day|place))"
    r"| (?:two|both|three) (?:rides|cabs|taxis|messages|mails|orders)\b"
)
#: Words behind which the same sentence tells of something else: of others, or of why.
_ASIDE = re.compile(
    r"\b(?:because|since|as (?:he|she|they|it|you|your|the|\w+'s)\b|so (?:that )?(?:you|he|she|they|it)|which|who|whose"
    r"|what (?:you|he|she|they|is|was)"
    r"|that (?:was|is|were|are|has|have|had|you|he|she|they)|(?:he|she|they|we)(?:'ll|'d| can| could| will| would)"
    r"|in case|before (?:it|the|you|your|he|she|they|her|his)|after (?:it|you|he|she|they)|when|for when"
    r"|to check(?! ?out))\b"
)
_RESUMED = re.compile(r",|;|:(?!\d)|\band\b|\bthen\b|\?")
_NOT = re.compile(r"(?:\bnot|n't|\bno need to|\bwithout|\bnever|\bneither|\bnor)(?: \w+)?$")
_THING_BEFORE = frozenset(
    (
        "the",
        "a",
        "an",
        "your",
        "this",
        "my",
        "his",
        "her",
        "their",
        "new",
        "of",
        "any",
        "another",
        "in",
        "you",
        "he",
        "she",
    )
)
#: Verbs that are as often things, and the words behind which they are verbs.
_THING_TOO = re.compile(
    r"order|change|move|message|request|answer|reply|record|schedule|note|call|text|e?-?mail|share|block|book|place"
    r"|shift"
    r"|exchange|transfer|update|purchase|mark"
)
_BEFORE_VERB = re.compile(
    r"to|and|then,?|plus|or|i|me|also|just|now|please|shall|should|can|could|will|would|may|might|i'll|i'd|let|quickly"
    r"|simply"
    r"|either|both|not|only|instead|first|second|rather|&|\+|afterwards|it,?|them|once|immediately|directly"
)
#: The beginning of a line of a list.
_ITEM = re.compile(r"(?:-|\u2022|\+|\d+[.)]) ")
#: What is explained in brackets; "(and tell Ada)" does something.
_BRACKETS = re.compile(r" ?\((?!and |also |plus |then |i )[^()\n]*\)")
#: So many signs may stand between an offer and the words that it would say.
_NEAR = 12
#: Behind a verb: it does nothing.
_NOTHING_DONE = re.compile(r" (?:to )?(?:no|nothing|nobody|none|neither)\b(?! (?:later|longer|more than))")
_PRONOUN = re.compile(r" (?:it|them|that|this|one|both|these|those)\b|[ ,]*$")
#: Before a verb: somebody else is asked to do it.
_ASKED_OF = re.compile(r"\bask(?:ing|s)? (?!for\b)(?:[\w']+ ){1,4}(?:to|whether (?:they|he|she) can)$")
_MAIL_ADDRESS = re.compile(r"(?<=@)[\w.-]+")
#: An address behind which nothing follows that could be said there.
_ADDRESS = re.compile(r" [\w.+-]+@ *(?:[,.?;:)]|$|and\b|as\b|in\b|\n)")
#: A name in quotes, of an entry or a note: its words offer nothing.
_TITLE = re.compile(r"(?<!\w)([\"'])[^\"'\n]{3,60}\1(?!\w)")
_QUOTED = re.compile(r'(?<!\w)"[^"\n]{25,}"')
#: Words with which the assistant speaks of what it would do.
_MINE = re.compile(
    r"\b(?:sh(?:all|ould) i|may i|let me|i'?d|i would|i'?ll|i will|i can|i could|i suggest|i propose"
    r"|(?:propos(?:al|ed)|suggest(?:ion|ed)): )\b"
)
#: A verb of telling, with the words for whom.
_TELLS = re.compile(r"\b(?:answer|tell|write|writing|reply|know|inform|confirm|say|message|mail)\b[^,;:.?!]{0,40}$")
_HAVING = re.compile(r"\b(?:have|having|get|getting)\b[^,;:]*$")
_NOTHING = frozenset(("", "and", "or", "then", "and then"))
_HEADING = re.compile(r"\b(?:to do|suggest\w*|propos\w*|plan|offer|would do|could do|can do|do for you)[^.?!]{0,30}:?$")
NO_THINGS: Mapping[str, re.Pattern[str]] = {}
_SAYING = frozenset(("reply", "send", "share", "pass"))
_GETTING = frozenset(("add", "book", "buy", "put", "send"))
_CHANNELS = frozenset(("mail", "message", "group"))
_BY_CHANNEL = re.compile(
    r"\b(?:by|via|per|in an?|through|with an?) (?:(?P<mail>e-?mail|mail)|(?P<message>(?:chat )?message|text|chat|sms))"
    r"\b"
)
_IN_REPLY = re.compile(r"\b(?:in|as) (?:an? )?(?:reply|answer|response)\b")
_SOURCE = re.compile(r"\b(?:from|in|of)(?: (?:the|your|her|his|their|that|this))? (?:[\w']+ ){0,3}$")
_OUT_OF = re.compile(r"\bfrom(?: (?:the|your|her|his|their|that|this))? (?:[\w']+ ){0,3}$")
#: Words before the thing that something is put into: "add the ride to your calendar".
_INTO = re.compile(r"\b(?:to|in|into|on|onto|as)(?: (?:the|your|a|an|my|her|his))?(?: (?:new|saved|shopping|log))? ?$")
#: Words of offers that are mistyped often enough to be read: with two letters in the wrong order, or one missing.
_TYPED = (
    *(
        "answer",
        "cancel",
        "change",
        "delete",
        "forward",
        "inform",
        "message",
        "remove",
        "replace",
        "reschedule",
        "schedule",
    ),
    *("send", "shift", "update", "purchase", "should", "would", "complete", "notify", "remind", "create", "calendar"),
    *("appointment", "reminder", "contact", "merge", "order", "write", "could", "reply", "share", "apply", "place"),
)
_WORD = re.compile(r"[a-z]{4,}")
#: The act that is named where one is offered a second time.
AGAIN = "other.again"
DRAFT = "other.draft"


@dataclass(frozen=True, slots=True)
class Offer:
    """The part of a proposal that offers something.

    Args:
        acts: for each thing that it offers to do, the acts that may be meant.
        spans: where the words stand in which it does, without asides, and what it would say to somebody.
        told: of each act that tells somebody something, the words behind its verb.
        times: how many sentences begin an offer of one and the same; what is listed below one is part of it.
        sure: those of the acts whose verbs begin what is offered; "the cab booked for it" books none.
        things: the objects that are named where something is asked, offered or listed: "a cab to the depot at 17:25?"
            says what is meant without a verb.
        open: whether it leaves to the other what would be done.
    """

    acts: tuple[frozenset[str], ...]
    spans: tuple[tuple[int, int], ...]
    told: tuple[str, ...] = ()
    times: int = 1
    sure: tuple[frozenset[str], ...] = ()
    things: frozenset[str] = frozenset()
    open: bool = False


class _Act(NamedTuple):
    """An act that may be offered: its meanings, the words behind its verb, and whether the verb begins it."""

    meant: frozenset[str]
    phrase: str
    sure: bool


def _alternatives(words: dict[str, str]) -> re.Pattern[str]:
    # Longer wordings first, so that "set up" is no "set".
    pairs = [(name, one) for name, listed in words.items() for one in _split(listed)]
    pairs.sort(key=lambda pair: -len(pair[1]))
    groups = [f"(?P<{name}_{number}>{one})" for number, (name, one) in enumerate(pairs)]
    return re.compile(rf"(?<!\w)(?:{'|'.join(groups)})(?!\w)")


def _split(listed: str) -> Iterator[str]:
    """The alternatives at the top of a regular expression."""
    depth, start = 0, 0
    for at, sign in enumerate(listed):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            yield listed[start:at]
            start = at + 1
    yield listed[start:]


def _mistyped() -> dict[str, str]:
    made: dict[str, str] = {}
    for word in _TYPED:
        for at in range(1, len(word) - 1):
            swapped = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
            made[swapped] = word
            if len(word) >= 6:
                made[word[:at] + word[at + 1 :]] = word
    return {typo: word for typo, word in made.items() if typo not in ("compete", *_TYPED)}


_TYPOS = _mistyped()
_VERB, _OBJECT = _alternatives(VERBS), _alternatives(OBJECTS)


def _by_pair() -> dict[tuple[str, str], frozenset[str]]:
    found: dict[tuple[str, str], set[str]] = {}
    for act, pairs in ACTS.items():
        for pair in pairs:
            found.setdefault(pair, set()).add(act)
    return {pair: frozenset(acts) for pair, acts in found.items()}


_BY_PAIR = _by_pair()
_BY_VERB = {
    verb: frozenset(act for (name, _), acts in _BY_PAIR.items() if name == verb for act in acts) for verb in VERBS
}


def mended(text: str) -> str:
    """A plain text with the commonest slips of the verbs of offers put right."""
    return _WORD.sub(lambda found: _TYPOS.get(found[0], found[0]), text)


def find_offer(text: str, things: Mapping[str, re.Pattern[str]] = NO_THINGS) -> Offer:
    """Find what a text offers to do.

    Args:
        text: lower-case, with plain quotes and single blanks.
        things: further words for objects, by the object's name: "visit" for an event.
    """
    acts: list[_Act] = []
    spans: list[tuple[int, int]] = []
    known: tuple[str, ...] = ()
    listing, items, seeks, times, named = False, False, False, Counter[str](), set[str]()
    # Words that it would say to somebody offer nothing themselves, but what they say is offered with them.
    unquoted = _QUOTED.sub(blank, _MAIL_ADDRESS.sub(blank, text))
    # "Book a cab to the depot. Go ahead?"
    asking = frozenset(_asking(unquoted))
    for start, end in sentences(text):
        sentence = unquoted[start:end].strip()
        quoted = [(start + one.start(), start + one.end()) for one in _QUOTED.finditer(text[start:end])]
        # A list goes on below an empty line; whatever else stands there, or below its items, is told.
        item = _ITEM.match(text, start) is not None
        ended = _is_parted(text, start) or (items and text.endswith("\n", 0, start))
        listing = listing and (item or not ended or bool(quoted))
        items = item or (listing and items)
        if not sentence:
            spans += quoted if listing or _follows(spans, start) else []
            continue
        seeks = seeks or start in asking
        if _ASKS_ONLY.fullmatch(sentence):
            continue
        before = set(named)
        if listing or sentence.endswith("?") or _MINE.search(sentence) or item:
            named.update(_named_in(sentence, things))
        if _OPEN.search(sentence):
            known = _named_in(sentence, things) or known
            continue
        cue = OFFER.search(unquoted, start, end)
        if _HEADING.search(sentence):
            listing = True  # what is listed below is offered
            continue
        told = not sentence.endswith("?") and not _CONSENT.search(sentence) and not (asking and _BARE.search(sentence))
        if cue is None and not listing and told:
            known = _named_in(sentence, things) or known
            continue
        # "Move the visit to Tuesday?" offers as well.
        begin, within = (cue.end() if cue is not None else start), listing
        yes = _CONSENT.search(unquoted, start, begin)
        if yes is not None:  # "If you say yes, the cab goes to the depot, and I tell Ada."
            begin = yes.end()
        known = _named_in(unquoted[start:begin], things) or known
        below = cue is not None and text.startswith("\n", end) and _ITEM.match(text[end:].lstrip()) is not None
        listing = listing or below or (cue is not None and sentence.endswith(":"))
        here, known = _acts_in(_unbracketed(_CONSENT.sub("", unquoted[begin:end])), known, things)
        acts += here
        # Where a verb says what is done, what stands beside it is only what it is done to, or with.
        if any(act.sure for act in here):
            named = before
        if not within:
            times.update(frozenset[str]().union(*(act.meant for act in here)))
        spans += [(begin + first, begin + last) for first, last in _asides_cut(unquoted[begin:end], telling=True)]
        spans += quoted
    if seeks:
        # "Reply: … Calendar: … Go?"
        labels = (_LABEL.match(unquoted, start, end) for start, end in sentences(unquoted))
        named.update(thing for label in labels if label for thing in _named_in(label[1], things))
    if seeks and not any(act.sure for act in acts):
        # "The plan is one ride, no more. Shall I place it?"
        named.update(_named_in(affirmed(unquoted), things))
        # "The reminder: 9 May → 11 May. Apply?"
        for line in unquoted.splitlines():
            for changed in _CHANGED.finditer(line):
                named.update(_named_in(changed[0], things))
    sure = tuple(act.meant for act in acts if act.sure)
    return Offer(
        tuple(act.meant for act in acts),
        tuple(spans),
        tuple(act.phrase for act in acts if act.meant & TELLING),
        max(times.values(), default=0),
        sure,
        frozenset(named),
        _CHOICE.search(unquoted) is not None,
    )


def _asks_for_it(sentence: str) -> bool:
    """Whether a sentence asks for consent, to what it says itself or to what was said before."""
    asks = _ASKS_FOR_IT.search(sentence) or _CONSENT.search(sentence) or _ASKS_ONLY.fullmatch(sentence)
    return asks is not None


def _asking(text: str) -> Iterator[int]:
    """The places of the sentences that ask for consent; a bare "Okay?" asks for nothing where nothing was offered."""
    offered = empty = False
    for start, end in sentences(text):
        sentence = text[start:end].strip()
        if _asks_for_it(sentence) and not (empty and not offered and len(sentence) <= _SHORT):
            yield start
        if _EMPTY.search(sentence):
            empty = True
        else:
            offered = offered or OFFER.search(sentence) is not None


def _is_parted(text: str, start: int) -> bool:
    """Whether an empty line stands before a sentence."""
    return text.endswith("\n\n", 0, start)


def _follows(spans: list[tuple[int, int]], start: int) -> bool:
    """Whether what begins there stands right behind what is offered."""
    return bool(spans) and start - spans[-1][1] <= _NEAR


def _unbracketed(clause: str) -> str:
    """A clause without what is only explained in brackets; what would be done is kept."""
    return " ".join(_BRACKETS.sub(" ", clause).split())


def _acts_in(
    clause: str, known: tuple[str, ...], things: Mapping[str, re.Pattern[str]]
) -> tuple[list[_Act], tuple[str, ...]]:
    """The acts that follow an offer's first words, each with the words behind its verb, and the things named last."""
    offered: list[_Act] = []
    for first, last in _asides_cut(clause):
        part = clause[first:last]
        verbs = [verb for verb in _VERB.finditer(part) if _is_verb(part, verb)]
        for number, verb in enumerate(verbs):
            end = verbs[number + 1].start() if number + 1 < len(verbs) else len(part)
            phrase = part[verb.end() : end]
            # "Cancel and rebook the cab": what follows the next verb is this one's, too.
            reach = phrase if phrase.strip(" ,") not in _NOTHING else part[verb.end() :]
            if _NOTHING_DONE.match(phrase):
                continue
            here = _things_of(verb, reach, known, things)
            meant = _meant(verb, phrase, here, known, things)
            if meant is not None:
                offered.append(_Act(meant, phrase, _is_explicit(verb, here, phrase, meant) and _begins(part, verb)))
                if _name_of(verb) in _GETTING and not meant & TELLING and _ANOTHER.match(part, verb.end()):
                    offered.append(_Act(frozenset({AGAIN}), phrase, True))
            known = (here[0],) if here else known
    return offered, known


def _is_explicit(verb: re.Match[str], here: list[str], phrase: str, meant: frozenset[str]) -> bool:
    """Whether the verb's own words say what is done; of "change the dessert" or "order it" they do not."""
    name = _name_of(verb)
    if any((name, one) in _BY_PAIR for one in here):
        return True
    return meant <= _BY_PAIR.get((name, ""), frozenset()) and _PRONOUN.match(phrase) is None


def _begins(part: str, verb: re.Match[str]) -> bool:
    """Whether a verb begins something: nothing stands before it, or a sign, or a word behind which something begins."""
    before = part[: verb.start()].rstrip()
    if not before or before[-1] in ",:;.)-":
        return True
    if verb.group().endswith(("ed", "sent")):
        return _HAVING.search(before) is not None  # "have a car sent"
    return _BEFORE_VERB.fullmatch(before.rsplit(" ", 1)[-1].strip(",:(")) is not None


def _name_of(verb: re.Match[str]) -> str:
    return str(verb.lastgroup).rpartition("_")[0]


def _things_of(
    verb: re.Match[str], reach: str, known: tuple[str, ...], things: Mapping[str, re.Pattern[str]]
) -> list[str]:
    """The objects behind a verb, the likeliest first."""
    found = sorted(_objects(reach, things))
    here = [thing for _, thing in found]
    name = _name_of(verb)
    if name == "change" and _PRONOUN.match(reach):
        # "Update it with the number from the event": that is where it stands.
        here = [thing for at, thing in found if not _OUT_OF.search(reach, 0, at)]
    if name in _SAYING:
        # "Send Ada the code from the shop's mail": that is where it stands.
        sources = {thing for at, thing in found if _SOURCE.search(reach, 0, at)}
        here = sorted((one for one in here if one not in sources), key=lambda thing: thing not in _CHANNELS)
    elif name in ("add", "put") and here[:1] != ["code"]:
        here = [*(thing for at, thing in found if _INTO.search(reach, 0, at)), *here]
    # "… and I place the order": of a cab.
    return ["ride"] if here[:1] == ["order"] and known[:1] == ("ride",) else here


def _meant(
    verb: re.Match[str],
    phrase: str,
    here: list[str],
    known: tuple[str, ...],
    things: Mapping[str, re.Pattern[str]],
) -> frozenset[str] | None:
    """The acts that a verb may mean; None where it means none that has a name here.

    Args:
        verb: the verb.
        phrase: the words behind it.
        here: the things named there.
        known: those named before, each of which "it" may be.
        things: further words for things.
    """
    name = _name_of(verb)
    # "Move the dinner and send Ada a reply": what is sent stands behind the verb.
    looks_back = name not in _SAYING or verb.group() == "sent"
    meant = next((acts for one in here if (acts := _BY_PAIR.get((name, one)))), None)
    if meant is None and looks_back:
        # "Have a car sent": the thing may stand before the verb; "order one": it was named before.
        earlier = _last_object(verb.string[: verb.start()], things)
        meant = _BY_PAIR.get((name, earlier)) if earlier else None
    if meant is None and looks_back:
        meant = frozenset[str]().union(*(_BY_PAIR.get((name, one), ()) for one in known)) or None
    # "Move the games": of a thing that has no word here the verb alone tells, where it tells much.
    meant = meant or _BY_PAIR.get((name, "")) or (_BY_VERB[name] if name in STRONG else None)
    if meant is None or not meant & TELLING:
        return meant
    if _IN_REPLY.search(phrase):
        return _BY_PAIR["reply", ""]
    by = _BY_CHANNEL.search(phrase)
    if by is None:
        return meant
    return frozenset(act for act in meant if act.startswith(f"{by.lastgroup}.")) or meant


def _asides_cut(clause: str, *, telling: bool = False) -> Iterator[tuple[int, int]]:
    """The places of the parts of a clause without its asides; an aside ends with the next comma or "and".

    Args:
        clause: a part of a plain text.
        telling: what somebody would be told ("answer that you come at eleven") is none.
    """
    start = at = 0
    while found := _ASIDE.search(clause, at):
        if telling and found.group().startswith("that") and _TELLS.search(clause, start, found.start()):
            at = found.end()
            continue
        yield start, found.start()
        after = _RESUMED.search(clause, found.end())
        if after is None:
            return
        start = at = after.start()
    yield start, len(clause)


def _is_verb(part: str, verb: re.Match[str]) -> bool:
    """Whether a word is used as a verb, and not denied: an article before it makes it a thing."""
    before = part[: verb.start()].rstrip()
    last = before.rsplit(" ", 1)[-1].strip(",:(")
    if _THING_TOO.fullmatch(verb.group()) and last and before[-1] not in ",:;.)-" and not _BEFORE_VERB.fullmatch(last):
        return False  # "the hammock order", "his change of plans"
    if any(title.start() < verb.start() < title.end() for title in _TITLE.finditer(part)):
        return False
    if _ASKED_OF.search(before):
        return False
    if verb.group().endswith("mail") and _ADDRESS.match(part, verb.end()):
        return False  # "the phone number, e-mail ada@…"
    if verb.group().endswith("ed") and part.startswith(" by ", verb.end()):
        return False  # "the ride ordered by you"
    told = verb.group().endswith("ed") and before.rfind("(") > before.rfind(")")  # "your note (updated in April)"
    return (last not in _THING_BEFORE or verb.group() in ("gets", "goes")) and not told and _NOT.search(before) is None


def _named_in(part: str, things: Mapping[str, re.Pattern[str]]) -> tuple[str, ...]:
    """The objects that are named, the last first."""
    named = dict.fromkeys(thing for _, thing in sorted(_objects(part, things), reverse=True))
    return tuple(thing for thing in named if thing != "money")  # a price is not what "it" means


def _last_object(part: str, things: Mapping[str, re.Pattern[str]]) -> str:
    """The object that is named last; "" where none is."""
    return max(_objects(part, things), default=(0, ""))[1]


def _objects(part: str, things: Mapping[str, re.Pattern[str]]) -> Iterator[tuple[int, str]]:
    own = [(found.span(), thing) for thing, pattern in things.items() for found in pattern.finditer(part)]
    yield from ((start, thing) for (start, _), thing in own)
    for at, thing in _common_objects(part):
        # "Dinner with Ada" is what the scenario says that it is.
        if not any(start <= at < end for (start, end), _ in own):
            yield at, thing


@lru_cache(maxsize=1024)
def _common_objects(part: str) -> tuple[tuple[int, str], ...]:
    """The objects that are named by words of all scenarios; parts of a proposal are looked at several times."""
    return tuple((found.start(), str(found.lastgroup).rpartition("_")[0]) for found in _OBJECT.finditer(part))
