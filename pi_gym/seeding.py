"""Random streams derived by name, so that a draw depends on what it is for and on nothing else.

A stream is seeded with the SHA-256 of its names. Two streams with different names are independent, and adding a
draw to one never shifts another. Only `random()` and `getrandbits()` of the Mersenne Twister are used: the standard
library promises the same sequence for these across versions, which it does not for `choice` or `shuffle`.
"""

from __future__ import annotations

import hashlib
import math
import random
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")


class Stream:
    """A deterministic source of random values for one purpose.

    Args:
        names: what the stream is for, from the general to the particular, for example
            `("researcher", "03-ablation", 17, "params")`.

    >>> Stream("demo", 1).integer(1, 6) == Stream("demo", 1).integer(1, 6)
    True
    """

    __slots__ = ("_random", "names")

    def __init__(self, *names: str | int) -> None:
        self.names = names
        key = "\x1f".join(f"{type(n).__name__}:{n}" for n in names).encode()
        self._random = random.Random(int.from_bytes(hashlib.sha256(key).digest(), "big"))

    def child(self, *names: str | int) -> Stream:
        """A stream of its own for a part of this one's purpose."""
        return Stream(*self.names, *names)

    def random(self) -> float:
        """A float in [0, 1)."""
        return self._random.random()

    def uniform(self, low: float, high: float) -> float:
        """A float in [low, high)."""
        return low + (high - low) * self._random.random()

    def integer(self, low: int, high: int) -> int:
        """An integer in [low, high], both included."""
        if high < low:
            raise ValueError(f"integer(low, high) needs low <= high, got {low} and {high}")
        draw, span = self._random.getrandbits, high - low + 1
        bits = span.bit_length()
        while (value := draw(bits)) >= span:
            pass
        return low + value

    def gauss(self, mean: float, deviation: float) -> float:
        """A normally distributed float (Box-Muller); round it before it reaches a file."""
        radius = math.sqrt(-2.0 * math.log(1.0 - self._random.random()))
        return mean + deviation * radius * math.cos(2.0 * math.pi * self._random.random())

    def choice(self, options: Sequence[T]) -> T:
        """One of the options."""
        if not options:
            raise ValueError("choice() needs at least one option")
        return options[self.integer(0, len(options) - 1)]

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """`count` different positions of `options`, in random order."""
        if not 0 <= count <= len(options):
            raise ValueError(f"sample() of {count} from {len(options)} options")
        return self.shuffled(options)[:count]

    def shuffled(self, options: Sequence[T]) -> list[T]:
        """The options in random order, as a new list."""
        items, draw = list(options), self._random.getrandbits
        # The draws of `integer`, without a call for each: a world is mostly this.
        for last in range(len(items) - 1, 0, -1):
            bits = (last + 1).bit_length()
            while (other := draw(bits)) > last:
                pass
            items[last], items[other] = items[other], items[last]
        return items
