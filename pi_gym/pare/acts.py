"""The acts of an assistant: the words by which a proposal names what it would do.

An act is a verb with its object: "cancel the ride" is `ride.cancel`. Only what the agent offers to do counts, not what
it tells of: "the clinic moved the visit; shall I update the calendar?" offers `event.change` and nothing else. Where
words fit several acts, each of them may be meant.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass

from pi_gym.errors import SpecError, unknown

#: What an act is done to, and the words for it.
OBJECTS: dict[str, str] = {
    "mail": r"e-?mails?|mails?|inbox",
    "message": r"messages?|texts?|chat|dms?|sms|word|line",
    "group": r"group(?: chat| conversation)?s?",
    "event": r"cal[ea]nd[ea]r(?: events?| entry| entries)?|events?|appointments?|meetings?|invit(?:e|ation)s?|slots?",
    "reminder": r"reminders?|alarms?",
    "contact": r"contacts?(?: card| entry)?s?|address book",
    "note": r"notes?|checklist",
    "ride": r"rides?|cabs?|taxis?|cars?|pick-?ups?",
    "cart": r"carts?|baskets?",
    "order": r"orders?|purchases?",
    "code": r"(?:discount |promo |voucher |coupon )?codes?|discounts?|coupons?|vouchers?",
    "listing": r"listings?|apartments?|flats?|places?|favou?rites|saved(?: list| ones)?|shortlist",
    "folder": r"folders?",
    "file": r"files?|attachments?|documents?|pdfs?",
    "money": r"\d+(?:\.\d+)? ?(?:euros?|eur|dollars?|pounds?|€|\$)|money|cash",
    "food": r"food|meals?|drinks?|flowers?",
}
#: What is done: stems of the words for it, with what may follow them. Longer wordings come first by themselves.
VERBS: dict[str, str] = {
    "reply": r"repl(?:y|ies|ied|ying)|respond(?:ing)?|answer(?:ing)?|writ(?:e|ing) back|get(?:ting)? back to"
    r"|accept(?:ing)?|declin(?:e|ing)|confirm(?:ing)?",
    "send": r"send(?:ing)?|sent|writ(?:e|ing)(?! (?:it |that |this )?down)|drop(?:ping)?(?= \w+ a )"
    r"|giv(?:e|ing) (?:\w+ ){1,2}(?:a |the )?(?:heads-?up|word|notice)",
    "tell": r"tell(?:ing)?|let(?:ting)? (?!me\b|you\b|us\b)\w+(?: \w+)? know|inform(?:ing)?|notify(?:ing)?"
    r"|ask(?:ing)?(?! for your)|text(?:ing)?(?= \w)|messag(?:e|ing)(?= \w)",
    "mail": r"e-?mail(?:ing)?(?= \w)"
    r"|mail(?:ing)?(?= (?:him|her|them|it|this|that|both|the|\w+ (?:that|about|the|his|her|so|a)))",
    "forward": r"forward(?:ing)?",
    "pass": r"pass(?:ing)?(?= (?:[\w']+ ){0,6}on\b)",
    "share": r"shar(?:e|ing)",
    "add": r"add(?:ing|ed)?|creat(?:e|ing|ed)|mak(?:e|ing)|schedul(?:e|ing)|start(?:ing)?|block(?:ing)?|record(?:ing)?"
    r"|not(?:e|ing) down|writ(?:e|ing) (?:it |that |this )?down|open(?:ing)?|sav(?:e|ing|ed)(?! \d)|set(?:ting)? up"
    r"|writ(?:e|ing)(?= (?:a |the )?(?:new )?note\b(?! to\b))",
    "put": r"put(?:ting)?|enter(?:ing)?|set(?:ting)?|correct(?:ing)?|fix(?:ing)?|amend(?:ing)?",
    "change": r"mov(?:e|ing|ed)|reschedul(?:e|ing|ed)|chang(?:e|ing|ed)|updat(?:e|ing|ed)|shift(?:ing|ed)?|push(?:ing)?"
    r"|adjust(?:ing|ed)?|edit(?:ing)?|renam(?:e|ing)|postpon(?:e|ing)|bring(?:ing)? forward|extend(?:ing)?"
    r"|bump(?:ing)?|re-?book(?:ing)?|giv(?:e|ing)(?= [\w' ]{0,30}new (?:slot|time|date|day))",
    "cancel": r"cancel(?:l?ing|l?ed)?|call(?:ing)? off",
    "delete": r"delet(?:e|ing|ed)|remov(?:e|ing|ed)|clear(?:ing|ed)?|get(?:ting)? rid of|unsav(?:e|ing)|strik(?:e|ing)"
    r"|un-?favou?rit(?:e|ing)|gone(?= from)|un-?star(?:ring)?"
    r"|(?:tak(?:e|ing)(?! \d)|drop(?:ping)?|get(?:ting)?)"
    r"(?= (?:[\w']+ ){0,6}(?:out|off(?! your hands)|from (?:the|your) [\w ]*"
    r"(?:cart|basket|list|favou?rites|ones|flats|apartments|places))\b)",
    "book": r"book(?:ing|ed)?|call(?:ing)?(?! off)|get(?:ting)?(?! (?:back|rid))"
    r"|ar+ang(?:e|ing|ed)"
    r"|reserv(?:e|ing|ed)|hail(?:ing)?|request(?:ing)?|have(?= (?:a|the|one)\b)|organi[sz](?:e|ing)",
    "buy": r"buy(?:ing)?|purchas(?:e|ing)|check(?:ing)? ?out|complet(?:e|ing)"
    r"|plac(?:e|ing|ed)(?= (?:the|an?|your|that|this|it)\b)|submit(?:ting)?"
    r"|finali[sz](?:e|ing)|send(?:ing)? off(?= \w+ [\w ]*order)"
    r"|order(?:ing|ed)?(?= (?!\d))",
    "apply": r"apply(?:ing)?|us(?:e|ing)(?= (?:the|it|code|your|\w+\d))|redeem(?:ing)?",
    "swap": r"replac(?:e|ing)|swap(?:ping)?|exchang(?:e|ing)",
    "merge": r"merg(?:e|ing)|combin(?:e|ing)|consolidat(?:e|ing)",
    "download": r"download(?:ing)?",
    "do": r"tak(?:e|ing) care of|handl(?:e|ing)|sort(?:ing)? out|do(?:ing)?(?= (?:it|that|this|so)\b)",
    "pay": r"pay(?:ing)?|transfer(?:ring)?|wir(?:e|ing)",
    "deliver": r"deliver(?:ing|ed)?",
    "find": r"look(?:ing)? for|find(?:ing)?|search(?:ing)?(?: for)?|research(?:ing)?|compar(?:e|ing)|shop(?:ping)? for",
    "subscribe": r"(?:un-?)?subscrib(?:e|ing)",
}
#: The acts, each as the verbs and objects that name it; "" is no object at all.
ACTS: dict[str, tuple[tuple[str, str], ...]] = {
    "mail.reply": (("mail", ""), ("reply", "mail"), ("reply", ""), ("reply", "event")),
    "mail.send": (
        ("mail", ""), ("tell", ""), ("send", "mail"), ("share", "mail"), ("send", ""), ("share", "file"),
        ("send", "file"),
    ),
    "mail.forward": (
        ("forward", "mail"), ("forward", "file"), ("forward", ""), ("forward", "note"), ("pass", "mail"),
        ("pass", "file"),
    ),
    "mail.delete": (("delete", "mail"),),
    "mail.move": (("change", "mail"), ("change", "folder"), ("put", "folder")),
    "message.send": (
        ("tell", ""), ("send", "message"), ("reply", "message"), ("send", ""), ("share", ""), ("share", "listing"),
        ("reply", ""),
        ("share", "code"), ("send", "group"), ("share", "group"), ("forward", "message"), ("send", "listing"),
        ("send", "code"), ("send", "note"), ("share", "note"), ("send", "event"), ("put", "message"), ("pass", ""),
        ("pass", "message"),
    ),
    "group.create": (("add", "group"),),
    "group.change": (("change", "group"), ("delete", "group")),
    "event.add": (("add", "event"), ("book", "event"), ("put", "event")),
    "event.change": (("change", "event"), ("swap", "event"), ("put", "event"), ("do", "event")),
    "event.delete": (("delete", "event"), ("cancel", "event")),
    "reminder.add": (("add", "reminder"), ("send", "reminder"), ("put", "reminder")),
    "reminder.change": (("change", "reminder"), ("put", "reminder")),
    "reminder.delete": (("delete", "reminder"), ("cancel", "reminder")),
    "contact.add": (("add", "contact"), ("put", "contact")),
    "contact.change": (("change", "contact"), ("put", "contact")),
    "contact.delete": (("delete", "contact"),),
    "note.add": (("add", "note"), ("put", "note")),
    "note.change": (("change", "note"), ("merge", "note"), ("put", "note"), ("add", "note")),
    "note.delete": (("delete", "note"),),
    "ride.book": (("book", "ride"), ("buy", "ride"), ("add", "ride"), ("send", "ride"), ("do", "ride")),
    "ride.cancel": (("cancel", "ride"), ("delete", "ride")),
    "cart.add": (("add", "cart"), ("put", "cart")),
    "cart.remove": (("delete", "cart"), ("swap", "cart")),
    "order.place": (
        ("buy", "order"), ("buy", ""), ("book", "order"), ("buy", "cart"), ("buy", "code"), ("do", "order"),
    ),
    "order.cancel": (("cancel", "order"), ("delete", "order")),
    "code.apply": (("apply", "code"), ("apply", ""), ("buy", "code"), ("put", "code")),
    "listing.save": (("add", "listing"), ("put", "listing")),
    "listing.remove": (("delete", "listing"),),
    "file.save": (("download", "file"), ("add", "file"), ("download", "mail")),
    "other.pay": (("pay", ""), ("pay", "money"), ("send", "money"), ("share", "money")),
    "other.find": (("find", ""),),
    "other.subscribe": (("subscribe", ""),),
    "other.deliver": (("deliver", ""), ("deliver", "food"), ("buy", "food"), ("book", "food"), ("send", "food")),
}  # fmt: skip
#: Verbs that say what is done, whatever it is done to.
STRONG = frozenset(("change", "cancel", "delete", "merge", "swap"))
#: Words with which an offer begins; what is offered stands behind them.
_OFFER = re.compile(
    r"\b(?:sh(?:all|oud|ould) i|may i|can i|could i|might i|do i|i can|i could|i'?ll|i will|i'?d|i would|let me"
    r"|(?:want|like|need|prefer) (?:me to|your|it|that|a|the)\b|prefer (?:that )?i|if i|ok(?:ay)? (?:if i|to|for me)"
    r"|mind if i|happy to|glad to|propos(?:e|al)|suggest|offer to|ready to|able to|go ahead and|how about|permission"
    r"|i(?: a)?'?m going to|plan to|proceed|do you want|would you like)\b"
)
#: Words behind which the same sentence tells of something else: of others, or of why.
_ASIDE = re.compile(
    r"\b(?:because|since|as (?:he|she|they|it|you|your|the)|so (?:that )?(?:you|he|she|they|it)|which|who|whose"
    r"|that (?:was|is|were|are|has|have|had|you|he|she|they)|(?:he|she|they|we)(?:'ll|'d| can| could| will| would)"
    r"|in case|before (?:it|the|you|your|he|she|they|her|his)|after (?:it|you|he|she|they)|when|for when|to check)\b"
)
_RESUMED = re.compile(r",|;|:|\band\b|\bthen\b|\?")
_NOT = re.compile(r"(?:\bnot|n't|\bno need to|\bwithout|\bnever|\bneither|\bnor)(?: \w+)?$")
_THING_BEFORE = frozenset(
    ("the", "a", "an", "your", "this", "my", "his", "her", "their", "new", "of", "any", "another", "in")
)
_SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[^\d])|\n+")
_QUOTED = re.compile(r'(?<!\w)"[^"\n]{25,}"')
_NOTHING = frozenset(("", "and", "or", "then", "and then"))
_HEADING = re.compile(r"\b(?:suggest\w*|propos\w*|plan|offer|would do|could do|can do|do for you)[^.?!]{0,30}:?$")
NO_THINGS: Mapping[str, re.Pattern[str]] = {}
#: The act that is named where one is offered a second time.
AGAIN = "other.again"


@dataclass(frozen=True, slots=True)
class Offer:
    """The part of a proposal that offers something.

    Args:
        acts: for each thing that it offers to do, the acts that may be meant.
        text: the sentences in which it does.
    """

    acts: tuple[frozenset[str], ...]
    text: str


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


def find_offer(text: str, things: Mapping[str, re.Pattern[str]] = NO_THINGS) -> Offer:
    """Find what a text offers to do.

    Args:
        text: lower-case, with plain quotes and single blanks.
        things: further words for objects, by the object's name: "visit" for an event.
    """
    acts: list[frozenset[str]] = []
    offered: list[str] = []
    known, goes_on = "", False
    # Words that it would say to somebody offer nothing themselves.
    for sentence in filter(None, map(str.strip, _SENTENCE.split(_QUOTED.sub(" ", text)))):
        cue = _OFFER.search(sentence)
        if _HEADING.search(sentence):
            goes_on = True  # what is listed below is offered
            continue
        if cue is None and not goes_on and not sentence.endswith("?"):
            known = _last_object(sentence, things) or known
            continue
        # "Move the visit to Tuesday?" offers as well.
        start = cue.end() if cue is not None else 0
        known = _last_object(sentence[:start], things) or known
        here, known = _acts_in(sentence[start:], known, things)
        acts += here
        offered.append(sentence)
    return Offer(tuple(acts), "\n".join(offered))


def _acts_in(clause: str, known: str, things: Mapping[str, re.Pattern[str]]) -> tuple[list[frozenset[str]], str]:
    """The acts that follow an offer's first words, and the thing that was spoken of last."""
    offered: list[frozenset[str]] = []
    for part in _asides_cut(clause):
        verbs = [verb for verb in _VERB.finditer(part) if _is_verb(part, verb)]
        for number, verb in enumerate(verbs):
            end = verbs[number + 1].start() if number + 1 < len(verbs) else len(part)
            phrase = part[verb.end() : end]
            # "Cancel and rebook the cab": what follows the next verb is this one's, too.
            reach = phrase if phrase.strip(" ,") not in _NOTHING else part[verb.end() :]
            here = [thing for _, thing in sorted(_objects(reach, things))]
            name = str(verb.lastgroup).rpartition("_")[0]
            # "Have a car sent": the thing may stand before the verb; "order one": it was named before.
            named = (*here, _last_object(part[: verb.start()], things), known)
            meant = next((acts for one in named if one and (acts := _BY_PAIR.get((name, one)))), None)
            # "Move the games": of a thing that has no word here the verb alone tells, where it tells much.
            meant = meant or _BY_PAIR.get((name, "")) or (_BY_VERB[name] if name in STRONG else None)
            if meant is not None:
                offered.append(meant)
                if re.match(r" (?:\w+ )?another\b| [\w ]*\band a second\b", part[verb.end() :]):
                    offered.append(frozenset({AGAIN}))
            known = here[0] if here else known
    return offered, known


