"""Amounts of money and days, as people write them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import date
from itertools import pairwise

from pi_gym.numbers import fixed

_FIGURES = re.compile(r"[0-9.,]+")
_WORDS = re.compile(r"[^\W_]+")


def written_amount(cents: int) -> str:
    """An amount with two decimals, of cents.

    >>> written_amount(120450)
    '1204.50'
    """
    return fixed(cents / 100, 2)


def split_amount(cents: int, weights: Mapping[str, int]) -> dict[str, int]:
    """An amount in parts by whole weights; cents that are left over go to the first ones who bear something.

    >>> split_amount(1000, {"ann": 1, "ben": 0, "cleo": 2})
    {'ann': 334, 'ben': 0, 'cleo': 666}
    """
    whole = sum(weights.values())
    parts = {name: cents * weight // whole for name, weight in weights.items()}
    for name in [name for name in parts if weights[name]][: cents - sum(parts.values())]:
        parts[name] += 1
    return parts


def amounts_in(text: str) -> set[int]:
    """All numbers of a text as amounts in cents; a point or comma before one or two last digits is the decimal one.

    >>> sorted(amounts_in("1,204.50 for the hut, 98,5 for petrol, by 9 April"))
    [900, 9850, 120450]

    Digits behind a blank may be the rest of a number whose thousands are set off:

    >>> sorted(amounts_in("6 412.30"))
    [600, 41230, 641230]
    """
    found = set()
    runs = _FIGURES.findall(text)
    for one, two in pairwise([*runs]):
        if one.isdecimal() and len(one) <= 3 and len(two.replace(",", ".").partition(".")[0]) == 3:
            runs.append(one + two)
    for run in runs:
        whole, _, part = run.strip(".,").replace(",", ".").rpartition(".")
        if not whole or len(part) > 2:
            whole, part = whole + part, ""
        if 0 < len(digits := whole.replace(".", "")) < 10:
            found.add(int(digits) * 100 + int(part.ljust(2, "0")))
    return found


def same_amounts(found: Sequence[int], right: Sequence[int], slack: int = 5) -> bool:
    """Whether amounts in cents are the right ones, each but for a few cents that were left over.

    >>> same_amounts([33333, 66667], [33334, 66666])
    True
    """
    return len(found) == len(right) and all(abs(one - two) <= slack for one, two in zip(found, right, strict=True))


def days_in(text: str, year: int, month: int) -> set[tuple[int, str]]:
    """The days of one month that a text names, each with the style of `written_day`, or "figures" (9.4.).

    >>> sorted(days_in("by 9 April, no later than the 10th of april", 2026, 4))
    [(9, 'day-month'), (10, 'day-month')]
    """
    name = date(year, month, 1).strftime("%B").lower()
    words = [word for word in _WORDS.findall(text.lower()) if word not in ("of", "the")]
    bare = [word[:-2] if word[-2:] in ("st", "nd", "rd", "th") else word for word in words] + ["", ""]
    days = [int(word) if word.isdecimal() and len(word) <= 2 else 0 for word in bare]
    found = set()
    for at, word in enumerate(words):
        if word == str(year) and bare[at + 1] == f"{month:02d}":
            found.add((days[at + 2], "iso"))
        elif word in (name, name[:3]):
            found.add((days[at - 1], "day-month") if at and days[at - 1] else (days[at + 1], "month-day"))
    for run in text.replace("/", ".").split():
        day, _, rest = run.strip(".,;:!?()").removesuffix(f".{year}").partition(".")
        if rest in (str(month), f"{month:02d}") and day.isdecimal() and int(day) <= 31:
            found.add((int(day), "figures"))
    return {one for one in found if one[0]}
