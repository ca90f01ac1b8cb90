"""The acts of an assistant, and the words for them.

An act is a verb with its object: "cancel the ride" is `ride.cancel`. Where words fit several acts, each of them may be
meant.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pi_gym.errors import SpecError, unknown

#: What an act is done to, and the words for it.
OBJECTS: dict[str, str] = {
    "mail": r"e-?mails?|mails?|inbox",
    "message": r"messages?|(?<!same )(?<!that )(?<!following )texts?|chat|dms?|sms|word"
    r"|line(?! (?:about \w+ )?(?:in|into)\b(?! (?:reply|answer|return)))",
    "group": r"group(?: chat| conversation)?s?",
    "event": r"cal[ea]nd[ea]r(?: events?| entry| entries)?|events?|appointments?|meetings?|invit(?:e|ation)s?|slots?",
    "reminder": r"reminders?|alarms?",
    "contact": r"contacts?(?: card| entry)?s?|address book|(?<!gift )cards?",
    "note": r"notes?|checklist",
    "ride": r"rides?|cabs?|taxis?|cars?|pick-?ups?",
    "cart": r"carts?|baskets?",
    "order": r"orders?|purchases?",
    "code": r"(?:discount |promo |voucher |coupon )?codes?|discounts?|coupons?|vouchers?",
    "listing": r"listings?|apartments?|flats?|(?<!take )(?<!takes )(?<!took )(?<!in )places?(?! (?:to|of|is|was|for"
    r"|where|and the (?:date|day|time))\b|[,:])"
    r"|favou?rites|saved(?: list| ones)?|shortlist",
    "folder": r"folders?",
    "file": r"files?|attachments?|documents?|pdfs?",
    "money": r"\d+(?:\.\d+)? ?(?:euros?|eur|dollars?|pounds?|€|\$)|money|cash",
    "seat": r"viewings?|tables?|seats?|rooms?|tickets?|flights?|trains?|hotels?|tours?",
    "food": r"food|meals?|drinks?|flowers?",
}
#: What is done: stems of the words for it, with what may follow them. Longer wordings come first by themselves.
VERBS: dict[str, str] = {
    "reply": r"repl(?:y|ies|ied|ying)|respond(?:ing)?|answer(?:ing)?|writ(?:e|ing) back|get(?:ting)? back to"
    r"|accept(?:ing)?|declin(?:e|ing)|confirm(?:ing)?",
    "remind": r"remind(?:ing)?(?= you\b)|be reminded",
    "send": r"(?:re-?)?send(?:ing)?|sent|writ(?:e|ing)(?! (?:it |that |this )?down)|drop(?:ping)?(?= \w+ a )"
    r"|giv(?:e|ing) (?:\w+ ){1,2}(?:a |the )?(?:heads-?up|word|notice)",
    "tell": r"tell(?:ing)?|(?:thank|warn|alert)(?:ing)?(?= (?!you\b|me\b|for\b)\w)|let(?:ting)? (?!me\b|you\b"
    r"|us\b)\w+(?: [\w']+){0,4} know|inform(?:ing)?|notify(?:ing)?"
    r"|nudg(?:e|ing)|ping(?:ing)?|report(?:ing)?(?= [\w' ]+ (?:to|by)\b)"
    r"|gets(?= an? (?:\w+ )?(?:message|answer|reply|word|line|mail|e-mail|text))"
    r"|giv(?:e|ing)(?= \w+ (?:the|his|her|their|your|my|that|those|these|both|all)\b(?! (?:new|old)))"
    r"|ask(?:ing)?(?! for your)|text(?:ing)?(?= \w)|messag(?:e|ing)(?= \w)",
    "mail": r"e-?mail(?:ing)?(?= \w)(?! (?:to|becomes?|is|was|address)\b)"
    r"|mail(?:ing)?(?= (?:\S+\.\w{2,4}\b|him|her|them|it|this|that|both|the|\w+(?: \w+)? (?:that|about|the|his|her|so"
    r"|an?|your|those|these|both)))",
    "forward": r"(?<!it )(?<!them )(?<!this )(?<!that )(?<!looking )(?<!look )forward(?:ing)?",
    "pass": r"pass(?:ing)?(?= (?:[\w'(),-]+ ){0,9}on\b)",
    "share": r"shar(?:e|ing)",
    "add": r"stor(?:e|ing)|add(?:ing|ed)?|creat(?:e|ing|ed)|mak(?:e|ing)|schedul(?:e|ing)"
    r"|start(?:ing)?(?= (?:an?|the|another|new)\b)|block(?:ing)?|record(?:ing)?"
    r"|not(?:e|ing) down|writ(?:e|ing) (?:it |that |this )?down|open(?:ing)?(?! (?:the|your)\b)|sav(?:e|ing)(?! \d)"
    r"|set(?:ting)? up|writ(?:e|ing)(?= (?:a |the )?(?:new )?note\b(?! to\b))",
    "put": r"put(?:ting)?"
    r"|writ(?:e|ing)(?! (?:\w+ )?to\b)(?= (?:[\w',]+ ){0,14}(?:into|onto|in|on) (?:the|your|it|that)\b)"
    r"|go(?:es)?(?= (?:in|into|on|onto) (?:the|your)\b)|fil(?:e|ing)(?= (?:it|them|this|that|the|your)\b)"
    r"|plac(?:e|ing)(?! (?:an?|the|this|that|your) order\b)(?= (?:[\w',]+ ){1,12}(?:into|onto|in|on) (?:the|your)\b)"
    r"|drop(?:ping)?(?= (?:[\w',]+ ){0,9}(?:in|into|to) (?:the|your) (?:cart|basket)\b)"
    r"|fill(?:ing)?(?: in| out)?|enter(?:ing)?|set(?:ting)?|correct(?:ing)?|fix(?:ing)?|amend(?:ing)?",
    "change": r"mov(?:e|ing|ed)|reschedul(?:e|ing|ed)|chang(?:e|ing|ed)|updat(?:e|ing|ed)|shift(?:ing|ed)?|push(?:ing)?"
    r"|adjust(?:ing|ed)?|edit(?:ing)?|renam(?:e|ing)|postpon(?:e|ing)|bring(?:ing)? (?:it |them |this |that )?forward"
    r"|extend(?:ing)?"
    r"|bring(?:ing)?(?= [^.?!;\n]{1,80} (?:up to date|in(?:to)? line))|goes(?= to \w)"
    r"|bump(?:ing)?|re-?book(?:ing)?|giv(?:e|ing)(?= [\w' ]{0,30}new (?:slot|time|date|day))",
    "cancel": r"cancel(?:l?ing|l?ed)?|called off|call(?:ing)?(?: (?:[\w'\"]+ ){1,4})? ?off\b|withdraw(?:ing)?",
    "delete": r"cross(?:ing)?(?= [^.?!;\n]{1,60} (?:off|out)\b)|delet(?:e|ing|ed)|eras(?:e|ing)"
    r"|remov(?:e|ing|ed)|clear(?:ing|ed)?|get(?:ting)? rid of"
    r"|leav(?:e|es|ing)(?= (?:the|your) (?:cart|basket|calendar|list|saved|shortlist)\b)"
    r"|(?:com(?:e|es|ing)(?= (?:off|out of) (?:the|your)\b)|disappear(?:s|ing)?)(?= [\w' ]+)"
    r"|un-?sav(?:e|ing)|kick(?:ing)?(?= [\w ]+ off)"
    r"|throw(?:ing)? (?:away|out)|bin(?:ning)?|trash(?:ing)?|toss(?:ing)?|strik(?:e|ing)"
    r"|un-?favou?rit(?:e|ing)|gone(?= from)|un-?star(?:ring)?"
    r"|(?:tak(?:e|ing)(?! \d)|drop(?:ping)?|get(?:ting)?)"
    r"(?= (?:[\w'\",:.-]+ ){0,10}(?:out|off(?! your (?:hands|mind|plate|shoulders|back))|of(?= (?:your|the) (?:saved"
    r"|list|cart))"
    r"|from (?:the|your) [\w ]*(?:cart|basket|list|favou?rites|ones|flats|apartments|places|event|entry|invitation"
    r"|calendar|attendees|guests))\b)",
    "book": r"book(?:ing|ed)?|call(?:ing)?(?! off)|get(?:ting)?(?! (?:back|rid))"
    r"|ar+ang(?:e|ing|ed)"
    r"|reserv(?:e|ing|ed)|hail(?:ing)?|request(?:ing)?|have(?= (?:a|the|one)\b)|organi[sz](?:e|ing)",
    "buy": r"buy(?:ing)?|purchas(?:e|ing)|check(?:ing)? ?out|complet(?:e|ing)|finish(?:ing)?"
    r"|plac(?:e|ing|ed)(?= (?:the|an?|your|that|this|it)\b)|submit(?:ting)?"
    r"|finali[sz](?:e|ing)|send(?:ing)? off(?= \w+ [\w ]*order)"
    r"|order(?:ing|ed)?(?= (?!\d))",
    "apply": r"apply(?:ing)?|us(?:e|ing)(?= (?:it\b|code|\w+\d|(?:[\w%]+ ){1,3}(?:code|discount|voucher|coupon)))"
    r"|redeem(?:ing)?",
    "swap": r"tak(?:es?|ing) (?:its|their|the) place|replac(?:e|ing)|swap(?:ping)?|exchang(?:e|ing)",
    "merge": r"merg(?:e|ing)|combin(?:e|ing)|consolidat(?:e|ing)",
    "download": r"download(?:ing)?|cop(?:y|ying)(?= [^.?!;\n]{1,60} (?:to|into) (?:documents|(?:the"
    r"|your) [\w ]*folder)\b)",
    "do": r"tak(?:e|ing) care of|handl(?:e|ing)|sort(?:ing)? out|do(?:ing)?(?= (?:it|that|this|so)\b)"
    r"|sav(?:e|ing)(?= (?:it|this|that) (?:like|as|so)\b)"
    r"|mak(?:e|ing)(?= (?:this|that|the) changes?\b)",
    "ring": r"(?<!reminder to )(?:ring|phone|call)(?:ing)?"
    r"(?= (?:the|your|them|him|her)\b(?! (?:cab|taxi|ride|car)\b)(?![^.?!;,\n]{0,40} off\b))",
    "mark": r"check(?:ing)?(?= (?:[\w'\"]+ ){0,5}off\b)|mark(?:ing)?|tick(?:ing)?|flag(?:ging)?|gets?(?= (?:its|an?"
    r"|the) (?:x|tick|cross)\b)"
    r"|giv(?:e|ing)(?= [\w' ]{0,30}(?:its|an?|the) (?:x|tick|cross)\b)",
    "pay": r"pay(?:ing)?|transfer(?:ring)?(?= (?:[€$\d]|the (?:money|amount|sum|share)))|wir(?:e|ing)",
    "deliver": r"deliver(?:ing|ed)?",
    "draft": r"draft(?:ing)?|prepar(?:e|ing)|put(?:ting)? (?:[\w'-]+ ){1,6}together|compos(?:e|ing)(?! and\b)",
    "find": r"look(?:ing)? for|find(?:ing)?(?= \w)|search(?:ing)?(?: for)?|research(?:ing)?|compar(?:e|ing)"
    r"|shop(?:ping)? for",
    "subscribe": r"(?:un-?)?subscrib(?:e|ing)",
}
#: The acts, each as the verbs and objects that name it; "" is no object at all.
ACTS: dict[str, tuple[tuple[str, str], ...]] = {
    "mail.reply": (("mail", ""), ("reply", "mail"), ("reply", ""), ("reply", "event"), ("reply", "message")),
    "mail.send": (
        ("mail", ""), ("tell", ""), ("send", "mail"), ("share", "mail"), ("send", ""), ("share", "file"),
        ("send", "file"), ("share", ""), ("send", "listing"), ("send", "code"), ("send", "note"), ("share", "note"),
        ("send", "event"), ("pass", ""), ("share", "code"), ("share", "listing"),
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
    "reminder.add": (("add", "reminder"), ("remind", ""), ("send", "reminder"), ("put", "reminder")),
    "reminder.change": (("change", "reminder"), ("mark", "reminder"), ("swap", "reminder"), ("put", "reminder")),
    "reminder.delete": (("delete", "reminder"), ("cancel", "reminder")),
    "contact.add": (("add", "contact"), ("put", "contact")),
    "contact.change": (("change", "contact"), ("buy", "contact"), ("swap", "contact"), ("put", "contact")),
    "contact.delete": (("delete", "contact"),),
    "note.add": (("add", "note"), ("put", "note")),
    "note.change": (
        ("change", "note"), ("mark", "note"), ("delete", "note"), ("swap", "note"), ("merge", "note"), ("put", "note"),
        ("add", "note"), ("mark", ""),
    ),
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
    "file.save": (
        ("download", ""), ("download", "folder"), ("download", "file"), ("put", "file"), ("put", "folder"),
        ("add", "file"), ("download", "mail"),
    ),
    "other.pay": (("pay", ""), ("pay", "money"), ("send", "money"), ("share", "money")),
    "other.book": (("book", "seat"), ("add", "seat"), ("buy", "seat")),
    "other.ring": (("ring", ""),),
    "other.mark": (("mark", ""),),
    "other.draft": (("draft", ""),),
    "other.find": (("find", ""),),
    "other.subscribe": (("subscribe", ""),),
    "other.deliver": (("deliver", ""), ("deliver", "food"), ("buy", "food"), ("book", "food"), ("send", "food")),
}  # fmt: skip
#: Verbs that say what is done, whatever it is done to.
STRONG = frozenset(("change", "cancel", "delete", "merge", "swap"))
#: The acts that tell somebody something.
TELLING = frozenset(("message.send", "mail.send", "mail.reply", "mail.forward"))


def require_acts(names: Iterable[str], field: str) -> None:
    """See to it that acts exist.

    Raises:
        SpecError: one does not; the message lists those that there are.
    """
    known: Collection[str] = ACTS
    for name in names:
        if name not in known:
            raise SpecError(field, unknown("act", name, known, shown=40))