def _asides_cut(clause: str) -> Iterator[str]:
    """The parts of a clause without its asides, each of which ends with the next comma or "and"."""
    start = 0
    while found := _ASIDE.search(clause, start):
        yield clause[start : found.start()]
        after = _RESUMED.search(clause, found.end())
        if after is None:
            return
        start = after.start()
    yield clause[start:]


def _is_verb(part: str, verb: re.Match[str]) -> bool:
    """Whether a word is used as a verb, and not denied: an article before it makes it a thing."""
    before = part[: verb.start()].rstrip()
    last = before.rsplit(" ", 1)[-1].strip(",:(")
    return last not in _THING_BEFORE and _NOT.search(before) is None


def _last_object(part: str, things: Mapping[str, re.Pattern[str]]) -> str:
    """The object that is named last; "" where none is."""
    return max(_objects(part, things), default=(0, ""))[1]


def _objects(part: str, things: Mapping[str, re.Pattern[str]]) -> Iterator[tuple[int, str]]:
    own = [(found.span(), thing) for thing, pattern in things.items() for found in pattern.finditer(part)]
    yield from ((start, thing) for (start, _), thing in own)
    for found in _OBJECT.finditer(part):
        # "Dinner with Ada" is what the scenario says that it is.
        if not any(start <= found.start() < end for (start, end), _ in own):
            yield found.start(), str(found.lastgroup).rpartition("_")[0]


def require_acts(names: Iterable[str], field: str) -> None:
    """See to it that acts exist.

    Raises:
        SpecError: one does not; the message lists those that there are.
    """
    known: Collection[str] = ACTS
    for name in names:
        if name not in known:
            raise SpecError(field, unknown("act", name, known, shown=40))
