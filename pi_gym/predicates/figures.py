"""Numbers as people write them, and what an author says about one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from pi_gym.predicates.node import Node
from pi_gym.predicates.patterns import regex

MAX_DECIMALS = 12
MAX_NUMBERS = 20_000
_MAX_TOKEN = 40
_SEP = r"(?:,|\{,\}|\\,|[\x{a0}\x{2009}\x{202f}'’])"
NUMBER = rf"(?:[0-9]{{1,3}}(?:{_SEP}[0-9]{{3}})+|[0-9]+)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+"
_DATE = r"[0-9]{4}-[0-9]{2}-[0-9]{2}|[0-9]{1,2}/[0-9]{1,2}/[0-9]{2,4}"
_TOKEN = regex(rf"{_DATE}|({NUMBER})")
_MINUS, _CURRENCY, _ORDINALS = "-−–", "$€£¥₹", ("st", "nd", "rd", "th")


@dataclass(frozen=True, slots=True)
class Written:
    """A number as it stands in a text.

    Args:
        value: what it says; percent and currency signs are left out, so "71.3%" is 71.3.
        decimals: how many digits follow the point; -1 in scientific notation.
    """

    value: float
    decimals: int


def read_number(token: str, negative: bool = False) -> Written | None:
    """A token of the grammar `NUMBER` as a number; None where it is too long to be one."""
    if len(token) > _MAX_TOKEN:
        return None
    bare = token if token.isascii() and not set(token) & set(",{}\\'") else _bare(token)
    value = float(bare)
    decimals = -1 if "e" in bare.lower() else len(bare) - bare.find(".") - 1 if "." in bare else 0
    return Written(-value if negative else value, decimals)


def _bare(token: str) -> str:
    return "".join(char for char in token if char in "0123456789.eE+-")


def _negative(text: str, start: int) -> bool:
    at = start - 1
    if at >= 0 and text[at] in _CURRENCY:
        at -= 1
    if at < 0 or text[at] not in _MINUS:
        return False
    # "3-5" is a range and "x-5" a name; a minus sign has nothing before it that it could join.
    return at == 0 or not (text[at - 1].isalnum() or text[at - 1] in ")_%")


def _joins(char: str) -> bool:
    # Scripts that write no blanks between words (from U+2E80 on) put numbers right beside letters.
    return (char.isalnum() or char == "_") and char < "\u2e80"


def _stands_alone(text: str, start: int, end: int) -> bool:
    before = text[start - 1] if start else " "
    if _joins(before):
        return False
    if before in ".:" and start > 1 and text[start - 2].isdigit():
        return False
    after = text[end : end + 7]
    if after[:1] in (".", ":") and after[1:2].isdigit():
        return False
    if after[:1] in ("%", "‰", "°"):
        after = after[1:]
    unit = ""
    for char in after:
        if not _joins(char):
            break
        unit += char
    return len(unit) <= 4 and not any(char.isdigit() or char == "_" for char in unit) and unit not in _ORDINALS


def written_numbers(text: str) -> tuple[Written, ...]:
    """The numbers that stand as tokens of their own, in order; at most `MAX_NUMBERS`.

    Dates, times, versions, ordinals and digits within names are none. A short unit may follow ("12ms", "71.3%").

    >>> [n.value for n in written_numbers("v2 cost $1,250.50 on 2026-11-21, −3.5 % of 171.30")]
    [1250.5, -3.5, 171.3]
    """
    found: list[Written] = []
    for token, start in _tokens(text):
        number = read_number(token, _negative(text, start))
        if number is not None:
            found.append(number)
            if len(found) == MAX_NUMBERS:
                break
    return tuple(found)


def _tokens(text: str) -> Iterator[tuple[str, int]]:
    for match in _TOKEN.finditer(text):
        token = match.group(1)
        if token and _stands_alone(text, match.start(1), match.end(1)):
            yield token, match.start(1)


def significant_digits(text: str) -> tuple[int, int] | None:
    """The least and the most significant figures that the first number of a text may have; None without one.

    Counted are the digits from the first that is not zero to the last that is written. Zeros at the end of a whole
    number are open; a power of ten counts nothing. Zero has none.

    >>> [significant_digits(one) for one in ("0.0340", "34.3 %", "120", "1.20e3", "0.00")]
    [(3, 3), (3, 3), (2, 3), (3, 3), None]
    """
    token = next((token for token, _ in _tokens(text) if len(token) <= _MAX_TOKEN), "")
    mantissa, power, _ = _bare(token).lower().partition("e")
    digits = mantissa.replace(".", "").lstrip("0")
    if not digits:
        return None
    return (len(digits) if power or "." in mantissa else len(digits.rstrip("0")), len(digits))


@dataclass(frozen=True, slots=True)
class NumberRule:
    """A rule for a written number.

    Args:
        value: the exact value.
        decimals: exactly so many written decimals, and the value rounded to them (at a tie either way).
        tolerance: the greatest distance from the value.
    """

    value: float
    decimals: int | None = None
    tolerance: float | None = None

    def takes(self, number: Written) -> bool:
        """Whether this is how the value may be written."""
        if self.decimals is not None and number.decimals != self.decimals:
            return False
        if self.tolerance is not None:
            allowed = self.tolerance + 1e-9
        elif self.decimals is not None:
            allowed = 0.5 * 10.0**-self.decimals + 1e-9
        else:
            allowed = 1e-9 * max(1.0, abs(self.value))
        return abs(number.value - self.value) <= allowed

    def __str__(self) -> str:
        text = f"{self.value:.12g}"
        if self.tolerance is not None:
            text += f" ± {self.tolerance:g}"
        if self.decimals is not None:
            text += f" with {self.decimals} decimal" + ("" if self.decimals == 1 else "s")
        return text


def parse_precision(fields: Mapping[str, Node]) -> tuple[int | None, float | None]:
    """The options `decimals` and `tolerance`."""
    decimals = tolerance = None
    if "decimals" in fields:
        node = fields["decimals"]
        decimals = node.integer()
        if decimals > MAX_DECIMALS:
            raise node.wrong(f"a whole number up to {MAX_DECIMALS}")
    if "tolerance" in fields:
        node = fields["tolerance"]
        tolerance = node.number()
        if tolerance < 0:
            raise node.wrong("a number from 0")
    return decimals, tolerance
