"""The subject of a question in the asker's own words, for a user who has no wish about it."""

from __future__ import annotations

import re

from pi_gym.questions.cues import FUNCTION_WORDS

MAX_SUBJECT_WORDS = 4

_AUXILIARY = r"(?:should|shall|do|does|did|would|will|is|are|was|were|can|could|may|might|must|has|have|to|you|i)\b"
_ASKS_FOR = re.compile(
    rf"\b(?:which|what(?: kind of)?|how many)\s+(?!(?:of|about|if)\b|{_AUXILIARY})([^,;:?]+?)"
    rf"(?:\s+{_AUXILIARY}|\W*$)"
)
_NAMES = re.compile(
    r"\b(?:about|for|in|on|of|to|with|change|keep|drop|include|use|add|have|want|mention|touch|edit|leave|put|need)\s+"
    r"((?:the|your|that|this|these|those|a|an)\s+[^,;:?]+?)"
    r"(?=\s+(?:in|on|at|for|to|of|with|by|from|as|or|and|be|is|are|too|here|there|that|which|should|shall|if)\b|[,;:?.]|$)"
)
_BRACKET = re.compile(r"[()\[\]]")
_ARTICLE = re.compile(r"^(?:the|your|that|this|these|those|a|an|my)\s+")
_EMPTY = frozenset(
    re.findall(
        r"\w+",
        "it that this these those them one ones thing things something anything else way kind preference preferences"
        " other more file me you us everything two three four five nobody somebody anybody everybody no-one someone"
        " anyone everyone whoever stands stand",
    )
)


def subject(clause: str) -> str:
    """The thing that a clause asks about, as a few of its own words; "" where they are not to be made out.

    >>> subject("Which row order would you like?"), subject("Shall I keep the old notes in it?"), subject("Anything?")
    ('row order', 'old notes', '')
    """
    plain = " ".join(clause.casefold().split())
    for pattern in (_ASKS_FOR, _NAMES):
        for match in pattern.finditer(plain):
            words = _ARTICLE.sub("", match[1].strip(" .\"'*_`")).split()
            if _BRACKET.search(match[1]):  # a torn piece of what stands in them
                continue
            if (
                0 < len(words) <= MAX_SUBJECT_WORDS
                and FUNCTION_WORDS.isdisjoint(words)
                and not _EMPTY.issuperset(words)
            ):
                return " ".join(words)
    return ""


def shares_words(subject: str, text: str) -> bool:
    """Whether a word of a subject stands in a text too.

    >>> shares_words("line", "the whole line, please."), shares_words("old notes", "Take the new ones.")
    (True, False)
    """
    words, others = (set(re.findall(r"\w+", one.casefold())) - FUNCTION_WORDS for one in (subject, text))
    return not words.isdisjoint(others)
