"""The acts of an assistant: the words by which a proposal names what it would do.

An act is a verb with its object: "cancel the ride" is `ride.cancel`. Only what the agent offers to do counts, not what
it tells of: "the clinic moved the visit; shall I update the calendar?" offers `event.change` and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pi_gym.errors import SpecError, unknown

#: What an act is done to, and the words for it. A thing that has several words is found by any of them.
OBJECTS: dict[str, str] = {
    "mail": r"e-?mails?|mails?|inbox",
    "message": r"messages?|texts?|chat|dms?|sms|word",
    "group": r"group(?: chat| conversation)?s?",
    "event": r"calendar(?: events?| entry| entries)?|events?|appointments?|meetings?|invites?|invitations?|slots?",
    "reminder": r"reminders?|alarms?",
    "contact": r"contacts?(?: card| entry)?s?|address book",
    "note": r"notes?|checklist|list in notes",
    "ride": r"rides?|cabs?|taxis?|cars?|pick-?ups?",
    "cart": r"carts?|baskets?",
    "order": r"orders?|purchases?",
    "code": r"(?:discount |promo |voucher |coupon )?codes?|discounts?|coupons?|vouchers?",
    "listing": r"listings?|apartments?|flats?|places?|favou?rites|saved list|shortlist",
    "folder": r"folders?",
    "file": r"files?|attachments?|documents?|pdfs?",
}
#: What is done, and the words for it, in the form in which an offer has them.
VERBS: dict[str, str] = {
    "reply": r"reply|respond|answer|write back|get back to|accept|decline|confirm",
    "send": r"send|write|text|message|tell|let (?!you\b)\w+(?: \w+)? know|inform|notify|e-?mail|ask|remind (?!you\b)",
    "forward": r"forward",
    "pass": r"pass(?= (?:[\w']+ ){0,6}on\b)",
    "share": r"share",
    "add": r"add|create|put|set up|set|make|schedule|enter|save|start|block|note down|note|write down|record|open"
    r"|write(?= (?:a |the )?(?:new )?note\b(?! to\b))",
    "change": r"move|reschedule|change|update|shift|push|adjust|edit|correct|fix|rename|postpone|bring forward|extend",
    "cancel": r"cancel|call off",
    "delete": r"delete|remove|clear|get rid of|unsave"
    r"|(?:take(?! \d)|drop)(?= (?:[\w']+ ){0,6}(?:out|off|from (?:the|your) [\w ]*(?:cart|basket|list|favou?rites))\b)",
    "book": r"book|call|get|arrange|reserve|hail",
    "buy": r"buy|purchase|check ?out|complete the (?:checkout|purchase|order)|place|order|submit",
    "apply": r"apply|use|redeem",
    "swap": r"replace|swap|exchange",
    "merge": r"merge|combine|consolidate",
    "download": r"download",
}
#: The acts, each as verbs and objects that name it; the first that fits is meant.
ACTS: dict[str, tuple[tuple[str, str], ...]] = {
    "mail.reply": (("reply", "mail"), ("reply", "")),
    "mail.send": (("send", "mail"), ("share", "mail")),
    "mail.forward": (("forward", "mail"), ("forward", "file"), ("forward", ""), ("forward", "note"), ("pass", "mail"),
                     ("pass", "file")),
    "mail.delete": (("delete", "mail"),),
    "mail.move": (("change", "mail"), ("change", "folder")),
    "message.send": (("send", "message"), ("reply", "message"), ("send", ""), ("share", ""), ("share", "listing"),
                     ("share", "code"), ("send", "group"), ("share", "group"), ("forward", "message"),
                     ("send", "listing"), ("send", "code"), ("send", "note"), ("pass", ""), ("pass", "message")),
    "group.create": (("add", "group"),),
    "group.change": (("change", "group"), ("delete", "group")),
    "event.add": (("add", "event"), ("book", "event")),
    "event.change": (("change", "event"), ("swap", "event")),
    "event.delete": (("delete", "event"), ("cancel", "event")),
    "reminder.add": (("add", "reminder"), ("send", "reminder")),
    "reminder.change": (("change", "reminder"),),
    "reminder.delete": (("delete", "reminder"), ("cancel", "reminder")),
    "contact.add": (("add", "contact"),),
    "contact.change": (("change", "contact"),),
    "contact.delete": (("delete", "contact"),),
    "note.add": (("add", "note"),),
    "note.change": (("change", "note"), ("merge", "note")),
    "note.delete": (("delete", "note"),),
    "ride.book": (("book", "ride"), ("buy", "ride"), ("add", "ride")),
    "ride.cancel": (("cancel", "ride"), ("delete", "ride")),
    "cart.add": (("add", "cart"),),
    "cart.remove": (("delete", "cart"), ("swap", "cart")),
    "order.place": (("buy", "order"), ("buy", ""), ("book", "order"), ("buy", "cart"), ("buy", "code")),
    "order.cancel": (("cancel", "order"), ("delete", "order")),
    "code.apply": (("apply", "code"),),
    "listing.save": (("add", "listing"),),
    "listing.remove": (("delete", "listing"),),
    "file.save": (("download", "file"), ("add", "file"), ("download", "mail")),
}  # fmt: skip
#: Words with which an offer begins; what is offered stands behind them.
_OFFER = re.compile(
    r"\b(?:shall i|should i|may i|can i|could i|might i|i can|i could|i'?ll|i will|i'?d|i would|let me|want me to"
    r"|like me to|need me to|prefer (?:that )?i|if i|ok(?:ay)? if i|mind if i|happy to|glad to|propose|proposal|suggest"
    r"|offer|ready to|able to|go ahead and|how about|permission to|i(?: a)?'?m going to|plan to|proceed)\b"
)
#: Words behind which the same sentence tells of something else: of others, or of why.
_ASIDE = re.compile(
    r"\b(?:because|since|as (?:he|she|they|it|you|your|the)|so (?:that )?(?:you|he|she|they|it)|which|who|whose|that "
    r"(?:was|is|were|are|has|have|had|you|he|she|they)|(?:you|he|she|they|we|it)(?:'ll|'d| can| could| will| would)"
    r"|in case|before (?:it|the|you|your|he|she|they)|after (?:it|you|he|she|they)|when|if)\b"
)
_BEFORE_THINGS = frozenset(("the", "a", "an", "your", "this", "that", "my", "his", "her", "their", "new", "of"))
#: Words for what was spoken of in a sentence before.
_PRONOUN = re.compile(r" (?:it|them|this|that|these|those)\b")
NO_THINGS: Mapping[str, re.Pattern[str]] = {}
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


@dataclass(frozen=True, slots=True)
class Offer:
    """The part of a proposal that offers something.

    Args:
        acts: what it offers to do.
        text: the sentences in which it does.
    """

    acts: frozenset[str]
    text: str


def _alternatives(words: dict[str, str]) -> re.Pattern[str]:
    # Longer wordings first, so that "write down" is no "write".
    pairs = [(name, one) for name, listed in words.items() for one in _split(listed)]
    pairs.sort(key=lambda pair: -len(pair[1]))
    groups = [f"(?P<{name}_{number}>{one})" for number, (name, one) in enumerate(pairs)]
    return re.compile(rf"\b(?:{'|'.join(groups)})\b")


def _split(listed: str) -> Iterator[str]:
    """The alternatives at the top of a regular expression."""
    depth, start = 0, 0
    for at, sign in enumerate(listed):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            yield listed[start:at]
            start = at + 1
    yield listed[start:]


_VERB, _OBJECT = _alternatives(VERBS), _alternatives(OBJECTS)
_BY_PAIR = {pair: act for act, pairs in reversed(ACTS.items()) for pair in pairs}


def find_offer(text: str, things: Mapping[str, re.Pattern[str]] = NO_THINGS) -> Offer:
    """Find what a text offers to do.

    Args:
        text: lower-case, with plain quotes and single blanks.
        things: further words for objects, by the object's name: "visit" for an event.
    """
    sentences = [part for part in _SENTENCE.split(text) if part.strip()]
    offered = {number: found.end() for number, part in enumerate(sentences) if (found := _OFFER.search(part))}
    if not offered:
        # "Move the visit to Tuesday?" offers as well.
        offered = {number: 0 for number, part in enumerate(sentences) if part.rstrip().endswith("?")}
    acts: set[str] = set()
    last = spoken_of = ""
    for number, sentence in enumerate(sentences):
        start = offered.get(number)
        if start is not None:
            known = last or _object_in(sentence[:start], things)
            acts_here, last = _acts_in(sentence[start:], known, spoken_of, things)
            acts |= acts_here
        spoken_of = _object_in(sentence, things) or spoken_of
    return Offer(frozenset(acts), " ".join(sentences[number] for number in offered))


def _acts_in(clause: str, known: str, spoken_of: str, things: Mapping[str, re.Pattern[str]]) -> tuple[set[str], str]:
    """The acts of what follows an offer's first words, and the thing that was spoken of last.

    Args:
        clause: what follows them.
        known: the thing that the offer has spoken of before.
        spoken_of: the thing of which the sentences before did; a pronoun may stand for it.
        things: as `find_offer` takes them.
    """
    acts: set[str] = set()
    for part in _asides_cut(clause):
        verbs = list(_VERB.finditer(part))
        for number, verb in enumerate(verbs):
            if not _is_verb(part, verb.start()):
                continue
            end = verbs[number + 1].start() if number + 1 < len(verbs) else len(part)
            here = _object_in(part[verb.end() : end], things) or _object_in(part[verb.end() :], things)
            name = str(verb.lastgroup).rpartition("_")[0]
            act = _BY_PAIR.get((name, here)) or _BY_PAIR.get((name, known)) or _BY_PAIR.get((name, ""))
            if act is None and not here and _PRONOUN.match(part, verb.end()):
                act = _BY_PAIR.get((name, spoken_of))
            if act is not None:
                acts.add(act)
            known = here or known
    return acts, known


def _asides_cut(clause: str) -> Iterator[str]:
    """The parts of a clause without its asides, each of which ends with the next comma or "and"."""
    start = 0
    while found := _ASIDE.search(clause, start):
        yield clause[start : found.start()]
        after = re.search(r",|\band\b|\bthen\b", clause[found.end() :])
        if after is None:
            return
        start = found.end() + after.start()
    yield clause[start:]


def _is_verb(part: str, at: int) -> bool:
    """Whether a word is used as a verb: an article or a possessive before it makes it a thing."""
    before = part[:at].split()[-1:] or [""]
    return before[0].strip(",") not in _BEFORE_THINGS


def _object_in(part: str, things: Mapping[str, re.Pattern[str]]) -> str:
    """The object that is named first; "" where none is."""
    found = _OBJECT.search(part)
    first, name = (found.start(), str(found.lastgroup).rpartition("_")[0]) if found else (len(part), "")
    for thing, pattern in things.items():
        own = pattern.search(part)
        if own and own.start() <= first:
            first, name = own.start(), thing
    return name


def require_acts(names: Iterable[str], field: str) -> None:
    """See to it that acts exist.

    Raises:
        SpecError: one does not; the message lists those that there are.
    """
    known: Collection[str] = ACTS
    for name in names:
        if name not in known:
            raise SpecError(field, unknown("act", name, known, shown=40))
