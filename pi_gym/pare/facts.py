"""Facts as a proposal names them: days, times, amounts and words, however they are written."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Literal, TypeAlias

from pi_gym.numbers import NUMBER_WORDS

FactKind: TypeAlias = Literal["day", "time", "number", "words"]

_MONTHS = (
    *("january", "february", "march", "april", "may", "june"),
    *("july", "august", "september", "october", "november", "december"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTH = "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS)
HOUR_WORDS = NUMBER_WORDS[:12]
_PARTS = {"half past": 30, "quarter past": 15, "quarter to": -15}
_WEEKDAY = "|".join(_WEEKDAYS)
_DAY = re.compile(
    rf"\b(?P<year>20\d\d)-(?P<month>\d\d)-(?P<day>\d\d)\b"
    rf"|(?<![\d:.])\b(?P<day_first>\d{{1,2}})(?:st|nd|rd|th|\.)?(?: of)? "
    rf"(?!may (?:i|we)\b(?! (?:am|was|are|were|will|would|could|can|should|have|had)\b))(?P<its_month>{_MONTH})\b"
    rf"(?:,? 20\d\d\b)?"
    rf"|(?<![\d.:/])(?<!at )(?P<number_day>\d{{1,2}})(?:/(?=\d{{1,2}}\b)|\.(?=\d{{1,2}}\.))"
    rf"(?P<number_month>\d{{1,2}})\b"
    rf"(?:[./]20\d\d\b)?\.?"
    rf"|\b(?P<ordinal>\d{{1,2}})(?:st|nd|rd|th)\b(?! (?:floor|time|one|street))"
    rf"|\b(?P<month_first>{_MONTH})\.? (?P<its_day>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:)(?:,? 20\d\d\b)?"
    rf"|\b(?P<weekday>{_WEEKDAY})s?\b|\b(?P<near>today|tonight|tomorrow)\b"
)
#: What stands between a weekday and its date: "saturday, 23 may", "saturday the 23rd", "23 may (saturday)".
_SAME_DAY = re.compile(r"[ ,(]*(?:the |a |on )?")
_TIME = re.compile(
    r"\b(?P<hour>\d{1,2})(?::|\.(?!(?:0\d|1[0-2])\.)|(?<=\bat \d\d)\.(?=1[0-2]\.))"
    r"(?P<minute>[0-5]\d)(?::\d\d)?(?: ?(?P<half>[ap])\.?m\b\.?)?"
    r"|\b(?P<full>\d{1,2}) ?(?P<its_half>[ap])\.?m\b"
    r"|\b(?P<oclock>\d{1,2}) o'clock\b|\b(?P<noon>noon|midday)\b"
    r"|\b(?P<part>half past|quarter past|quarter to) (?P<spoken>\w+)\b|\b(?P<word_oclock>\w+) o'clock\b"
    r"|\b(?P<begin>\d{1,2})(?= ?(?:-|to|until|till) ?\d{1,2}(?:[:.]\d\d)? ?(?P<its_end>[ap])\.?m\b)"
    rf"|\bat (?P<word>{'|'.join(HOUR_WORDS)})(?=[.?!,;)]|$"
    r"| (?:works?|sharp|on|in the (?:morning|afternoon|evening)|tomorrow|tonight|today|instead|and|for|with|as)\b)"
    r"|\bat (?P<bare>\d{1,2})(?![.:]\d)(?=[ .?!]|,(?!\d)|$)(?! ?(?:%|euros?|eur|km|minutes?|people))"
)
#: Words before an amount that is written as a time could be: "you save 23.00".
_AMOUNT = re.compile(r"(?:[€$£]|\bsav\w*|\bcosts?|\bpays?|\btotals?|\bprice\w*|\bcomes to|\bmakes)(?: you| of| is)? ?$")
_UNIT = re.compile(r" ?(?:€|\$|£|%|(?:euros?|eur|dollars?|pounds?|km|kg|cm|m|l)\b)")
_NUMBER = re.compile(
    r"(?<![\w.:-])(?:[$€£] ?)?(\d+(?:,\d\d(?!\d)(?= ?(?:€|eur|euros?\b))|(?:,\d{3})*(?:\.\d+)?))(?![\w-]|:\d|\.\d)"
)
#: A span of time with its begin: what follows "from" is then no old fact.
_SPAN = re.compile(r"\b(?:runs?|running|lasts?|goes|go|be|is|block\w*|set|put) from[ a-z:',]{0,12}$")
#: Words behind which something goes from one time to another; without them, "from ten to eleven" is how long it takes.
_MOVES = re.compile(
    r"\b(?:mov|chang|shift|push|bring|brought|postpon|reschedul|re-?set|set(?!tl)|put|correct|updat|switch|edit|amend|adjust|goes?"
    r"|delay|instead|new)\w*\b|->|\u2192"
)
_FROM = re.compile(r"\bfrom $")
_TO_TIME = re.compile(r"\d[\d:.]*(?: ?[ap]\.?m\b\.?)? ?(?:-|to|until|till) \d")
#: Words behind which a fact is the old one, or one that is not meant.
_OLD_END = re.compile(
    r"(?:\binstead of|\brather than|\bno longer|\bnot\b)[ a-z:',]{0,12}"
    r"\d[\d:.]* ?(?:[ap]\.?m\.? ?)?(?:-|to|until) ?$"
)
_OLD = re.compile(
    r"(?:\bfrom|\binstead of|\brather than|\bnot\b(?: at| on| take place at)?|\bold"
    r"(?! (?!one|time|date|day|hour|slot|number|address|price|place|entry|value)\w+ )|\bpreviously"
    r"|\boriginally|\bformerly|\bno longer(?: at| on)?|\bwas|\bcurrent(?:ly)?|\bstill says|\bstill has"
    r"|\bplanned for)[ a-z']{0,12}$"
)


@dataclass(frozen=True, slots=True)
class NamedFact:
    """A fact that a text names.

    Args:
        kind: what it is.
        value: a day or a time in ISO form, a number in its shortest form.
        at: where it stands.
        old: it is named as what no longer holds.
        by_name: it is a weekday.
    """

    kind: FactKind
    value: str
    at: int
    old: bool = False
    by_name: bool = False

    @property
    def values(self) -> frozenset[str]:
        """All that the words may mean: a time before noon one after it, a weekday that of the week after."""
        if self.kind == "day" and self.by_name:
            return frozenset((self.value, (date.fromisoformat(self.value) + timedelta(days=7)).isoformat()))
        if self.kind == "time" and self.value < "13:00":
            hour, minute = self.value.split(":")
            return frozenset((self.value, f"{(int(hour) + 12) % 24:02}:{minute}"))
        return frozenset((self.value,))

    @property
    def past(self) -> frozenset[str]:
        """The day before that a weekday may mean, too: "their mail of Monday"."""
        if not (self.kind == "day" and self.by_name):
            return frozenset()
        return frozenset(((date.fromisoformat(self.value) - timedelta(days=7)).isoformat(),))


def plain_text(text: str) -> str:
    """A text as it is compared: lower-case, plain quotes, single blanks but for ends of lines."""
    text = _STRUCK.sub("", _STARRED.sub("- ", text.lower())).translate(_PLAIN)
    text = _SPELLED_DAY.sub(lambda found: str(_ORDINALS.index(found[1]) + 1), text)
    return "\n".join(" ".join(line.split()) for line in text.splitlines())


_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
#: "The first of April".
_SPELLED_DAY = re.compile(rf"\b({'|'.join(_ORDINALS)})(?= of (?:{_MONTH})\b)")
#: What is struck through is not said.
_STRUCK = re.compile(r"~~[^~\n]*~~")
#: A line of a list that begins with a star.
_STARRED = re.compile(r"^[ \t]*\*[ \t]+", re.M)
_PLAIN = str.maketrans({"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": " - ", "*": "", "`": "", "\u00a0": " ",
                        "\u202f": " "})  # fmt: skip


def find_facts(text: str, today: date) -> tuple[NamedFact, ...]:
    """The days, times and numbers that a plain text names, in its order.

    Args:
        text: what `plain_text` gave.
        today: the day on which it was said; a weekday is the next one of its name, today's own in a week.
    """
    days = [(found, day) for found in _DAY.finditer(text) if (day := _day(found, today)) is not None]
    dates = [found.span() for found, _ in days]
    times = [
        (found, time)
        for found in _TIME.finditer(text)
        if (time := _time(found)) is not None
        and not any(start <= found.start() < end for start, end in dates)
        and not ("." in found.group() and _is_amount(text, *found.span()))
    ]
    taken = [found.span() for found, _ in (*days, *times)]
    listed = [
        NamedFact("day", day, found.start(), _is_old(text, found.start()), bool(found["weekday"]))
        for found, day in days
        if not _is_said_otherwise(text, found, days)
    ]
    listed += [NamedFact("time", time, found.start(), _is_old(text, found.start(), time=True)) for found, time in times]
    for found in _NUMBER.finditer(text):
        if not any(start <= found.start(1) < end for start, end in taken):
            listed.append(NamedFact("number", number_text(found[1]), found.start(1), _is_old(text, found.start())))
    return tuple(sorted(listed, key=lambda one: one.at))


def _is_amount(text: str, start: int, end: int) -> bool:
    """Whether what is written as a time could be is an amount."""
    return _AMOUNT.search(text, 0, start) is not None or _UNIT.match(text, end) is not None


def number_text(text: str) -> str:
    """A number in its shortest form.

    >>> number_text("1,200.50"), number_text("15")
    ('1200.5', '15')
    """
    # "32,30 €" has a comma where others have a point.
    text = f"{text[:-3]}.{text[-2:]}" if text[-3:-2] == "," else text
    return f"{float(text.replace(',', '')):.4f}".rstrip("0").rstrip(".")


def _is_old(text: str, at: int, *, time: bool = False) -> bool:
    """Whether the words before a fact say that it is the old one; a time may be that at which something begins."""
    begin = max(0, at - 40)
    if _OLD_END.search(text, begin, at) is not None:
        return True
    if _OLD.search(text, begin, at) is None or _SPAN.search(text, begin, at) is not None:
        return False
    lasts = time and _FROM.search(text, begin, at) is not None and _TO_TIME.match(text, at) is not None
    return not lasts or _MOVES.search(text, max(0, at - 100), at) is not None


def _is_said_otherwise(text: str, found: re.Match[str], days: list[tuple[re.Match[str], str]]) -> bool:
    """Whether a weekday only says again what the date beside it says."""
    if not found["weekday"]:
        return False
    for other, day in days:
        first, second = sorted((found, other), key=lambda one: one.start())
        beside = other is not found and _SAME_DAY.fullmatch(text, first.end(), second.start())
        if beside and _WEEKDAYS[date.fromisoformat(day).weekday()] == found["weekday"]:
            return True
    return False


def _day(found: re.Match[str], today: date) -> str | None:
    parts = found.groupdict()
    if parts["near"]:
        return (today + timedelta(days=parts["near"] == "tomorrow")).isoformat()
    if parts["weekday"]:
        ahead = (_WEEKDAYS.index(parts["weekday"]) - today.weekday()) % 7 or 7
        return (today + timedelta(days=ahead)).isoformat()
    if parts["ordinal"]:
        # The next day of this number: "the 23rd".
        coming = (today + timedelta(days=number) for number in range(62))
        return next((one.isoformat() for one in coming if one.day == int(parts["ordinal"])), None)
    if parts["year"]:
        year, month, day = int(parts["year"]), int(parts["month"]), int(parts["day"])
    elif parts["number_day"]:
        # "14/5" and "5/14" are the same day; of "3/4" it is the first.
        day, month, year = int(parts["number_day"]), int(parts["number_month"]), today.year
        day, month = (month, day) if month > 12 else (day, month)
    else:
        name = (parts["its_month"] or parts["month_first"])[:3]
        month = next(number for number, one in enumerate(_MONTHS, 1) if one.startswith(name))
        day, year = int(parts["day_first"] or parts["its_day"]), today.year
    try:
        named = date(year, month, day)
    except ValueError:
        return None
    if not parts["year"] and named < today - timedelta(days=180):
        named = named.replace(year=year + 1)
    return named.isoformat()


def _time(found: re.Match[str]) -> str | None:
    parts = found.groupdict()
    if parts["noon"]:
        return "12:00"
    spoken = parts["spoken"] or parts["word_oclock"] or parts["word"]
    if spoken:
        if spoken not in HOUR_WORDS:
            return None
        minutes = 60 * (HOUR_WORDS.index(spoken) + 1) + _PARTS.get(parts["part"], 0)
        return f"{minutes // 60:02}:{minutes % 60:02}"
    hour = int(parts["hour"] or parts["full"] or parts["oclock"] or parts["begin"] or parts["bare"])
    half = parts["half"] or parts["its_half"] or parts["its_end"]
    if half:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + 12 * (half == "p")
    if hour > 23:
        return None
    return f"{hour:02}:{parts['minute'] or '00'}"


def wanted_facts(text: str) -> Iterator[tuple[FactKind, str]]:
    """The facts that a text of a scenario stands for: of a moment its day and its time.

    >>> list(wanted_facts("2026-05-05T10:00:00")), list(wanted_facts("24.50")), list(wanted_facts("The Old Mill"))
    ([('day', '2026-05-05'), ('time', '10:00')], [('number', '24.5')], [('words', 'the old mill')])
    """
    if re.fullmatch(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d)?", text):
        moment = datetime.fromisoformat(text)
        yield "day", moment.date().isoformat()
        yield "time", moment.strftime("%H:%M")
    elif re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        yield "day", text
    elif re.fullmatch(r"\d\d:\d\d", text):
        yield "time", text
    elif re.fullmatch(r"\d+(\.\d+)?", text):
        yield "number", number_text(text)
    else:
        yield "words", plain_text(text)


def names_words(text: str, words: str) -> bool:
    """Whether a plain text has these words, as whole words; a possessive and a plural count too."""
    return words in text and next(find_words(text, words), -1) >= 0  # mostly they are not


def find_words(text: str, words: str) -> Iterator[int]:
    """The places at which a plain text has these words, as `names_words` takes them."""
    at = text.find(words)
    while at >= 0:
        end = at + len(words)
        before, after = text[at - 1 : at], text[end : end + 1]
        plural = after == "s" and not text[end + 1 : end + 2].isalnum()
        if not before.isalnum() and (plural or not after.isalnum()):
            yield at
        at = text.find(words, at + 1)
