"""Setting apart: words of a proposal that say what stays as it is, what is not meant, what was left out.

Who offers with care also says what they would not touch ("the dinner on Friday stays", "not the old address", "the code
for the round one does not count"). None of that is offered, and no fact in it is claimed, so it is blanked before a
proposal is read. Blanks keep their places: positions in the text stay what they were.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache

#: Ends of sentences and of lines.
_SENTENCE_END = re.compile(r"(?<=[.!?;])[\"')]*[ \t]+(?=[^\d\s])|\n+")
#: Verbs of doing, as they stand in "I move it", "please move it", "you could move it".
ACTING = (
    r"(?:add|answer|apply|ask|book|buy|call|cancel|change|clear|correct|create|delete|drop|edit|enter|e-?mail|file|fix"
    r"|forward|inform|let|mail|make|mark|merge|message|move|order|pass|place|postpone|push|put|record|remove|rename"
    r"|replace"
    r"|reply|reschedule|save|schedule|send|set|share|shift|store|swap|take|tell|text|tick|type|update|write)(?! (?:me"
    r"|us)\b)"
)
#: Words with which an offer begins; what is offered stands behind them.
OFFER = re.compile(
    r"\b(?:sh(?:all|oud|ould) i|may i|can i|could i|might i|do i|i can(?!'t)|i could(?!n't)|i'?ll|i will|i'?d|i would"
    r"|let me"
    r"|(?:want|like|need|prefer) (?:me to|your|it|that|a|the)\b|prefer (?:that )?i|if i|ok(?:ay)? (?:if i|to|for me)"
    r"|mind if i|happy to|glad to|propos(?:e|al|ed)|suggest(?:ion|ed)?|recommend(?:ation)?|offer(?:ing)? to|ready to"
    r"|able to|for me to|about to|pleasure to|i want to|allow me to|permit me to|i should|go ahead and|how about"
    r"|permission|(?:request for|your) (?:consent|approval)"
    r"|i(?: a)?'?m going to|plan to|proceed|do you want|would you like)\b"
    rf"|\bi (?:then |also |now |just |simply |gladly )?(?={ACTING}\b(?! (?:of|out)\b))"
)
_ITEM = r"^(?:(?:-|•|\+|\d+[.)]) ?)?"
#: Stems of verbs of doing.
_DOING = (
    r"(?:send|writ|tell|let|inform|messag|mov|chang|cancel|delet|add|put|book|order|repl|answer|updat|set|mak|remov|tak"
    r"|swap|creat|sav|forward|correct|edit|appl|ask|buy|plac)(?!\w* \d)"
)
#: A sentence whose only offer is to leave something alone: "I would not touch the note", "Leave the rota in Work".
_LEAVES = re.compile(
    rf"(?:\b(?:i'?d|i would|i'?ll|i will|i can|i could)|{_ITEM}(?:and )?)"
    r" ?(?:also |just |simply |only |then |otherwise )?"
    rf"(?:leave|keep|ignore|skip|disregard|not|never|(?:{_DOING}\w*|say|touch|do)(?: to)?(?: \w+)? (?:nobody|nothing"
    rf"|none|no one|no))\b"
    r"|\bi (?:wouldn't|won't|shan't|don't plan to|don't mean to|am not going to|do not plan to)\b"
    r"|\bi(?:'m| am|'d be) (?:keeping|leaving|staying)\b"
)
#: Words of a sentence without an offer that sets things apart.
_STAYS = re.compile(
    r"\b(?:stays?|remains?|unchanged|untouched|nobody|no one|leaves?|leaving|keeps?|(?:is|are|be) kept"
    r"|nothing(?! (?:goes|is lost|gets lost|is missed))"
    r"|comes? out|left (?:out|alone|where|as)|as (?:it is|they are|you have (?:it|them)|before)|out of it"
    r"|not|never|no|neither|no longer|(?:is|are|was|were|does|do|did|wo|ca|has|have|would)n't|cannot"
    r"|too (?:dear|late|early|small|big|far|old)|turned down|only (?:for|works?|counts?)|(?<!goes )(?<!go )wrong"
    r"|outdated|still|within|older|waits?|(?:was|were) only"
    r"|(?:the|your|an|his|her|their) old|old one|instead|than|whereas|others?)\b"
)
#: Of a line below an offer: it is no part of what would be done.
_ITEM_STAYS = re.compile(
    rf"{_ITEM}(?:leave|keep|nothing|no |not |don't|do not|without)"
    r"|\b(?:stays?|remains?|unchanged|untouched|as (?:it is|they are|you have (?:it|them))|comes? out|left alone"
    r"|(?:is|are)(?:n't| not) (?:touched|changed|affected|moved|meant|concerned)|another matter|a different matter"
    r"|gets? (?:no|nothing)|hears? nothing)\b"
)
_AND_DOES = (
    rf"(?=(?:,| and| but| then|, and|, but|, then) (?:then |also |instead |only |just |to |i |i would )?{_DOING}\w*\b)"
)
#: The beginning of something that is done: of an offer, of a line of a list, behind "and".
_DOES = re.compile(
    rf"(?:\b(?:sh(?:all|ould) i|may i|can i|could i|let me|i'?d|i would|i'?ll|i will|i can|i could|want me to)"
    rf"|{_ITEM}|,|\band|\bthen|\bbut) (?:then |also |just |only |simply |i |i would )*{_DOING}\w*\b"
    r"(?! (?:to )?(?:\w+ )?(?:nobody|nothing|none|no one|no \w+))"
)
_STOP = r"(?=[.?!;:\n]|$)"
#: In an offer: what it leaves alone, up to the next thing that it does.
_LEAVING = re.compile(
    r"(?:,|;| -|\band\b|\bbut\b|\bwhile\b|\() ?(?:i(?:'?d| would|'?ll| will) )?(?:just |simply |otherwise |you )?"
    r"(?:leav(?:e|es|ing)|keep(?:s|ing)?|without (?:touch|chang)\w*|not (?:touch|chang)\w*|nothing (?:else|of)"
    r"|everything else|all else|the rest|send nothing|write nothing|no (?:message|mail|reply|answer))\b"
    rf"(?:\"[^\"\n]*\"|[^.?!;:\n])*?(?:{_AND_DOES}|{_STOP})"
)
#: A part of an offer's sentence of which it says that it stays.
_STAYING = re.compile(
    r"(?:(?<=[,;(])|(?<=: )|(?<= -)|\band\b|\bwhile\b|\bbut\b|\bsince\b)[^,;:.?!\n]*?"
    r"\b(?:stays?|remains?|untouched|unchanged|(?:is|are) (?:left|off limits)|as (?:it is|they are)"
    r"|(?:is|are|wo|ca)(?:n't| not)(?: be)? (?:touched|changed|affected|needed|moved|meant|concerned))\b"
    r"[^,;.?!\n]*"
)
#: What is named as not meant, up to the end of its part; it is not offered either.
_PART_END = r"(?:[^,.;?!\n()]|[.,](?=\d))*?(?=[;?!\n()]|[.,](?!\d)|$| - | but | and (?:i|to|then)\b)"
_INSTEAD = re.compile(
    r"\binstead of [\w.,:]{1,12}(?= in (?:the|your)\b)"
    rf"|(?:\binstead of|\brather than|\bother than|\bunlike|\bexcept(?: for)?|\bwithout)\b{_PART_END}"
)
#: What is denied; an offer may hang on it all the same: "as she is not in your contacts yet, shall I add her?"
_DENIED = re.compile(
    rf"(?:\bno longer|\bno need (?:for|of)|\bnot(?! only\b)|n't|\bneither|\bnor)(?! (?:i|you|we)\b)\b{_PART_END}"
)
_REST = (
    r"(?:\"[^\"\n]*\"|[^.?!;:\n]|[.:](?=\w))*?"
    rf"(?=,? (?:and|but|or|so) (?:i\b|shall|should|may|let me)|, (?:i\b|shall|should|may i|(?:and )?{ACTING}\b)"
    r"|[?!;\n]|[.:](?!\w)| - |$)"
)
#: What the other would do, or nobody: "you could book a cab", "please book one", "for you to send", "I can't book one".
_YOURS = re.compile(
    r"\b(?:(?<!(?<!so )that )(?<!which )(?<!what )you(?:'d|'ll)?(?: (?:would|will|can|could|may|might|should|must|need"
    r"|have|had|are|were|ought|want|wish|like|prefer"
    r"|going|thought|about|of|to|better|only|still|then|now|just|also|please|simply|quickly|yourself))*"
    r"|please|remember to|(?:don't|not) forget to|(?:make|be) sure to)"
    rf" {ACTING}\b{_REST}"
    rf"|\bi (?:can't|cannot|won't|wouldn't) {ACTING}\b(?![^.?!\n]*\b(?:without|until|unless|before|yet)\b){_REST}"
    r"|\b(?:have|had) you (?:thought|considered|planned)\b[^.?!\n]*"
)
#: What the other would only be told, or what would only be looked at.
_INFORMS = re.compile(
    r"\b(?:(?:tell|tells|telling|show|showing|teach|teaching) you|(?:explain|describe|check|find out|look up"
    r"|see)(?:ing)?(?: to you)?"
    r" (?:how|where|whether|what|which|when|why|if)"
    rf"|(?:look(?:ing)?|check(?:ing)?) into|think(?:ing)? about|consider(?:ing)?)\b{_REST}"
)
#: What stands before an arrow is what was.
_ARROW = re.compile(r"[^\n,;:?!(]*?(?:->|→|=>)")
_ASIDE = re.compile(r"\([^()\n]*\)")
#: What would be said to somebody: its sentences end none of the offer's.
_SAID = re.compile(r'(?<!\w)"[^"\n]{,400}"(?!\w)')


def meant(text: str) -> str:
    """A plain text in which all that an offer leaves alone is blank.

    >>> meant("shall i move the visit to 10:00? the haircut stays as it is.").rstrip()
    'shall i move the visit to 10:00?'
    """
    return _by_sentence(text, _meant_sentence)


def affirmed(text: str) -> str:
    """The text that `meant` gives, in which all that is denied, all that was and brackets that tell it are blank, too.

    >>> affirmed("shall i write that it is not at ten, but at noon?")
    'shall i write that it is           , but at noon?'
    """
    return _by_sentence(text, _affirmed_sentence)


def without_asides(text: str) -> str:
    """A plain text in which what stands in brackets is blank."""
    return _ASIDE.sub(blank, text)


@lru_cache(maxsize=64)
def sentences(text: str) -> tuple[tuple[int, int], ...]:
    """The places where the sentences of a plain text begin and end; the end of a line ends one."""
    return tuple(_sentences(text))


def _sentences(text: str) -> Iterator[tuple[int, int]]:
    start = 0
    brackets = [found.span() for pattern in (_ASIDE, _SAID) for found in pattern.finditer(text)]
    for found in _SENTENCE_END.finditer(text):
        if any(first < found.start() < last - (text[last - 1] == '"') for first, last in brackets):
            continue
        # "1. Move …", "on 14. May": a number with a dot ends nothing.
        if found.start() and text[found.start() - 1] == "." and text[max(0, found.start() - 2)].isdigit():
            before = text[max(0, found.start() - 4) : found.start() - 1].split()
            if "\n" not in found.group() and (not before or (before[-1].isdigit() and len(before[-1]) < 3)):
                continue
        if found.start() > start:
            yield start, found.start()
        start = found.end()
    if start < len(text):
        yield start, len(text)


@lru_cache(maxsize=512)
def _meant_sentence(sentence: str) -> str:
    does = _DOES.search(sentence) is not None
    leaves = _LEAVES.search(sentence) is not None
    stays = _ITEM_STAYS.search(sentence) and not OFFER.search(sentence) and not sentence.endswith("?")
    if not does and (leaves or stays):
        return " " * len(sentence)
    for pattern in (_LEAVING, _STAYING, _INSTEAD, _YOURS, _INFORMS):
        sentence = pattern.sub(blank, sentence)
    return sentence


@lru_cache(maxsize=512)
def _affirmed_sentence(sentence: str) -> str:
    return _DENIED.sub(blank, _ARROW.sub(blank, _without_contrasts(sentence)))


def _without_contrasts(text: str) -> str:
    """A plain text in which brackets that set something apart are blank."""
    return _ASIDE.sub(lambda found: blank(found) if is_contrast(found.group()) else found.group(), text)


def is_contrast(sentence: str) -> bool:
    """Whether a sentence that offers nothing sets what it names against what is meant."""
    return _STAYS.search(sentence) is not None


def blank(found: re.Match[str]) -> str:
    """As many blanks as what was found has signs, so that places stay what they were."""
    return " " * len(found.group())


def _by_sentence(text: str, changed: Callable[[str], str]) -> str:
    """A text with each of its sentences changed, and what stands between them."""
    made, at = "", 0
    for start, end in sentences(text):
        made += text[at:start] + changed(text[start:end])
        at = end
    return made + text[at:]
