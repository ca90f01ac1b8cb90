"""Numbers written and words counted: one rule each for references, files and checks."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Decimal

#: The words of the numbers from one on.
NUMBER_WORDS = (
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen",
    "fourteen", "fifteen", "sixteen",
)  # fmt: skip


def fixed(value: float | int | Decimal, decimals: int = 0) -> str:
    """A number with exactly so many decimals, halves rounded away from zero.

    The shortest decimal that stands for the float is rounded, so that what is seen is what is rounded.

    >>> fixed(2.675, 2), fixed(-0.04, 1), fixed(71, 1)
    ('2.68', '0.0', '71.0')
    """
    quantum = Decimal(1).scaleb(-decimals)
    rounded = Decimal(str(value)).quantize(quantum, rounding=ROUND_HALF_UP)
    return str(abs(rounded) if rounded == 0 else rounded)


def number_word(number: int) -> str:
    """The word of a number from one to sixteen; of another its figures.

    >>> number_word(12), number_word(20)
    ('twelve', '20')
    """
    return NUMBER_WORDS[number - 1] if 0 < number <= len(NUMBER_WORDS) else str(number)


def count_words(text: str) -> int:
    """The number of words in a text: what stands between blanks and has a letter or a digit.

    >>> count_words("- two words"), count_words("| 3 | – |")
    (2, 1)
    """
    # Of most words the first character tells.
    return sum([token[0].isalnum() or any(map(str.isalnum, token)) for token in text.split()])
